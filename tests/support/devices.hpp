// The drivers and devices that tests run on. They come from the table of drivers, so a new driver takes part
// in every test that uses this header.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "driver/interface/info.hpp"

namespace quern::test {

// The names of all registered drivers but `except`, in the order of the table. Starts none of them.
std::vector<const char*> each_driver(std::initializer_list<std::string_view> except = {});

// One name for each folder of src/driver: without "hip", which is the code of "cuda", or "gles", which is
// that of "opengl". For tests that are too slow for every driver. Starts none of them.
std::vector<const char*> each_implementation(std::initializer_list<std::string_view> except = {});

// The drivers of one folder of src/driver: "opengl", "gles" and "webgl2" for "opengl". Starts none of them.
std::vector<const char*> drivers_of(std::string_view folder);

// Whether the driver loads a third-party library.
bool is_foreign(std::string_view driver);

// What a test requires of a device.
struct Requirements {
  bool kernel_text = true;  // it compiles kernels from text; false: inline kernels are sufficient
  driver::FeatureSet features = {};
};

// Starts the driver. Returns why its first device cannot run the test: "cuda: 'libcuda.so.1' is not found".
// Empty: it can.
std::string why_not(std::string_view driver, const Requirements& requirements);

// The driver as a part of a test's name, for INSTANTIATE_TEST_SUITE_P: "std.gpu" becomes "std_gpu".
inline constexpr auto device_name = [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
};

// A device of this machine, or a driver that has none here.
struct DeviceUnderTest {
  std::string driver;
  uint32_t index = 0;
  std::string missing;  // why the driver has no device here; empty: it has one

  std::string id() const { return driver + ":" + std::to_string(index); }

  // For GoogleTest's messages.
  friend void PrintTo(const DeviceUnderTest& device, std::ostream* out) {
    *out << device.id();
    if (!device.missing.empty()) *out << " (" << device.missing << ")";
  }
};

// Starts all drivers and returns their devices in the order of the table. A driver without a device has one
// entry, with the reason; a driver that QUERN_DRIVERS excludes has none.
std::vector<DeviceUnderTest> each_device();

}  // namespace quern::test
