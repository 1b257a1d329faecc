// Vulkan devices for tests, and modules in GLSL; tests are skipped loudly if the tools are missing.
#pragma once

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "driver/vulkan/driver.hpp"

namespace quern::vulkan {

// Sets an environment variable during its lifetime.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value, 1);
  }
  ~Environment() {
    if (before_.empty()) {
      ::unsetenv(name_);
    } else {
      ::setenv(name_, before_.c_str(), 1);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::string before_;
};

// Null if there is none. Tests run with the validation layer if it is installed: its messages make the next
// wait fail.
inline std::unique_ptr<driver::Device> open_device() {
  for (const char* const validate : {"1", "0"}) {
    const Environment asked("QUERN_VALIDATE", validate);
    const auto driver = make_driver();
    if (!driver->start().ok()) continue;
    auto device = driver->open(0, {});
    EXPECT_TRUE(device.ok()) << device.error().to_string();
    if (device.ok()) return std::move(*device);
  }
  GTEST_LOG_(WARNING) << "SKIPPED, vulkan is not tested: there is no device";
  return nullptr;
}

inline driver::Device* shared_device() {
  static const std::unique_ptr<driver::Device> device = open_device();
  return device.get();
}

// SPIR-V of a compute shader; empty if glslangValidator is missing.
inline std::string compile(const std::string& glsl, const std::string& entry = "main") {
  static std::map<std::string, std::string> known;
  if (const auto found = known.find(glsl + entry); found != known.end()) return found->second;
  const std::string folder = testing::TempDir();
  const std::string source = folder + "quern_vulkan.comp", binary = folder + "quern_vulkan.spv";
  EXPECT_TRUE(base::write_file(source, glsl).ok());
  std::remove(binary.c_str());
  if (std::system("glslangValidator --version >/dev/null 2>&1") != 0) return {};
  const std::string command = "glslangValidator -V --target-env vulkan1.2 -e " + entry +
                              " --source-entrypoint main " + source + " -o " + binary + " >" + folder +
                              "quern_vulkan.log 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << base::read_file(folder + "quern_vulkan.log").value_or("");
  return known[glsl + entry] = base::read_file(binary).value_or("");
}

}  // namespace quern::vulkan
