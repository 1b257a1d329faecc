#include "lang/pass/messages.hpp"
#include "pass/pass_test.hpp"

namespace quern::pass {
namespace {

void inlined(ir::Module& module) { EXPECT_EQ(inline_calls(module), ""); }

TEST(Inline, TrailingReturnNeedsNoScope) {
  expect_after(R"(
    func @twice(%x: i32) -> i32 {
      %y = add i32 %x, %x
      return %y
    }
    kernel @k(%p: ptr<global>, %a: i32) {
      %v = call i32 @twice(%a)
      %w = call i32 @twice(%v)
      store %p, %w
    })",
               inlined, R"(
    kernel @k(%p: ptr<global>, %a: i32) {
      %y = add i32 %a, %a
      %y.2 = add i32 %y, %y
      store %p, %y.2
    })");
}

TEST(Inline, EarlyReturnLeavesAScope) {
  expect_after(R"(
    func @sign(%x: i32) -> i32 {
      %c = lt i32 %x, 0
      if %c {
        return -1:i32
      }
      return 1:i32
    }
    kernel @k(%p: ptr<global>, %a: i32) {
      %v = call i32 @sign(%a)
      store %p, %v
    })",
               inlined, R"(
    kernel @k(%p: ptr<global>, %a: i32) {
      %sign = var i32
      scope L0 {
        %c = lt i32 %a, 0
        if %c {
          store %sign, -1:i32
          exit L0
        }
        store %sign, 1:i32
      }
      %0 = load i32 %sign
      store %p, %0
    })");
}

TEST(Inline, ReturnsAtTheEndOfBranchesNeedNoScope) {
  const std::string text = after(R"(
    func @sign(%x: i32) -> i32 {
      %c = lt i32 %x, 0
      if %c {
        return -1:i32
      } else {
        return 1:i32
      }
    }
    kernel @k(%p: ptr<global>, %a: i32) {
      %v = call i32 @sign(%a)
      store %p, %v
    })",
                                 inlined);
  EXPECT_EQ(count(text, "scope"), 0u);
  EXPECT_EQ(count(text, "store %sign"), 2u);
}

TEST(Inline, VoidEarlyReturnAndReturnInLoop) {
  const std::string text = after(R"(
    func @find(%p: ptr<global>, %n: i32) {
      %i = var i32
      store %i, 0:i32
      loop L0 {
        %a = load i32 %i
        %c = lt i32 %a, %n
        yield %c
      } body {
        %b = load i32 %i
        %q = offset ptr<global> %p, %b scale 4
        %v = load i32 %q
        %z = eq i32 %v, 0
        if %z {
          return
        }
        store %q, 0:i32
      } step {
        %d = load i32 %i
        %e = add i32 %d, 1
        store %i, %e
      }
    }
    kernel @k(%p: ptr<global>, %n: i32) {
      call @find(%p, %n)
      call @find(%p, %n)
    })",
                                 inlined);
  EXPECT_EQ(count(text, "scope"), 2u);
  EXPECT_EQ(count(text, "exit L"), 2u);
  EXPECT_EQ(count(text, "return"), 0u);
}

TEST(Inline, CallsInLoopHeadsKeepTheirPlace) {
  const std::string text = after(R"(
    func @less(%x: i32, %n: i32) -> bool {
      %c = lt i32 %x, 0
      if %c {
        return false
      }
      %d = lt i32 %x, %n
      return %d
    }
    kernel @k(%p: ptr<global>, %n: i32) {
      loop L0 {
        %v = load i32 %p
        %c = call bool @less(%v, %n)
        yield %c
      } body {
        store %p, 7:i32
      }
    })",
                                 inlined);
  EXPECT_LT(text.find("scope"), text.find("yield"));
}

TEST(Inline, RecursionIsNamed) {
  ir::Module one = parsed(R"(
    func @fib(%n: i32) -> i32 {
      %a = call i32 @fib(%n)
      return %a
    }
    kernel @k(%n: i32) {
      %a = call i32 @fib(%n)
    })");
  EXPECT_EQ(inline_calls(one), message::kRecursion("fib", "itself").str());

  ir::Module two = parsed(R"(
    func @a(%n: i32) {
      call @b(%n)
    }
    func @b(%n: i32) {
      call @c(%n)
    }
    func @c(%n: i32) {
      call @b(%n)
    }
    kernel @k(%n: i32) {
      call @a(%n)
    })");
  EXPECT_EQ(inline_calls(two), message::kRecursion("b", "'c', which calls 'b'").str());
}

TEST(Inline, UnusedFunctionsGoEvenIfTheyRecurse) {
  ir::Module module = parsed(R"(
    func @fib(%n: i32) -> i32 {
      %a = call i32 @fib(%n)
      return %a
    }
    kernel @k(%n: i32) {
    })");
  EXPECT_EQ(inline_calls(module), "");
  EXPECT_EQ(module.functions.size(), 1u);
}

TEST(Inline, GrowthIsLimited) {
  std::string text = "func @f0(%p: ptr<global>) {\n store %p, 1:i32\n}\n";
  for (int i = 1; i < 40; ++i) {
    const std::string callee = "call @f" + std::to_string(i - 1) + "(%p)\n";
    text += "func @f" + std::to_string(i) + "(%p: ptr<global>) {\n" + callee + callee + "}\n";
  }
  text += "kernel @big(%p: ptr<global>) {\n call @f39(%p)\n}\n";
  ir::Module module = parsed(text);
  EXPECT_EQ(inline_calls(module, 10000), message::kTooLargeInlined("big", "10000").text);
}

TEST(Inline, ACalleeThatTrapsEndsItsOwnBlock) {
  const std::string text = after(R"(
    func @fail(%x: i32) -> i32 {
      trap
      unreachable
    }
    kernel @k(%p: ptr<global>, %a: i32) {
      %v = call i32 @fail(%a)
      store %p, %v
    })",
                                 inlined);
  EXPECT_EQ(count(text, "unreachable"), 1u);
}

}  // namespace
}  // namespace quern::pass
