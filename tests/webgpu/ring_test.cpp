// Actors on WebGPU: WGSL orders memory only within a block, so an actor of one block is driven; persistent
// actors and actors of several blocks are refused.
#include "quern/ring.hpp"

#include <gtest/gtest.h>

#include "quern/quern.hpp"

namespace quern::ring {
namespace {

QUERN_ACTOR(Counter, (int total), (int add), int, {
  total += add;
  return total;
})

class WebgpuRing : public testing::Test {
 protected:
  void SetUp() override {
    try {
      device_ = open("webgpu");
    } catch (const Error& e) {
      GTEST_SKIP() << "WebGPU is not tested: " << e.what();
    }
  }

  std::string refusal_of(const Options& options) {
    try {
      (void)device_.spawn(Counter{}, options);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::unsupported) << e.what();
      return e.what();
    }
    return "the actor was spawned";
  }

  Device device_;
};

TEST_F(WebgpuRing, AnActorIsDriven) {
  auto counter = device_.spawn(Counter{});
  EXPECT_EQ(counter.engine(), Engine::driven);
  counter.send(2);
  EXPECT_EQ(counter.call(5).get(), 7);
  for (int i = 0; i < 100; ++i) counter.send(1);
  EXPECT_EQ(counter.call(0).get(), 107);
  EXPECT_TRUE(counter.stop());
}

TEST_F(WebgpuRing, SeveralBlocksAreRefused) {
  Options options;
  options.shape = Shape::grid;
  options.blocks = 2;
  const std::string message = refusal_of(options);
  EXPECT_NE(message.find("device-wide memory fence"), std::string::npos) << message;
}

TEST_F(WebgpuRing, APersistentKernelIsRefused) {
  Options options;
  options.engine = Engine::persistent;
  const std::string message = refusal_of(options);
  EXPECT_NE(message.find("persistent"), std::string::npos) << message;
}

}  // namespace
}  // namespace quern::ring
