// Which loops wait for another thread, and which only look as if they did.
#include "lang/pass/waiting_loops.hpp"

#include <gtest/gtest.h>

#include "lang/compile.hpp"

namespace quern::pass {
namespace {

size_t waiting(const std::string& body) {
  lang::Compilation c = lang::compile(
      "test.cu", "__global__ void k(int* p, volatile int* flag, int n, int key) {\n" + body + "\n}\n");
  EXPECT_TRUE(c.ok) << c.rendered;
  return waiting_loops(*c.module.find_function("k")).size();
}

TEST(WaitingLoops, SpinsAreFound) {
  EXPECT_EQ(waiting("while (atomicCAS(p, 0, 1) != 0) {}\n p[1] += 1; atomicExch(p, 0);"), 1u);
  EXPECT_EQ(waiting("while (*flag == 0) {}\n p[0] = 1;"), 1u);
  EXPECT_EQ(waiting("for (int i = 0; i < n; ++i) { while (flag[i] == 0) {} p[i] = 1; }"), 1u);
  EXPECT_EQ(
      waiting("bool done = false;\n while (!done) { if (atomicExch(p, 1) == 0) { p[1] += 1; done = true; "
              "atomicExch(p, 0); } }"),
      1u);
}

// It looks at the next place only once this one is ready.
TEST(WaitingLoops, GoingOnWhenReadyIsWaiting) {
  EXPECT_EQ(waiting("int i = n;\n while (i > 0) { int s = flag[i]; if (s == 0) continue; p[0] += s; --i; }"),
            1u);
}

TEST(WaitingLoops, ProbingIsNone) {
  EXPECT_EQ(waiting("int slot = key & 63;\n while (true) { int before = atomicCAS(&p[slot], -1, key);\n"
                    "  if (before == -1 || before == key) return;\n  slot = (slot + 1) & 63; }"),
            0u);
  EXPECT_EQ(waiting("for (int i = 0; i < n; ++i) { if (atomicExch(&p[i], 1) == 0) break; }"), 0u);
  EXPECT_EQ(
      waiting(
          "for (int i = 0; i < n; ++i) { int at = key + i * i; if (flag[at] == key) { p[0] = at; break; } }"),
      0u);
}

TEST(WaitingLoops, GoingThroughAListIsNone) {
  EXPECT_EQ(
      waiting(
          "for (int i = 0; i < n; ++i) { int at = p[n + i]; if (atomicExch(&p[at], 1) == 0) p[at] = i; }"),
      0u);
  EXPECT_EQ(
      waiting("for (int i = 0; i < n; ++i) { int at = p[n + key]; if (atomicExch(&p[at], 1) == 0) break; }"),
      1u);
}

TEST(WaitingLoops, RepeatingAFailedSwapIsNone) {
  EXPECT_EQ(
      waiting("int old = *flag, seen;\n do { seen = old; old = atomicCAS(p, seen, seen * 2); } while (old != "
              "seen);"),
      0u);
  EXPECT_EQ(waiting("int old;\n do { old = *flag; } while (atomicCAS(p, old, old * 2) != old);"), 0u);
}

// The block goes round together: nobody waits for one who does not run.
TEST(WaitingLoops, RoundsWithABarrierAreNone) {
  const std::string shared =
      "volatile __shared__ int found;\n if (threadIdx.x == 0) found = 0;\n __syncthreads();\n";
  EXPECT_EQ(waiting(shared + "while (!found) { __syncthreads(); if (p[threadIdx.x] == key) found = 1;\n"
                             " p[threadIdx.x] += 1; __syncthreads(); }"),
            0u);
  EXPECT_EQ(waiting(shared + "while (!found) { if (p[threadIdx.x] == key) found = 1; p[threadIdx.x] += 1; }"),
            1u);
  EXPECT_EQ(
      waiting(shared + "while (true) { if (!found) continue; __syncthreads(); if (found == 2) break; }"), 1u);
  EXPECT_EQ(waiting("while (*flag == 0) { __syncthreads(); }"), 1u) << "another block may have to write it";
}

}  // namespace
}  // namespace quern::pass
