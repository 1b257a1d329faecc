// A driver on a fake libcuda, and a kernel for it.
#pragma once

#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "base/shared_library.hpp"
#include "cuda/fake_cuda.hpp"
#include "driver/cuda/driver.hpp"
#include "driver/interface/driver.hpp"

namespace quern::test {

inline constexpr const char* kPtx = R"(
.version 8.0
.target sm_90
.visible .entry _Z5scaleifPfy(
	.param .u32 _Z5scaleifPfy_param_0,
	.param .f32 _Z5scaleifPfy_param_1,
	.param .u64 _Z5scaleifPfy_param_2,
	.param .u64 _Z5scaleifPfy_param_3
)
{
	ret;
}
)";

class CudaDriver : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::setenv("QUERN_CUDA_LIBRARY", QUERN_FAKE_CUDA, 1), 0);
    ::unsetenv("QUERN_SYNC");
    const std::string_view names[] = {QUERN_FAKE_CUDA};
    auto library = base::SharedLibrary::open(names, "");
    ASSERT_TRUE(library.ok()) << library.error().to_string();
    GetFakeCuda* get = nullptr;
    ASSERT_TRUE(library->load("fake_cuda", get).ok());
    fake = get();
    fake->reset();
    fake->declare_kernel("_Z5scaleifPfy", {4, 4, 8, 8});
  }
  void TearDown() override { fake->reset(); }

  static std::unique_ptr<driver::Driver> start() {
    auto driver = cuda::make_driver();
    const auto says = driver->start();
    EXPECT_TRUE(says.ok()) << says.error().to_string();
    return driver;
  }
  static std::unique_ptr<driver::Device> open() {
    auto device = start()->open(0, {});
    EXPECT_TRUE(device.ok()) << device.error().to_string();
    return std::move(*device);
  }
  static driver::Code ptx() {
    driver::Code code;
    code.kind = driver::CodeKind::kPtx;
    code.bytes = kPtx;
    code.name = "scale.ptx";
    code.is_raw = true;
    return code;
  }

  FakeCuda* fake = nullptr;
};

}  // namespace quern::test
