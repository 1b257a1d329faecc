// The kernels of `quern demo`: each with its data, its launch, and a check of the answer on the host.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/program.hpp"
#include "runtime/stream.hpp"

namespace quern::tool {

struct DemoJob {
  const char* name;    // "tiled matmul"
  const char* kernel;  // in demo_text()
  const char* size;    // "512 × 512"
  const char* unit;    // of `work` per second: "GB/s", "GFLOP/s"
  double work;         // giga-units done by one launch
  runtime::Shape shape;
  std::vector<std::vector<float>> buffers;           // in the order of the kernel's pointer parameters
  std::vector<int> numbers;                          // its int parameters, which come first
  std::function<std::string(const DemoJob&)> wrong;  // looks at `buffers` afterwards; empty: all is right
};

std::string demo_text();

// `small`: for devices that are not about speed.
std::vector<DemoJob> demo_jobs(bool small);

struct DemoResult {
  double seconds = 0;  // the best launch
  double compile_seconds = 0;
  std::string wrong;  // empty: right
};
// Timed: at least five launches and a tenth of a second of them, in which the `cpu` device comes to its full
// code.
base::Result<DemoResult> run_job(runtime::Program& program, DemoJob& job, bool is_timed);

// A picture of 0 … 255 in the terminal, `width` columns wide.
std::string draw(std::span<const float> image, uint32_t width, uint32_t height, uint32_t columns,
                 bool colour);

}  // namespace quern::tool
