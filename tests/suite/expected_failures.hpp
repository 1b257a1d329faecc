// Cases that are known to fail on a device, as data: which, why, and until when. An entry whose case passes
// fails the run, so that the list never becomes stale.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "driver/interface/info.hpp"

namespace quern::test {

struct ExpectedFailure {
  std::string_view driver;   // "opencl"
  std::string_view device;   // a part of the device's name, or empty for all
  std::string_view pattern;  // a part of the case's name
  std::string_view reason;
  std::string_view until;  // when it can be removed: a version, an issue, a change in Quern
};

// The entry for this case on this device; null: it must pass.
const ExpectedFailure* expected_failure(const driver::DeviceInfo& device, std::string_view name);

}  // namespace quern::test
