// nest_exits and lower_exits: how jumps out of constructs are rewritten.
#include "pass/pass_test.hpp"

namespace quern::pass {
namespace {

void nested(ir::Module& module) {
  nest_exits(module);
  EXPECT_EQ(ir::verify(module), "") << ir::print(module);
  simplify(module);
}

TEST(NestExits, EarlyReturnsBecomeBranches) {
  expect_after(R"(
    kernel @k(%p: ptr<global>, %a: bool, %b: bool) {
      scope L0 {
        if %a {
          store %p, 1:i32
          exit L0
        }
        store %p, 2:i32
        if %b {
        } else {
          store %p, 3:i32
          exit L0
        }
        store %p, 4:i32
      }
      store %p, 5:i32
    })",
               nested, R"(
    kernel @k(%p: ptr<global>, %a: bool, %b: bool) {
      if %a {
        store %p, 1:i32
      } else {
        store %p, 2:i32
        if %b {
          store %p, 4:i32
        } else {
          store %p, 3:i32
        }
      }
      store %p, 5:i32
    })");
}

TEST(NestExits, WhatWouldNeedACopyStays) {
  const std::string_view text = R"(
    kernel @k(%p: ptr<global>, %a: bool, %b: bool) {
      scope L0 {
        if %a {
          if %b {
            exit L0
          }
          store %p, 1:i32
        }
        store %p, 2:i32
      }
    })";
  const std::string result = after(text, nested);
  EXPECT_EQ(count(result, "exit L0"), 1u);
}

TEST(NestExits, ExitsFromLoopsStay) {
  const std::string_view text = R"(
    kernel @k(%p: ptr<global>, %a: bool) {
      scope L0 {
        loop L1 {
        } body {
          if %a {
            exit L0
          }
          store %p, 1:i32
        }
      }
      store %p, 2:i32
    })";
  const std::string result = after(text, nested);
  EXPECT_EQ(count(result, "exit L0"), 1u);
}

// Whether every exit leaves the innermost construct and every continue passes switches only.
void expect_plain_jumps(ir::Module& module) {
  for (const ir::Function* f : module.functions) {
    ir::walk(f->body, [&](const ir::Inst* i) {
      if (!i->is(ir::Op::kExit) && !i->is(ir::Op::kContinue)) return;
      for (const ir::Inst* c = i->parent->owner; c != i->attr().target; c = c->parent->owner) {
        const bool passes = c->is(ir::Op::kIf) || (i->is(ir::Op::kContinue) && c->is(ir::Op::kSwitch));
        EXPECT_TRUE(passes) << ir::print(*f);
      }
    });
  }
}

TEST(LowerExits, OutOfTwoLoops) {
  ir::Module module = parsed(R"(
    kernel @k(%p: ptr<global>, %a: bool) {
      loop L0 {
      } body {
        loop L1 {
        } body {
          if %a {
            exit L0
          }
          store %p, 1:i32
        }
        store %p, 2:i32
      }
      store %p, 3:i32
    })");
  lower_exits(module);
  EXPECT_EQ(ir::verify(module), "");
  expect_plain_jumps(module);
  EXPECT_EQ(shown(module), unindented(R"(
    kernel @k(%p: ptr<global>, %a: bool) {
      loop L0 {
      } body {
        %leaves = var bool
        store %leaves, false
        loop L1 {
        } body {
          if %a {
            store %leaves, true
            exit L1
          }
          store %p, 1:i32
        }
        %0 = load bool %leaves
        if %0 {
          exit L0
        }
        store %p, 2:i32
      }
      store %p, 3:i32
    })"));
}

TEST(LowerExits, BreakInsideASwitchInsideALoop) {
  ir::Module module = parsed(R"(
    kernel @k(%p: ptr<global>, %a: i32) {
      loop L0 {
      } body {
        switch L1 %a {
          case 1 {
            exit L0
          }
          case 2 {
            continue L0
          }
          default {
            scope L2 {
              if true {
                continue L0
              }
              if true {
                exit L0
              }
              exit L1
            }
          }
        }
        store %p, 2:i32
      }
    })");
  lower_exits(module);
  EXPECT_EQ(ir::verify(module), "") << ir::print(module);
  expect_plain_jumps(module);
}

TEST(LowerExits, PlainJumpsStay) {
  const std::string_view text = R"(
    kernel @k(%p: ptr<global>, %a: i32, %c: bool) {
      loop L0 {
      } body {
        switch L1 %a {
          case 1 {
            continue L0
          }
          default {
            if %c {
              exit L1
            }
            store %p, 1:i32
          }
        }
        if %c {
          exit L0
        }
      }
    })";
  expect_after(
      text, [](ir::Module& m) { lower_exits(m); }, text);
}

}  // namespace
}  // namespace quern::pass
