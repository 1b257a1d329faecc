// Libraries that are missing, incomplete, or find nothing: one sentence with a hint each.
#include <cstdlib>

#include <gtest/gtest.h>

#include "driver/webgpu/driver.hpp"
#include "driver/webgpu/layout.hpp"
#include "driver/webgpu/structs.hpp"

#ifndef QUERN_FAKE_WEBGPU
#define QUERN_FAKE_WEBGPU ""
#endif

namespace quern::webgpu {
namespace {

using base::ErrorKind;

class WebgpuLoader : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* before = std::getenv("QUERN_WEBGPU_LIBRARY")) before_ = before;
  }
  void TearDown() override {
    ::unsetenv("QUERN_FAKE_WEBGPU_MODE");
    if (before_.empty()) {
      ::unsetenv("QUERN_WEBGPU_LIBRARY");
    } else {
      ::setenv("QUERN_WEBGPU_LIBRARY", before_.c_str(), 1);
    }
  }
  static base::Error error_of(const char* library, const char* mode = "") {
    ::setenv("QUERN_WEBGPU_LIBRARY", library, 1);
    ::setenv("QUERN_FAKE_WEBGPU_MODE", mode, 1);
    const auto found = make_driver()->devices();
    EXPECT_FALSE(found.ok());
    return found.ok() ? base::Error(ErrorKind::internal, "devices were found") : found.error();
  }
  std::string before_;
};

TEST_F(WebgpuLoader, AMissingLibraryIsNamed) {
  const base::Error error = error_of("libquern_none.so");
  EXPECT_EQ(error.kind(), ErrorKind::not_found);
  EXPECT_EQ(error.message(), "'libquern_none.so' is not found");
  EXPECT_NE(error.hint().find("QUERN_WEBGPU_LIBRARY"), std::string::npos);
}

TEST_F(WebgpuLoader, AMissingFunctionIsNamed) {
  const base::Error error = error_of("libm.so.6");
  EXPECT_EQ(error.kind(), ErrorKind::unsupported);
  EXPECT_EQ(error.message(), "'libm.so.6' has no function 'wgpuCreateInstance'");
  EXPECT_NE(error.hint().find("install wgpu-native or Dawn"), std::string::npos);
}

TEST_F(WebgpuLoader, NoInstanceIsOneSentence) {
  const base::Error error = error_of(QUERN_FAKE_WEBGPU, "no-instance");
  EXPECT_NE(error.message().find("returned no instance"), std::string::npos) << error.message();
}

TEST_F(WebgpuLoader, NoAdapterIsOneSentence) {
  const base::Error error = error_of(QUERN_FAKE_WEBGPU);
  EXPECT_EQ(error.kind(), ErrorKind::not_found);
  EXPECT_NE(error.message().find("finds no adapter"), std::string::npos) << error.message();
  EXPECT_NE(error.hint().find("Vulkan driver"), std::string::npos) << error.hint();
}

// Places that differ between the versions, as their headers have them on machines with 64-bit pointers.
TEST(WebgpuLayout, MembersAreWhereTheHeadersHaveThem) {
  if (sizeof(void*) != 8) GTEST_SKIP() << "the numbers are those of 64-bit machines";
  EXPECT_EQ(kStandardLayout.limits.bytes, 152u);
  EXPECT_EQ(kStandardLayout.limits.immediates, 148u);
  EXPECT_EQ(kEarlyLayout.limits.bytes, 168u);
  EXPECT_EQ(kStandardLayout.layout_entry.bytes, 120u);
  EXPECT_EQ(kStandardLayout.layout_entry.type, 40u);
  EXPECT_EQ(kEarlyLayout.layout_entry.bytes, 112u);
  EXPECT_EQ(kEarlyLayout.layout_entry.type, 32u);
  EXPECT_EQ(kStandardLayout.timestamps.set, 8u);
  EXPECT_EQ(kEarlyLayout.timestamps.set, 0u);
  EXPECT_EQ(kStandardLayout.adapter_options.backend, 20u);
  EXPECT_EQ(kEarlyLayout.adapter_options.backend, 24u);
  EXPECT_EQ(sizeof(DeviceDescriptor), 144u);
  EXPECT_EQ(sizeof(PipelineDescriptor), 80u);
}

}  // namespace
}  // namespace quern::webgpu
