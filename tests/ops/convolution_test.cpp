#include "ops/nn_case.hpp"

namespace quern::ops {
namespace {

class OpsConvolution : public NnCase {
 protected:
  struct Images {
    std::vector<double> values;
    std::int64_t images, channels, height, width;
    double at(std::int64_t n, std::int64_t c, std::int64_t y, std::int64_t x) const {
      if (y < 0 || y >= height || x < 0 || x >= width) return 0;
      return values[static_cast<std::size_t>(((n * channels + c) * height + y) * width + x)];
    }
  };
  // `to`: the shape of the result.
  template <typename Options>
  static std::vector<double> convolved(const Images& in, const Images& weight, const Shape& to,
                                       const Options& o) {
    std::vector<double> out;
    for (std::int64_t n = 0; n < to[0]; ++n) {
      for (std::int64_t k = 0; k < to[1]; ++k) {
        const std::int64_t first = k / (to[1] / o.groups) * weight.channels;
        for (std::int64_t pixel = 0; pixel < to[2] * to[3]; ++pixel) {
          const std::int64_t y0 = pixel / to[3] * o.stride.y - o.padding.y,
                             x0 = pixel % to[3] * o.stride.x - o.padding.x;
          double sum = 0;
          for (std::int64_t tap = 0; tap < weight.channels * weight.height * weight.width; ++tap) {
            const std::int64_t x = tap % weight.width, y = tap / weight.width % weight.height,
                               c = tap / weight.width / weight.height;
            sum += in.at(n, first + c, y0 + y * o.dilation.y, x0 + x * o.dilation.x) * weight.at(k, c, y, x);
          }
          out.push_back(sum);
        }
      }
    }
    return out;
  }
  template <typename T>
  void check(const Shape& of_in, const Shape& of_weight, const Conv2dOptions<T>& options) {
    const auto a = numbers<T>(of_in.size(), -3, 3), w = numbers<T>(of_weight.size(), -3, 3);
    const Tensor<T> in = tensor(a, of_in), weight = tensor(w, of_weight),
                    out = conv2d(gpu, in, weight, options);
    const std::vector<double> want =
        convolved({wide(a), of_in[0], of_in[1], of_in[2], of_in[3]},
                  {wide(w), of_weight[0], of_weight[1], of_weight[2], of_weight[3]}, out.shape(), options);
    expect_near(out.download(), want);
    // Channels last in memory.
    const Tensor<T> last(gpu, {of_in[0], of_in[2], of_in[3], of_in[1]});
    copy(gpu, in, last.transpose(2, 3).transpose(1, 2));
    conv2d(gpu, last.transpose(2, 3).transpose(1, 2), weight, out, options);
    expect_near(out.download(), want);
  }
};
INSTANTIATE_TEST_SUITE_P(All, OpsConvolution, testing::ValuesIn(::quern::test::each_driver({"native"})),
                         ::quern::test::device_name);

TEST_P(OpsConvolution, ConvolvesManyFilters) {
  check<float>({2, 3, 9, 11}, {17, 3, 3, 3}, {.padding = {1, 1}});
  check<float>({1, 4, 10, 7}, {40, 2, 3, 2},
               {.stride = {2, 1}, .padding = {0, 2}, .dilation = {2, 3}, .groups = 2});
  check<float>({1, 20, 4, 5}, {70, 20, 1, 1}, {});
  check<half>({1, 3, 6, 6}, {16, 3, 3, 3}, {.stride = {2, 2}});
}

TEST_P(OpsConvolution, ConvolvesFewFilters) {
  check<float>({2, 6, 8, 9}, {6, 1, 3, 3}, {.stride = {1, 2}, .padding = {1, 1}, .groups = 6});
  check<float>({1, 5, 5, 4}, {3, 5, 2, 4}, {});
}

TEST_P(OpsConvolution, AddsABiasAndActivates) {
  const auto a = numbers<float>(2 * 3 * 4), b = numbers<float>(2);
  const Tensor<float> in = tensor(a, {1, 2, 3, 4}), one(gpu, {2, 1, 1, 1}), bias = tensor(b, {2});
  fill(gpu, one, 1.0f);
  std::vector<double> want = wide(a);
  for (std::size_t i = 0; i < want.size(); ++i)
    want[i] = std::max(want[i] + static_cast<double>(b[i / 12]), 0.0);
  expect_near(conv2d(gpu, in, one, {.bias = bias, .groups = 2, .activation = relu}).download(), want);
}

TEST_P(OpsConvolution, Pools) {
  std::vector<float> a = numbers<float>(2 * 5 * 7);
  a[0] = std::numeric_limits<float>::quiet_NaN();
  const Tensor<float> in = tensor(a, {1, 2, 5, 7}), out(gpu, {1, 2, 3, 3}), mean(gpu, {1, 2, 3, 3});
  max_pool2d(gpu, in, out, {.window = {3, 3}, .stride = {2, 3}, .padding = {1, 1}});
  average_pool2d(gpu, in, mean,
                 {.window = {3, 3}, .stride = {2, 3}, .padding = {1, 1}, .counts_padding = false});
  std::vector<double> largest, means;
  for (std::int64_t i = 0; i < 18; ++i) {
    double most = -kInfinity, sum = 0, count = 0;
    for (std::int64_t y = i / 3 % 3 * 2 - 1; y < i / 3 % 3 * 2 + 2; ++y) {
      for (std::int64_t x = i % 3 * 3 - 1; x < i % 3 * 3 + 2; ++x) {
        if (y < 0 || y >= 5 || x < 0 || x >= 7) continue;
        const auto v = static_cast<double>(a[static_cast<std::size_t>((i / 9 * 5 + y) * 7 + x)]);
        most = v > most || std::isnan(v) ? v : most;
        sum += v;
        ++count;
      }
    }
    largest.push_back(most);
    means.push_back(sum / count);
  }
  expect_near(out.download(), largest);
  expect_near(mean.download(), means);
  const Tensor<float> pairs(gpu, {1, 2, 2, 3});
  average_pool2d(gpu, in.slice(2, 0, 5), pairs);
  EXPECT_FLOAT_EQ(pairs.download()[1], (a[2] + a[3] + a[9] + a[10]) / 4);
}

TEST_P(OpsConvolution, AcceptsEmptyTensorsAndReportsWrongOperands) {
  const Tensor<float> in(gpu, {1, 4, 5, 5}), weight(gpu, {3, 4, 3, 3}), large(gpu, {3, 4, 6, 6}),
      none(gpu, {0, 4, 5, 5});
  EXPECT_EQ(conv2d(gpu, none, weight).size(), 0);
  EXPECT_MESSAGE(
      "ops::conv2d failed: images of shape 1×4×5×5 cannot be convolved with filters of shape 3×4×6×6 in 1 "
      "groups",
      conv2d(gpu, in, large));
  EXPECT_MESSAGE("in 2 groups", conv2d(gpu, in, weight, {.groups = 2}));
  EXPECT_MESSAGE("ops::conv2d failed: the operand 'out' has shape 1×4×5×5", conv2d(gpu, in, weight, in));
  EXPECT_MESSAGE("ops::max_pool2d failed: windows of 6×2 do not fit images of shape 1×4×5×5",
                 max_pool2d(gpu, in, in, {.window = {6, 2}}));
}

}  // namespace
}  // namespace quern::ops
