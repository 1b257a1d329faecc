// Which loops are unrolled, and which kernels check their number of iterations.
#include "lang/pass/limit_rounds.hpp"

#include <gtest/gtest.h>

#include "lang/compile.hpp"
#include "lang/ir/verify.hpp"
#include "pass/pass_test.hpp"

namespace quern::pass {
namespace {

struct Limited {
  size_t multiplications, traps, loops, comparisons;
  bool is_changed;
};

Limited limited(const std::string& body) {
  lang::Compilation c = lang::compile(
      "test.cu", "__global__ void k(int* p, int n) {\n int x = p[0];\n" + body + "\n p[0] = x;\n}\n");
  EXPECT_TRUE(c.ok) << c.rendered;
  const std::string before = shown(c.module);
  limit_rounds(c.module, 60'000, "too many rounds");
  EXPECT_EQ(ir::verify(c.module), "");
  const std::string after = shown(c.module);
  return {count(after, "= mul "), count(after, "trap"), count(after, "loop"), count(after, "thread_id.x"),
          before != after};
}

TEST(LimitRounds, UnknownLoopsAreUnrolledAndChecked) {
  const Limited made = limited("for (int i = 0; i < n; ++i) x = x * 3 + i;");
  EXPECT_EQ(made.multiplications, 8u);
  EXPECT_EQ(made.traps, 1u);
  EXPECT_EQ(made.loops, 2u) << "its own, and that of the check";
  EXPECT_EQ(limited("do { x = x * 3 + n; } while (--n > 0);").multiplications, 8u);
  EXPECT_EQ(limited("while (x != 1) { if (x & 1) { x = x * 3 + 1; continue; } x >>= 1; }").multiplications,
            8u);
}

TEST(LimitRounds, FewRoundsAreLeftAlone) {
  EXPECT_FALSE(limited("for (int i = 0; i < 1000; ++i) x = x * 3 + i;").is_changed);
  EXPECT_FALSE(
      limited("for (int i = 0; i < 50; ++i) for (int k = 0; k < 50; ++k) x = x * 3 + k;").is_changed);
  EXPECT_FALSE(limited("for (unsigned s = (unsigned)n; s > 0; s >>= 1) x = x * 3 + s;").is_changed);
  EXPECT_FALSE(limited("x = x * 3;").is_changed);
}

TEST(LimitRounds, NestedLoopsCountTogether) {
  const Limited made = limited("for (int i = 0; i < 500; ++i) for (int k = 0; k < 500; ++k) x = x * 3 + k;");
  EXPECT_EQ(made.multiplications, 8u) << "the inner one";
  EXPECT_EQ(made.traps, 1u);
}

// Operations on doubles may become loops, so that 1000 iterations may be too many.
TEST(LimitRounds, SoftDoublesAreCheckedNotUnrolled) {
  const auto traps = [](const std::string& body, bool soft_doubles) {
    lang::Compilation c =
        lang::compile("test.cu", "__global__ void k(double* p) { double x = *p;\n" + body + "\n *p = x; }\n");
    EXPECT_TRUE(c.ok) << c.rendered;
    limit_rounds(c.module, 60'000, "too many rounds", soft_doubles);
    EXPECT_EQ(ir::verify(c.module), "");
    const std::string after = shown(c.module);
    EXPECT_EQ(count(after, "= mul "), 1u);
    return count(after, "trap");
  };
  const std::string many = "for (int i = 0; i < 1000; ++i) x = x * 0.5;";
  EXPECT_EQ(traps(many, false), 0u);
  EXPECT_EQ(traps(many, true), 1u);
  EXPECT_EQ(traps("for (int i = 0; i < 100; ++i) x = x * 0.5;", true), 0u);
}

TEST(LimitRounds, LoopsWithBarriersAreOnlyChecked) {
  const Limited made = limited("for (int i = 0; i < n; ++i) { x = x * 3 + i; __syncthreads(); }");
  EXPECT_EQ(made.multiplications, 1u);
  EXPECT_EQ(made.traps, 1u);
}

// Lanes beyond the end of a block do not enter a loop that depends on a loaded value.
TEST(LimitRounds, LoopsThatThreadsLeaveApartAreOfTheBlockOnly) {
  EXPECT_EQ(limited("for (int i = 0; i < n; ++i) x = x * 3 + i;").comparisons, 0u);
  EXPECT_EQ(limited("while (p[x] != 7) x = x * 3 + 1;").comparisons, 1u);
  EXPECT_EQ(limited("while (true) { if (p[x] == 7) return; x = x * 3 + 1; }").comparisons, 1u);
  EXPECT_EQ(limited("for (int i = 0; i < n; ++i) { while (p[x] != 7) x = x * 3 + 1; __syncthreads(); }")
                .comparisons,
            1u);
}

TEST(LimitRounds, ReturnsAfterALoopAreChecked) {
  EXPECT_EQ(
      limited(
          "if (n == 7) return; for (int i = 0; i < n; ++i) x = x * 3 + i; if (x == 5) { p[1] = 1; return; } "
          "x += 1;")
          .traps,
      2u)
      << "the first one is before all loops";
}

}  // namespace
}  // namespace quern::pass
