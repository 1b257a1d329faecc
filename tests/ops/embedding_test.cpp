#include "ops/nn_case.hpp"

namespace quern::ops {
namespace {

QUERN_NN_CASE(OpsEmbedding);

struct Rope {
  std::size_t heads, extent, dimensions;
  bool is_interleaved;
};

// x: tokens × heads × extent.
std::vector<double> rotated(const std::vector<double>& x, const std::vector<std::int32_t>& positions,
                            const Rope& rope) {
  std::vector<double> out = x;
  const std::size_t pairs = rope.dimensions / 2;
  for (std::size_t row = 0; row < x.size() / rope.extent; ++row) {
    for (std::size_t i = 0; i < pairs; ++i) {
      const double angle = positions[row / rope.heads] *
                           std::pow(10000.0, -static_cast<double>(i) / static_cast<double>(pairs));
      const std::size_t first = row * rope.extent + (rope.is_interleaved ? 2 * i : i),
                        second = first + (rope.is_interleaved ? 1 : pairs);
      out[first] = x[first] * std::cos(angle) - x[second] * std::sin(angle);
      out[second] = x[second] * std::cos(angle) + x[first] * std::sin(angle);
    }
  }
  return out;
}

TEST_P(OpsEmbedding, LooksUpRows) {
  const auto a = reals<float>(7 * 12);
  const std::vector<std::int32_t> rows{3, 0, 6, 6, -1, 7};
  const Tensor<float> table = tensor(a, {7, 12}), out(gpu, {2, 3, 12});
  const Tensor<std::int32_t> indices = tensor(rows, {2, 3});
  embedding(gpu, table, indices, out);
  std::vector<double> want(72, 0.0);
  for (std::size_t i = 0; i < 48; ++i)
    want[i] = static_cast<double>(a[static_cast<std::size_t>(rows[i / 12]) * 12 + i % 12]);
  expect_near(out.download(), want);
  const Tensor<float> narrow(gpu, {3, 2, 5});
  embedding(gpu, table.slice(1, 1, 5, 2), indices.transpose(), narrow);
  for (std::size_t i = 0; i < 20; ++i) {
    const std::size_t row = i / 10 + i / 5 % 2 * 3;
    want[i] =
        row < 4 ? static_cast<double>(a[static_cast<std::size_t>(rows[row]) * 12 + 1 + i % 5 * 2]) : 0.0;
  }
  std::vector<float> got = narrow.download();
  got.resize(20);
  want.resize(20);
  expect_near(got, want);
}

TEST_P(OpsEmbedding, RotatesPairs) {
  const std::vector<std::int32_t> where{0, 1, 5, 1000};
  const Tensor<std::int32_t> positions = tensor(where, {4});
  const auto check = [&](auto type, const Rope& rope) {
    using T = decltype(type);
    const auto heads = static_cast<std::int64_t>(rope.heads), extent = static_cast<std::int64_t>(rope.extent);
    const auto a = reals<T>(4 * heads * extent);
    const Tensor<T> x = tensor(a, {4, heads, extent}), y(gpu, {4, heads, extent});
    rotary(gpu, x, positions, y,
           {.dimensions = static_cast<std::int64_t>(rope.dimensions), .interleaved = rope.is_interleaved});
    expect_near(y.download(), rotated(wide(a), where, rope), 4, std::max(tolerance_of<T>(), 1e-4));
    // Heads before tokens, in place.
    const Tensor<T> z(gpu, {heads, 4, extent});
    copy(gpu, x, z.transpose(0, 1));
    rotary(gpu, z.transpose(0, 1), positions, z.transpose(0, 1),
           {.dimensions = static_cast<std::int64_t>(rope.dimensions), .interleaved = rope.is_interleaved});
    copy(gpu, z.transpose(0, 1), y);
    expect_near(y.download(), rotated(wide(a), where, rope), 4, std::max(tolerance_of<T>(), 1e-4));
  };
  check(float(), {3, 10, 10, false});
  check(float(), {2, 16, 8, true});
  check(half(), {9, 32, 32, false});
}

TEST_P(OpsEmbedding, AcceptsEmptyTensorsAndReportsWrongOperands) {
  const Tensor<float> table(gpu, {7, 12}), out(gpu, {3, 12}), x(gpu, {3, 2, 6});
  const Tensor<std::int32_t> indices(gpu, {3}), none(gpu, {0});
  EXPECT_EQ(embedding(gpu, table, none, Tensor<float>(gpu, {0, 12})).kernel(), "");
  EXPECT_EQ(rotary(gpu, x.slice(0, 0, 0), none, x.slice(0, 0, 0)).kernel(), "");
  EXPECT_MESSAGE("ops::embedding failed: the table has shape 7×12, the indices 3, and the result 7×12",
                 embedding(gpu, table, indices, table));
  EXPECT_MESSAGE("ops::embedding failed: the operand 'indices' has elements of type float",
                 embedding(gpu, table, table, out));
  EXPECT_MESSAGE("ops::rotary failed: 5 dimensions of a tensor of shape 3×2×6 cannot be rotated",
                 rotary(gpu, x, indices, x, {.dimensions = 5}));
  EXPECT_MESSAGE("broadcast failed: a tensor of shape 7×12 does not broadcast to 3",
                 rotary(gpu, x, Tensor<std::int32_t>(gpu, {7, 12}), x));
}

}  // namespace
}  // namespace quern::ops
