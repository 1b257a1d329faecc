// How a stencil runs: the kernel, the number of time steps of a launch, and the division of the grid.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quern/device.hpp"
#include "quern/ops/stencil.hpp"

namespace quern::ops {

enum class StencilKernel : std::uint8_t {
  kStep,   // one time step, from device memory
  kMarch,  // one or several time steps; a block moves along an axis and keeps planes across that axis
           // (text/stencil_march.cuh)
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
  int width = 1;      // points of a tile; for `march` with the halo
  int height = 1;
  int depth = 1;            // planes of a tile; for `march` 0: chosen at the launch
  int rows = 1;             // points of a thread: adjacent rows; for `march` in a plane
  int ahead = 1;            // planes that `march` loads before it needs them
  int resident = 1;         // blocks that a compute unit holds at least; compilers limit registers for it
  bool is_wide = false;     // offsets have 64 bits
  bool is_unit = true;      // the last stride of all fields is 1
  bool is_flat = false;     // neighbors in other planes than that of the point have the same row and column
  bool has_guards = false;  // computes only points that are needed
  std::size_t dynamic_bytes = 0;  // of shared memory; 0: it is static
};

// What is known of a stencil before its kernel is compiled.
struct StencilUse {
  std::size_t bytes = 0;  // of a point of all fields in shared memory
  bool is_flat = false;
  bool is_known = false;  // offsets are numbers
};

// The kernel for one time step.
StencilPlan plan_step(const DeviceInfo& info, const StencilGrid& grid, const StencilTile& tile,
                      const StencilUse& use);
// The kernel for several time steps. `steps`: 0 for the best number. The plan has 1 step if more do not fit,
// or do not pay.
StencilPlan plan_steps(const DeviceInfo& info, const StencilGrid& grid, const StencilTile& tile,
                       const StencilUse& use, int steps);

// The offsets, one for each axis, at which an update with `fields` fields reads: u(0, -1) and similar calls.
// Empty if the text has other uses of its parameters, for example offsets that are variables.
using StencilOffsets = std::vector<std::vector<int>>;
std::optional<StencilOffsets> offsets_of(const Function& update, std::size_t fields);

// The code of the kernel, which is named "stencil".
std::string stencil_text(const StencilPlan& plan, const StencilGrid& grid, const Function& update,
                         const std::vector<Element>& fields, const std::vector<Element>& coefficients);

}  // namespace quern::ops
