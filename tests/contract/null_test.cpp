// The template for new drivers: what it refuses, and how.
#include <gtest/gtest.h>

#include "driver/null/device.hpp"
#include "driver/null/driver.hpp"

namespace quern::null {
namespace {

using base::ErrorKind;

TEST(Null, StatusCodesHaveKinds) {
  EXPECT_TRUE(check(kSuccess, "nullCopy").ok());
  EXPECT_EQ(check(kOutOfMemory, "nullMemoryAllocate").error().to_string(),
            "out of memory: nullMemoryAllocate failed with out of memory");
  EXPECT_EQ(check(kNoDevice, "nullDeviceOpen").error().kind(), ErrorKind::not_found);
  EXPECT_EQ(check(kLost, "nullRun").error().to_string(),
            "device lost: nullRun failed with device lost\n  hint: open the device again");
  EXPECT_EQ(check(77, "nullRun").error().to_string(), "internal error: nullRun failed with error 77");
}

TEST(Null, RefusesPrecisely) {
  auto driver = make_driver();
  ASSERT_TRUE(driver->start().ok());
  EXPECT_EQ(driver->open(3, {}).error().message(), "nullDeviceOpen failed with no such device");
  auto device = driver->open(0, {});
  ASSERT_TRUE(device.ok());
  driver::Code code;
  code.kind = driver::CodeKind::kPtx;
  EXPECT_EQ((*device)->load(code).error().to_string(),
            "unsupported: loading ptx code failed: null:0 runs only inline kernels");
  code.kind = driver::CodeKind::kHostFunction;
  code.name = "sum.cu";
  code.host = {[](void* const*, unsigned) {}, true};
  EXPECT_EQ((*device)->load(code).error().to_string(),
            "unsupported: loading 'sum.cu' failed: it synchronizes threads, but null:0 runs one thread after "
            "the other");
  EXPECT_EQ((*device)->allocate(4, driver::MemoryKind::managed).error().kind(), ErrorKind::unsupported);
}

}  // namespace
}  // namespace quern::null
