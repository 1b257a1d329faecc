#include <gtest/gtest.h>

#include "driver/level_zero/api.hpp"

namespace quern::test {

using base::ErrorKind;

// The numbers of ze_result_t, up to version 1.17 of the specification.
TEST(LevelZeroCodes, EveryResultHasAKindAndAHint) {
  std::vector<uint32_t> codes = {1, 0x70010000, 0x70010001, 0x70020000, 0x70020001, 0x7FFFFFFE};
  for (uint32_t code = 0x70000001; code <= 0x70000007; ++code) codes.push_back(code);
  for (uint32_t code = 0x7FF00001; code <= 0x7FF00006; ++code) codes.push_back(code);
  for (uint32_t code = 0x78000001; code <= 0x7800002A; ++code) codes.push_back(code);
  for (const uint32_t code : codes) {
    EXPECT_TRUE(level_zero::is_known(code)) << std::hex << code;
    const base::Error error = level_zero::failed("zeX", code);
    EXPECT_FALSE(error.hint().empty()) << std::hex << code;
    EXPECT_NE(error.message().find("ZE_RESULT_"), std::string::npos) << error.message();
  }
  for (const uint32_t code : {0u, 2u, 0x70000008u, 0x7800002Bu, 0x7FFFFFFFu})
    EXPECT_FALSE(level_zero::is_known(code)) << std::hex << code;
}

TEST(LevelZeroCodes, KindsThatOthersActOn) {
  const auto kind = [](uint32_t code) { return level_zero::failed("zeX", code).kind(); };
  EXPECT_EQ(kind(0x70000001), ErrorKind::device_lost);
  EXPECT_EQ(kind(0x70000006), ErrorKind::device_lost);
  EXPECT_EQ(kind(0x70000002), ErrorKind::out_of_memory);
  EXPECT_EQ(kind(0x70000003), ErrorKind::out_of_memory);
  EXPECT_EQ(kind(0x70000004), ErrorKind::compile);
  EXPECT_EQ(kind(0x78000003), ErrorKind::unsupported);
  EXPECT_EQ(kind(0x12345678), ErrorKind::internal);
  EXPECT_EQ(level_zero::failed("zeMemAllocDevice", 0x70000003).to_string(),
            "out of memory: zeMemAllocDevice failed with ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY\n"
            "  hint: free memory, or split the work");
}

}  // namespace quern::test
