#include "quern/ops/stencil.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "ops/ops_case.hpp"

namespace quern::ops {
namespace {

using Position = std::array<int, 3>;

// A grid of integers on the host. Fields are computed modulo 256: every device and order has the same result.
struct HostGrid {
  Position extent{1, 1, 1};
  std::array<BoundaryKind, 3> edge{clamp, clamp, clamp};
  std::function<int(const Position&, int step)> outside = [](const Position&, int) { return 0; };
  std::vector<int> values;

  std::size_t at(const Position& p) const {
    return static_cast<std::size_t>((p[0] * extent[1] + p[1]) * extent[2] + p[2]);
  }
  int read(Position p, int step) const {
    const Position given = p;
    for (std::size_t a = 0; a < 3; ++a) {
      const int n = extent[a];
      if (p[a] >= 0 && p[a] < n) continue;
      if (edge[a] == BoundaryKind::function) return outside(given, step);
      if (edge[a] == periodic) p[a] = (p[a] % n + n) % n;
      if (edge[a] == clamp) p[a] = p[a] < 0 ? 0 : n - 1;
      if (edge[a] == mirror) {
        const int m = (p[a] % (2 * n) + 2 * n) % (2 * n);
        p[a] = m < n ? m : 2 * n - 1 - m;
      }
    }
    return values[at(p)];
  }
  bool keeps(const Position& p, const Position& radius) const {
    for (std::size_t a = 0; a < 3; ++a) {
      if (edge[a] == fixed && (p[a] < radius[a] || p[a] >= extent[a] - radius[a])) return true;
    }
    return false;
  }
};

// 3 u - 2 u(below) + ... : not symmetric, so that exchanged axes and directions are found.
const std::vector<std::pair<Position, int>> kCube = {{{0, 0, 0}, 3},  {{-1, 0, 0}, 5}, {{1, 0, 0}, 7},
                                                     {{0, -1, 0}, 9}, {{0, 1, 0}, 11}, {{0, 0, -1}, 13},
                                                     {{0, 0, 1}, 15}, {{1, -1, 1}, 17}};
constexpr const char* kCubeText =
    "[](auto u) { return (3 * u() + 5 * u(-1, 0, 0) + 7 * u(1, 0, 0) + 9 * u(0, -1, 0) + 11 * u(0, 1, 0) + "
    "13 * u(0, 0, -1) + 15 * u(0, 0, 1) + 17 * u(1, -1, 1)) & 255; }";
// Without neighbors that differ along the first axis and another one.
const std::vector<std::pair<Position, int>> kFlatCube = {{{0, 0, 0}, 3},  {{-1, 0, 0}, 5},  {{1, 0, 0}, 7},
                                                         {{0, -1, 0}, 9}, {{0, 1, 0}, 11},  {{0, 0, -1}, 13},
                                                         {{0, 0, 1}, 15}, {{0, -1, 1}, 17}, {{2, 0, 0}, 19}};
constexpr const char* kFlatCubeText =
    "[](auto u) { return (3 * u() + 5 * u(-1, 0, 0) + 7 * u(1, 0, 0) + 9 * u(0, -1, 0) + 11 * u(0, 1, 0) + "
    "13 * u(0, 0, -1) + 15 * u(0, 0, 1) + 17 * u(0, -1, +1) + 19 * u(2, 0, 0)) & 255; }";
const std::vector<std::pair<Position, int>> kPlane = {
    {{0, 0, 0}, 3}, {{0, -1, 0}, 5}, {{0, 1, 0}, 7}, {{0, 0, -2}, 9}, {{0, 1, 2}, 11}};
constexpr const char* kPlaneText =
    "[](auto u) { return (3 * u() + 5 * u(-1, 0) + 7 * u(1, 0) + 9 * u(0, -2) + 11 * u(1, 2)) & 255; }";

std::vector<int> steps_on_host(HostGrid grid, const std::vector<std::pair<Position, int>>& terms,
                               const Position& radius, int steps) {
  for (int step = 0; step < steps; ++step) {
    std::vector<int> next(grid.values.size());
    Position p{};
    for (p[0] = 0; p[0] < grid.extent[0]; ++p[0]) {
      for (p[1] = 0; p[1] < grid.extent[1]; ++p[1]) {
        for (p[2] = 0; p[2] < grid.extent[2]; ++p[2]) {
          int sum = 0;
          for (const auto& [d, factor] : terms)
            sum += factor * grid.read({p[0] + d[0], p[1] + d[1], p[2] + d[2]}, step);
          next[grid.at(p)] = grid.keeps(p, radius) ? grid.values[grid.at(p)] : sum & 255;
        }
      }
    }
    grid.values = next;
  }
  return grid.values;
}

class OpsStencil : public OpsCase {
 protected:
  // Compares run() with the host, for a grid of the given rank.
  void check(const StencilOptions& options, const Function& update, HostGrid grid,
             const std::vector<std::pair<Position, int>>& terms, const Position& radius, std::size_t rank,
             int steps) {
    std::vector<std::int64_t> extents;
    std::int64_t size = 1;
    for (std::size_t a = 3 - rank; a < 3; ++a) {
      extents.push_back(grid.extent[a]);
      size *= grid.extent[a];
    }
    grid.values = numbers<int>(size, 0, 255);
    const Tensor<int> field = tensor(grid.values, Shape(extents));
    Stencil(options, update).run(gpu, field, steps);
    EXPECT_EQ(field.download(), steps_on_host(grid, terms, radius, steps))
        << Shape(extents).to_string() << ", " << steps << " steps";
  }
};
INSTANTIATE_TEST_SUITE_P(All, OpsStencil, testing::ValuesIn(::quern::test::each_driver({"native"})),
                         ::quern::test::device_name);

TEST_P(OpsStencil, ComputesStepsOfThreeAxes) {
  HostGrid grid{{5, 6, 70}, {periodic, clamp, mirror}, {}, {}};
  const StencilOptions options{.boundary = {periodic, clamp, mirror}, .steps_per_launch = 1};
  check(options, kCubeText, grid, kCube, {1, 1, 1}, 3, 1);
  check(options, kCubeText, grid, kCube, {1, 1, 1}, 3, 4);
  grid.extent = {1, 2, 1};
  check(options, kCubeText, grid, kCube, {1, 1, 1}, 3, 3);
}

TEST_P(OpsStencil, ComputesStepsOfTwoAxes) {
  HostGrid grid{{1, 9, 66},
                {clamp, fixed, BoundaryKind::function},
                [](const Position& p, int step) { return 3 * p[1] + p[2] + 10 * step; },
                {}};
  const StencilOptions options{
      .radius = {1, 2},
      .boundary = {fixed, Boundary::function("[](auto p) { return 3 * p.at(0) + p.at(1) + 10 * p.step(); }")},
      .steps_per_launch = 1};
  check(options, kPlaneText, grid, kPlane, {0, 1, 2}, 2, 3);
}

TEST_P(OpsStencil, ComputesSeveralStepsPerLaunchInPlanes) {
  HostGrid grid{{9, 14, 37}, {mirror, periodic, clamp}, {}, {}};
  const StencilOptions options{
      .boundary = {mirror, periodic, clamp}, .steps_per_launch = 2, .tile = {.width = 16, .height = 16}};
  check(options, kCubeText, grid, kCube, {1, 1, 1}, 3, 5);
  check(options, kCubeText, grid, kCube, {1, 1, 1}, 3, 2);
  grid.edge = {periodic, fixed, periodic};
  check({.boundary = {periodic, fixed, periodic}, .steps_per_launch = 2, .tile = {.width = 16, .height = 16}},
        kCubeText, grid, kCube, {1, 1, 1}, 3, 4);
}

TEST_P(OpsStencil, ComputesSeveralStepsOfFlatNeighborhoods) {
  const Position radius{2, 1, 1};
  const StencilTile tile{.width = 16, .height = 8, .depth = 5, .rows_per_thread = 2};
  const auto check_boundaries = [&](const Boundaries& boundary, const std::array<BoundaryKind, 3>& edge,
                                    int steps) {
    const StencilOptions options{
        .radius = {2, 1, 1}, .boundary = boundary, .steps_per_launch = steps, .tile = tile};
    HostGrid grid{{13, 21, 37},
                  edge,
                  [](const Position& p, int step) { return 3 * p[0] + p[1] + 7 * p[2] + step; },
                  {}};
    check(options, kFlatCubeText, grid, kFlatCube, radius, 3, 2 * steps);
    grid.extent = {1, 2, 3};
    check(options, kFlatCubeText, grid, kFlatCube, radius, 3, 2 * steps);
  };
  check_boundaries({periodic, clamp, mirror}, {periodic, clamp, mirror}, 2);
  check_boundaries({mirror, periodic, clamp}, {mirror, periodic, clamp}, 3);
  check_boundaries({clamp, mirror, fixed}, {clamp, mirror, fixed}, 2);
  const BoundaryKind function = BoundaryKind::function;
  check_boundaries(
      Boundary::function("[](auto p) { return 3 * p.at(0) + p.at(1) + 7 * p.at(2) + p.step(); }"),
      {function, function, function}, 2);
}

TEST_P(OpsStencil, FindsDiagonalNeighborsInFunctionsAndMacros) {
  const std::vector<std::pair<Position, int>> terms = {{{0, 0, 0}, 3}, {{0, -1, 1}, 5}};
  const StencilOptions options{.boundary = clamp, .steps_per_launch = 2, .tile = {.width = 16}};
  const HostGrid grid{{1, 9, 30}, {clamp, clamp, clamp}, {}, {}};
  const auto check_update = [&](const Function& update) {
    check(options, update, grid, terms, {0, 1, 1}, 2, 4);
  };
  check_update({"[](auto u) { return (3 * u() + diagonal(u)) & 255; }",
                "template <class U> __device__ int diagonal(const U& u) { return 5 * u(-1, 1); }"});
  check_update({"[](auto u) { return (3 * u() + DIAGONAL) & 255; }", "#define DIAGONAL 5 * u(-1, 1)"});
  check_update("[](auto u) { const int one = 1; return (3 * u() + 5 * u(-1, one)) & 255; }");
  check_update("[](auto u) { auto& v = u; return (3 * u() + 5 * v(-1, 1)) & 255; }");
  check_update("[](auto u) { return (3 * u() + 5 * u . operator()(-1, 1)) & 255; }");
}

TEST_P(OpsStencil, ComputesSeveralStepsPerLaunchInTiles) {
  HostGrid grid{{1, 19, 45},
                {clamp, BoundaryKind::function, periodic},
                [](const Position& p, int step) { return 3 * p[1] + 10 * step; },
                {}};
  StencilOptions options{
      .radius = {1, 2},
      .boundary = {Boundary::function("[](auto p) { return 3 * p.at(0) + 10 * p.step(); }"), periodic},
      .steps_per_launch = 2,
      .tile = {.width = 16, .height = 8}};
  check(options, kPlaneText, grid, kPlane, {0, 1, 2}, 2, 7);
  const std::vector<std::pair<Position, int>> line = {{{0, 0, 0}, 3}, {{0, 0, -1}, 5}, {{0, 0, 1}, 7}};
  check({.boundary = fixed, .steps_per_launch = 4, .tile = {.width = 32}},
        "[](auto u) { return (3 * u() + 5 * u(-1) + 7 * u(1)) & 255; }",
        {{1, 1, 100}, {clamp, clamp, fixed}, {}, {}}, line, {0, 0, 1}, 1, 9);
}

TEST_P(OpsStencil, UpdatesSeveralFieldsWithCoefficients) {
  const std::int64_t n = 40;
  const auto a = numbers<float>(n), b = numbers<float>(n), c = numbers<float>(n);
  const Tensor<float> u = tensor(a, {n}), factor = tensor(c, {n});
  const Tensor<int> v(gpu, {n});
  copy(gpu, tensor(b, {n}), v);
  const Tensor<float> two = tensor<float>({2}, {1});
  const Stencil stencil({.boundary = Boundary::constant(0.5)},
                        "[](auto u, auto v, auto c, auto two) {"
                        "  return std::tuple(u(1) + two() * v(), v(-1) + static_cast<int>(c())); }");
  stencil.run(gpu, {u, v}, 2, {.coefficients = {factor, two}});
  std::vector<float> x = a;
  std::vector<int> y(b.begin(), b.end());
  for (int step = 0; step < 2; ++step) {
    const std::vector<float> old_x = x;
    const std::vector<int> old_y = y;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = (i + 1 < x.size() ? old_x[i + 1] : 0.5f) + 2 * static_cast<float>(old_y[i]);
      y[i] = (i > 0 ? old_y[i - 1] : 0) + static_cast<int>(c[i]);
    }
  }
  EXPECT_EQ(u.download(), x);
  EXPECT_EQ(v.download(), y);
}

TEST_P(OpsStencil, TakesViewsAndHalf) {
  const auto a = numbers<half>(7 * 10);
  const Tensor<half> all = tensor(a, {7, 10});
  const Tensor<half> out(gpu, {5, 4});
  ops::fill(gpu, out, half(0.0f));
  const Tensor<half> in = all.slice(1, 8, 4, -2).slice(0, 1, 5).transpose();  // 4×5
  Stencil({.boundary = clamp}, "[](auto u) { return u(0, 1) + u(-1, 0) / 4; }")
      .apply(gpu, in, out.transpose());
  const std::vector<half> got = out.transpose().download(), from = in.download();
  for (std::size_t y = 0; y < 4; ++y) {
    for (std::size_t x = 0; x < 5; ++x) {
      const float right = static_cast<float>(from[y * 5 + std::min<std::size_t>(x + 1, 4)]);
      const float above = static_cast<float>(from[(y == 0 ? 0 : y - 1) * 5 + x]);
      EXPECT_EQ(static_cast<float>(got[y * 5 + x]), right + above / 4) << y << " " << x;
    }
  }
}

TEST_P(OpsStencil, ComputesRegionsSeparately) {
  const auto a = numbers<int>(9 * 11);
  const Tensor<int> in = tensor(a, {9, 11}), whole(gpu, {9, 11}), parts(gpu, {9, 11});
  const Stencil stencil({.boundary = periodic},
                        "[](auto u) { return u(-1, 0) + 2 * u(0, 1) + 100 * u.at(0) + u.step(); }");
  stencil.apply(gpu, in, whole, {.first_step = 7});
  ops::fill(gpu, parts, -1);
  const auto part = [&](std::vector<std::int64_t> begin, std::vector<std::int64_t> end) {
    stencil.apply(gpu, in, parts, {.region = {std::move(begin), std::move(end)}, .first_step = 7});
  };
  part({1, 1}, {8, 10});
  std::vector<int> got = parts.download();
  const std::vector<int> want = whole.download();
  for (std::size_t i = 0; i < got.size(); ++i) {
    const std::size_t y = i / 11, x = i % 11;
    EXPECT_EQ(got[i], y >= 1 && y < 8 && x >= 1 && x < 10 ? want[i] : -1) << i;
  }
  part({0, 0}, {1, 11});
  part({8, 0}, {9, 11});
  part({1, 0}, {8, 1});
  part({1, 10}, {8, 11});
  part({3, 3}, {3, 5});
  EXPECT_EQ(parts.download(), want);
  // In place: the points outside of the region keep their values.
  const Tensor<int> field = tensor(a, {9, 11});
  stencil.run(gpu, field, 1, {.region = {{2, 3}, {5, 6}}, .first_step = 7});
  got = field.download();
  for (std::size_t i = 0; i < got.size(); ++i) {
    const std::size_t y = i / 11, x = i % 11;
    EXPECT_EQ(got[i], y >= 2 && y < 5 && x >= 3 && x < 6 ? want[i] : a[i]) << i;
  }
}

TEST_P(OpsStencil, RunsOnStreamsAndInGraphsAndTakesNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinity = std::numeric_limits<float>::infinity();
  const Tensor<float> u = tensor<float>({1, nan, 2, 3, infinity, 4}, {6});
  const Stencil stencil({.boundary = Boundary::constant(-infinity)}, "[](auto u) { return u(1); }");
  const Graph graph = gpu.record([&](const Stream& stream) { stencil.run(stream, u, 1); });
  gpu.stream().run(graph);
  const Stream stream = gpu.create_stream();
  gpu.synchronize();
  stencil.run(stream, u, 1);
  stream.synchronize();
  EXPECT_EQ(u.download(), (std::vector<float>{2, 3, infinity, 4, -infinity, -infinity}));
  const Tensor<float> empty(gpu, {0});
  EXPECT_EQ(stencil.run(gpu, empty, 3).kernel(), "");
  EXPECT_EQ(stencil.run(gpu, u, 0).kernel(), "");
}

TEST_P(OpsStencil, WrongShapesAreReported) {
  const Tensor<float> x(gpu, {3, 4}), y(gpu, {3, 5});
  const Tensor<double> d(gpu, {3, 4});
  const Stencil s({}, "[](auto u) { return u(0, 1); }");
  EXPECT_MESSAGE("the fields have shapes 3×4 and 3×5", s.run(gpu, {x, y}, 1));
  EXPECT_MESSAGE("the fields have shapes 3×4 and 3×5", s.apply(gpu, x, y));
  EXPECT_MESSAGE("field 0 has different types", s.apply(gpu, x, d));
  EXPECT_MESSAGE("field 0 of the result is also an input", s.apply(gpu, x, x));
  EXPECT_MESSAGE("there are 1 fields for the input and 2 for the result", s.apply(gpu, x, {x, x}));
  EXPECT_MESSAGE("there is no field", s.run(gpu, Fields(), 1));
  EXPECT_MESSAGE("a grid of shape 1×2×3×4 does not have one to three axes",
                 s.run(gpu, Tensor<float>(gpu, {1, 2, 3, 4}), 1));
  EXPECT_MESSAGE("the operand for the result is read-only", s.run(gpu, Tensor<const float>(x), 1));
  EXPECT_MESSAGE("-1 time steps were requested", s.run(gpu, x, -1));
  EXPECT_MESSAGE("positions (0, 0) to (3, 5) are not a region of a grid of shape 3×4",
                 s.apply(gpu, x, Tensor<float>(gpu, {3, 4}), {.region = {{0, 0}, {3, 5}}}));
  EXPECT_MESSAGE("3 boundaries were given for a grid of shape 3×4",
                 Stencil({.boundary = {clamp, clamp, clamp}}, "").run(gpu, x, 1));
  EXPECT_MESSAGE("3 radii were given", Stencil({.radius = {1, 1, 1}}, "").run(gpu, x, 1));
  EXPECT_MESSAGE("the radius 65 is not between 0 and 64", Stencil({.radius = 65}, "").run(gpu, x, 1));
  EXPECT_MESSAGE("a tensor of shape 3×5 does not broadcast to 3×4", s.run(gpu, x, 1, {.coefficients = y}));
  EXPECT_MESSAGE("need more shared memory",
                 Stencil({.radius = 64, .steps_per_launch = 2}, "").run(gpu, x, 2));
  EXPECT_MESSAGE("function:1", Stencil({}, "[](auto u) { return w; }").run(gpu, x, 1));
  EXPECT_MESSAGE("pass an offset for each axis", Stencil({}, "[](auto u) { return u(1); }").run(gpu, x, 1));
}

}  // namespace
}  // namespace quern::ops
