#include "ops/nn_case.hpp"

namespace quern::ops {
namespace {

QUERN_NN_CASE(OpsNormalize);

struct NormWant {
  bool is_rms = false;
  double epsilon = 1e-5;
  std::vector<double> weight = {}, bias = {};
};

std::vector<double> normalized(const std::vector<double>& x, std::size_t count, const NormWant& want) {
  std::vector<double> out(x.size());
  for (std::size_t row = 0; row < x.size(); row += count) {
    double mean = 0, squares = 0;
    for (std::size_t i = 0; i < count && !want.is_rms; ++i) mean += x[row + i] / static_cast<double>(count);
    for (std::size_t i = 0; i < count; ++i) squares += (x[row + i] - mean) * (x[row + i] - mean);
    const double scale = 1 / std::sqrt(squares / static_cast<double>(count) + want.epsilon);
    for (std::size_t i = 0; i < count; ++i)
      out[row + i] = (x[row + i] - mean) * scale * (want.weight.empty() ? 1 : want.weight[i]) +
                     (want.bias.empty() ? 0 : want.bias[i]);
  }
  return out;
}

TEST_P(OpsNormalize, MatchesTheFormulaForRowsOfAnyLength) {
  const auto check = [&](auto type, std::int64_t rows, std::int64_t count) {
    using T = decltype(type);
    const auto a = reals<T>(rows * count), w = reals<T>(count), b = reals<T>(count);
    const Tensor<T> x = tensor(a, {rows, count}), y(gpu, {rows, count}), weight = tensor(w, {count}),
                    bias = tensor(b, {count});
    const auto n = static_cast<std::size_t>(count);
    layer_norm(gpu, x, y, {.weight = weight, .bias = bias});
    expect_near(y.download(), normalized(wide(a), n, {.weight = wide(w), .bias = wide(b)}));
    rms_norm(gpu, x, x, {.weight = weight, .epsilon = 1e-2});
    expect_near(x.download(), normalized(wide(a), n, {.is_rms = true, .epsilon = 1e-2, .weight = wide(w)}));
  };
  check(float(), 9, 100);  // a warp for each row
  check(half(), 3, 1016);  // a block
  check(bfloat16(), 5, 96);
  check(float(), 70, 12);   // a part of a warp on GPUs
  check(float(), 1, 9000);  // a block of 1024 on GPUs
}

TEST_P(OpsNormalize, NormalizesLongRowsAndLargeOffsets) {
  const auto a = reals<float>(2 * 3000);
  std::vector<float> far = a;
  for (float& v : far) v += 4096;
  const Tensor<float> x = tensor(far, {2, 3000});
  layer_norm(gpu, x, x);
  expect_near(x.download(), normalized(wide(far), 3000, {}), 1, 1e-3);
  // Several parts on all devices; in place, so that no part may be read after it was written.
  const auto b = reals<half>(33000), c = reals<half>(33000);
  const Tensor<half> y = tensor(b, {1, 33000}), residual = tensor(c, {1, 33000});
  std::vector<double> sum = wide(b);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<double>(static_cast<float>(c[i]));
  layer_norm(gpu, y, y, {.residual = residual, .sum = residual});
  expect_near(residual.download(), sum);
  expect_near(y.download(), normalized(sum, 33000, {}));
}

TEST_P(OpsNormalize, AddsAResidual) {
  const auto a = reals<float>(4 * 70), b = reals<float>(4 * 70);
  const Tensor<float> x = tensor(a, {4, 70}), residual = tensor(b, {4, 70}), y(gpu, {4, 70});
  std::vector<double> sum = wide(a);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<double>(b[i]);
  rms_norm(gpu, x, y, {.residual = residual, .sum = residual});
  expect_near(residual.download(), sum);
  expect_near(y.download(), normalized(sum, 70, {.is_rms = true}));
}

TEST_P(OpsNormalize, NormalizesViews) {
  const auto a = reals<float>(60 * 7);
  const Tensor<float> x = tensor(a, {60, 7}), y(gpu, {3, 7, 20}), z(gpu, {3, 7, 20});
  copy(gpu, x.reshape({3, 20, 7}).transpose(), y);
  const auto weights = reals<float>(40);
  const Tensor<float> weight = tensor(weights, {40});
  layer_norm(gpu, x.reshape({3, 20, 7}).transpose(), z, {.weight = weight.slice(0, 1, 20, 2)});
  std::vector<double> every_second;
  for (std::size_t i = 1; i < 40; i += 2) every_second.push_back(static_cast<double>(weights[i]));
  expect_near(z.download(), normalized(wide(y.download()), 20, {.weight = every_second}));
}

TEST_P(OpsNormalize, HandlesNaNEmptyTensorsAndWrongOperands) {
  std::vector<float> a(2 * 40, 1.0f);
  a[3] = std::numeric_limits<float>::quiet_NaN();
  const Tensor<float> x = tensor(a, {2, 40}), y(gpu, {2, 40}), none(gpu, {0, 40}), other(gpu, {39});
  layer_norm(gpu, x, y);
  std::vector<double> want(80, 0.0);
  std::fill(want.begin(), want.begin() + 40, kNaN);
  expect_near(y.download(), want);
  EXPECT_EQ(layer_norm(gpu, none, none).kernel(), "");
  EXPECT_EQ(rms_norm(gpu, Tensor<float>(gpu, {3, 0}), Tensor<float>(gpu, {3, 0})).kernel(), "");
  EXPECT_MESSAGE("ops::layer_norm failed: the operand 'weight' has shape 39",
                 layer_norm(gpu, x, y, {.weight = other}));
  EXPECT_MESSAGE("ops::rms_norm failed: the operand 'residual' has shape 0×40",
                 rms_norm(gpu, x, y, {.residual = none}));
  EXPECT_MESSAGE("the input has shape 2×40 and the result 0×40", rms_norm(gpu, x, none));
}

}  // namespace
}  // namespace quern::ops
