// Heat conduction on a plate: an explicit finite-difference scheme (5-point stencil). Prints the temperature
// along the middle row and compares the whole plate with a loop on the host.
//
//   heat [DEVICE] [SIZE] [STEPS]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include <quern/ops.hpp>
#include <quern/quern.hpp>

namespace {

namespace ops = quern::ops;

constexpr float kRate = 0.2f;

// 100 degrees on the left edge, 0 elsewhere.
std::vector<float> initial_plate(int size) {
  std::vector<float> plate(static_cast<std::size_t>(size) * static_cast<std::size_t>(size), 0.0f);
  for (int y = 0; y < size; ++y) plate[static_cast<std::size_t>(y) * static_cast<std::size_t>(size)] = 100.0f;
  return plate;
}

std::vector<float> diffuse_on_host(std::vector<float> from, int size, int steps) {
  std::vector<float> to = from;
  const auto at = [&](int x, int y) { return static_cast<std::size_t>(y * size + x); };
  for (int step = 0; step < steps; ++step) {
    for (int y = 1; y < size - 1; ++y) {
      for (int x = 1; x < size - 1; ++x) {
        const float around =
            from[at(x - 1, y)] + from[at(x + 1, y)] + from[at(x, y - 1)] + from[at(x, y + 1)];
        to[at(x, y)] = from[at(x, y)] + kRate * (around - 4.0f * from[at(x, y)]);
      }
    }
    std::swap(from, to);
  }
  return from;
}

int run(const char* device, int size, int steps) {
  const quern::Device gpu = quern::open(device);
  auto plate = gpu.upload(initial_plate(size), "temperature");
  // The edge keeps its temperature.
  const ops::Stencil diffuse(
      {.boundary = ops::fixed},
      "[](auto u) { return u() + 0.2f * (u(0, -1) + u(0, 1) + u(-1, 0) + u(1, 0) - 4.0f * u()); }");
  diffuse.run(gpu, ops::Tensor<float>(plate, {size, size}), steps);
  const std::vector<float> result = plate.download(),
                           expected = diffuse_on_host(initial_plate(size), size, steps);

  std::printf("%s (%s): %d x %d points, %d steps; middle row:", gpu.name().c_str(), gpu.driver().c_str(),
              size, size, steps);
  for (int x = 0; x < size; x += std::max(size / 8, 1)) {
    std::printf(" %.1f", static_cast<double>(result[static_cast<std::size_t>(size / 2 * size + x)]));
  }
  float difference = 0.0f;
  for (std::size_t i = 0; i < result.size(); ++i)
    difference = std::max(difference, std::abs(result[i] - expected[i]));
  std::printf("\nlargest difference from the host: %.2g degrees\n", static_cast<double>(difference));
  return difference < 1e-3f ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const int size = argc > 2 ? std::atoi(argv[2]) : 256, steps = argc > 3 ? std::atoi(argv[3]) : 200;
  if (size < 3 || size > 16384 || steps < 0) {
    std::fprintf(stderr, "usage: heat [DEVICE] [SIZE] [STEPS]     SIZE is from 3 to 16384\n");
    return 2;
  }
  try {
    return run(argc > 1 ? argv[1] : "", size, steps);
  } catch (const quern::Error& error) {
    std::fprintf(stderr, "heat: %s\n", error.what());
    return 3;
  }
}
