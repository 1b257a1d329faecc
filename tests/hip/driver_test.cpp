// The HIP driver is the CUDA driver with another table of names. Here it runs on a library that maps HIP's
// names to CUDA's, on top of the fake that computes nothing.
#include <cstdlib>

#include <gtest/gtest.h>

#include "driver/cuda/hip.hpp"

namespace quern::test {

namespace {

using base::ErrorKind;
using driver::MemoryKind;

class HipDriver : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("QUERN_HIP_LIBRARY", QUERN_HIP_ON_CUDA, 1);
    ::setenv("QUERN_CUDA_LIBRARY", QUERN_FAKE_CUDA, 1);
  }
};

TEST_F(HipDriver, SpeaksOfItselfAsHip) {
  auto driver = hip::make_driver();
  EXPECT_EQ(driver->name(), "hip");
  const auto says = driver->start();
  ASSERT_TRUE(says.ok()) << says.error().to_string();
  EXPECT_EQ(*says, "HIP 13.0");
  const auto devices = driver->devices();
  ASSERT_TRUE(devices.ok());
  ASSERT_EQ(devices->size(), 1u);
  const driver::DeviceInfo& d = devices->front();
  EXPECT_EQ(d.name, "stand-in, computes nothing, HIP's names on CUDA");
  EXPECT_EQ(d.id(), "hip:0");
  EXPECT_EQ(d.vendor, "AMD");
  EXPECT_EQ(d.compute_units, 132u);  // attributes have other numbers
  EXPECT_EQ(d.limits.warp_size, 32u);
  EXPECT_EQ(d.limits.shared_bytes, 232448u);
  EXPECT_EQ(d.code, (std::vector{driver::CodeKind::kHipCpp, driver::CodeKind::kHipObject}));
}

TEST_F(HipDriver, AllocatesCopiesAndWaits) {
  auto driver = hip::make_driver();
  ASSERT_TRUE(driver->start().ok());
  auto device = driver->open(0, {});
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  driver::Device& d = **device;
  auto stream = d.create_stream({});
  std::vector<int> from(1 << 20), to(1 << 20);
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<int>(i * 7);
  auto buffer = d.allocate(from.size() * 4, MemoryKind::device);
  ASSERT_TRUE(buffer.ok());
  ASSERT_TRUE(d.upload(**stream, {buffer->get(), 0}, from.data(), from.size() * 4).ok());
  ASSERT_TRUE(d.download(**stream, to.data(), {buffer->get(), 0}, from.size() * 4).ok());
  ASSERT_TRUE(d.synchronize(**stream).ok());
  EXPECT_EQ(from, to);
}

TEST_F(HipDriver, ErrorsHaveHipsNames) {
  auto driver = hip::make_driver();
  ASSERT_TRUE(driver->start().ok());
  auto device = driver->open(0, {});
  ASSERT_TRUE(device.ok());
  driver::Code code;
  code.kind = driver::CodeKind::kHipObject;
  code.bytes = "nonsense";
  code.name = "mine.hsaco";
  const auto error = (*device)->load(code).error();
  EXPECT_EQ(error.kind(), ErrorKind::bad_input);
  EXPECT_NE(error.message().find("hipModuleLoadDataEx failed"), std::string::npos) << error.message();
}

TEST_F(HipDriver, AMissingLibraryIsOneSentence) {
  ::setenv("QUERN_HIP_LIBRARY", "/nowhere/libamdhip64.so", 1);
  const auto error = hip::make_driver()->start().error();
  EXPECT_EQ(error.kind(), ErrorKind::not_found);
  EXPECT_EQ(error.message(), "'/nowhere/libamdhip64.so' is not found");
}

}  // namespace
}  // namespace quern::test
