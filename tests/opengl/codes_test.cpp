#include <gtest/gtest.h>

#include "driver/opengl/api.hpp"

namespace quern::test {

// The error codes of OpenGL 4.6, OpenGL ES 3.2 and EGL 1.5.
TEST(OpenglCodes, EveryErrorIsKnown) {
  for (uint32_t code = 0x500; code <= 0x507; ++code) EXPECT_TRUE(opengl::is_known(code)) << code;
  for (uint32_t code = 0x3001; code <= 0x300e; ++code) EXPECT_TRUE(opengl::is_known(code)) << code;
  for (const uint32_t code : {0u, 0x4ffu, 0x508u, 0x3000u, 0x300fu})
    EXPECT_FALSE(opengl::is_known(code)) << code;
  EXPECT_EQ(opengl::name_of(0x3003), "EGL_BAD_ALLOC");
}

}  // namespace quern::test
