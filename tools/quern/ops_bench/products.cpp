// Rows of matrix products.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "ops_arguments.hpp"
#include "ops_bench/bench.hpp"
#include "quern/ops.hpp"

namespace quern::tool {

namespace {

using ops::Precision;
using ops::Shape;
using ops::Tensor;

constexpr std::size_t kPeriod = 1048583;   // of the elements; a prime number
constexpr std::size_t kSampledLines = 12;  // rows and columns of the result that are checked
constexpr double kMostSeconds = 0.5;       // of a product at the device's measured multiply-add throughput

// Random elements, which repeat after kPeriod.
template <typename T>
class Operand {
 public:
  Operand(const Device& device, const Shape& shape, std::uint32_t seed)
      : pattern_(random_numbers<T>(kPeriod, seed, sizeof(T) == 1 && std::is_integral_v<T> ? -127 : -1,
                                   sizeof(T) == 1 && std::is_integral_v<T> ? 127 : 1)),
        tensor_(device, shape) {
    const auto size = static_cast<std::size_t>(shape.size());
    std::vector<T> all(size);
    for (std::size_t i = 0; i < size; i += kPeriod)
      std::copy_n(pattern_.begin(), std::min(kPeriod, size - i),
                  all.begin() + static_cast<std::ptrdiff_t>(i));
    tensor_.upload(all);
  }
  const Tensor<T>& tensor() const { return tensor_; }
  double operator[](std::size_t i) const { return static_cast<double>(pattern_[i % kPeriod]); }

 private:
  std::vector<T> pattern_;
  Tensor<T> tensor_;
};

// Relative to the root of the depth.
template <typename T>
double tolerance_of(Precision precision) {
  if (std::is_integral_v<T>) return 0;
  if (sizeof(T) == 1) return 2e-3;  // the tensor cores' sums have few bits
  if (sizeof(T) == 2) return 2e-3;
  if (sizeof(T) == 8) return 1e-12;
  return precision == Precision::tf32 ? 2e-3 : 1e-5;
}

// Positions from 0 to extent - 1, with both ends.
std::vector<std::size_t> sampled(std::int64_t extent) {
  std::vector<std::size_t> out;
  const auto last = static_cast<std::size_t>(extent - 1);
  for (std::size_t s = 0; s < kSampledLines; ++s) out.push_back(last * s / (kSampledLines - 1));
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

// Matrices of 8-bit elements multiply the transpose of b, because libraries take no others.
template <typename T>
void Bench::multiply(const Shape& shape, Precision precision) {
  using Result = std::conditional_t<ops::detail::is_float8_type<T>, ops::bfloat16, ops::detail::ProductOf<T>>;
  const std::int64_t m = shape[0], n = shape[1], k = shape[2];
  constexpr bool kIsTransposed = sizeof(T) == 1;
  const double work = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  BenchRow row = row_of("matmul", ops::element_of<T>, shape, work);
  row.problem = {shape, ops::element_of<T>, 0, precision};
  row.type = ops::types_of(row.problem);
  row.is_flops = true;
  if (!wants(row) || (peaks_.gigaflops > 0 && work * 1e-9 / peaks_.gigaflops > kMostSeconds)) return;
  const Operand<T> a(device_, {m, k}, 1), b(device_, kIsTransposed ? Shape{n, k} : Shape{k, n}, 2);
  const Tensor<T> right = kIsTransposed ? b.tensor().transpose() : b.tensor();
  const Tensor<Result> c(device_, {m, n});
  BenchJob job;
  job.run = [&] { return ops::matmul(device_, a.tensor(), right, c, {.precision = precision}); };
  const auto columns = static_cast<std::size_t>(n), depth = static_cast<std::size_t>(k);
  job.check = [&]() -> std::string {
    for (const std::size_t i : sampled(m)) {
      const std::vector<Result> got = c.slice(0, static_cast<std::int64_t>(i), 1).download();
      for (const std::size_t j : sampled(n)) {
        double want = 0;
        for (std::size_t d = 0; d < depth; ++d)
          want += a[i * depth + d] * b[kIsTransposed ? j * depth + d : d * columns + j];
        const double allowed = tolerance_of<T>(precision) * std::sqrt(static_cast<double>(k)) +
                               (sizeof(Result) == 2 ? 0.01 * std::abs(want) : 0);
        const auto value = static_cast<double>(got[j]);
        if (!(std::abs(value - want) <= allowed)) return differs(i * columns + j, value, want);
      }
    }
    return {};
  };
  add(std::move(row), job);
}

void Bench::multiply(BenchSize size) {
  std::vector<Shape> shapes;
  switch (size) {
    case BenchSize::kTiny: shapes = {{32, 32, 32}}; break;
    case BenchSize::kHost: shapes = {{256, 256, 256}, {512, 512, 512}, {1024, 1024, 1024}}; break;
    case BenchSize::kGpu:
      shapes = {{1024, 1024, 1024}, {2048, 2048, 2048}, {4096, 4096, 4096}, {8192, 8192, 8192},
                {1000, 1000, 1000}, {4095, 4097, 4099}, {8192, 1280, 5120}, {127, 8192, 8192}};
  }
  for (const Shape& shape : shapes) multiply<float>(shape);
  if (device_.info().has(Feature::fp64)) {
    for (const Shape& shape : shapes) multiply<double>(shape);
  }
  if (size == BenchSize::kHost) return;  // processors have no fast units for these
  for (const Shape& shape : shapes) multiply<float>(shape, Precision::tf32);
  for (const Shape& shape : shapes) multiply<ops::half>(shape);
  for (const Shape& shape : shapes) multiply<ops::bfloat16>(shape);
  for (const Shape& shape : shapes) multiply<std::int8_t>(shape);
  for (const Shape& shape : shapes) multiply<ops::float8_e4m3>(shape);
}

}  // namespace quern::tool
