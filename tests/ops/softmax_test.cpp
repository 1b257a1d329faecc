#include "ops/nn_case.hpp"

namespace quern::ops {
namespace {

QUERN_NN_CASE(OpsSoftmax);

// Of rows × count elements, along the last axis.
std::vector<double> softmax_of(const std::vector<double>& x, std::size_t count, bool is_log) {
  std::vector<double> out(x.size());
  for (std::size_t row = 0; row < x.size(); row += count) {
    double largest = -kInfinity, sum = 0;
    for (std::size_t i = 0; i < count; ++i) largest = std::fmax(largest, x[row + i]);
    for (std::size_t i = 0; i < count; ++i) sum += std::exp(x[row + i] - largest);
    for (std::size_t i = 0; i < count; ++i)
      out[row + i] = is_log ? x[row + i] - largest - std::log(sum) : std::exp(x[row + i] - largest) / sum;
  }
  return out;
}

TEST_P(OpsSoftmax, MatchesTheFormulaForRowsOfAnyLength) {
  const auto check = [&](auto type, std::int64_t rows, std::int64_t count) {
    using T = decltype(type);
    const auto a = reals<T>(rows * count);
    const Tensor<T> x = tensor(a, {rows, count}), y(gpu, {rows, count});
    softmax(gpu, x, y);
    expect_near(y.download(), softmax_of(wide(a), static_cast<std::size_t>(count), false), 1.0 / 16);
  };
  check(float(), 9, 100);   // a warp for each row
  check(float(), 3, 1023);  // a block
  check(float(), 2, 4000);  // several parts on CPUs
  check(float(), 1, 9000);  // a block of 1024 on GPUs
  check(half(), 1, 33000);  // several parts on all
  check(half(), 37, 40);    // a part of a warp for each row on GPUs
  check(half(), 5, 104);
  check(bfloat16(), 2, 1024);
  // OpenGL ES computes double in software, whose branches it does not accept before warp operations.
  if (gpu.info().has(Feature::fp64) && std::string(GetParam()) != "gles") check(double(), 3, 65);
}

TEST_P(OpsSoftmax, WorksAlongEveryAxisAndInPlace) {
  const auto a = reals<float>(6 * 40 * 5);
  const Tensor<float> x = tensor(a, {6, 5, 40}), y(gpu, {6, 40, 5});
  copy(gpu, x, y.transpose());
  softmax(gpu, y, y, {.axis = 1});
  const Tensor<float> rows(gpu, {6, 5, 40});
  copy(gpu, y.transpose(), rows);
  expect_near(rows.download(), softmax_of(wide(a), 40, false), 1.0 / 16);
  log_softmax(gpu, x, x, {.axis = 2});
  expect_near(x.download(), softmax_of(wide(a), 40, true));
  // One thread for each of many columns.
  const auto b = reals<float>(7 * 1100);
  const Tensor<float> z = tensor(b, {1100, 7}), columns(gpu, {7, 1100});
  copy(gpu, z.transpose(), columns);
  softmax(gpu, columns, columns, {.axis = 0});
  copy(gpu, columns.transpose(), z);
  expect_near(z.download(), softmax_of(wide(b), 7, false), 1.0 / 16);
}

TEST_P(OpsSoftmax, HandlesInfinityNaNAndLargeNumbers) {
  std::vector<double> v(6 * 40, 0.5);
  v[0] = kNaN;
  v[40] = kInfinity;
  for (std::size_t i = 80; i < 120; ++i) v[i] = -kInfinity;  // NaN
  for (std::size_t i = 120; i < 159; ++i) v[i] = -kInfinity;
  for (std::size_t i = 160; i < 200; ++i) v[i] = 1e30;
  v[200] = -kInfinity;
  const Tensor<float> x = tensor(narrow<float>(v), {6, 40}), y(gpu, {6, 40});
  std::vector<double> want = softmax_of(v, 40, false);
  for (std::size_t i = 40; i < 80; ++i) want[i] = kNaN;
  softmax(gpu, x, y);
  expect_near(y.download(), want, 1.0 / 16);
}

TEST_P(OpsSoftmax, ComputesCrossEntropyAndItsGradient) {
  constexpr std::size_t kRows = 5, kClasses = 300;
  const auto a = reals<float>(kRows * kClasses);
  const Tensor<float> logits = tensor(a, {5, 300}), loss(gpu, {5}), gradient(gpu, {5, 300}), one(gpu, {1});
  const std::vector<std::int32_t> classes{0, 299, -100, 17,
                                          300};  // the third is ignored, the last is no class
  const Tensor<std::int32_t> targets = tensor(classes, {5});
  fill(gpu, one, 0.5f);
  cross_entropy(gpu, logits, targets, loss);
  cross_entropy_gradient(gpu, logits, targets, one.broadcast({5}), gradient);
  const std::vector<double> logs = softmax_of(wide(a), kClasses, true);
  std::vector<double> want(kRows), slopes(kRows * kClasses);
  for (std::size_t r = 0; r < kRows; ++r) {
    const auto target = static_cast<std::size_t>(classes[r]);
    want[r] = r == 2 ? 0 : r == 4 ? kNaN : -logs[r * kClasses + target];
    for (std::size_t c = 0; c < kClasses && r != 2; ++c)
      slopes[r * kClasses + c] = 0.5 * (std::exp(logs[r * kClasses + c]) - (c == target ? 1 : 0));
  }
  expect_near(loss.download(), want);
  expect_near(gradient.download(), slopes, 1.0 / 16);
  // Small losses are precise, also if the numbers are large.
  std::vector<float> certain(2 * 40, 1000.0f);
  certain[7] = 1012;
  certain[40 + 9] = 1016;
  const Tensor<std::int32_t> largest = tensor(std::vector<std::int32_t>{7, 9}, {2});
  cross_entropy(gpu, tensor(certain, {2, 40}), largest, loss.slice(0, 0, 2));
  expect_near(loss.slice(0, 0, 2).download(),
              {std::log1p(39 * std::exp(-12.0)), std::log1p(39 * std::exp(-16.0))}, 0.02);
  const Tensor<half> h(gpu, {5, 300});
  copy(gpu, logits, h);
  cross_entropy(gpu, h, targets, loss);
  expect_near(loss.download(), want);
}

TEST_P(OpsSoftmax, AcceptsEmptyTensorsAndReportsWrongOperands) {
  const Tensor<float> x(gpu, {3, 4}), y(gpu, {4, 3}), none(gpu, {0, 4}), no_class(gpu, {3, 0});
  EXPECT_EQ(softmax(gpu, none, none).kernel(), "");
  EXPECT_EQ(softmax(gpu, no_class, no_class).kernel(), "");
  EXPECT_MESSAGE("ops::softmax failed: the input has shape 3×4 and the result 4×3", softmax(gpu, x, y));
  EXPECT_MESSAGE("ops::softmax failed: axis 2 does not exist in a tensor of shape 3×4",
                 softmax(gpu, x, x, {.axis = 2}));
  const Tensor<int> i(gpu, {3}), j(gpu, {4});
  EXPECT_MESSAGE("ops::log_softmax failed: elements of type int are not supported", log_softmax(gpu, i, i));
  EXPECT_MESSAGE("ops::cross_entropy failed: the operand 'targets' has shape 4",
                 cross_entropy(gpu, x, j, Tensor<float>(gpu, {3})));
  EXPECT_MESSAGE("the operand 'loss' has elements of type int", cross_entropy(gpu, x, i, i));
}

}  // namespace
}  // namespace quern::ops
