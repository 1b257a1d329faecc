#include <cmath>
#include <limits>
#include <numeric>

#include "ops/ops_case.hpp"

namespace quern::ops {
namespace {

QUERN_OPS_CASE(OpsTransform);

TEST_P(OpsTransform, CopiesBetweenTensorsThatAreContiguousAlongDifferentAxes) {
  for (const Shape& shape : {Shape{8, 9}, Shape{70, 33}, Shape{31, 100}, Shape{5, 40}}) {
    const auto values = numbers<float>(3 * shape.size());
    const Tensor<float> x = tensor(values, {3, shape[0], shape[1]});
    const Tensor<int> y(gpu, {3, shape[1], shape[0]});
    copy(gpu, x, y.transpose());
    EXPECT_EQ(y.transpose().download(), std::vector<int>(values.begin(), values.end())) << shape.to_string();
    const Tensor<half> every_second(gpu, {2 * shape[1], shape[0], 3});
    fill(gpu, every_second, half(9.0f));
    copy(gpu, x.transpose(), every_second.slice(0, 0, shape[1], 2).transpose(1, 2).transpose(0, 1));
    const std::vector<half> got = every_second.download();
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto rows = static_cast<std::size_t>(shape[0]), columns = static_cast<std::size_t>(shape[1]);
      const std::size_t batch = i % 3, row = i / 3 % rows, column = i / 3 / rows;
      const float want = column % 2 == 1 ? 9.0f : values[(batch * rows + row) * columns + column / 2];
      ASSERT_EQ(static_cast<float>(got[i]), want) << shape.to_string() << " " << i;
    }
  }
  const auto one = numbers<float>(50);  // broadcast: repeated along the first axis
  const Tensor<float> row = tensor(one, {50}), repeated(gpu, {50, 40});
  copy(gpu, row, repeated.transpose());
  EXPECT_EQ(repeated.select(1, 7).download(), one);
}

TEST_P(OpsTransform, CallsTheFunctionForEveryElement) {
  for (const std::int64_t n : {0, 1, 255, 5000}) {
    const auto a = numbers<float>(n), b = numbers<float>(n);
    const Tensor<float> x = tensor(a, {n}), y = tensor(b, {n});
    transform(gpu, "[](float u, float v) { return 2 * u + v; }", x, y, y);
    const std::vector<float> got = y.download();
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], 2 * a[i] + b[i]) << i << " of " << n;
  }
}

// GPUs access contiguous elements in packs, whose size depends on the types; single elements remain.
TEST_P(OpsTransform, MixesTypesOfDifferentSizes) {
  for (const std::int64_t n : {1, 7, 64, 1027}) {
    const auto a = numbers<half>(n);
    const auto b = numbers<std::int64_t>(n);
    const auto c = numbers<std::int8_t>(n);
    const Tensor<half> x = tensor(a, {n});
    const Tensor<std::int64_t> y = tensor(b, {n});
    const Tensor<std::int8_t> z = tensor(c, {n}), out(gpu, {n + 1});
    fill(gpu, out, std::int8_t{99});
    transform(gpu, "[](float u, long long v, int w) { return u + v + w; }", x, y, z, out.slice(0, 0, n));
    const std::vector<std::int8_t> got = out.download();
    for (std::size_t i = 0; i + 1 < got.size(); ++i)
      ASSERT_EQ(got[i], static_cast<int>(static_cast<float>(a[i])) + b[i] + c[i]) << i << " of " << n;
    EXPECT_EQ(got.back(), 99);
    transform(gpu, "[](int v) { return v + 1; }", out.slice(0, 1, n), out.slice(0, 1, n));  // not aligned
    EXPECT_EQ(out.download().back(), 100);
  }
}

TEST_P(OpsTransform, TakesBuffersSlicesAndNoInputs) {
  const auto a = numbers<int>(10);
  const Buffer<int> in = gpu.upload(a);
  Buffer<int> out = gpu.allocate<int>(10);
  transform(gpu, "[] { return 7; }", out);
  const Receipt receipt = transform(gpu, "[](int v) { return -v; }", in.slice(2, 5), out.slice(1, 5));
  EXPECT_EQ(receipt.kernel(), "transform");
  std::vector<int> want(10, 7);
  for (std::size_t i = 0; i < 5; ++i) want[i + 1] = -a[i + 2];
  EXPECT_EQ(out.download(), want);
  EXPECT_EQ(transform(gpu, "[](int v) { return v; }", Tensor<int>(gpu, {0}), Tensor<int>(gpu, {0})).kernel(),
            "");
}

TEST_P(OpsTransform, TakesViewsAndBroadcasts) {
  const auto a = numbers<int>(12), row = numbers<int>(4);
  const Tensor<int> x = tensor(a, {3, 4}), r = tensor(row, {4}), out(gpu, {4, 3});
  transform(gpu, "[](int u, int v) { return u * 100 + v; }", x, r, out.transpose());
  const std::vector<int> got = out.download();
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(got[k * 3 + i], a[i * 4 + k] * 100 + row[k]);
  }
}

TEST_P(OpsTransform, CopiesBetweenTypesAndStrides) {
  const auto a = numbers<float>(35);
  const Tensor<float> x = tensor(a, {5, 7});
  const Tensor<std::int16_t> out(gpu, {3, 3});
  copy(gpu, x.slice(0, 0, 3, 2).slice(1, 6, 3, -3), out);
  const std::vector<std::int16_t> got = out.download();
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(got[i * 3 + k], static_cast<int>(a[2 * i * 7 + 6 - 3 * k]));
  }
}

TEST_P(OpsTransform, FillsViewsOfEveryType) {
  const auto check = [&]<typename T>(T value) {
    const Tensor<T> x(gpu, {3, 5});
    fill(gpu, x, static_cast<T>(0.0f));
    fill(gpu, x.slice(1, 1, 2, 2), value);
    const std::vector<T> got = x.download();
    for (std::size_t i = 0; i < 15; ++i) {
      const bool is_set = i % 5 == 1 || i % 5 == 3;
      ASSERT_EQ(static_cast<double>(static_cast<float>(got[i])),
                is_set ? static_cast<double>(static_cast<float>(value)) : 0.0)
          << i;
    }
  };
  check(3.0);
  check(-2.5f);
  check(half(1.5f));
  check(bfloat16(1.5f));
  check(std::int64_t{-5});
  check(std::int32_t{-5});
  check(std::int16_t{-5});
  check(std::int8_t{-5});
  check(std::uint64_t{5});
  check(std::uint32_t{5});
  check(std::uint16_t{5});
  check(std::uint8_t{5});
}

TEST_P(OpsTransform, UsesCodeBeforeTheFunctionAndReportsItsErrors) {
  const Tensor<float> x = tensor<float>({1, 2, 3}, {3});
  transform(gpu,
            Function("[](float v) { return twice(v); }", "__device__ float twice(float v) { return v + v; }"),
            x, x);
  EXPECT_EQ(x.download(), (std::vector<float>{2, 4, 6}));
  EXPECT_MESSAGE("function:1", transform(gpu, "[](float v) { return tvice(v); }", x, x));
}

TEST_P(OpsTransform, RunsOnStreamsAndInGraphs) {
  const auto a = numbers<float>(3000);
  const Tensor<float> x = tensor(a, {3000}), total(gpu, {1});
  const auto step = [&](const Stream& stream) {
    transform(stream, "[](float v) { return v + 1; }", x, x);
    reduce(stream, Combine::sum, x, total);
    inclusive_scan(stream, Combine::max, x, x);
  };
  const auto want = [&](int steps) {
    std::vector<float> v = a;
    float sum = 0;
    for (int i = 0; i < steps; ++i) {
      for (float& f : v) f += 1;
      sum = std::accumulate(v.begin(), v.end(), 0.0f);
      for (std::size_t k = 1; k < v.size(); ++k) v[k] = std::max(v[k], v[k - 1]);
    }
    return std::pair(sum, v);
  };
  const Graph graph = gpu.record(step);
  gpu.stream().run(graph);
  gpu.stream().run(graph);
  EXPECT_EQ(std::pair(total.download()[0], x.download()), want(2));
  const Stream stream = gpu.create_stream();
  step(stream);
  stream.synchronize();
  EXPECT_EQ(std::pair(total.download()[0], x.download()), want(3));
}

TEST_P(OpsTransform, WrongShapesAreReported) {
  const Tensor<float> x(gpu, {3, 4}), y(gpu, {3, 5});
  EXPECT_MESSAGE("a tensor of shape 3×5 does not broadcast to 3×4", copy(gpu, y, x));
  EXPECT_MESSAGE("the input has shape 3×4 and the result 3×5", inclusive_scan(gpu, Combine::sum, x, y));
  EXPECT_MESSAGE("a tensor of shape 3×4 cannot be reduced to 3×5", reduce(gpu, Combine::sum, x, y));
  EXPECT_MESSAGE("the operand for the result is read-only", copy(gpu, x, Tensor<const float>(x)));
  EXPECT_MESSAGE("3×4 cannot have the shape 5", x.reshape({5}));
  EXPECT_MESSAGE("without a copy", x.transpose().reshape({12}));
  EXPECT_MESSAGE("positions 1 to 4 of axis 1 are not in a tensor of shape 3×4", x.slice(1, 1, 4));
  EXPECT_MESSAGE("axis 2 does not exist in a tensor of shape 3×4", x.select(2, 0));
  EXPECT_MESSAGE("fewer than two axes", x.select(0, 0).transpose());
  EXPECT_MESSAGE("a tensor of shape 3×4 does not fit into 11 elements",
                 Tensor<float>(x.memory().slice(0, 11), {3, 4}));
}

}  // namespace
}  // namespace quern::ops
