#include "suite/expected_failures.hpp"

namespace quern::test {

namespace {

// driver, device, case, reason, until. None at present.
constexpr std::span<const ExpectedFailure> kExpected{};

}  // namespace

const ExpectedFailure* expected_failure(const driver::DeviceInfo& device, std::string_view name) {
  for (const ExpectedFailure& e : kExpected) {
    if (e.driver == device.driver && device.name.find(e.device) != std::string::npos &&
        name.find(e.pattern) != std::string_view::npos)
      return &e;
  }
  return nullptr;
}

}  // namespace quern::test
