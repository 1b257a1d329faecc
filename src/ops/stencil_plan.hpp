// How a stencil runs: the kernel, the number of time steps of a launch, and the division of the grid.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "quern/device.hpp"
#include "quern/ops/stencil.hpp"

namespace quern::ops {

enum class StencilKernel : std::uint8_t {
  kStep,    // one time step, from device memory
  kTile,    // several time steps of a tile in shared memory; grids with one or two axes
  kStream,  // several time steps; a block moves along the first of three axes and keeps planes in shared
            // memory
};

// A grid with three axes; missing ones are in front, with extent 1.
struct StencilGrid {
  std::size_t rank = 0;  // of the fields
  std::array<std::int32_t, 3> extent{1, 1, 1};
  std::array<int, 3> radius{};
  std::array<Boundary, 3> boundary{Boundary(BoundaryKind::clamp), Boundary(BoundaryKind::clamp),
                                   Boundary(BoundaryKind::clamp)};
};

// What the text of a kernel depends on.
struct StencilPlan {
  StencilKernel kernel = StencilKernel::kStep;
  int steps = 1;      // of a launch
  int threads = 256;  // of a block
  int width = 1;      // points of a tile: of the result for `step` and `tile`, with the halo for `stream`
  int height = 1;
  int depth = 1;         // planes of a tile; not for `stream`
  int rows = 1;          // rows of a thread; not for `tile`
  bool is_wide = false;  // offsets have 64 bits
  bool is_unit = true;   // the last stride of all fields is 1
};

// The kernel for one time step.
StencilPlan plan_step(const DeviceInfo& info, const StencilGrid& grid, const StencilTile& tile);
// The kernel for several time steps of fields whose points have `bytes` bytes in shared memory together.
// `steps`: 0 for the best number. The plan has 1 step if more do not fit, or do not pay.
StencilPlan plan_steps(const DeviceInfo& info, const StencilGrid& grid, const StencilTile& tile,
                       std::size_t bytes, int steps);

// The code of the kernel, which is named "stencil".
std::string stencil_text(const StencilPlan& plan, const StencilGrid& grid, const Function& update,
                         const std::vector<Element>& fields, const std::vector<Element>& coefficients);

}  // namespace quern::ops
