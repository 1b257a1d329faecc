// Stencils of ops on a device (default: cpu) compared with a copy of the same size: bench_stencil [DEVICE]
// [SIZE] [all]. SIZE is the extent of a cube (default 256); `all` also measures other divisions of the grid.
// A step moves as many bytes as a copy if every value is read once. Ratio: the time of copies divided by the
// time of steps, so 1 is the bandwidth of a copy, and more is possible with several steps per launch.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "base/table.hpp"
#include "base/text.hpp"
#include "quern/ops.hpp"
#include "quern/quern.hpp"

namespace {

using namespace quern;  // NOLINT(google-build-using-namespace)
using base::Align;
using base::format;

constexpr int kRounds = 5, kSteps = 24;  // a multiple of the steps of a launch

double seconds(const Device& gpu, const std::function<void()>& work) {
  double best = 1e30;
  for (int round = 0; round <= kRounds; ++round) {  // the first one compiles
    gpu.synchronize();
    const auto start = std::chrono::steady_clock::now();
    work();
    gpu.synchronize();
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (round != 0) best = std::min(best, took);
  }
  return best;
}

constexpr const char* kSevenPoints =
    "[](auto u) { return 0.4f * u() + 0.1f * (u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, "
    "-1) + "
    "u(0, 0, 1)); }";
constexpr const char* kFivePoints =
    "[](auto u) { return 0.6f * u() + 0.1f * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1)); }";

class Rows {
 public:
  Rows(const Device& gpu, const ops::Shape& shape) : gpu_(gpu), u_(gpu, shape), v_(gpu, shape) {
    ops::fill(gpu, u_, 1.0f);
    copy_ = seconds(gpu,
                    [&] {
                      for (int i = 0; i < kSteps; ++i) gpu.stream().copy(v_.memory(), u_.memory());
                    }) /
            kSteps;
    add("copy, " + shape.to_string(), copy_);
  }
  void measure(const std::string& name, const char* update, const ops::StencilOptions& options) {
    const ops::Stencil stencil(options, update);
    try {
      const double took = seconds(gpu_, [&] { stencil.run(gpu_, u_, kSteps); }) / kSteps;
      add(name, took);
      const std::vector<float> values = u_.download();
      for (const float v : values) {
        if (std::abs(v - 1) > 1e-3f) {
          std::printf("%s: wrong result %g\n", name.c_str(), static_cast<double>(v));
          return;
        }
      }
    } catch (const Error& e) {
      std::printf("%s: %s\n", name.c_str(), e.what());
    }
  }
  void print() const { std::printf("%s", table_.to_string().c_str()); }

 private:
  void add(const std::string& name, double took) {
    const auto points = static_cast<double>(u_.size());
    table_.add_row({name, format("%.3f ms", took * 1e3), format("%.2f", points / took * 1e-9),
                    format("%.0f", 2 * points * sizeof(float) / took * 1e-9), format("%.2f", copy_ / took)});
  }

  const Device& gpu_;
  ops::Tensor<float> u_, v_;
  double copy_ = 0;
  base::Table table_{{{"kernel"},
                      {"time of a step", Align::kRight},
                      {"Gpoints/s", Align::kRight},
                      {"GB/s", Align::kRight},
                      {"ratio", Align::kRight}}};
};

void measure_tile(Rows& rows, int steps, const ops::StencilTile& tile) {
  rows.measure(format("7 points, %d steps, tile %d x %d, rows %d", steps, tile.width, tile.height,
                      tile.rows_per_thread),
               kSevenPoints, {.boundary = ops::periodic, .steps_per_launch = steps, .tile = tile});
}

void measure_cube(const Device& gpu, std::int64_t n, bool all) {
  Rows rows(gpu, {n, n, n});
  const ops::Boundaries edge = ops::periodic;
  rows.measure("7 points, 1 step per launch", kSevenPoints, {.boundary = edge, .steps_per_launch = 1});
  rows.measure("7 points, chosen", kSevenPoints, {.boundary = edge});
  rows.measure("7 points, clamp, chosen", kSevenPoints, {.boundary = ops::clamp});
  rows.measure("7 points, constant, chosen", kSevenPoints, {.boundary = ops::Boundary::constant(1)});
  if (all) {
    for (const ops::StencilTile tile :
         {ops::StencilTile{62, 22, 0, 4}, {62, 14, 0, 4}, {126, 22, 0, 8}, {128, 22, 0, 8}}) {
      measure_tile(rows, 1, tile);
    }
    for (const ops::StencilTile tile : {ops::StencilTile{60, 28, 0, 4}, {64, 28, 0, 4}})
      measure_tile(rows, 2, tile);
    for (const ops::StencilTile tile : {ops::StencilTile{58, 22, 0, 4}, {58, 26, 0, 4}})
      measure_tile(rows, 3, tile);
    for (const ops::StencilTile tile : {ops::StencilTile{64, 32, 0, 5}, {56, 32, 0, 5}})
      measure_tile(rows, 4, tile);
  }
  rows.print();
}

void measure_plane(const Device& gpu, std::int64_t n, bool all) {
  Rows rows(gpu, {n, n});
  rows.measure("5 points, 1 step per launch", kFivePoints,
               {.boundary = ops::periodic, .steps_per_launch = 1});
  rows.measure("5 points, chosen", kFivePoints, {.boundary = ops::periodic});
  for (const int steps : {2, 4, 6, 8}) {
    if (all)
      rows.measure(format("5 points, %d steps per launch", steps), kFivePoints,
                   {.boundary = ops::periodic, .steps_per_launch = steps});
  }
  rows.print();
}

}  // namespace

int main(int count, char** words) {
  try {
    const Device gpu = open(count > 1 ? words[1] : "cpu");
    const std::int64_t n = count > 2 ? std::atoll(words[2]) : 256;
    const bool all = count > 3 && std::string(words[3]) == "all";
    std::printf("%s\n", gpu.info().name.c_str());
    measure_cube(gpu, n, all);
    measure_plane(gpu, static_cast<std::int64_t>(std::sqrt(static_cast<double>(n * n * n))), all);
  } catch (const Error& e) {
    std::printf("%s\n", e.what());
    return 1;
  }
  return 0;
}
