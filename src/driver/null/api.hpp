// The native library: its functions as one table, loaded at run time. Functions that explain errors come
// first, so that a failed load can be explained. The library of `null` does not exist.
#pragma once

#include <cstdint>

#include "base/shared_library.hpp"

namespace quern::null {

// The types of the native header, declared here so that building Quern does not require its SDK.
using NullStatus = int32_t;  // 0: success
struct NullDeviceHandle;

// X(name, result, parameters) for functions of every version, O(…) for optional ones (null if missing).
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

  // Loads the library and its functions. The error is one sentence, with a hint.
  static base::Result<Api> load();
};

}  // namespace quern::null
