#include <gtest/gtest.h>

#include "driver/opencl/api.hpp"

namespace quern::test {

// The error codes of OpenCL 3.0 and of the extensions that are not specific to Windows.
TEST(OpenclCodes, EveryErrorIsKnown) {
  for (int32_t code = -1; code >= -19; --code) EXPECT_TRUE(opencl::is_known(code)) << code;
  for (int32_t code = -30; code >= -72; --code) EXPECT_TRUE(opencl::is_known(code)) << code;
  for (const int32_t code :
       {-1000, -1001, -1057, -1058, -1059, -1092, -1093, -1138, -1139, -1140, -1141, -1142})
    EXPECT_TRUE(opencl::is_known(code)) << code;
  for (const int32_t code : {0, -20, -29, -73, -2000}) EXPECT_FALSE(opencl::is_known(code)) << code;
  EXPECT_EQ(opencl::failed("clBuildProgram", -11).message(),
            "clBuildProgram failed with CL_BUILD_PROGRAM_FAILURE");
  EXPECT_EQ(opencl::failed("clX", -77).message(), "clX failed with error -77");
}

}  // namespace quern::test
