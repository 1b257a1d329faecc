// The kernels of `quern demo`: each with its data, its launch, and a check of the result on the host.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/module.hpp"
#include "runtime/stream.hpp"

namespace quern::tool {

inline constexpr size_t kDemoJobs = 5;
inline constexpr size_t kDemoSizes = 4;  // the first is for simulators

struct DemoJob {
  const char* name;    // "tiled matmul"
  const char* kernel;  // in demo_text()
  const char* size;    // "512 × 512"
  const char* unit;    // of `work` per second: "GB/s", "GFLOP/s"
  double work;         // giga-units per launch
  runtime::LaunchConfig shape;
  std::vector<std::vector<float>> buffers;           // in the order of the kernel's pointer parameters
  std::vector<int> numbers;                          // its int parameters, which come first
  std::function<std::string(const DemoJob&)> wrong;  // checks `buffers` afterwards; empty: correct
};

std::string demo_text();

// `which` < kDemoJobs, `size` < kDemoSizes.
DemoJob demo_job(size_t which, size_t size);

// The largest size whose launch takes at most `limit` seconds, extrapolated from a launch with the first
// size.
size_t demo_size(size_t which, double first_seconds, double limit);

struct DemoResult {
  double seconds = 0;  // of the best launch
  double compile_seconds = 0;
  std::string wrong;  // empty: correct
};
// Launches the job until `seconds` have passed, and at least twice, so that one-time costs are not measured;
// with 0, once.
base::Result<DemoResult> run_job(runtime::Module& program, DemoJob& job, double seconds);

// Prints an image of values 0 … 255 in the terminal, `width` columns wide.
std::string draw(std::span<const float> image, uint32_t width, uint32_t height, uint32_t columns,
                 bool colour);

}  // namespace quern::tool
