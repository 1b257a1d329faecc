// Distributed arrays and algorithms on them, compared with one device or with the host.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "comm/exercise.hpp"
#include "comm/group_case.hpp"
#include "quern/ops.hpp"

namespace quern::test {

INSTANTIATE_TEST_SUITE_P(All, GroupPairs, testing::ValuesIn(group_plans()),
                         [](const auto& test) { return std::string(test.param.name); });

namespace {

using comm::error_of;

std::vector<float> some_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> out(count);
  for (float& v : out) v = static_cast<float>(random() % 2001) / 100.0f - 10;
  return out;
}

TEST_P(GroupPairs, ScatterAndGather) {
  for (const std::int64_t rows : {0, 1, 3, 64, 257}) {
    const std::vector<float> from = some_values(static_cast<std::size_t>(rows * 5), 1);
    Distributed<float> x(group, {rows, 5}, {.halo = 2});
    EXPECT_EQ(x.size(), from.size());
    EXPECT_EQ(x.row_length(), 5u);
    x.scatter(from);
    EXPECT_EQ(x.gather(), from);
    std::size_t at = 0;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const std::vector<float> part = x.local(i).download();
      EXPECT_TRUE(std::equal(part.begin(), part.end(), from.begin() + static_cast<std::ptrdiff_t>(at)));
      at += part.size();
    }
    EXPECT_EQ(at, from.size());
    // Another split, and back.
    std::vector<double> weights(group.size(), 0.0);
    weights.back() = 1;
    EXPECT_TRUE(x.redistribute(group.with_weights(weights)).empty());
    EXPECT_EQ(x.local(group.size() - 1).size(), from.size());
    EXPECT_EQ(x.gather(), from);
    x.redistribute(group);
    EXPECT_EQ(x.gather(), from);
  }
}

TEST_P(GroupPairs, HalosHaveTheRowsOfTheOthers) {
  for (const std::int64_t rows : {1, 2, 5, 40}) {
    for (const HaloEdges edges : {HaloEdges::open, HaloEdges::periodic}) {
      constexpr int kHalo = 3;
      Distributed<int> x(group, {rows, 2}, {.halo = kHalo});
      std::vector<int> from(static_cast<std::size_t>(rows * 2));
      std::iota(from.begin(), from.end(), 100);
      for (std::size_t i = 0; i < group.size(); ++i) {
        if (!x.local(i).empty()) x.local_with_halo(i).fill(-1);
      }
      x.scatter(from);
      x.exchange_halos(edges);
      for (std::size_t i = 0; i < group.size(); ++i) {
        if (x.local(i).empty()) continue;
        const std::vector<int> part = x.local_with_halo(i).download();
        for (std::size_t at = 0; at < part.size(); ++at) {
          auto row = static_cast<std::int64_t>(x.split()[i].begin + at / 2) - kHalo;
          if (edges == HaloEdges::periodic) row = (row % rows + rows) % rows;
          const bool exists = row >= 0 && row < rows;
          EXPECT_EQ(part[at], exists ? static_cast<int>(100 + row * 2) + static_cast<int>(at % 2) : -1)
              << rows << " rows, member " << i << ", element " << at;
        }
      }
    }
  }
}

TEST_P(GroupPairs, Reductions) {
  for (const std::int64_t n : {0, 1, 3, 1000}) {
    std::vector<int> from(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<int>(i * 7919 % 1009) - 500;
    Distributed<int> x(group, n);
    x.scatter(from);
    EXPECT_EQ(distributed::sum(x), std::accumulate(from.begin(), from.end(), std::int64_t{0}));
    if (is_slow()) continue;
    EXPECT_EQ(distributed::min(x),
              n == 0 ? std::numeric_limits<int>::max() : *std::min_element(from.begin(), from.end()));
    EXPECT_EQ(distributed::max(x),
              n == 0 ? std::numeric_limits<int>::lowest() : *std::max_element(from.begin(), from.end()));
    EXPECT_EQ(distributed::reduce("[](int a, int b) { return a ^ b; }", x, 0),
              std::accumulate(from.begin(), from.end(), 0, [](int a, int b) { return a ^ b; }));
  }
  if (is_slow()) return;
  Distributed<float> y(group, 5);
  y.scatter(std::vector<float>{std::nanf(""), 2, -3, std::nanf(""), 1});
  EXPECT_EQ(distributed::min(y), -3.0f);
  EXPECT_EQ(distributed::max(y), 2.0f);
}

TEST_P(GroupPairs, Scans) {
  for (const std::int64_t n : {0, 1, 4, 3000}) {
    std::vector<int> from(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<int>(i % 13) - 4;
    Distributed<int> x(group, n), sums(group, n);
    x.scatter(from);
    std::vector<int> wanted(from.size());
    std::inclusive_scan(from.begin(), from.end(), wanted.begin());
    distributed::inclusive_scan(ops::Combine::sum, x, sums);
    EXPECT_EQ(sums.gather(), wanted) << n;
    if (is_slow()) continue;
    std::inclusive_scan(from.begin(), from.end(), wanted.begin(),
                        [](int a, int b) { return std::max(a, b); });
    distributed::inclusive_scan(ops::Combine::max, x, sums);
    EXPECT_EQ(sums.gather(), wanted) << n;
    std::exclusive_scan(from.begin(), from.end(), wanted.begin(), 0);
    distributed::exclusive_scan(ops::Combine::sum, x, x);  // in place
    EXPECT_EQ(x.gather(), wanted) << n;
  }
}

TEST_P(GroupPairs, Sorts) {
  if (is_slow()) return;
  for (const std::size_t n : {0, 1, 2, 7, 5000}) {
    std::vector<float> random = some_values(n, 7), equal(n, 3.0f), descending(n);
    for (std::size_t i = 0; i < n; ++i) descending[i] = static_cast<float>(n - i);
    for (std::vector<float> values : {random, equal, descending}) {
      Distributed<float> x(group, static_cast<std::int64_t>(n), {.halo = n > 7 ? 1U : 0U});
      x.scatter(values);
      distributed::sort(x);
      std::sort(values.begin(), values.end());
      EXPECT_EQ(x.gather(), values) << n;
      EXPECT_EQ(x.split(), group.split(n));
    }
  }
}

TEST_P(GroupPairs, MatrixProducts) {
  if (is_slow()) return;
  struct Sizes {
    std::int64_t rows, inner, columns;
  };
  for (const Sizes& size :
       {Sizes{1, 1, 1}, Sizes{37, 21, 18}, Sizes{3, 0, 4}, Sizes{0, 3, 4}, Sizes{2, 50, 1}}) {
    std::vector<float> a(static_cast<std::size_t>(size.rows * size.inner)),
        b(static_cast<std::size_t>(size.inner * size.columns)),
        wanted(static_cast<std::size_t>(size.rows * size.columns));
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3;  // exact sums
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5) - 2;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto m = static_cast<std::size_t>(size.columns), inner = static_cast<std::size_t>(size.inner);
      for (std::size_t k = 0; k < inner; ++k) wanted[i] += a[i / m * inner + k] * b[k * m + i % m];
    }
    Distributed<float> x(group, {size.rows, size.inner}), y(group, {size.inner, size.columns}),
        z(group, {size.rows, size.columns}, {.halo = 1});
    x.scatter(a);
    y.scatter(b);
    distributed::matmul(x, y, z);
    EXPECT_EQ(z.gather(), wanted) << size.rows << " " << size.inner << " " << size.columns;
  }
}

constexpr const char* kHeat =
    "[](auto u) { return u() + 0.2f * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u()); }";

void compare_stencil(const DeviceGroup& group, const ops::Stencil& stencil, std::int64_t rows, int steps,
                     const char* name) {
  constexpr std::int64_t kColumns = 9;
  const std::vector<float> from = some_values(static_cast<std::size_t>(rows * kColumns), 3);
  const Device& alone = group.device(0);
  Buffer<float> one = alone.upload(from);
  stencil.run(alone, ops::Tensor<float>(one, {rows, kColumns}), steps);
  Distributed<float> u(group, {rows, kColumns}, {.halo = 2});
  u.scatter(from);
  distributed::run(stencil, steps, u);
  const std::vector<float> got = u.gather(), wanted = one.download();
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], wanted[i], 1e-4) << name << ", " << rows << " rows, " << steps << " steps, " << i;
  }
}

TEST_P(GroupPairs, Stencils) {
  const ops::Boundaries kinds[] = {ops::periodic, ops::clamp, ops::mirror, ops::fixed,
                                   ops::Boundary::constant(3)};
  const char* const names[] = {"periodic", "clamp", "mirror", "fixed", "constant"};
  for (std::size_t k = 0; k < std::size(kinds); ++k) {
    const ops::Stencil heat({.radius = 1, .boundary = kinds[k]}, kHeat);
    compare_stencil(group, heat, 31, 3, names[k]);
    compare_stencil(group, heat, 2, 2, names[k]);
    if (is_slow()) return;
  }
  const ops::Stencil wide({.radius = {2, 1}, .boundary = {ops::mirror, ops::periodic}},
                          "[](auto u) { return 0.25f * (u(-2, 0) + u(2, 1) + u(1, -1) + u()); }");
  compare_stencil(group, wide, 23, 4, "radius 2");
  compare_stencil(group, wide, 1, 2, "radius 2");
}

TEST_P(GroupPairs, StencilsOfSeveralFields) {
  if (is_slow()) return;
  const ops::Stencil waves({.boundary = ops::mirror},
                           "[](auto u, auto v) {"
                           "  float force = u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u();"
                           "  return std::tuple(u() + v() + 0.1f * force, v() + 0.1f * u.step()); }");
  const std::vector<float> from = some_values(19 * 6, 5);
  const Device& alone = group.device(0);
  Buffer<float> a = alone.upload(from), b = alone.upload(from);
  const ops::Tensor<float> one(a, {19, 6}), two(b, {19, 6});
  waves.run(alone, {one, two}, 3, {.first_step = 2});
  Distributed<float> u(group, {19, 6}, {.halo = 1}), v(group, {19, 6}, {.halo = 1});
  u.scatter(from);
  v.scatter(from);
  distributed::run(waves, {3, 2}, u, v);
  const std::vector<float> got[] = {u.gather(), v.gather()}, wanted[] = {one.download(), two.download()};
  for (std::size_t f = 0; f < 2; ++f) {
    for (std::size_t i = 0; i < got[f].size(); ++i) ASSERT_NEAR(got[f][i], wanted[f][i], 1e-4) << f << i;
  }
}

TEST(DistributedStencil, RejectsWhatItCannotDo) {
  const DeviceGroup group{quern::open("sim")};
  Distributed<float> u(group, {8, 8}, {.halo = 1}), v(group, {8, 8}, {.halo = 2});
  const auto run = [&](ops::StencilOptions options, const char* update) {
    distributed::run(ops::Stencil(std::move(options), update), 1, u);
  };
  EXPECT_COMM_ERROR(invalid_use, "the stencil reads 2 rows away, and an array has a halo of 1",
                    run({.radius = 2}, kHeat));
  EXPECT_COMM_ERROR(unsupported, "a boundary that is a function of the place",
                    run({.boundary = ops::Boundary::function("[](auto p) { return 1.0f; }")}, kHeat));
  EXPECT_COMM_ERROR(unsupported, "the update uses 'at'", run({}, "[](auto u) { return u.at(0) * 1.0f; }"));
  EXPECT_COMM_ERROR(unsupported, "the update uses 'extent'",
                    run({}, "[](auto u) { return 1.0f * u.extent (axis); }"));
  EXPECT_COMM_ERROR(invalid_use, "the number of steps is -1",
                    distributed::run(ops::Stencil({}, kHeat), -1, u));
  EXPECT_COMM_ERROR(
      invalid_use, "halos of different sizes",
      distributed::run(ops::Stencil({}, "[](auto u, auto v) { return std::tuple(u(), v()); }"), 1, u, v));
  run({}, "[](auto u) { return u.at(1) * 1.0f; }");
  EXPECT_EQ(u.gather()[13], 5.0f);
}

TEST(DistributedArray, ChecksItsArguments) {
  const Device sim = quern::open("sim");
  const DeviceGroup group{sim, sim};
  Distributed<int> x(group, 10), y(group.with_weights({1, 4}), 10), z(group, {2, 5});
  EXPECT_COMM_ERROR(invalid_use, "the array has 40 bytes, the host memory 12",
                    x.scatter(std::vector<int>(3)));
  EXPECT_COMM_ERROR(invalid_use, "the array is not host_backed", x.backup());
  EXPECT_COMM_ERROR(invalid_use, "the array has no copy on the host", x.restore());
  EXPECT_COMM_ERROR(invalid_use, "the shape scalar has no axis", Distributed<int>(group, ops::Shape{}));
  EXPECT_COMM_ERROR(invalid_use, "the split has 2 members and 9 rows",
                    Distributed<int>(group, group.split(9), {10}));
  EXPECT_COMM_ERROR(invalid_use, "the arrays are divided differently",
                    distributed::inclusive_scan(ops::Combine::sum, x, y));
  EXPECT_COMM_ERROR(invalid_use, "the array must have one axis", distributed::sort(z));
  Distributed<float> a(group, {4, 3}), b(group, {4, 3});
  EXPECT_COMM_ERROR(invalid_use, "the product of matrices of shapes 4×3 and 4×3",
                    distributed::matmul(a, b, a));
  EXPECT_COMM_ERROR(invalid_use, "the array must have one axis",
                    distributed::inclusive_scan(ops::Combine::sum, z, z));
}

}  // namespace
}  // namespace quern::test
