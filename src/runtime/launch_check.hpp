// Checks of a launch: arguments against parameters, sizes against limits. Without threads and devices of the
// runtime, so that the build for browsers uses the same checks and messages.
#pragma once

#include <span>
#include <string>

#include "base/result.hpp"
#include "driver/interface/driver.hpp"
#include "quern/types/argument.hpp"

namespace quern::runtime {

// The most arguments of a launch, with those that the runtime supplies.
inline constexpr size_t kMaxArguments = 128;

// An argument as passed by the host, without the memory. Numbers are converted to the parameter's type as in
// C++, and rejected if the value does not fit an integer.
struct HostValue {
  ArgumentKind kind = ArgumentKind::null;
  ElementKind element = ElementKind::other;  // memory
  uint8_t number_bytes = 0;                  // of the C++ type, for messages
  union {
    int64_t integer;
    uint64_t unsigned_integer;
    double real;
    const void* bytes;
  };
  uint64_t size = 0;           // bytes; memory: of one element, 0 if unknown
  const char* type = nullptr;  // memory: name of the element's C++ type

  HostValue() : integer(0) {}
};

// The properties of a kernel and its device that a launch is checked against.
struct LaunchLimits {
  const driver::KernelInfo& kernel;
  const driver::DeviceInfo& device;
  uint32_t max_threads = 0;  // per block
  uint32_t registers = 0;    // per thread; 0: unknown
};

// "NVIDIA H200 (cuda)", for messages.
std::string label(const driver::DeviceInfo& device);
std::string spell(const driver::Dim3& size);
std::string spell(const HostValue& value);

bool is_number(ir::TypeKind type);

base::Error argument_mismatch(const driver::KernelInfo& kernel, size_t index, const std::string& given,
                              const base::MessageText& why = {});

// `hidden`: the parameters that the runtime supplies.
base::Result<> check_argument_count(const driver::KernelInfo& kernel, size_t given, size_t hidden);
// Compares the elements of a buffer with those of the pointer parameter.
base::Result<> check_elements(const driver::KernelInfo& kernel, size_t index, const HostValue& given);
// Binds a number or a struct. `number` holds a converted number; it must outlive the argument.
base::Result<> bind_value(const driver::KernelInfo& kernel, size_t index, const HostValue& given,
                          driver::Argument& to, uint64_t& number);
// A pointer inside of a struct must be null on devices without addresses.
base::Result<> check_pointer_in_struct(const driver::KernelInfo& kernel, const driver::DeviceInfo& device,
                                       const driver::ParamInfo& field,
                                       std::span<const driver::Argument> bound);
// Checks grid, block and shared memory.
base::Result<> check_launch_size(const LaunchLimits& limits, const driver::Launch& launch);

}  // namespace quern::runtime
