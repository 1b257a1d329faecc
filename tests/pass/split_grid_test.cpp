// Kernels that are split at their grid barriers: what they keep, and which ones cannot be split. Their
// results are checked by tests/cases/grid_barriers.cu on the devices that split them.
#include "lang/pass/split_grid.hpp"

#include <gtest/gtest.h>

#include "lang/compile.hpp"
#include "lang/ir/text.hpp"
#include "lang/ir/verify.hpp"
#include "lang/pass/messages.hpp"
#include "lang/pass/waiting_loops.hpp"

namespace quern::pass {
namespace {

struct Splitting {
  lang::Compilation compiled;
  SplitKernel kernel;
  std::optional<SplitRefusal> refusal;

  explicit Splitting(const std::string& body) {
    compiled = lang::compile("test.cu",
                             "#include <cooperative_groups.h>\n"
                             "__global__ void k(int n, int* p, int* q, volatile int* flag) {\n"
                             "auto grid = cooperative_groups::this_grid(); int i = threadIdx.x;\n" +
                                 body + "\n}\n");
    EXPECT_TRUE(compiled.ok) << compiled.rendered;
    ir::Function* const f = compiled.module.find_function("k");
    EXPECT_TRUE(has_grid_barrier(*f));
    refusal = split_grid_barriers(compiled.module, *f, kernel);
    if (refusal) return;
    EXPECT_FALSE(has_grid_barrier(*f));
    EXPECT_EQ(ir::verify(compiled.module), "") << ir::print(compiled.module);
  }
  const ir::Function& function() const { return *compiled.module.find_function("k"); }
};

TEST(SplitGrid, AddsTwoParameters) {
  const Splitting s("p[i] = 1; grid.sync(); q[i] = p[n - 1 - i];");
  ASSERT_EQ(s.function().params.size(), 6u);
  EXPECT_EQ(s.function().params[4]->name, "quern_resume");
  EXPECT_TRUE(s.function().params[4]->is_const_elem && s.function().params[4]->is_restrict);
  EXPECT_EQ(s.function().params[5]->name, "quern_frames");
  EXPECT_EQ(s.kernel.segments, 2u);
  EXPECT_FALSE(s.kernel.repeats || s.kernel.by_thread);
}

TEST(SplitGrid, SavesOnlyWhatIsLiveAcrossABarrier) {
  EXPECT_EQ(Splitting("int a = p[i]; q[i] = a; grid.sync(); p[i] = q[n - i];").kernel.frames.thread_bytes,
            0u);
  EXPECT_EQ(Splitting("int a = p[i]; q[i] = a; grid.sync(); p[i] = q[n - i] + a;").kernel.frames.thread_bytes,
            16u);
  // Indices are computed again.
  EXPECT_EQ(
      Splitting("int a = i * 3 + n; q[a] = a; grid.sync(); p[a] = q[n - a];").kernel.frames.thread_bytes, 0u);
  EXPECT_EQ(Splitting("int a[20]; for (int k = 0; k < n; ++k) a[k] = q[k]; grid.sync(); p[i] = a[n];")
                .kernel.frames.thread_bytes,
            80u);
}

TEST(SplitGrid, SavesSharedMemoryThatIsUsedOnBothSides) {
  const Splitting across("__shared__ int s[10]; s[i] = p[i]; grid.sync(); q[i] = s[n - i];");
  EXPECT_EQ(across.kernel.frames.block_bytes, 48u);
  const Splitting before(
      "__shared__ int s[10]; s[i] = p[i]; __syncthreads(); q[i] = s[n - i]; grid.sync();"
      "p[i] = q[n - i];");
  EXPECT_EQ(before.kernel.frames.block_bytes, 0u);
  const Splitting dynamic("extern __shared__ int s[]; s[i] = p[i]; grid.sync(); q[i] = s[n - i];");
  EXPECT_TRUE(dynamic.kernel.frames.saves_dynamic);
}

TEST(SplitGrid, LoopsRepeatSegments) {
  const Splitting s("for (int r = 0; r < n; ++r) { p[i] = r; grid.sync(); q[i] += p[n - i]; grid.sync(); }");
  EXPECT_EQ(s.kernel.segments, 3u);
  EXPECT_TRUE(s.kernel.repeats);
  EXPECT_FALSE(s.kernel.by_thread);
  EXPECT_EQ(s.kernel.frames.thread_bytes, 16u);
}

TEST(SplitGrid, ThreadsResumeOnTheirOwnWhereTheyMayDiffer) {
  EXPECT_TRUE(Splitting("if (i >= n) return; grid.sync(); p[i] = 1;").kernel.by_thread);
  EXPECT_TRUE(Splitting("if (blockIdx.x == n) return; grid.sync(); p[i] = 1;").kernel.by_thread);
  EXPECT_TRUE(Splitting("while (*flag) { grid.sync(); }").kernel.by_thread);
  EXPECT_FALSE(Splitting("if (n > 3) grid.sync(); p[i] = 1;").kernel.by_thread);
}

// In a split kernel every iteration is in another launch.
TEST(SplitGrid, LoopsAroundBarriersDoNotWait) {
  EXPECT_TRUE(
      waiting_loops(Splitting("for (;;) { grid.sync(); if (*flag == 0) break; }").function()).empty());
  EXPECT_EQ(waiting_loops(Splitting("while (*flag == 0) {} grid.sync(); p[i] = 1;").function()).size(), 1u);
}

TEST(SplitGrid, AddressesOfLocalAndSharedVariablesDoNotCross) {
  const Splitting s(
      "__shared__ int s[4]; int a[4]; int* at = p;\n"
      "if (n > 3) at = s; else if (n > 2) at = a;\n"
      "*at = 1; grid.sync(); q[i] = *at;");
  ASSERT_TRUE(s.refusal.has_value());
  EXPECT_EQ(s.refusal->reason.text, message::kAddressAcrossGridBarrier().text);
}

}  // namespace
}  // namespace quern::pass
