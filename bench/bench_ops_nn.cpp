// Operations for neural networks compared with the bandwidth of a copy: bench_ops_nn [DEVICE] [MEBIBYTES]
// [attention] (default: cpu, 64 MiB for each tensor, all operations). bench/ops/torch_nn.py measures the same
// with PyTorch.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
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
  explicit BandwidthRows(const Device& device) : device_(device) {}
  // `bytes`: that a call must read and write at least. `calls`: that `work` does.
  void measure(const std::string& name, double bytes, const std::function<void()>& work, int calls = 1) {
    const double seconds = seconds_of(work) / calls, rate = bytes / seconds * 1e-9;
    if (copy_ == 0) copy_ = rate;
    table_.add_row(
        {name, format("%.1f us", seconds * 1e6), format("%.1f GB/s", rate), format("%.2f", rate / copy_)});
  }
  void measure_products(const std::string& name, double operations, const std::function<void()>& work) {
    const double seconds = seconds_of(work);
    table_.add_row(
        {name, format("%.1f us", seconds * 1e6), format("%.1f TFLOP/s", operations / seconds * 1e-12), ""});
  }
  void print() const { std::printf("%s", table_.to_string().c_str()); }

 private:
  double seconds_of(const std::function<void()>& work) {  // of a call
    work();                                               // compiles
    device_.synchronize();
    double best = 1e30;
    for (int round = 0; round < kRounds; ++round) {
      const auto start = std::chrono::steady_clock::now();
      for (int call = 0; call < kCalls; ++call) work();
      device_.synchronize();
      best = std::min(
          best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / kCalls);
    }
    return best;
  }

  const Device& device_;
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
  for (const std::int64_t count : {1024, 4096, 16384}) {
    const ops::Shape shape{elements / count, count};
    const Tensor<T> x = filled<T>(gpu, shape), y = filled<T>(gpu, shape), sum = filled<T>(gpu, shape),
                    weight = filled<T>(gpu, {count});
    const std::string size = format(" %s, rows of %lld", type, static_cast<long long>(count));
    rows.measure("softmax" + size, 2 * bytes, [&] { ops::softmax(gpu, x, y); });
    rows.measure("layer_norm" + size, 2 * bytes,
                 [&] { ops::layer_norm(gpu, x, y, {.weight = weight, .bias = weight}); });
    rows.measure("rms_norm + residual" + size, 4 * bytes,
                 [&] { ops::rms_norm(gpu, x, y, {.weight = weight, .residual = sum, .sum = sum}); });
  }
  const Tensor<T> x = filled<T>(gpu, {elements}), y = filled<T>(gpu, {elements});
  const Tensor<T> both = filled<T>(gpu, {elements / 8192, 8192}),
                  out = filled<T>(gpu, {elements / 8192, 4096});
  rows.measure(std::string("gelu ") + type, 2 * bytes, [&] { ops::activate(gpu, ops::gelu, x, y); });
  rows.measure(std::string("silu ") + type, 2 * bytes, [&] { ops::activate(gpu, ops::silu, x, y); });
  rows.measure(std::string("SwiGLU ") + type, 1.5 * bytes, [&] {
    ops::activate_gated(gpu, ops::silu, both.slice(1, 0, 4096), both.slice(1, 4096, 4096), out);
  });
}

template <typename T>
Tensor<T> random_tensor(const Device& gpu, const ops::Shape& shape, std::uint64_t seed) {
  const Tensor<T> out(gpu, shape);
  ops::random_normal(gpu, out, {.seed = seed});
  return out;
}

// Operands of attention with random numbers: batch, heads, tokens, elements.
template <typename T>
struct AttentionOperands {
  Tensor<T> q, k, v, out;
  AttentionOperands(const Device& gpu, const ops::Shape& of_q, const ops::Shape& of_k, std::uint64_t seed)
      : q(random_tensor<T>(gpu, of_q, seed)),
        k(random_tensor<T>(gpu, of_k, seed + 1)),
        v(random_tensor<T>(gpu, of_k, seed + 2)),
        out(gpu, of_q) {}

  // Compares rows of the result with the definition in double. Throws if they differ.
  void check(const std::string& name, bool is_causal) const {
    constexpr std::int64_t kSamples = 12;
    const std::vector<T> a = q.download(), b = k.download(), c = v.download(), got = out.download();
    const std::int64_t heads = q.shape()[1], queries = q.shape()[2], keys = k.shape()[2],
                       extent = q.shape()[3];
    const std::int64_t rows = q.shape()[0] * heads * queries, group = heads / k.shape()[1];
    const auto at = [](const std::vector<T>& x, std::int64_t i) {
      return static_cast<double>(static_cast<float>(x[static_cast<std::size_t>(i)]));
    };
    for (std::int64_t sample = 0; sample < kSamples; ++sample) {
      const std::int64_t row = sample * (rows - 1) / (kSamples - 1), query = row % queries;
      const std::int64_t first = row / queries / group * keys * extent;
      const std::int64_t end = is_causal ? query + keys - queries + 1 : keys;
      std::vector<double> want(static_cast<std::size_t>(extent));
      double total = 0, largest = 0;
      for (std::int64_t key = 0; key < end; ++key) {
        double score = 0;
        for (std::int64_t d = 0; d < extent; ++d)
          score += at(a, row * extent + d) * at(b, first + key * extent + d);
        const double weight = std::exp(score / std::sqrt(static_cast<double>(extent)));
        total += weight;
        for (std::int64_t d = 0; d < extent; ++d)
          want[static_cast<std::size_t>(d)] += weight * at(c, first + key * extent + d);
      }
      for (double& x : want) largest = std::max(largest, std::abs(x /= total));
      const double tolerance = (std::is_same_v<T, half> ? 4e-3 : 2e-2) * largest;
      for (std::int64_t d = 0; d < extent; ++d) {
        const double error = std::abs(at(got, row * extent + d) - want[static_cast<std::size_t>(d)]);
        if (!(error <= tolerance))
          throw std::runtime_error(format("%s: wrong result in row %lld, element %lld: error %g",
                                          name.c_str(), static_cast<long long>(row),
                                          static_cast<long long>(d), error));
      }
    }
  }
};

// Many queries: 16 heads with as many keys as queries.
template <typename T>
void measure_prefill(BandwidthRows& rows, const Device& gpu, const char* type, std::int64_t tokens) {
  constexpr std::int64_t kHeads = 16;
  for (const std::int64_t extent : {128, 64}) {
    const ops::Shape shape{1, kHeads, tokens, extent};
    const AttentionOperands<T> x(gpu, shape, shape, 1);
    for (const bool is_causal : {true, false}) {
      const std::string name =
          format("attention of %lld tokens, %lld elements, %s%s", static_cast<long long>(tokens),
                 static_cast<long long>(extent), type, is_causal ? ", causal" : "");
      const double products = static_cast<double>(kHeads * tokens * tokens * extent) * 4;
      rows.measure_products(name, is_causal ? products / 2 : products,
                            [&] { ops::attention(gpu, x.q, x.k, x.v, x.out, {.causal = is_causal}); });
      x.check(name, is_causal);
    }
  }
}

// One token with a cache, 32 heads of queries, 8 of keys, 128 elements. Calls use several caches in turn,
// which together do not fit into the L2 cache.
void measure_decode(BandwidthRows& rows, const Device& gpu, std::int64_t batches, std::int64_t keys) {
  constexpr std::int64_t kCaches = std::int64_t{256} << 20;
  const ops::Shape of_q{batches, 32, 1, 128}, of_k{batches, 8, keys, 128};
  const std::int64_t bytes = 2 * of_k.size() * static_cast<std::int64_t>(sizeof(half));
  std::vector<AttentionOperands<half>> caches;
  for (std::int64_t i = 0; i < std::max<std::int64_t>(1, kCaches / bytes); ++i)
    caches.emplace_back(gpu, of_q, of_k, static_cast<std::uint64_t>(3 * i));
  const std::string name = format("attention of one token, %lld keys, batch %lld",
                                  static_cast<long long>(keys), static_cast<long long>(batches));
  // Short calls are not limited by the host: a graph has a call for each cache.
  const Graph graph = gpu.record([&](const Stream& on) {
    for (const AttentionOperands<half>& x : caches)
      ops::attention(on, x.q, x.k, x.v, x.out, {.causal = true});
  });
  const auto calls = static_cast<int>(caches.size());
  rows.measure(
      name, static_cast<double>(bytes), [&] { gpu.stream().run(graph); }, calls);
  caches.front().check(name, true);
}

void measure_attention(BandwidthRows& rows, const Device& gpu, std::int64_t bytes) {
  if (gpu.info().kind == DeviceKind::cpu || bytes < (std::int64_t{16} << 20)) {
    measure_prefill<half>(rows, gpu, "half", 128);
    return measure_decode(rows, gpu, 1, bytes / (8 * 128 * 2));
  }
  measure_prefill<half>(rows, gpu, "half", 8192);
  measure_prefill<ops::bfloat16>(rows, gpu, "bfloat16", 8192);
  for (const std::int64_t batches : {1, 16}) {
    for (const std::int64_t keys : {8192, 32768, 65536}) measure_decode(rows, gpu, batches, keys);
  }
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

}  // namespace

int main(int count, char** words) {
  try {
    const Device gpu = open(count > 1 ? words[1] : "cpu");
    const std::int64_t bytes = (count > 2 ? std::atoll(words[2]) : 64) << 20;
    std::printf("%s, %lld MiB for each tensor\n", gpu.info().name.c_str(),
                static_cast<long long>(bytes >> 20));
    BandwidthRows rows(gpu);
    const auto from = gpu.allocate<std::byte>(static_cast<std::size_t>(bytes));
    auto to = gpu.allocate<std::byte>(static_cast<std::size_t>(bytes));
    rows.measure("copy", 2.0 * static_cast<double>(bytes), [&] { gpu.stream().copy(to, from); });
    const bool is_all = count <= 3 || std::string_view(words[3]) != "attention";
    if (is_all) {
      measure_rows<float>(rows, gpu, "float", bytes / 4);
      measure_rows<half>(rows, gpu, "half", bytes / 2);
      measure_quantized(rows, gpu, bytes);
    }
    measure_attention(rows, gpu, bytes);
    rows.print();
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
    return 1;
  }
  return 0;
}
