#include <gtest/gtest.h>

#include "driver/vulkan/api/api.hpp"

namespace quern::test {

// The VkResult codes of Vulkan 1.4, except 0.
TEST(VulkanCodes, EveryResultIsKnown) {
  for (int32_t code = -13; code <= 5; ++code) EXPECT_EQ(vulkan::is_known(code), code != 0) << code;
  for (const int32_t code : {-1000000000, -1000000001, 1000001003,  -1000001004, -1000003001, -1000011001,
                             -1000012000, -1000023000, -1000023001, -1000023002, -1000023003, -1000023004,
                             -1000023005, -1000069000, -1000072003, -1000158000, -1000161000, -1000174001,
                             -1000255000, -1000257000, 1000268000,  1000268001,  1000268002,  1000268003,
                             1000297000,  -1000299000, -1000338000, 1000482000,  -1000483000, 1000483000})
    EXPECT_TRUE(vulkan::is_known(code)) << code;
  EXPECT_EQ(vulkan::failed("vkX", -4).kind(), base::ErrorKind::device_lost);
  EXPECT_EQ(vulkan::failed("vkX", 2).kind(), base::ErrorKind::timeout);
}

}  // namespace quern::test
