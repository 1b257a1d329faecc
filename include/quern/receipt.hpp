/// @file
/// Receipts: what ran, where and how long.
#pragma once

#include <cstdint>
#include <string>

#include "quern/event.hpp"
#include "quern/export.hpp"
#include "quern/launch.hpp"

namespace quern {

/// What a launch ran. Returned by a launch with LaunchConfig::with_receipt.
class QUERN_API Receipt {
 public:
  std::string device;         ///< "NVIDIA H200"
  std::string driver;         ///< "cuda"
  std::string kernel;         ///< "saxpy"
  std::uint64_t program = 0;  ///< Hash of the kernel's source.
  bool is_native = true;  ///< False: the host compiler's version of an inline kernel ran, not device code.
  std::string fallback_reason;  ///< Why this is not the requested device; empty if it is.
  Dim3 grid, block;             ///< As launched.
  double compile_seconds = 0;   ///< 0 if the kernel was already compiled.

  /// Time of the kernel on the device. Waits for the kernel.
  double seconds() const;
  /// One line of text. Waits for the kernel.
  std::string to_string() const;

  Event begin, end;  ///< Before and after the kernel.
};

}  // namespace quern
