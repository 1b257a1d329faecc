#include "lang/pass/guard_shifts.hpp"

#include <gtest/gtest.h>

#include "lang/compile.hpp"
#include "lang/ir/verify.hpp"
#include "pass/mini_eval.hpp"
#include "pass/pass_test.hpp"

namespace quern::pass {
namespace {

// The number of products in place of shifts.
size_t guarded(const std::string& expression) {
  lang::Compilation c = lang::compile(
      "test.cu", "__global__ void k(int* p, int n, unsigned u) {\n const int x = p[0];\n p[1] = " +
                     expression + ";\n}\n");
  EXPECT_TRUE(c.ok) << c.rendered;
  guard_shifts(c.module);
  EXPECT_EQ(ir::verify(c.module), "");
  return count(shown(c.module), "= mulhi ");
}

TEST(GuardShifts, ShiftsOfPossibleNegations) {
  EXPECT_EQ(guarded("(-x >> 9) + n"), 1u);
  EXPECT_EQ(guarded("((n - x) >> 9) + n"), 1u) << "n may become 0 when a loop is unrolled";
  EXPECT_EQ(guarded("((n * x) >> 9) + n"), 1u) << "n may become -1";
  EXPECT_EQ(guarded("(-x >> 1) + (-n >> 31)"), 2u);
}

TEST(GuardShifts, OtherShiftsStay) {
  EXPECT_EQ(guarded("(x >> 9) + n"), 0u);
  EXPECT_EQ(guarded("((5 - x) >> 9) + n"), 0u);
  EXPECT_EQ(guarded("((x * 12) >> 9) + ((x + 3) >> 2)"), 0u);
  EXPECT_EQ(guarded("(int)((0u - u) >> 9) + n"), 0u) << "a logical shift";
  EXPECT_EQ(guarded("(-x >> n) + n"), 0u) << "not a constant";
}

TEST(GuardShifts, ResultsStayTheSame) {
  for (int by = 1; by < 32; ++by) {
    std::string body;
    for (int k = 0; k < 16; ++k) {
      const std::string at = "p[" + std::to_string(k) + "]";
      body += at + " = -" + at + " >> " + std::to_string(by) + ";\n";
    }
    lang::Compilation c = lang::compile("test.cu", "__global__ void k(int* p) {\n" + body + "}\n");
    ASSERT_TRUE(c.ok) << c.rendered;
    const std::string before = MiniEval().run(c.module, *c.module.functions.front(), 64);
    guard_shifts(c.module);
    EXPECT_FALSE(before.empty());
    EXPECT_EQ(count(shown(c.module), "= mulhi "), 16u);
    EXPECT_EQ(MiniEval().run(c.module, *c.module.functions.front(), 64), before) << "by " << by;
  }
}

}  // namespace
}  // namespace quern::pass
