#include "ops/nn_case.hpp"

namespace quern::ops {
namespace {

QUERN_NN_CASE(OpsActivate);

double relu_of(double x) { return x < 0 ? 0 : x; }
double gelu_of(double x) { return x * (1 + std::erf(x / std::sqrt(2.0))) / 2; }
double silu_of(double x) { return x / (1 + std::exp(-x)); }
double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }
double gelu_by_tanh(double x) {
  return x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x))) / 2;
}
template <typename F>
std::vector<double> mapped(std::vector<double> v, const F& function) {
  for (double& x : v) x = function(x);
  return v;
}

TEST_P(OpsActivate, MatchesTheFormulas) {
  const auto a = reals<float>(301);
  const Tensor<float> x = tensor(a, {301}), y(gpu, {301});
  activate(gpu, relu, x, y);
  expect_near(y.download(), mapped(wide(a), relu_of));
  activate(gpu, gelu, x, y);
  expect_near(y.download(), mapped(wide(a), gelu_of));
  activate(gpu, gelu, x, y, {.approximate = true});
  expect_near(y.download(), mapped(wide(a), gelu_by_tanh));
  activate(gpu, silu, x, y);
  expect_near(y.download(), mapped(wide(a), silu_of));
  activate(gpu, sigmoid, x, y);
  expect_near(y.download(), mapped(wide(a), sigmoid_of));
  activate(gpu, Activation::tanh, x, y);
  expect_near(y.download(), mapped(wide(a), [](double v) { return std::tanh(v); }));
}

TEST_P(OpsActivate, AcceptsSmallTypesViewsAndTheSameTensor) {
  const auto a = reals<half>(6 * 16);
  const Tensor<half> x = tensor(a, {6, 16});
  activate(gpu, silu, x.slice(1, 0, 8), x.slice(1, 0, 8));  // pieces of 16 bytes
  std::vector<double> want = wide(a);
  for (std::size_t i = 0; i < want.size(); ++i) want[i] = i % 16 < 8 ? silu_of(want[i]) : want[i];
  expect_near(x.download(), want);
  const auto b = reals<bfloat16>(5 * 7);
  const Tensor<bfloat16> y = tensor(b, {5, 7}), z(gpu, {7, 5});
  activate(gpu, relu, y.transpose(), z);
  expect_near(z.download(), mapped(wide(y.transpose().download()), relu_of));
}

// Small results have the relative precision of the type, too.
TEST_P(OpsActivate, IsPreciseForSmallResultsOfSmallTypes) {
  std::vector<bfloat16> a;
  for (int i = -80; i <= 80; ++i) a.push_back(bfloat16(static_cast<float>(i) / 16));
  const Tensor<bfloat16> x = tensor(a, {161}), y(gpu, {161});
  activate(gpu, gelu, x, y);
  std::vector<double> want;
  for (const double v : wide(a)) want.push_back(v * std::erfc(-v / std::sqrt(2.0)) / 2);
  expect_near(y.download(), want, 0, 8e-3);
  activate(gpu, sigmoid, x, y);
  expect_near(y.download(), mapped(wide(a), sigmoid_of), 0, 8e-3);
}

TEST_P(OpsActivate, MultipliesWithAGate) {
  const auto a = reals<float>(9 * 24);
  const Tensor<float> both = tensor(a, {9, 24}), y(gpu, {9, 12});
  activate_gated(gpu, silu, both.slice(1, 0, 12), both.slice(1, 12, 12), y);
  std::vector<double> want(9 * 12);
  for (std::size_t i = 0; i < want.size(); ++i)
    want[i] = silu_of(static_cast<double>(a[i / 12 * 24 + i % 12])) *
              static_cast<double>(a[i / 12 * 24 + 12 + i % 12]);
  expect_near(y.download(), want);
}

TEST_P(OpsActivate, HandlesNaNInfinityEmptyTensorsAndGraphs) {
  const Tensor<float> x = tensor(narrow<float>({kNaN, kInfinity, -kInfinity, -0.0, 1e-30}), {5}), y(gpu, {5});
  activate(gpu, relu, x, y);
  expect_near(y.download(), {kNaN, kInfinity, 0, 0, 1e-30}, 0);
  const Graph graph = gpu.record([&](const Stream& s) { activate(s, sigmoid, x, y); });
  gpu.stream().run(graph);
  expect_near(y.download(), {kNaN, 1, 0, 0.5, 0.5});
  EXPECT_EQ(activate(gpu, gelu, x.slice(0, 0, 0), y.slice(0, 0, 0)).kernel(), "");
  EXPECT_MESSAGE("ops::activate failed: the input has shape 5 and the result 4",
                 activate(gpu, relu, x, y.slice(0, 0, 4)));
  EXPECT_MESSAGE("ops::activate_gated failed: the input has shape 3 and the result 5",
                 activate_gated(gpu, relu, x, x.slice(0, 0, 3), y));
  const Tensor<const float> constant = x;
  EXPECT_MESSAGE("ops::activate failed: the operand for the result is read-only",
                 activate(gpu, relu, x, constant));
}

}  // namespace
}  // namespace quern::ops
