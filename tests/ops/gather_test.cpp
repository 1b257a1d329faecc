#include <limits>

#include "ops/ops_case.hpp"

namespace quern::ops {
namespace {

QUERN_OPS_CASE(OpsGather);

TEST_P(OpsGather, GathersAndScattersRows) {
  const auto a = numbers<float>(7 * 3);
  const Tensor<float> x = tensor(a, {7, 3}), out(gpu, {4, 3}), back(gpu, {7, 3});
  const std::vector<int> rows{6, 0, -1, 3};
  const Tensor<int> indices = tensor(rows, {4});
  fill(gpu, out, 100.0f);
  gather(gpu, x, indices, out);
  fill(gpu, back, 0.0f);
  scatter(gpu, out.slice(1, 2, 3, -1), indices, back);
  const std::vector<float> got = out.download(), returned = back.download();
  std::vector<float> want(21, 0.0f);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const bool is_valid = rows[i] >= 0;
      const float v = is_valid ? a[static_cast<std::size_t>(rows[i]) * 3 + k] : 100.0f;
      EXPECT_EQ(got[i * 3 + k], v);
      if (is_valid) want[static_cast<std::size_t>(rows[i]) * 3 + 2 - k] = v;
    }
  }
  EXPECT_EQ(returned, want);
}

TEST_P(OpsGather, GathersManyBytes) {
  const auto a = numbers<std::uint8_t>(1000, 0, 255);
  std::vector<std::uint64_t> order(1000);
  for (std::size_t i = 0; i < 1000; ++i) order[i] = i * 7 % 1000;
  const Tensor<std::uint8_t> x = tensor(a, {1000}), out(gpu, {1000});
  gather(gpu, x, tensor(order, {1000}), out);
  const std::vector<std::uint8_t> got = out.download();
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(got[i], a[order[i]]) << i;
  EXPECT_EQ(gather(gpu, x, Tensor<int>(gpu, {0}), Tensor<std::uint8_t>(gpu, {0})).kernel(), "");
}

TEST_P(OpsGather, CountsElementsInBins) {
  std::vector<float> a = numbers<float>(5000);
  a[0] = std::numeric_limits<float>::quiet_NaN();
  a[1] = std::numeric_limits<float>::infinity();
  const auto b = numbers<std::int16_t>(5001, -300, 300);
  const Tensor<std::uint32_t> few(gpu, {8}), many(gpu, {3000});
  histogram(gpu, tensor(a, {50, 100}).transpose(), few, -4.0f, 4.0f);
  histogram(gpu, tensor(b, {5001}), many, -100, 200);
  std::vector<std::uint32_t> want(8);
  for (const float v : a) {
    if (v >= -4 && v < 4) ++want[static_cast<std::size_t>(v + 4)];
  }
  EXPECT_EQ(few.download(), want);
  want.assign(3000, 0);
  for (const std::int16_t v : b) {
    if (v >= -100 && v < 200) ++want[static_cast<std::size_t>(v + 100) * 10];
  }
  EXPECT_EQ(many.download(), want);
  histogram(gpu, Tensor<float>(gpu, {0}), few, 0.0f, 1.0f);
  EXPECT_EQ(few.download(), std::vector<std::uint32_t>(8, 0));
}

TEST_P(OpsGather, ConcatenatesAlongAnAxis) {
  const Tensor<int> a = tensor<int>({1, 2, 3, 4}, {2, 2}), b = tensor<int>({5, 6}, {1, 2}), none(gpu, {0, 2}),
                    out(gpu, {5, 2}), wide(gpu, {2, 3});
  const Graph graph = gpu.record([&](const Stream& stream) {
    concatenate(stream, {a, b, none, a.transpose()}, 0, out);
    concatenate(stream, {b.transpose(), a}, 1, wide.slice(1, 2, 3, -1));
  });
  gpu.stream().run(graph);
  EXPECT_EQ(out.download(), (std::vector<int>{1, 2, 3, 4, 5, 6, 1, 3, 2, 4}));
  EXPECT_EQ(wide.download(), (std::vector<int>{2, 1, 5, 4, 3, 6}));
  Buffer<float> x = gpu.allocate<float>(3), y = gpu.allocate<float>(5);
  x.fill(2.0f);
  const std::vector<Tensor<const float>> parts{x, Slice<const float>(x).slice(1)};
  EXPECT_NE(concatenate(gpu, parts, 0, y).kernel(), "");
  EXPECT_EQ(y.download(), std::vector<float>(5, 2.0f));
  EXPECT_MESSAGE("ops::concatenate failed: operands of shape 2×2, 1×2 cannot be joined along axis 0 to 5×2",
                 concatenate(gpu, {a, b}, 0, out));
  EXPECT_MESSAGE("along axis 2 to 5×2", concatenate(gpu, {a}, 2, out));
}

TEST_P(OpsGather, WrongOperandsAreReported) {
  const Tensor<float> x(gpu, {7, 3}), y(gpu, {4, 2});
  const Tensor<int> indices(gpu, {4});
  EXPECT_MESSAGE("ops::gather failed: the input has shape 7×3, the indices 4, and the result 4×2",
                 gather(gpu, x, indices, y));
  EXPECT_MESSAGE("positions cannot be stored as float", gather(gpu, y, Tensor<float>(gpu, {4}), y));
  EXPECT_MESSAGE("ops::histogram failed: 3.000000 to 2.000000 cannot be divided into 4 bins",
                 histogram(gpu, x, indices, 3.0f, 2.0f));
  EXPECT_MESSAGE("the counts have shape 4×2 and type float", histogram(gpu, x, y, 1.0f, 2.0f));
}

}  // namespace
}  // namespace quern::ops
