/// @file
/// Kinds of errors.
#pragma once

#include <cstdint>
#include <string_view>

#include "quern/export.hpp"

namespace quern {

/// The kind of an error, to branch on.
enum class ErrorKind : std::uint8_t {
  invalid_use,    ///< The program violated a rule of the API; the call had no effect.
  not_found,      ///< A file, library, kernel or device does not exist.
  unsupported,    ///< This device cannot do it.
  bad_input,      ///< Text or data from outside is malformed.
  compile,        ///< A kernel was rejected; the message contains the diagnostics.
  out_of_memory,  ///< The pool has been trimmed and the allocation retried before this error.
  timeout,        ///< A call exceeded its time limit; the device is lost.
  kernel_fault,   ///< A kernel failed while it ran.
  device_lost,    ///< The device cannot be used any more; open it again, or another one.
  io,             ///< The operating system could not read or write.
  internal,       ///< A defect of this library.
};

/// The name of a kind, for example "out of memory".
QUERN_API std::string_view to_string(ErrorKind kind);

}  // namespace quern
