// Controls the fake libcuda (fake_cuda.cpp). It computes nothing: memory is host memory, copies and fills are
// immediate, launches are only recorded. Tests check calls and arguments.
//
// Environment: FAKE_CUDA_DEVICES is the number of devices. FAKE_CUDA_SHARED: other processes can open IPC
// handles of memory of cuMemAlloc. FAKE_CUDA_HARDWARE, a digit, distinguishes the devices of processes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace quern::test {

struct FakeLaunch {
  std::string kernel;
  uint32_t grid[3], block[3], shared;
  bool is_cooperative;
  uint32_t cluster[3];
  std::vector<uint64_t> arguments;  // as many as the kernel declares, the low bytes of each
};

// The arguments of cuTensorMapEncodeTiled.
struct FakeTensorMap {
  int element;
  uint64_t address;
  std::vector<uint64_t> sizes, strides;
  std::vector<uint32_t> box, element_strides;
  int interleave, swizzle, promotion, fill;
};

struct FakeCuda {
  virtual ~FakeCuda() = default;
  virtual void reset() = 0;  // back to the initial state
  virtual void set_devices(int count) = 0;
  virtual void set_attribute(int number, int value) = 0;
  virtual void hide(const std::string& function) = 0;  // cuGetProcAddress does not find it
  // Call number `nth` (from 0) of the function fails; "" counts all functions together.
  virtual void fail(const std::string& function, uint64_t nth, int32_t code) = 0;
  virtual void declare_kernel(const std::string& name, const std::vector<size_t>& parameters) = 0;
  // Launches of the kernel call the function, which may compute.
  virtual void run_kernel(const std::string& name, void (*function)(const FakeLaunch& launch)) = 0;
  // Every kernel exists from now on; those that are not declared have no parameters.
  virtual void declare_all_kernels() = 0;
  virtual void declare_variable(const std::string& name, size_t bytes) = 0;
  virtual void set_free_memory(size_t bytes) = 0;
  virtual uint64_t count(const std::string& function) const = 0;
  virtual void set_busy(bool is_busy) = 0;  // cuStreamQuery and cuEventQuery report pending work
  virtual bool has_failed() const = 0;      // the planned failure has happened
  virtual uint64_t alive() const = 0;       // allocations, streams, events, modules, pools, contexts
  virtual const std::vector<FakeLaunch>& launches() const = 0;
  virtual const std::vector<FakeTensorMap>& tensor_maps() const = 0;
  // Options of the last loaded module: number and value, without logs.
  virtual std::vector<std::pair<int, uint64_t>> load_options() const = 0;
};

// Exported by the fake as "fake_cuda".
using GetFakeCuda = FakeCuda*();

}  // namespace quern::test
