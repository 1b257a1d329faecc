// Operations for neural networks compared with the bandwidth of a copy: bench_ops_nn [DEVICE] [MEBIBYTES]
// [NAME...] (default: cpu, 64 MiB for each tensor, all operations). NAME: a part of the names of operations
// to measure. Products of quantized matrices use matrices of MEBIBYTES in total in turn, so that they are not
// in a cache, and their results are checked. bench/ops/torch_nn.py measures the same with PyTorch.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
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
  // `bytes`: that a call must read and write at least. `calls`: that `work` does.
  void measure(const std::string& name, double bytes, const std::function<void()>& work, int calls = 1) {
    if (!is_wanted(name)) return;
    const double seconds = seconds_of(work) / calls, rate = bytes / seconds * 1e-9;
    if (copy_ == 0) copy_ = rate;
    table_.add_row(
        {name, format("%.1f us", seconds * 1e6), format("%.1f GB/s", rate), format("%.2f", rate / copy_)});
  }
  void measure_products(const std::string& name, double operations, const std::function<void()>& work) {
    if (!is_wanted(name)) return;
    const double seconds = seconds_of(work);
    table_.add_row(
        {name, format("%.1f us", seconds * 1e6), format("%.1f TFLOP/s", operations / seconds * 1e-12), ""});
  }
  bool is_wanted(const std::string& name) const {
    const auto is_part = [&](const std::string& part) { return name.find(part) != std::string::npos; };
    return copy_ == 0 || names_.empty() || std::any_of(names_.begin(), names_.end(), is_part);
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
      if (!rows.is_wanted(name)) continue;
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
  const std::string name = format("attention of one token, %lld keys, batch %lld",
                                  static_cast<long long>(keys), static_cast<long long>(batches));
  if (!rows.is_wanted(name)) return;
  const ops::Shape of_q{batches, 32, 1, 128}, of_k{batches, 8, keys, 128};
  const std::int64_t bytes = 2 * of_k.size() * static_cast<std::int64_t>(sizeof(half));
  std::vector<AttentionOperands<half>> caches;
  for (std::int64_t i = 0; i < std::max<std::int64_t>(1, kCaches / bytes); ++i)
    caches.emplace_back(gpu, of_q, of_k, static_cast<std::uint64_t>(3 * i));
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
  if (!rows.is_wanted(name)) return;
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
  // Short calls are not limited by the host: a graph has many.
  const auto calls = static_cast<int>(std::clamp<std::int64_t>(copies, 8, 64));
  const Graph graph = gpu.record([&](const Stream& stream) {
    for (int call = 0; call < calls; ++call) multiply(stream, call);
  });
  rows.measure(
      name, static_cast<double>(n * row_bytes + scales.size() * 4), [&] { gpu.stream().run(graph); }, calls);
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
    measure_attention(rows, gpu, bytes);
    measure_quantized(rows, gpu, bytes);
    rows.print();
    print_host_times(gpu);
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
    return 1;
  }
  return 0;
}
