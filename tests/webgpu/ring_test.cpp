// Actors on WebGPU: WGSL has no fence beyond a block, so they are refused with this reason until it has.
#include "quern/ring.hpp"

#include <gtest/gtest.h>

#include "quern/quern.hpp"

namespace quern::ring {
namespace {

QUERN_ACTOR(Counter, (int total), (int add), int, {
  total += add;
  return total;
})

TEST(WebgpuRing, AnActorIsDrivenOrRefused) {
  Device device;
  try {
    device = open("webgpu");
  } catch (const Error& e) {
    GTEST_SKIP() << "WebGPU is not tested: " << e.what();
  }
  try {
    auto counter = device.spawn(Counter{});
    EXPECT_EQ(counter.engine(), Engine::driven);
    counter.send(2);
    EXPECT_EQ(counter.call(5).get(), 7);
    EXPECT_TRUE(counter.stop());
  } catch (const Error& e) {
    ASSERT_EQ(e.kind(), ErrorKind::unsupported) << e.what();
    EXPECT_NE(std::string(e.what()).find("a fence"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace quern::ring
