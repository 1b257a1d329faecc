// Operations for neural networks compared with the bandwidth of a copy: bench_ops_nn [DEVICE] [MEBIBYTES]
// [NAME...] (default: cpu, 64 MiB for each tensor, all operations). NAME: a part of the names of operations
// to measure. bench/ops/torch_nn.py measures the same with PyTorch.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/table.hpp"
#include "base/text.hpp"
#include "quern/ops.hpp"
#include "quern/quern.hpp"

namespace {

using namespace quern;  // NOLINT(google-build-using-namespace)
using base::Align;
using base::format;
using ops::half;
using ops::Tensor;

constexpr int kRounds = 7, kCalls = 10;

// Measures operations and keeps the best round.
class BandwidthRows {
 public:
  // `names`: parts of the names of operations; none for all. The first row is always measured.
  BandwidthRows(const Device& device, std::vector<std::string> names)
      : device_(device), names_(std::move(names)) {}
  // `bytes`: that must be read and written at least.
  void measure(const std::string& name, double bytes, const std::function<void()>& work) {
    const auto is_part = [&](const std::string& part) { return name.find(part) != std::string::npos; };
    if (copy_ != 0 && !names_.empty() && std::none_of(names_.begin(), names_.end(), is_part)) return;
    work();  // compiles
    device_.synchronize();
    double best = 1e30;
    for (int round = 0; round < kRounds; ++round) {
      const auto start = std::chrono::steady_clock::now();
      for (int call = 0; call < kCalls; ++call) work();
      device_.synchronize();
      best = std::min(
          best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / kCalls);
    }
    const double rate = bytes / best * 1e-9;
    if (copy_ == 0) copy_ = rate;
    table_.add_row(
        {name, format("%.1f us", best * 1e6), format("%.1f GB/s", rate), format("%.2f", rate / copy_)});
  }
  void print() const { std::printf("%s", table_.to_string().c_str()); }

 private:
  const Device& device_;
  const std::vector<std::string> names_;
  double copy_ = 0;  // the rate of the first row
  base::Table table_{
      {{"operation"}, {"time", Align::kRight}, {"rate", Align::kRight}, {"of copy", Align::kRight}}};
};

template <typename T>
Tensor<T> filled(const Device& gpu, const ops::Shape& shape) {
  const Tensor<T> out(gpu, shape);
  ops::fill(gpu, out, T(0.5f));
  return out;
}

template <typename T>
void measure_rows(BandwidthRows& rows, const Device& gpu, const char* type, std::int64_t elements) {
  const auto bytes = static_cast<double>(elements) * sizeof(T);
  for (const std::int64_t count : {256, 1024, 4096, 16384, 65536}) {
    const ops::Shape shape{elements / count, count};
    const Tensor<T> x = filled<T>(gpu, shape), y = filled<T>(gpu, shape), sum = filled<T>(gpu, shape),
                    weight = filled<T>(gpu, {count});
    const Tensor<std::int64_t> targets(gpu, {elements / count});
    const Tensor<float> loss(gpu, {elements / count});
    ops::fill(gpu, targets, std::int64_t{7});
    const std::string size = format(" %s, rows of %lld", type, static_cast<long long>(count));
    rows.measure("softmax" + size, 2 * bytes, [&] { ops::softmax(gpu, x, y); });
    rows.measure("log_softmax" + size, 2 * bytes, [&] { ops::log_softmax(gpu, x, y); });
    rows.measure("cross_entropy" + size, bytes, [&] { ops::cross_entropy(gpu, x, targets, loss); });
    rows.measure("layer_norm" + size, 2 * bytes,
                 [&] { ops::layer_norm(gpu, x, y, {.weight = weight, .bias = weight}); });
    rows.measure("rms_norm" + size, 2 * bytes, [&] { ops::rms_norm(gpu, x, y, {.weight = weight}); });
    rows.measure("rms_norm + residual" + size, 4 * bytes,
                 [&] { ops::rms_norm(gpu, x, y, {.weight = weight, .residual = sum, .sum = sum}); });
  }
  const Tensor<T> x = filled<T>(gpu, {elements}), y = filled<T>(gpu, {elements});
  const Tensor<T> both = filled<T>(gpu, {elements / 8192, 8192}),
                  out = filled<T>(gpu, {elements / 8192, 4096});
  rows.measure(std::string("transform ") + type, 2 * bytes,
               [&] { ops::transform(gpu, "[](auto v) { return v * v; }", x, y); });
  rows.measure(std::string("copy of tensors, ") + type, 2 * bytes, [&] { ops::copy(gpu, x, y); });
  rows.measure(std::string("fill ") + type, bytes, [&] { ops::fill(gpu, y, T(0.5f)); });
  rows.measure(std::string("gelu ") + type, 2 * bytes, [&] { ops::activate(gpu, ops::gelu, x, y); });
  rows.measure(std::string("silu ") + type, 2 * bytes, [&] { ops::activate(gpu, ops::silu, x, y); });
  rows.measure(std::string("SwiGLU ") + type, 1.5 * bytes, [&] {
    ops::activate_gated(gpu, ops::silu, both.slice(1, 0, 4096), both.slice(1, 4096, 4096), out);
  });
}

// One token with a cache, 32 heads of queries, 8 of keys, 128 elements.
void measure_decode(BandwidthRows& rows, const Device& gpu, std::int64_t bytes) {
  const std::int64_t keys = bytes / (8 * 128 * 2);
  const Tensor<half> q = filled<half>(gpu, {1, 32, 1, 128}), out = filled<half>(gpu, {1, 32, 1, 128}),
                     k = filled<half>(gpu, {1, 8, keys, 128}), v = filled<half>(gpu, {1, 8, keys, 128});
  rows.measure(format("attention of one token, %lld keys", static_cast<long long>(keys)),
               2.0 * static_cast<double>(bytes),
               [&] { ops::attention(gpu, q, k, v, out, {.causal = true}); });
}

void measure_quantized(BandwidthRows& rows, const Device& gpu, std::int64_t bytes) {
  struct Row {
    const char* name;
    ops::Quantization quantization;
    bool is_integer;
    std::int64_t group;  // 0: the whole row
  };
  constexpr std::int64_t kColumns = 8192;
  const Tensor<half> a = filled<half>(gpu, {1, kColumns});
  const Tensor<std::int8_t> a8(gpu, {1, kColumns});
  ops::fill(gpu, a8, static_cast<std::int8_t>(3));
  for (const Row& row : {Row{"int8 × int8", ops::Quantization::int8, true, 0},
                         Row{"int8 × half", ops::Quantization::int8, false, 0},
                         Row{"fp8 × half", ops::Quantization::fp8, false, 0},
                         Row{"int4 (128) × half", ops::Quantization::int4, false, 128},
                         Row{"int4 (128) × int8", ops::Quantization::int4, true, 128},
                         Row{"ternary × int8", ops::Quantization::ternary, true, 0}}) {
    const std::int64_t row_bytes = ops::packed_bytes(row.quantization, kColumns), n = bytes / row_bytes;
    const Tensor<std::uint8_t> packed(gpu, {n, row_bytes});
    const Tensor<float> scales = filled<float>(gpu, {n, row.group == 0 ? 1 : kColumns / row.group});
    const Tensor<half> c(gpu, {1, n});
    ops::fill(gpu, packed, static_cast<std::uint8_t>(0x55));
    rows.measure(std::string("matvec ") + row.name, static_cast<double>(n * row_bytes + scales.size() * 4),
                 [&] {
                   if (row.is_integer)
                     ops::quantized_matmul(gpu, a8, packed, scales, c, {.quantization = row.quantization});
                   else
                     ops::quantized_matmul(gpu, a, packed, scales, c, {.quantization = row.quantization});
                 });
  }
}

// The time that calls take on the host, of which the plain launch of a kernel with four arguments is the
// least.
void print_host_times(const Device& gpu) {
  base::Table table{{{"call"}, {"host time", Align::kRight}}};
  const Stream stream = gpu.stream();
  const auto measure = [&](const char* name, const std::function<void()>& call) {
    double best = 1e30;
    for (int round = 0; round < 50; ++round) {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < kCalls; ++i) call();
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
      if (round > 0) best = std::min(best, time.count() / kCalls);
      gpu.synchronize();
    }
    table.add_row({name, format("%.2f us", best * 1e6)});
  };
  const Tensor<float> x = filled<float>(gpu, {4, 256}), y = filled<float>(gpu, {4, 256}), loss(gpu, {4}),
                      weight = filled<float>(gpu, {256});
  const Tensor<std::int32_t> targets(gpu, {4});
  ops::fill(gpu, targets, 7);
  const Kernel plain = gpu.compile(
                              "__global__ void plain(float* a, float* b, float* c, long long n) {"
                              "  if (threadIdx.x < n) a[0] = b[0] + c[0];"
                              "}")
                           .kernel("plain");
  measure("plain launch", [&] {
    stream.launch(plain, grid({1, 1, 1}, {256, 1, 1}), y.memory(), x.memory(), weight.memory(),
                  std::int64_t{0});
  });
  const ops::Function square("[](float v) { return v * v; }");
  measure("transform", [&] { ops::transform(stream, square, x, y); });
  measure("fill", [&] { ops::fill(stream, y, 0.5f); });
  measure("activate", [&] { ops::activate(stream, ops::gelu, x, y); });
  measure("softmax", [&] { ops::softmax(stream, x, y); });
  measure("cross_entropy", [&] { ops::cross_entropy(stream, x, targets, loss); });
  measure("layer_norm", [&] { ops::layer_norm(stream, x, y, {.weight = weight, .bias = weight}); });
  measure("rms_norm + residual",
          [&] { ops::rms_norm(stream, x, y, {.weight = weight, .residual = y, .sum = y}); });
  std::printf("%s", table.to_string().c_str());
}

}  // namespace

int main(int count, char** words) {
  try {
    const Device gpu = open(count > 1 ? words[1] : "cpu");
    const std::int64_t bytes = (count > 2 ? std::atoll(words[2]) : 64) << 20;
    std::printf("%s, %lld MiB for each tensor\n", gpu.info().name.c_str(),
                static_cast<long long>(bytes >> 20));
    BandwidthRows rows(gpu, {words + std::min(count, 3), words + count});
    const auto from = gpu.allocate<std::byte>(static_cast<std::size_t>(bytes));
    auto to = gpu.allocate<std::byte>(static_cast<std::size_t>(bytes));
    rows.measure("copy", 2.0 * static_cast<double>(bytes), [&] { gpu.stream().copy(to, from); });
    measure_rows<float>(rows, gpu, "float", bytes / 4);
    measure_rows<half>(rows, gpu, "half", bytes / 2);
    measure_rows<ops::bfloat16>(rows, gpu, "bfloat16", bytes / 2);
    measure_decode(rows, gpu, bytes);
    measure_quantized(rows, gpu, bytes);
    rows.print();
    print_host_times(gpu);
  } catch (const Error& e) {
    std::printf("%s\n", e.what());
    return 1;
  }
  return 0;
}
