// The native library: its types, status codes and functions, as one table. No SDK is needed to build Quern.
#pragma once

#include <cstdint>

#include "base/result.hpp"

namespace quern::null {

using NullStatus = int32_t;
inline constexpr NullStatus kSuccess = 0, kOutOfMemory = 1, kNoDevice = 2, kLost = 3;

struct NullDeviceHandle;
using NullFunction = void (*)(void* const* arguments, unsigned count);

// X(name, result, parameters) for functions that every version has, O(…) for optional ones (0 if missing).
// clang-format off
#define QUERN_NULL_API(X, O)                                                                             \
  X(nullDeviceCount, NullStatus, (uint32_t*))                                                            \
  X(nullDeviceOpen, NullStatus, (uint32_t, NullDeviceHandle**))                                          \
  X(nullDeviceClose, NullStatus, (NullDeviceHandle*))                                                    \
  X(nullMemoryAllocate, NullStatus, (NullDeviceHandle*, uint64_t, void**))                               \
  X(nullMemoryFree, NullStatus, (NullDeviceHandle*, void*))                                              \
  X(nullCopy, NullStatus, (NullDeviceHandle*, void*, const void*, uint64_t))                             \
  X(nullRun, NullStatus, (NullDeviceHandle*, NullFunction, void* const*, const uint32_t*, const uint32_t*)) \
  O(nullDeviceFreeMemory, NullStatus, (NullDeviceHandle*, uint64_t*))
// clang-format on

struct Api {
#define X(name, result, parameters) result(*name) parameters = nullptr;
  QUERN_NULL_API(X, X)
#undef X

  // Loads the library and its functions. The error is one sentence, with a hint.
  static base::Result<Api> load();
};

// Success, or "<call> failed with <name of the status>" as an error of the right kind.
base::Result<> check(NullStatus status, const char* call);

}  // namespace quern::null
