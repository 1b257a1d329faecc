// The native library: its functions as one table, loaded at run time. Functions that explain errors come
// first, so that a failed load can explain itself. The library of `null` is imaginary.
#pragma once

#include <cstdint>

#include "base/shared_library.hpp"

namespace quern::null {

// The types of the native header, declared here: nobody needs its SDK to build Quern.
using NullStatus = int32_t;  // 0: success
struct NullDeviceHandle;

// X(name, result, parameters) for what every version has, O(…) for what may be missing (null then).
// clang-format off
#define QUERN_NULL_API(X, O)                                            \
  X(nullErrorName, const char*, (NullStatus))                           \
  X(nullDeviceCount, NullStatus, (uint32_t*))                           \
  X(nullDeviceOpen, NullStatus, (uint32_t, NullDeviceHandle**))         \
  X(nullDeviceClose, NullStatus, (NullDeviceHandle*))                   \
  O(nullDeviceUuid, NullStatus, (NullDeviceHandle*, uint8_t[16]))
// clang-format on

struct Api {
#define X(name, result, parameters) result(*name) parameters = nullptr;
  QUERN_NULL_API(X, X)
#undef X

  // Finds the library and its functions; an error is one sentence with the fix.
  static base::Result<Api> load();
};

}  // namespace quern::null
