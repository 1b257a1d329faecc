// Helpers for tests of the public interface.
#pragma once

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "quern/inline.hpp"

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

// For each device of this machine that runs inline kernels.
class OnDevice : public testing::TestWithParam<const char*> {
 protected:
  Device device = open(GetParam());
};
// For each of these devices that this machine has, hardware or not.
class OnDeviceThatIsHere : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    try {
      device = open(GetParam());
    } catch (const Error& e) {
      GTEST_SKIP() << e.message();
    }
    prepare();
  }
  virtual void prepare() = 0;

  Device device;
};
inline std::string device_name(const testing::TestParamInfo<const char*>& info) { return info.param; }

#define QUERN_ON_DEVICES(suite) \
  INSTANTIATE_TEST_SUITE_P(All, suite, testing::Values("sim", "native"), device_name)

}  // namespace quern::test
