// Helpers for tests on the runtime: arguments, sources and the simulator as a device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "driver/interface/driver.hpp"
#include "runtime/module.hpp"
#include "runtime/stream.hpp"

namespace quern::runtime {

std::unique_ptr<driver::Device> open_sim(const driver::OpenOptions& options = {});

// One thread records an event repeatedly while others wait for it, query it and follow it.
Result<> record_anew(driver::Device& device);

// For devices without addresses: a kernel that gets its buffers inside a struct, and its result.
Result<std::vector<float>> run_struct_of_pointers(driver::Device& device);
std::vector<float> struct_of_pointers_result();

// Kernels in the form that the runtime passes to a driver that takes IR.
driver::Code code_of(const std::string& text);

inline Source source(std::string text, std::string name = "test.cu") {
  Source s;
  s.name = std::move(name);
  s.text = std::move(text);
  return s;
}

inline HostArgument arg(int value) {
  HostArgument a;
  a.kind = ArgumentKind::integer;
  a.number_bytes = 4;
  a.integer = value;
  return a;
}

inline HostArgument arg(double value) {
  HostArgument a;
  a.kind = ArgumentKind::real;
  a.number_bytes = 8;
  a.real = value;
  return a;
}

inline HostArgument arg(const Slice& slice, uint64_t element = 4, const char* type = "int") {
  HostArgument a;
  a.kind = ArgumentKind::memory;
  a.slice = slice;
  a.size = element;
  a.type = type;
  return a;
}

inline Slice all(Memory& memory) { return {&memory, 0, memory.bytes()}; }
inline HostArgument arg(const MemoryPtr& memory) { return arg(all(*memory)); }

inline LaunchConfig shape(uint32_t grid, uint32_t block) {
  LaunchConfig s;
  s.grid_size = {grid, 1, 1};
  s.block_size = {block, 1, 1};
  return s;
}

// A typical program: copies, kernels with and without variables, a template instance requested late, events
// between two streams, memory freed in flight. Every step may fail; the final result is the same on every
// device.
Result<std::vector<int>> run_scenario(const std::shared_ptr<Device>& device);
std::vector<int> scenario_result();

}  // namespace quern::runtime
