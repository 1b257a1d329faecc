// Actors on Metal: driven by the host, since a kernel must end before the host sees its writes.
#include "quern/ring.hpp"

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "quern/quern.hpp"
#include "support/command.hpp"

#ifndef QUERN_METAL_DEVICE
#define QUERN_METAL_DEVICE ""
#endif

namespace quern::ring {
namespace {

QUERN_ACTOR(Counter, (int total), (int add), int, {
  total += add;
  return total;
})

TEST(MetalRing, AnActorIsDriven) {
  const std::string library = QUERN_METAL_DEVICE;  // empty on macOS, which has the framework
  if (!library.empty() && test::run_command("clang++ --version").code != 0)
    GTEST_SKIP() << "clang++ is not installed: the test device cannot compile Metal text";
  if (!library.empty()) ::setenv("QUERN_METAL_LIBRARY", library.c_str(), 1);
  Device device = open("metal");
  auto counter = device.spawn(Counter{});
  EXPECT_EQ(counter.engine(), Engine::driven);
  for (int i = 0; i < 20; ++i) counter.send(2);
  EXPECT_EQ(counter.call(5).get(), 45);
  EXPECT_TRUE(counter.stop());
  ::unsetenv("QUERN_METAL_LIBRARY");
}

}  // namespace
}  // namespace quern::ring
