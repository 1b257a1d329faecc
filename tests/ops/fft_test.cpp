#include "quern/ops/fft.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <type_traits>

#include <stdlib.h>

#include "ops/choice.hpp"
#include "ops/nn_case.hpp"
#include "quern/session.hpp"

namespace quern::ops {
namespace {

using Number = std::complex<double>;

// One element of the transform of `values`.
Number transformed(const std::vector<Number>& values, std::size_t k, double sign) {
  const std::size_t n = values.size();
  Number sum = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const double turns = static_cast<double>(j * k % n) / static_cast<double>(n);
    sum += values[j] * std::polar(1.0, sign * 2 * std::numbers::pi * turns);
  }
  return sum;
}

class OpsFft : public NnCase {
 protected:
  using Complex = std::complex<float>;

  template <typename T = float>
  std::vector<std::complex<T>> complex_numbers(std::int64_t count) {
    const auto a = reals<T>(count), b = reals<T>(count);
    std::vector<std::complex<T>> out;
    for (std::size_t i = 0; i < a.size(); ++i) out.emplace_back(a[i], b[i]);
    return out;
  }
  template <typename T>
  static std::vector<Number> row(const std::vector<T>& all, std::size_t r, std::size_t n) {
    std::vector<Number> out;
    for (std::size_t i = 0; i < n; ++i) out.emplace_back(all[r * n + i]);
    return out;
  }
  // The bound of the relative error in the Euclidean norm.
  template <typename T>
  static double bound_of(std::size_t n) {
    return (std::is_same_v<T, double> ? 1e-15 : 5e-7) * std::log2(static_cast<double>(n) + 1);
  }
  // Compares elements of rows with the formula: all, or about 40 of each row.
  template <typename T, typename In>
  static void expect_transformed(const std::vector<std::complex<T>>& got, const std::vector<In>& from,
                                 std::size_t n, std::size_t kept, double sign) {
    const std::size_t rows = from.size() / n, step = n <= 400 ? 1 : n / 37;
    ASSERT_EQ(got.size(), rows * kept);
    double error = 0, norm = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      const std::vector<Number> values = row(from, r, n);
      for (std::size_t k = r; k < kept; k += step) {
        const Number want = transformed(values, k, sign);
        error += std::norm(Number(got[r * kept + k]) - want);
        norm += std::norm(want);
      }
    }
    EXPECT_LE(std::sqrt(error), bound_of<T>(n) * std::sqrt(norm)) << n;
  }
  template <typename T>
  static void expect_equal(const std::vector<T>& got, const std::vector<T>& want, std::size_t n) {
    ASSERT_EQ(got.size(), want.size());
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      error += std::norm(Number(got[i]) - Number(want[i]));
      norm += std::norm(Number(want[i]));
    }
    EXPECT_LE(std::sqrt(error), 2 * bound_of<float>(n) * std::sqrt(norm)) << n;
  }
  void check(std::int64_t n, std::int64_t rows) {
    const auto a = complex_numbers(n * rows);
    const Tensor<Complex> x = tensor(a, {rows, n}), y(gpu, {rows, n});
    const Receipt receipt = fft(gpu, x, y);
    EXPECT_NE(receipt.kernel().find("quern_ops::fft"), std::string::npos) << receipt.kernel();
    const auto size = static_cast<std::size_t>(n);
    expect_transformed(y.download(), a, size, size, -1);
    fft(gpu, y, y, {.direction = FftDirection::inverse});
    expect_equal(y.download(), a, size);
  }
  // The transform of one element is a wave.
  void check_impulse(std::int64_t n) {
    using Wide = std::complex<double>;
    const auto size = static_cast<std::size_t>(n), place = size / 3;
    std::vector<Wide> a(size);
    a[place] = 1;
    const Tensor<Wide> x = tensor(a, {n});
    fft(gpu, x, x);
    const std::vector<Wide> got = x.download();
    double error = 0;
    for (std::size_t k = 0; k < size; k += 37) {
      const double turns = static_cast<double>(place * k % size) / static_cast<double>(size);
      error = std::max(error, std::abs(got[k] - std::polar(1.0, -2 * std::numbers::pi * turns)));
    }
    EXPECT_LE(error, bound_of<double>(size)) << n;
  }
  static Variant lines(std::int64_t elements, std::int64_t columns) {
    return {{"elements", elements}, {"columns", columns}};
  }
  // Along the first axis, in order and backwards.
  void check_columns(std::int64_t n, std::int64_t columns) {
    const auto a = complex_numbers(n * columns);
    const Tensor<Complex> x = tensor(a, {columns, n}), y(gpu, {n, columns}), z(gpu, {columns, n});
    const auto size = static_cast<std::size_t>(n);
    copy(gpu, x.transpose(), y);
    fft(gpu, y, y, {.axes = {0}});
    copy(gpu, y.transpose(), z);
    expect_transformed(z.download(), a, size, size, -1);
    fft(gpu, y.slice(1, columns - 1, columns, -1), y.slice(1, columns - 1, columns, -1),
        {.direction = FftDirection::inverse, .axes = {0}});
    copy(gpu, y.transpose(), z);
    expect_equal(z.download(), a, size);
    const Tensor<Complex> reversed = z.slice(1, n - 1, n, -1);  // a step of -1
    fft(gpu, reversed, reversed);
    fft(gpu, reversed, reversed, {.direction = FftDirection::inverse});
    expect_equal(z.download(), a, size);
  }
  void check_real(std::int64_t n, std::int64_t rows) {
    const auto a = reals<float>(n * rows);
    const Tensor<float> x = tensor(a, {rows, n}), z(gpu, {rows, n});
    const Tensor<Complex> y(gpu, {rows, n / 2 + 1});
    rfft(gpu, x, y);
    const auto size = static_cast<std::size_t>(n);
    expect_transformed(y.download(), a, size, size / 2 + 1, -1);
    irfft(gpu, y, z);
    expect_equal(z.download(), a, size);
  }
};
INSTANTIATE_TEST_SUITE_P(All, OpsFft, testing::ValuesIn(::quern::test::each_driver({"native"})),
                         ::quern::test::device_name);

TEST_P(OpsFft, TransformsEverySize) {
  for (const std::int64_t n : {1, 2, 3, 4, 5, 7, 8, 12, 13, 16, 30, 64, 97, 128, 360}) check(n, 3);
  check(4, 150);
  check(1000, 1);
  check(1024, 2);
}

// In several passes.
TEST_P(OpsFft, TransformsLongLines) {
  check(4096, 2);
  if (is_simulator()) return;
  check(6000, 1);
  check(1031, 2);
  if (std::string(GetParam()) != "cpu") return;
  check(10007, 2);
  check_impulse(5 << 18);  // three passes
}

// Powers of two in the registers of a block, on every device.
TEST_P(OpsFft, TransformsPowersOfTwoInRegisters) {
  const std::string device = GetParam();
  const bool is_fast = device == "cpu" || device == "cuda";
  const Variant variant = lines(16, 8), other = lines(8, 4);
  {
    const VariantScope scope("fft", variant);
    for (const std::int64_t n : {64, 256}) check(n, 3);
    check_columns(64, 5);
    if (is_fast || is_simulator()) {
      for (const std::int64_t n : {16, 32, 128, 512}) check(n, 3);
      check(97, 2);  // Bluestein
      check_real(128, 3);
    }
    if (is_fast) {
      for (const std::int64_t n : {1024, 2048, 4096, 8192, 1 << 14, 1 << 15}) check(n, 2);
      check_real(4096, 2);
      check_columns(256, 20);
      check_columns(4096, 3);
    }
  }
  if (!is_fast) return;
  {
    const VariantScope scope("fft", other);
    for (const int bits : {5, 10, 20}) check_impulse(std::int64_t{1} << bits);
  }
  const Variant wide = lines(8, 64);
  const VariantScope scope("fft", wide);
  check_impulse(1 << 17);  // three passes
}

// With temporary memory that is kept, on two streams.
TEST_P(OpsFft, TransformsLargeBatches) {
  const std::string device = GetParam();
  if (device != "cpu" && device != "cuda") GTEST_SKIP() << "takes long on this device";
  constexpr std::int64_t kSize = 1 << 16, kBatch = 40;  // 20 MiB
  const Stream second = gpu.stream();
  const Tensor<Complex> x(gpu, {kBatch, kSize}), y(gpu, {kBatch, kSize}), z(gpu, {kBatch, kSize});
  fill(gpu, x, Complex(1, 0));
  fill(gpu, y, Complex(2, 0));
  gpu.synchronize();
  for (int i = 0; i < 2; ++i) {
    fft(gpu, x, z);
    fft(second, y, y);
    fft(second, y, y, {.direction = FftDirection::inverse});
  }
  gpu.synchronize();
  second.synchronize();
  const std::vector<Complex> waves = z.download(), same = y.download();
  for (std::size_t i = 0; i < waves.size(); ++i) {
    ASSERT_EQ(waves[i], Complex(i % kSize == 0 ? kSize : 0, 0)) << i;
    ASSERT_NEAR(std::abs(same[i] - Complex(2, 0)), 0, 1e-5) << i;
  }
}

TEST_P(OpsFft, TransformsRealNumbers) {
  for (const std::int64_t n : {1, 2, 5, 8, 26, 360}) check_real(n, 3);
  if (is_simulator()) return;
  check_real(4095, 1);
  check_real(2062, 1);
}

TEST_P(OpsFft, TransformsDoubles) {
  const std::string device = GetParam();
  if (!is_simulator() && device != "cpu" && device != "cuda" && device != "vulkan")
    GTEST_SKIP() << "the kernel takes long to compile";
  for (const std::int64_t n : {8, 60, 49, 97, 2048}) {
    const auto a = complex_numbers<double>(2 * n);
    const Tensor<std::complex<double>> x = tensor(a, {2, n});
    fft(gpu, x, x, {.direction = FftDirection::inverse, .scale = 1});
    const auto size = static_cast<std::size_t>(n);
    expect_transformed(x.download(), a, size, size, 1);
  }
}

TEST_P(OpsFft, TransformsEveryAxisAndStride) {
  constexpr std::size_t kA = 4, kB = 6, kC = 5;
  const auto a = complex_numbers(kA * kB * kC);
  const Tensor<Complex> x = tensor(a, {4, 6, 5}), y(gpu, {4, 6, 5});
  // The formula, along one axis after another.
  const auto along = [](std::vector<Number> v, std::size_t n, std::size_t step) {
    for (std::size_t first = 0; first < v.size(); ++first) {
      if (first / step % n != 0) continue;
      std::vector<Number> line;
      for (std::size_t i = 0; i < n; ++i) line.push_back(v[first + i * step]);
      for (std::size_t k = 0; k < n; ++k) v[first + k * step] = transformed(line, k, -1);
    }
    return v;
  };
  const auto single = [](const std::vector<Number>& v) { return std::vector<Complex>(v.begin(), v.end()); };
  const std::vector<Number> start(a.begin(), a.end()), first = along(start, kA, kB * kC),
                                                       plane = along(along(start, kC, 1), kB, kC),
                                                       all = along(plane, kA, kB * kC);
  fft(gpu, x, y, {.axes = {0}});
  expect_equal(y.download(), single(first), 16);
  fft(gpu, x, y, {.axes = {1, 2}});
  expect_equal(y.download(), single(plane), 16);
  fft(gpu, x, y, {.axes = {2, 0, 1}, .scale = 1});
  expect_equal(y.download(), single(all), 16);
  fft(gpu, y, y, {.direction = FftDirection::inverse, .axes = {0, 1, 2}});
  expect_equal(y.download(), a, 16);
  // Columns, backwards, to a transposed tensor.
  const Tensor<Complex> z(gpu, {5, 6, 4});
  fft(gpu, x.slice(1, 5, 6, -1), z.transpose(0, 2).slice(1, 5, 6, -1), {.axes = {0}});
  const Tensor<Complex> w(gpu, {4, 6, 5});
  copy(gpu, z.transpose(0, 2), w);
  expect_equal(w.download(), single(first), 16);
}

TEST_P(OpsFft, TransformsRealImages) {
  const auto a = reals<float>(3 * 6 * 8);
  const Tensor<float> x = tensor(a, {3, 6, 8}), z(gpu, {3, 6, 8});
  const Tensor<Complex> y(gpu, {3, 6, 5}), full(gpu, {3, 6, 8});
  copy(gpu, x, full);
  fft(gpu, full, full, {.axes = {1, 2}});
  rfft(gpu, x, y, {.axes = {1, 2}});
  const Tensor<Complex> half(gpu, {3, 6, 5});
  copy(gpu, full.slice(2, 0, 5), half);
  expect_equal(y.download(), half.download(), 48);
  irfft(gpu, y, z, {.axes = {1, 2}});
  expect_equal(z.download(), a, 48);
  expect_equal(y.download(), half.download(), 48);  // the input is not changed
}

TEST_P(OpsFft, RunsInGraphs) {
  const auto a = complex_numbers(3 * 22);
  const Tensor<Complex> x = tensor(a, {3, 22});
  const Graph graph = gpu.record([&](const Stream& stream) {
    fft(stream, x, x);
    fft(stream, x, x, {.direction = FftDirection::inverse});
  });
  gpu.stream().run(graph);
  gpu.stream().run(graph);
  expect_equal(x.download(), a, 22);
}

TEST_P(OpsFft, PropagatesNaNAndAcceptsEmptyTensors) {
  std::vector<Complex> a(2 * 8, Complex(1, 0));
  a[3] = Complex(std::nanf(""), 0);
  const Tensor<Complex> x = tensor(a, {2, 8}), none(gpu, {0, 8}), no_element(gpu, {2, 0});
  fft(gpu, x, x);
  const std::vector<Complex> got = x.download();
  for (std::size_t i = 0; i < 8; ++i) EXPECT_TRUE(std::isnan(got[i].real() + got[i].imag())) << i;
  EXPECT_EQ(got[8], Complex(8, 0));
  EXPECT_EQ(fft(gpu, none, none).kernel(), "");
  EXPECT_EQ(fft(gpu, no_element, no_element).kernel(), "");
}

TEST_P(OpsFft, WrongOperandsAreReported) {
  const Tensor<Complex> x(gpu, {3, 4}), y(gpu, {4, 3});
  const Tensor<float> r(gpu, {3, 4});
  EXPECT_MESSAGE("ops::fft failed: the input has shape 3×4 and the result 4×3", fft(gpu, x, y));
  EXPECT_MESSAGE("ops::fft failed: the axes {2} were given for a tensor of shape 3×4",
                 fft(gpu, x, x, {.axes = {2}}));
  EXPECT_MESSAGE("the axes {0, 0} were given", fft(gpu, x, x, {.axes = {0, 0}}));
  EXPECT_MESSAGE("ops::fft failed: the input has elements of type float, the result float", fft(gpu, r, r));
  EXPECT_MESSAGE("ops::rfft failed: the real tensor has shape 3×4 and the complex one 3×4", rfft(gpu, r, x));
  EXPECT_MESSAGE("except 4 / 2 + 1 = 3 along", irfft(gpu, x, r));
  EXPECT_MESSAGE("the operand for the result is read-only", fft(gpu, x, Tensor<const Complex>(x)));
  EXPECT_MESSAGE("ops::sort failed: elements of type std::complex<float> are not supported",
                 sort(gpu, x.select(0, 0)));
}

// Complex elements in other operations.
TEST_P(OpsFft, CopiesFillsAndTransformsComplexElements) {
  const auto a = complex_numbers(6);
  const Tensor<Complex> x = tensor(a, {2, 3}), y(gpu, {3, 2});
  copy(gpu, x.transpose(), y);
  EXPECT_EQ(y.download()[1], a[3]);
  transform(gpu, "[](std::complex<float> v) { return v * std::conj(v); }", x, x);
  EXPECT_EQ(x.download()[2], Complex(std::norm(a[2]), 0));
  fill(gpu, x, Complex(1, -2));
  EXPECT_EQ(x.download()[5], Complex(1, -2));
}

TEST(OpsFftSession, ContinuesAfterALoss) {
  ::setenv("QUERN_FAULTS", "launch:4=lost", 1);
  const Session session({.device = "sim"});
  ::unsetenv("QUERN_FAULTS");
  const Device& gpu = session.device();
  const Tensor<std::complex<float>> x(gpu, {22});
  fill(gpu, x, std::complex<float>(1, 0));
  for (int i = 0; i < 2; ++i) fft(gpu, x, x);
  EXPECT_NEAR(x.download()[5].real(), 22, 1e-4);
  EXPECT_EQ(session.losses(), 1u);
}

}  // namespace
}  // namespace quern::ops
