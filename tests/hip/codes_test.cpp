#include <gtest/gtest.h>

#include "driver/cuda/api.hpp"
#include "driver/cuda/hip.hpp"

namespace quern::test {

// The hipError_t codes in HIP's public documentation (6.2), except 0 and the placeholder 1054.
TEST(HipCodes, EveryErrorIsKnown) {
  for (const int32_t code :
       {1,   2,   3,   4,   5,   6,   7,   8,   9,   12,  13,  17,  21,  35,  46,  52,  53,   98,  100,
        101, 200, 201, 202, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217,  218, 219,
        300, 301, 302, 303, 304, 400, 401, 500, 600, 700, 701, 702, 704, 705, 708, 709, 710,  712, 713,
        719, 720, 801, 900, 901, 902, 903, 904, 905, 906, 907, 908, 910, 911, 912, 999, 1052, 1053})
    EXPECT_TRUE(cuda::is_known(hip::vendor(), code)) << code;
}

// 911 is an external device failure in CUDA, and an invalid texture format in HIP.
TEST(HipCodes, TwoMeanWhatHipSays) {
  EXPECT_TRUE(cuda::is_sticky(cuda::cuda_vendor(), 911));
  EXPECT_FALSE(cuda::is_sticky(hip::vendor(), 911));
  cuda::Api api;
  api.vendor = &hip::vendor();
  EXPECT_EQ(cuda::describe_error(api, 911), "invalid texture element format (error 911)");
  EXPECT_EQ(cuda::describe_error(api, 912), "invalid texture (error 912)");
}

}  // namespace quern::test
