// Operations for neural networks compared with the bandwidth of a copy: bench_ops_nn [DEVICE] [MEBIBYTES]
// [NAME] (default: cpu, 64 MiB for each tensor). With NAME, only measures rows whose name contains it.
// Products of quantized matrices use matrices of MEBIBYTES in total in turn, so that they are not in a cache,
// and their results are checked. bench/ops/torch_nn.py measures the same with PyTorch.
#include <algorithm>
#include <chrono>
#include <cmath>
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
  BandwidthRows(const Device& device, std::string only) : device_(device), only_(std::move(only)) {}
  bool has(const std::string& name) const { return name.find(only_) != std::string::npos; }
  // `bytes`: that must be read and written at least.
  void measure(const std::string& name, double bytes, const std::function<void()>& work) {
    if (copy_ != 0 && !has(name)) return;
    work();  // compiles
    device_.synchronize();
    add(name, bytes, best_of(kCalls, [&] {
          for (int call = 0; call < kCalls; ++call) work();
        }));
  }
  // A graph of `calls` different ones, which hides what a launch costs the host.
  void measure_graph(const std::string& name, double bytes, int calls,
                     const std::function<void(const Stream&, int)>& work) {
    const Graph graph = device_.record([&](const Stream& stream) {
      for (int call = 0; call < calls; ++call) work(stream, call);
    });
    device_.stream().run(graph);
    device_.synchronize();
    add(name, bytes, best_of(calls, [&] { device_.stream().run(graph); }));
  }
  void print() const { std::printf("%s", table_.to_string().c_str()); }

 private:
  // Seconds of a call.
  double best_of(int calls, const std::function<void()>& work) const {
    double best = 1e30;
    for (int round = 0; round < kRounds; ++round) {
      const auto start = std::chrono::steady_clock::now();
      work();
      device_.synchronize();
      best = std::min(
          best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls);
    }
    return best;
  }
  void add(const std::string& name, double bytes, double seconds) {
    const double rate = bytes / seconds * 1e-9;
    if (copy_ == 0) copy_ = rate;
    table_.add_row(
        {name, format("%.1f us", seconds * 1e6), format("%.1f GB/s", rate), format("%.2f", rate / copy_)});
  }

  const Device& device_;
  std::string only_;
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

// One token with a cache, 32 heads of queries, 8 of keys, 128 elements.
void measure_decode(BandwidthRows& rows, const Device& gpu, std::int64_t bytes) {
  const std::int64_t keys = bytes / (8 * 128 * 2);
  const Tensor<half> q = filled<half>(gpu, {1, 32, 1, 128}), out = filled<half>(gpu, {1, 32, 1, 128}),
                     k = filled<half>(gpu, {1, 8, keys, 128}), v = filled<half>(gpu, {1, 8, keys, 128});
  rows.measure(format("attention of one token, %lld keys", static_cast<long long>(keys)),
               2.0 * static_cast<double>(bytes),
               [&] { ops::attention(gpu, q, k, v, out, {.causal = true}); });
}

// A quantized matrix of random elements, and its values.
struct RandomWeights {
  const char* name;
  ops::Quantization quantization;
  bool is_integer;     // the type of the activations is int8_t, else half
  std::int64_t group;  // columns; 0: the whole row
  std::vector<std::uint8_t> bytes;

  std::int64_t groups(std::int64_t columns) const { return group == 0 ? 1 : columns / group; }
  static float scale(std::int64_t row, std::int64_t at) {
    return static_cast<float>((row * 7 + at * 3) % 16 + 1) / 65536;
  }
  // An element without its scale, as in quern/ops/quantize.hpp.
  double value(std::int64_t row, std::int64_t column, std::int64_t columns) const {
    const std::int64_t row_bytes = ops::packed_bytes(quantization, columns);
    const std::uint8_t* const words = bytes.data() + row * row_bytes;
    const auto field = [&](std::int64_t bits) {
      const std::int64_t of_word = 32 / bits, e = column % of_word;
      return words[column / of_word * 4 + e % 4] >> (bits * (e / 4)) & ((1 << bits) - 1);
    };
    switch (quantization) {
      case ops::Quantization::int8: return static_cast<std::int8_t>(words[column]);
      case ops::Quantization::int4: return field(4) - 8;
      case ops::Quantization::ternary: return field(2) - 2;
      case ops::Quantization::fp8: break;
    }
    const int bits = words[column], exponent = bits >> 3 & 15, fraction = bits & 7;
    const double size = exponent == 0 ? std::ldexp(fraction, -9) : std::ldexp(8 + fraction, exponent - 10);
    return (bits & 0x80) != 0 ? -size : size;
  }
};

std::uint32_t hash_of(std::size_t i) {
  auto x = static_cast<std::uint32_t>(i) * 2654435761u;
  x ^= x >> 15;
  x *= 0x2c1b3c6du;
  return x ^ x >> 13;
}

template <typename A>
void check_product(const RandomWeights& weights, const std::vector<A>& a, const std::vector<half>& c,
                   std::int64_t m, std::int64_t n, std::int64_t k) {
  for (std::int64_t sample = 0; sample < 64; ++sample) {
    const std::int64_t i = sample % m,
                       row = sample == 0 ? n - 1 : hash_of(static_cast<std::size_t>(sample)) % n;
    double want = 0, size = 0;
    for (std::int64_t d = 0; d < k; ++d) {
      const std::int64_t at = weights.group == 0 ? 0 : d / weights.group;
      const double product = static_cast<double>(a[static_cast<std::size_t>(i * k + d)]) *
                             weights.value(row, d, k) * RandomWeights::scale(row, at);
      want += product;
      size += std::abs(product);
    }
    const auto got = static_cast<double>(c[static_cast<std::size_t>(i * n + row)]);
    const bool is_near = std::abs(got - want) <= 1e-3 * std::abs(want) + 1e-5 * size;
    if (!is_near && std::abs(want) < 65504)
      std::printf("%s, %lld × %lld: element %lld, %lld is %g instead of %g\n", weights.name,
                  static_cast<long long>(n), static_cast<long long>(k), static_cast<long long>(i),
                  static_cast<long long>(row), got, want);
  }
}

template <typename A>
void measure_product(BandwidthRows& rows, const Device& gpu, const RandomWeights& weights, std::int64_t bytes,
                     std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::string name = format("%s, %lld × %lld × %lld", weights.name, static_cast<long long>(m),
                                  static_cast<long long>(n), static_cast<long long>(k));
  if (!rows.has(name)) return;
  const std::int64_t row_bytes = ops::packed_bytes(weights.quantization, k), groups = weights.groups(k);
  const std::int64_t copies = std::max<std::int64_t>(bytes / (n * row_bytes), 1);
  const Tensor<std::uint8_t> packed(gpu, {copies * n, row_bytes});
  const Tensor<float> scales(gpu, {n, groups});
  const Tensor<half> c(gpu, {m, n});
  std::vector<A> a(static_cast<std::size_t>(m * k));
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<A>(static_cast<float>(hash_of(i + 99) % 255) - 127.0f);
  std::vector<float> factors;
  for (std::int64_t row = 0; row < n; ++row) {
    for (std::int64_t at = 0; at < groups; ++at) factors.push_back(RandomWeights::scale(row, at));
  }
  scales.upload(factors);
  const std::vector<std::uint8_t> all(weights.bytes.begin(), weights.bytes.begin() + n * row_bytes);
  for (std::int64_t copy = 0; copy < copies; ++copy) packed.slice(0, copy * n, n).upload(all);
  const Tensor<A> activations(gpu, {m, k});
  activations.upload(a);
  const auto multiply = [&](const Stream& stream, int call) {
    ops::quantized_matmul(stream, activations, packed.slice(0, call % copies * n, n), scales, c,
                          {.quantization = weights.quantization});
  };
  rows.measure_graph(name, static_cast<double>(n * row_bytes + scales.size() * 4),
                     static_cast<int>(std::clamp<std::int64_t>(copies, 8, 64)), multiply);
  check_product(weights, a, c.download(), m, n, k);
}

void measure_quantized(BandwidthRows& rows, const Device& gpu, std::int64_t bytes) {
  using ops::Quantization;
  constexpr std::pair<std::int64_t, std::int64_t> kShapes[] = {
      {2560, 6912}, {6912, 2560}, {4096, 4096}, {8192, 8192}, {16384, 16384}};
  for (RandomWeights weights : {RandomWeights{"int8 × int8", Quantization::int8, true, 0, {}},
                                RandomWeights{"int8 × half", Quantization::int8, false, 0, {}},
                                RandomWeights{"fp8 × half", Quantization::fp8, false, 0, {}},
                                RandomWeights{"int4 (128) × half", Quantization::int4, false, 128, {}},
                                RandomWeights{"int4 (128) × int8", Quantization::int4, true, 128, {}},
                                RandomWeights{"ternary × int8", Quantization::ternary, true, 0, {}}}) {
    for (const auto& [n, k] : kShapes) {
      const std::int64_t size = n * ops::packed_bytes(weights.quantization, k);
      if (size > bytes) continue;
      weights.bytes.resize(static_cast<std::size_t>(size));
      for (std::size_t i = 0; i < weights.bytes.size(); ++i) {
        weights.bytes[i] = static_cast<std::uint8_t>(hash_of(i) >> 8);
        if (weights.quantization == Quantization::fp8) weights.bytes[i] &= 0xb7;  // small numbers
      }
      for (const std::int64_t m : {1, 4, 8}) {
        if (weights.is_integer)
          measure_product<std::int8_t>(rows, gpu, weights, bytes, m, n, k);
        else
          measure_product<half>(rows, gpu, weights, bytes, m, n, k);
      }
    }
  }
}

}  // namespace

int main(int count, char** words) {
  try {
    const Device gpu = open(count > 1 ? words[1] : "cpu");
    const std::int64_t bytes = (count > 2 ? std::atoll(words[2]) : 64) << 20;
    std::printf("%s, %lld MiB for each tensor\n", gpu.info().name.c_str(),
                static_cast<long long>(bytes >> 20));
    BandwidthRows rows(gpu, count > 3 ? words[3] : "");
    const auto from = gpu.allocate<std::byte>(static_cast<std::size_t>(bytes));
    auto to = gpu.allocate<std::byte>(static_cast<std::size_t>(bytes));
    rows.measure("copy", 2.0 * static_cast<double>(bytes), [&] { gpu.stream().copy(to, from); });
    measure_rows<float>(rows, gpu, "float", bytes / 4);
    measure_rows<half>(rows, gpu, "half", bytes / 2);
    measure_decode(rows, gpu, bytes);
    measure_quantized(rows, gpu, bytes);
    rows.print();
  } catch (const Error& e) {
    std::printf("%s\n", e.what());
    return 1;
  }
  return 0;
}
