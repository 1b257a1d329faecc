// The contract of the driver interface: every promise of src/driver/interface/driver.hpp is a test that runs
// on every device of every registered driver. A device is opened once and kept for all tests. It is wrapped
// in the `checked` decorator, so each test also fails if it violates the rules for callers, or if the driver
// returns something that the rules forbid.
#pragma once

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "driver/decorators/checked/device.hpp"
#include "driver/interface/driver.hpp"
#include "quern/inline.hpp"
#include "support/devices.hpp"

namespace quern::contract {

using base::ErrorKind;
using driver::Argument;
using driver::Dim3;
using driver::Feature;
using driver::MemoryKind;
using driver::Place;
using driver::Result;
using test::DeviceUnderTest;

// The code of an inline kernel for a device, as the runtime makes it.
Result<driver::Code> code_for(const driver::DeviceInfo& info, const detail::KernelText& kernel);
// The same for kernels in a text.
Result<driver::Code> code_for(const driver::DeviceInfo& info, const std::string& text);

struct LoadedKernel {
  std::unique_ptr<driver::Module> module;
  std::unique_ptr<driver::Kernel> kernel;
};

// A kernel in CUDA C++ text, for features that inline kernels do not have.
struct TextKernel {
  const char* name;
  const char* text;
};

// The only reasons to skip a test. A device that has all of it and refuses the kernel fails the test.
struct Needs {
  driver::FeatureSet features = {};
  uint64_t shared_bytes = 0;  // static shared memory of the kernel
};

// An opened device, and the kernels that tests have loaded on it.
struct OpenedDevice {
  std::shared_ptr<checked::Violations> violations;
  std::unique_ptr<driver::Device> device;
  std::map<std::string, LoadedKernel> kernels;
};

// Opens the device without decorators.
Result<std::unique_ptr<driver::Device>> open_device(const DeviceUnderTest& which);

// Runs `body` in another process, since a fault may end what all devices of a process share (CUDA's context).
// Its failures are failures of the test.
#define QUERN_IN_CHILD(body)                               \
  do {                                                     \
    GTEST_FLAG_SET(death_test_style, "threadsafe");        \
    EXPECT_EXIT(                                           \
        {                                                  \
          body();                                          \
          std::_Exit(testing::Test::HasFailure() ? 1 : 0); \
        },                                                 \
        testing::ExitedWithCode(0), "");                   \
  } while (false)

// Objects are used and freed through the device.
using BufferPtr = std::unique_ptr<driver::Buffer>;
using StreamPtr = std::unique_ptr<driver::Stream>;
using EventPtr = std::unique_ptr<driver::Event>;

template <typename T>
Argument value_of(const T& value) {
  return {{}, &value, sizeof value};
}
inline Argument place_of(driver::Buffer& buffer, uint64_t offset = 0) {
  return {{&buffer, offset}, nullptr, 0};
}

class Contract : public testing::TestWithParam<DeviceUnderTest> {
 protected:
  void SetUp() override;
  void TearDown() override;

  driver::Device& device() { return *opened_->device; }
  const driver::DeviceInfo& info() { return opened_->device->info(); }
  bool has(Feature feature) { return info().features.has(feature); }

  // These fail the test if the driver fails.
  StreamPtr stream();
  EventPtr event();
  BufferPtr buffer(uint64_t bytes, MemoryKind kind = MemoryKind::device);
  template <typename T>
  BufferPtr buffer_with(driver::Stream& stream, const std::vector<T>& values);
  template <typename T>
  std::vector<T> contents(driver::Stream& stream, driver::Buffer& buffer);

  // The kernel, loaded on the device. Null if the device runs no kernels or lacks one of the needs, and then
  // the test is skipped with the reason; also null if loading fails, and then the test has failed.
  // Use: `driver::Kernel* const k = kernel(NAME.text()); if (k == nullptr) return;`
  driver::Kernel* kernel(const detail::KernelText& text, const Needs& needs = {});
  driver::Kernel* kernel(const TextKernel& text, const Needs& needs);

  // Launches with arguments for all user parameters.
  Result<> launch(driver::Stream& stream, driver::Kernel& kernel, Dim3 grid, Dim3 block,
                  const std::vector<Argument>& arguments, uint64_t shared_bytes = 0);

 private:
  std::string missing(const Needs& needs);
  template <typename Text>
  driver::Kernel* find_or_load(const std::string& name, const Text& text);

  OpenedDevice* opened_ = nullptr;
  size_t violations_ = 0;
};

template <typename T>
BufferPtr Contract::buffer_with(driver::Stream& stream, const std::vector<T>& values) {
  BufferPtr made = buffer(values.size() * sizeof(T));
  EXPECT_TRUE(device().upload(stream, {made.get(), 0}, values.data(), values.size() * sizeof(T)).ok());
  EXPECT_TRUE(device().synchronize(stream).ok());
  return made;
}

template <typename T>
std::vector<T> Contract::contents(driver::Stream& stream, driver::Buffer& buffer) {
  std::vector<T> values(buffer.bytes / sizeof(T));
  EXPECT_TRUE(device().download(stream, values.data(), {&buffer, 0}, buffer.bytes).ok());
  EXPECT_TRUE(device().synchronize(stream).ok());
  return values;
}

// The kind of a result's error; a test failure if it succeeded.
template <typename T>
ErrorKind kind_of(const Result<T>& result) {
  if (!result.ok()) return result.error().kind();
  ADD_FAILURE() << "the call succeeded";
  return ErrorKind::internal;
}

std::string contract_name(const testing::TestParamInfo<DeviceUnderTest>& info);

// A success, or a failure that shows the driver's error.
template <typename T>
testing::AssertionResult succeeded(const Result<T>& result) {
  if (result.ok()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << result.error().to_string();
}
#define EXPECT_OK(...) EXPECT_TRUE(::quern::contract::succeeded(__VA_ARGS__))
#define ASSERT_OK(...) ASSERT_TRUE(::quern::contract::succeeded(__VA_ARGS__))

#define QUERN_CONTRACT(suite)                                                                           \
  INSTANTIATE_TEST_SUITE_P(All, suite, testing::ValuesIn(::quern::test::each_device()), contract_name); \
  GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(suite)

}  // namespace quern::contract
