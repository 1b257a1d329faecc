#include "base/fiber.hpp"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace quern::base {
namespace {

struct Visit {
  Fiber* fiber = nullptr;
  int steps = 0;
  uintptr_t aligned = 1;
};

// Compilers spill vector registers to stack slots that they assume to be aligned.
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

TEST(Fiber, ContinuesWhereItSuspended) {
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

TEST(Fiber, StartsAgain) {
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

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

struct Place {
  Fiber* fiber = nullptr;
  uintptr_t address = 0;
};

void note_place(void* argument) {
  auto* place = static_cast<Place*>(argument);
  volatile char here = 0;
  place->address = reinterpret_cast<uintptr_t>(&here);
  place->fiber->suspend();
}

// Readable pages of a fiber's stack below its first frame. `file`: used to make the system read them.
size_t readable_pages(Fiber& fiber, int file) {
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  Place place{&fiber};
  fiber.start(&note_place, &place);
  fiber.resume();
  size_t count = 0;
  for (uintptr_t at = place.address / page * page; ::write(file, reinterpret_cast<const void*>(at), 1) == 1;
       at -= page)
    ++count;
  return count;
}

// Runs in a child process, because it uses up nearly all mappings. 0: correct; 1: a stack without a guard
// page was returned; 2 or 3: the limit was not reached.
int create_with_few_mappings() {
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  constexpr size_t kMost = 1 << 20;  // mappings that are tried
  const int file = ::fileno(std::tmpfile());
  const size_t usual = readable_pages(*Fiber::create(), file);
  void* const memory = ::mmap(nullptr, 2 * kMost * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 2;
  const auto page_at = [&](size_t i) { return static_cast<char*>(memory) + (2 * i + 1) * page; };
  size_t count = 0;
  while (count < kMost && ::mprotect(page_at(count), page, PROT_READ) == 0) ++count;
  if (count == kMost) return 3;
  std::vector<std::unique_ptr<Fiber>> fibers;
  for (size_t freed = 0; freed < 4 && fibers.size() < 8; ++freed) {
    while (auto fiber = Fiber::create()) {
      if (readable_pages(*fiber, file) > usual) return 1;
      fibers.push_back(std::move(fiber));
    }
    (void)::mprotect(page_at(count - 1 - freed), page, PROT_NONE);  // frees two mappings
  }
  return 0;
}

// Without its guard page an overflowing stack would overwrite other memory. The number of mappings of a
// process is limited: the stack may be mapped when its guard page cannot be.
TEST(Fiber, WithoutAGuardPageThereIsNone) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(create_with_few_mappings());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) > 1)
    GTEST_SKIP() << "SKIPPED: mappings are not limited here (" << WEXITSTATUS(status) << ")";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

#endif

}  // namespace
}  // namespace quern::base
