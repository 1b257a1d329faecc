// Which loops wait for another thread, and which only look as if they do.
#include "lang/pass/waiting_loops.hpp"

#include <gtest/gtest.h>

#include "lang/compile.hpp"
#include "lang/pass/walk.hpp"

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

// It advances to the next place only once this one is ready.
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

// The block iterates together: no thread waits for one that does not run.
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

// A vote or a barrier in between changes nothing, nor does a non-volatile read.
TEST(WaitingLoops, WaitsThroughVotesAndBarriersAreFound) {
  for (const char* f : {"flag", "p"}) {
    const std::string read = std::string("w = ") + f + "[blockIdx.x + 1];";
    EXPECT_EQ(waiting("int w; if (threadIdx.x < 32) { do { " + read +
                      " } while (__any_sync(~0u, w == 0)); }\n"
                      "p[0] = w;"),
              1u);
    EXPECT_EQ(waiting("int w; do { " + read + " } while (__syncthreads_or(w == 0)); p[0] = w;"), 1u);
    EXPECT_EQ(waiting("int w; do { " + read + " } while (__ballot_sync(~0u, w != 0) != ~0u); p[0] = w;"), 1u);
    EXPECT_EQ(waiting("int w; do { " + read + " w = __shfl_sync(~0u, w, 0); } while (w == 0); p[0] = w;"),
              1u);
    EXPECT_EQ(waiting("__shared__ int ready; int w, go;\n do { if (threadIdx.x == 0) { " + read +
                      " ready = w; }\n __syncthreads(); go = ready; __syncthreads(); } while (!go);\n"
                      "p[0] = 1;"),
              1u);
    EXPECT_EQ(waiting("__shared__ int ready; int w; if (threadIdx.x == 0) ready = 0; __syncthreads();\n"
                      "while (true) { if (threadIdx.x == 0) { " +
                      read + " if (w != 0) ready = 1; }\n __syncthreads(); if (ready) break; }\n p[0] = 1;"),
              1u);
    EXPECT_EQ(
        waiting("bool all; int w; do { all = true; for (int i = 0; i < n; ++i) { w = " + std::string(f) +
                "[i]; if (w == 0) all = false; } } while (__syncthreads_or(!all)); p[0] = w;"),
        1u);
  }
}

// The block itself changes what it reads, or ends after some iterations.
TEST(WaitingLoops, OwnProgressIsNone) {
  const std::string shared = "__shared__ int changed;\n";
  EXPECT_EQ(waiting(shared + "do { __syncthreads(); if (threadIdx.x == 0) changed = 0; __syncthreads();\n"
                             "if (p[threadIdx.x] > p[n]) { p[threadIdx.x] = p[n]; changed = 1; }\n"
                             "__syncthreads(); } while (changed);"),
            0u)
      << "relaxation";
  EXPECT_EQ(
      waiting("int lo = 0, hi = n; while (lo < hi) { int mid = (lo + hi) / 2; if (p[mid] < key) lo = mid "
              "+ 1; else hi = mid; } p[n] = lo;"),
      0u)
      << "binary search";
  EXPECT_EQ(waiting("int x = key; while (p[x] != x) x = p[x]; p[n] = x;"), 0u) << "find";
  EXPECT_EQ(waiting("for (int i = 0; i < p[n]; ++i) p[i] = i;"), 0u) << "a bound in memory";
  EXPECT_EQ(waiting("int s = 0; for (int i = 0; i < p[n]; ++i) s += i; p[0] = s;"), 0u);
  EXPECT_EQ(waiting("int tries = 0; while (p[n] == 0 && ++tries < 100) {} p[0] = tries;"), 0u) << "bounded";
  EXPECT_EQ(waiting("int s = 0; while (p[n] > 0) { s += p[threadIdx.x]; if (s > 9) break; } p[0] = s;"), 0u);
  EXPECT_EQ(waiting("while (p[0] > 0) { p[0] -= 1; }"), 0u) << "writes what it reads";
  EXPECT_EQ(waiting("int a = 1, b = p[n]; while (b != 0) { int t = a % b; a = b; b = t; } p[0] = a;"), 0u)
      << "greatest common divisor";
  EXPECT_EQ(
      waiting("int state = 0; while (state != 3) { if (state == 0) state = p[n] ? 1 : 2; else state = 3; "
              "} p[0] = state;"),
      0u)
      << "states";
  EXPECT_EQ(waiting("__shared__ int s[64]; for (int d = 32; __syncthreads_or(d > 0); d >>= 1) { if "
                    "(threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d]; }\n p[0] = s[0];"),
            0u);
}

// Memory that must not be written while the kernel runs.
TEST(WaitingLoops, ConstantMemoryIsNone) {
  lang::Compilation c = lang::compile("test.cu",
                                      "__global__ void k(const int* __restrict__ f, int* p) {\n"
                                      "  while (f[0] == 0) { __syncwarp(); } p[0] = 1; }\n");
  ASSERT_TRUE(c.ok) << c.rendered;
  EXPECT_EQ(waiting_loops(*c.module.find_function("k")).size(), 0u);
}

// Plain reads that become volatile.
size_t reread(const std::string& body) {
  lang::Compilation c = lang::compile(
      "test.cu", "__global__ void k(int* p, volatile int* flag, int n, int key) {\n" + body + "\n}\n");
  EXPECT_TRUE(c.ok) << c.rendered;
  const auto count = [&] {
    size_t found = 0;
    traverse(c.module.find_function("k")->body, [&](const ir::Inst* i) { found += is_volatile(i) ? 1 : 0; });
    return found;
  };
  const size_t before = count();
  reread_in_waiting_loops(c.module);
  return count() - before;
}

TEST(WaitingLoops, PlainReadsThatEndThemAreRepeated) {
  EXPECT_EQ(reread("int w; do { w = p[blockIdx.x + 1]; } while (__any_sync(~0u, w == 0)); p[0] = w;"), 1u);
  EXPECT_EQ(reread("int w; do { w = p[1]; } while (__syncthreads_or(w == 0)); p[0] = p[2] + w;"), 1u);
}

TEST(WaitingLoops, OtherReadsStayPlain) {
  EXPECT_EQ(reread("while (*flag == 0) { p[0] += p[1]; }"), 0u);
  EXPECT_EQ(reread("int s = 0; for (int i = 0; i < n; ++i) s += p[i]; p[0] = s;"), 0u);
  EXPECT_EQ(reread("for (;;) { if (atomicAdd(p, 0) != 0) break; p[1] = p[2]; }"), 0u);
}

}  // namespace
}  // namespace quern::pass
