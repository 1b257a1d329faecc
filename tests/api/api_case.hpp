// Helpers for tests of the public interface.
#pragma once

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "quern/inline.hpp"
#include "support/devices.hpp"

namespace quern::test {

// The error that the call throws; a test failure if it throws none.
inline Error error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << "nothing is thrown";
  return Error({});
}
inline std::string message_of(const std::function<void()>& call) { return error_of(call).message(); }

// For each of the devices that run inline kernels everywhere.
class OnDevice : public testing::TestWithParam<const char*> {
 protected:
  Device device = open(GetParam());
};
// For each driver that has a device on this machine, hardware or not, and meets the requirements.
class OnDeviceThatIsHere : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string why = why_not(GetParam(), requirements());
    if (!why.empty()) GTEST_SKIP() << why;
    device = open(GetParam());
    prepare();
  }
  virtual Requirements requirements() const { return {}; }
  virtual void prepare() = 0;

  Device device;
};

#define QUERN_ON_DEVICES(suite) \
  INSTANTIATE_TEST_SUITE_P(All, suite, testing::Values("sim", "native"), device_name)

}  // namespace quern::test
