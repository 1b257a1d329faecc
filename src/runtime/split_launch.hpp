// Launches of kernels that are split at their grid barriers (lang/pass/split_grid.hpp).
#pragma once

#include <functional>

#include "lang/pass/split_grid.hpp"
#include "runtime/device.hpp"

namespace quern::runtime {

// The memory that the launches of a split kernel share.
struct SplitMemory {
  MemoryPtr resume, frames;
};
Result<SplitMemory> allocate_frames(Device& device, const pass::SplitKernel& kernel,
                                    const driver::Launch& launch);

// One execution of a split kernel: where its launches begin, and how many there were.
struct SplitRun {
  pass::SplitKernel kernel;
  driver::Place resume, frames;
  uint32_t launches = 0;

  SplitRun(const pass::SplitKernel& of, const SplitMemory& memory)
      : kernel(of), resume(memory.resume->place(0)), frames(memory.frames->place(0)) {}
  // Commands before the first launch, and before every other one.
  std::vector<driver::Command> first() const;
  driver::Command next() const;
};

// Calls `relaunch`, which must submit next() and the launch, until all threads have reached the end of the
// kernel. Waits for the stream if a barrier is in a loop; otherwise the kernel is done after `segments`
// launches.
Result<> repeat_until_done(driver::Device& device, driver::Stream& stream, SplitRun run,
                           const std::function<Result<>()>& relaunch);

}  // namespace quern::runtime
