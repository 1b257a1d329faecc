// The cpu device for tests: one per width, each with its own cache, and a loud skip if LLVM is missing.
#pragma once

#include <cstdlib>
#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "driver/cpu/driver.hpp"
#include "driver/cpu/processor.hpp"

namespace quern::cpu {

// Instead of a width: limited to the baseline features of the architecture.
inline constexpr uint32_t kWeakest = 0;

inline std::unique_ptr<driver::Device> open_device(uint32_t width) {
  ::setenv("QUERN_CACHE", (testing::TempDir() + "quern_test_cache").c_str(), 1);
  const std::unique_ptr<driver::Driver> driver = make_driver();
  auto started = driver->start();
  if (!started.ok()) {
    GTEST_LOG_(WARNING) << "SKIPPED, the cpu device is not tested: " << started.error().to_string();
    return nullptr;
  }
  driver::OpenOptions options{{"width", std::to_string(width)}};
  if (width == kWeakest) options = {{"vectors", host_processor().is_aarch64 ? "neon" : "sse2"}};
  auto device = driver->open(0, options);
  EXPECT_TRUE(device.ok()) << device.error().to_string();
  return device.ok() ? std::move(*device) : nullptr;
}

// Null if LLVM is not installed.
inline driver::Device* device_of_width(uint32_t width) {
  static std::map<uint32_t, std::unique_ptr<driver::Device>> devices;
  auto [at, is_new] = devices.try_emplace(width);
  if (is_new) at->second = open_device(width);
  return at->second.get();
}

#define QUERN_NEED_CPU(device) \
  if ((device) == nullptr) GTEST_SKIP() << "LLVM is not installed"

}  // namespace quern::cpu
