// What really ran: asked for with Shape::receipt, filled by the launch.
#pragma once

#include <cstdint>
#include <string>

#include "quern/event.hpp"
#include "quern/export.hpp"
#include "quern/launch.hpp"

namespace quern {

class QUERN_API Receipt {
 public:
  std::string device;         // "NVIDIA H200"
  std::string driver;         // "cuda"
  std::string kernel;         // "saxpy"
  std::uint64_t program = 0;  // hash of the kernel's text
  bool is_native =
      true;             // false: the host's own compilation of an inline kernel ran, not code for the device
  std::string instead;  // why it is not the device that was asked for; empty: it is
  Dim3 grid, block;     // as launched
  double compile_seconds = 0;  // 0 when it was compiled before

  double seconds() const;  // on the device, from the kernel's begin to its end; waits for it
  std::string to_string() const;

  Event begin, end;
};

}  // namespace quern
