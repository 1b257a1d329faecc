#include "base/fiber.hpp"

#include <cstdint>
#include <memory>

#include <gtest/gtest.h>

namespace quern::base {
namespace {

struct Visit {
  Fiber* fiber = nullptr;
  int steps = 0;
  uintptr_t aligned = 1;
};

// What compilers keep in vector registers is spilt to places that they believe aligned.
void look_at_the_stack(void* argument) {
  auto* visit = static_cast<Visit*>(argument);
  alignas(16) volatile char place[16] = {};
  volatile auto address = reinterpret_cast<uintptr_t>(&place);
  visit->aligned = address % 16;
  for (;;) {
    visit->steps++;
    visit->fiber->suspend();
  }
}

TEST(Fiber, GoesOnWhereItSuspended) {
  const std::unique_ptr<Fiber> fiber = Fiber::create();
  ASSERT_NE(fiber, nullptr);
  Visit visit{fiber.get()};
  fiber->start(&look_at_the_stack, &visit);
  EXPECT_EQ(visit.steps, 0);
  fiber->resume();
  EXPECT_EQ(visit.steps, 1);
  fiber->resume();
  fiber->resume();
  EXPECT_EQ(visit.steps, 3);
}

TEST(Fiber, BeginsOnAnAlignedStack) {
  const std::unique_ptr<Fiber> fiber = Fiber::create();
  ASSERT_NE(fiber, nullptr);
  Visit visit{fiber.get()};
  fiber->start(&look_at_the_stack, &visit);
  fiber->resume();
  EXPECT_EQ(visit.aligned, 0U);
}

TEST(Fiber, BeginsAnew) {
  const std::unique_ptr<Fiber> fiber = Fiber::create();
  ASSERT_NE(fiber, nullptr);
  Visit first{fiber.get()};
  Visit second{fiber.get()};
  fiber->start(&look_at_the_stack, &first);
  fiber->resume();
  fiber->start(&look_at_the_stack, &second);
  fiber->resume();
  EXPECT_EQ(first.steps, 1);
  EXPECT_EQ(second.steps, 1);
}

}  // namespace
}  // namespace quern::base
