#include "pass/pass_test.hpp"

namespace quern::pass {
namespace {

void simplified(ir::Module& module) { simplify(module); }

TEST(Simplify, ForwardsVariablesStoredOnce) {
  expect_after(R"(
    kernel @k(%p: ptr<global>, %a: i32) {
      %x = var i32
      store %x, %a
      loop L0 {
      } body {
        %v = load i32 %x
        store %p, %v
      }
    })",
               simplified, R"(
    kernel @k(%p: ptr<global>, %a: i32) {
      loop L0 {
      } body {
        store %p, %a
      }
    })");
}

TEST(Simplify, KnowsWhatNoUnsignedNumberIs) {
  expect_after(R"(
    kernel @k(%p: ptr<global>, %a: u32, %b: i32) {
      %below = lt u32 %a, 0
      %least = ge u32 %a, 0
      %signed = lt i32 %b, 0
      store %p, %below
      store %p, %least
      store %p, %signed
    })",
               simplified, R"(
    kernel @k(%p: ptr<global>, %a: u32, %b: i32) {
      %signed = lt i32 %b, 0
      store %p, false
      store %p, true
      store %p, %signed
    })");
}

TEST(Simplify, OneOfTwoNumbersIsItsCondition) {
  expect_after(R"(
    kernel @k(%p: ptr<global>, %a: u32, %b: u32) {
      %c = lt u32 %a, %b
      %x = select u32 %c, 4294967295, 0
      %yes = ne u32 %x, 0
      %no = eq u32 %x, 0
      %never = eq u32 %x, 7
      store %p, %yes
      store %p, %no
      store %p, %never
    })",
               simplified, R"(
    kernel @k(%p: ptr<global>, %a: u32, %b: u32) {
      %c = lt u32 %a, %b
      %no = ge u32 %a, %b
      store %p, %c
      store %p, %no
      store %p, false
    })");
}

TEST(Simplify, KeepsWhatALoopChanges) {
  const std::string text = after(R"(
    kernel @k(%p: ptr<global>, %n: i32) {
      %i = var i32
      store %i, 0:i32
      loop L0 {
        %a = load i32 %i
        %c = lt i32 %a, %n
        yield %c
      } body {
        %b = load i32 %i
        %q = offset ptr<global> %p, %b scale 4
        store %q, %b
      } step {
        %d = load i32 %i
        %e = add i32 %d, 1
        store %i, %e
      }
      %z = load i32 %i
      store %p, %z
    })",
                                 simplified);
  EXPECT_EQ(count(text, "load i32 %i"), 4u);
}

TEST(Simplify, JoinsBranchesThatAgree) {
  expect_after(R"(
    kernel @k(%p: ptr<global>, %c: bool, %a: i32, %b: i32) {
      %x = var i32
      %y = var i32
      store %x, %b
      if %c {
        store %x, %a
        store %y, 1:i32
        barrier
      } else {
        store %x, %a
        store %y, 2:i32
      }
      %v = load i32 %x
      %w = load i32 %y
      %s = add i32 %v, %w
      store %p, %s
    })",
               simplified, R"(
    kernel @k(%p: ptr<global>, %c: bool, %a: i32, %b: i32) {
      %y = var i32
      if %c {
        store %y, 1:i32
        barrier
      } else {
        store %y, 2:i32
      }
      %w = load i32 %y
      %s = add i32 %a, %w
      store %p, %s
    })");
}

TEST(Simplify, ABranchThatLeavesDoesNotCount) {
  const std::string text = after(R"(
    kernel @k(%p: ptr<global>, %c: bool) {
      %x = var i32
      store %x, 1:i32
      if %c {
        store %x, 2:i32
        return
      }
      %v = load i32 %x
      store %p, %v
    })",
                                 simplified);
  EXPECT_EQ(count(text, "store %p, 1:i32"), 1u);
}

TEST(Simplify, AValueOfABranchIsNotUsedOutside) {
  const std::string text = after(R"(
    kernel @k(%p: ptr<global>, %c: bool, %a: i32) {
      %x = var i32
      if %c {
        %v = load i32 %p
        store %x, %v
      } else {
        return
      }
      %w = load i32 %x
      store %p, %w
    })",
                                 simplified);
  EXPECT_EQ(count(text, "load i32 %x"), 1u);
}

TEST(Simplify, TakesTheKnownSideOfAnIf) {
  expect_after(R"(
    kernel @k(%p: ptr<global>) {
      %c = lt i32 1, 2
      if %c {
        store %p, 1:i32
      } else {
        store %p, 2:i32
      }
      if false {
        barrier
      }
    })",
               simplified, R"(
    kernel @k(%p: ptr<global>) {
      store %p, 1:i32
    })");
}

TEST(Simplify, TakesTheKnownCaseOfASwitch) {
  expect_after(R"(
    kernel @k(%p: ptr<global>, %c: bool) {
      switch L0 3:i32 {
        case 1 {
          store %p, 1:i32
        }
        default {
          store %p, 4:i32
        }
        case 2, 3 {
          if %c {
            exit L0
          }
          store %p, 2:i32
        }
      }
    })",
               simplified, R"(
    kernel @k(%p: ptr<global>, %c: bool) {
      scope L0 {
        if %c {
          exit L0
        }
        store %p, 2:i32
      }
    })");
}

TEST(Simplify, DropsCodeAfterAnEnd) {
  expect_after(R"(
    kernel @k(%p: ptr<global>, %c: bool) {
      if %c {
        store %p, 1:i32
        return
      } else {
        store %p, 2:i32
        return
      }
      store %p, 3:i32
    })",
               simplified, R"(
    kernel @k(%p: ptr<global>, %c: bool) {
      if %c {
        store %p, 1:i32
      } else {
        store %p, 2:i32
      }
    })");
}

TEST(Simplify, CodeAfterAnEndlessLoopIsRemoved) {
  const std::string text = after(R"(
    kernel @k(%p: ptr<global>) {
      loop L0 {
        yield true
      } body {
        barrier
      }
      store %p, 3:i32
    })",
                                 simplified);
  EXPECT_EQ(count(text, "store"), 0u);
  EXPECT_EQ(count(text, "yield"), 0u);
}

TEST(Simplify, LoopsThatRunOnceAreNone) {
  expect_after(R"(
    kernel @k(%p: ptr<global>) {
      loop L0 {
      } body {
        store %p, 1:i32
      } step {
        yield false
      }
      loop L1 {
        yield false
      } body {
        store %p, 2:i32
      }
    })",
               simplified, R"(
    kernel @k(%p: ptr<global>) {
      store %p, 1:i32
    })");
}

TEST(Simplify, ContinueInALoopThatRunsOnceLeavesIt) {
  expect_after(R"(
    kernel @k(%p: ptr<global>, %c: bool) {
      loop L0 {
      } body {
        if %c {
          continue L0
        }
        store %p, 1:i32
      } step {
        store %p, 2:i32
        yield false
      }
    })",
               simplified, R"(
    kernel @k(%p: ptr<global>, %c: bool) {
      scope L0 {
        if %c {
          exit L0
        }
        store %p, 1:i32
      }
      store %p, 2:i32
    })");
}

TEST(Simplify, ALoopThatAlwaysBreaksIsAnIf) {
  expect_after(R"(
    kernel @k(%p: ptr<global>, %n: i32) {
      loop L0 {
        %v = load i32 %p
        %c = lt i32 %v, %n
        yield %c
      } body {
        store %p, 1:i32
        exit L0
      } step {
        store %p, 2:i32
      }
    })",
               simplified, R"(
    kernel @k(%p: ptr<global>, %n: i32) {
      %v = load i32 %p
      %c = lt i32 %v, %n
      if %c {
        store %p, 1:i32
      }
    })");
}

TEST(Simplify, ScopesNobodyLeavesDissolve) {
  expect_after(R"(
    kernel @k(%p: ptr<global>, %c: bool) {
      scope L0 {
        scope L1 {
          if %c {
            store %p, 1:i32
            exit L0
          } else {
            store %p, 2:i32
            exit L1
          }
        }
      }
    })",
               simplified, R"(
    kernel @k(%p: ptr<global>, %c: bool) {
      if %c {
        store %p, 1:i32
      } else {
        store %p, 2:i32
      }
    })");
}

TEST(Simplify, EarlyExitStays) {
  const std::string_view text = R"(
    kernel @k(%p: ptr<global>, %c: bool) {
      scope L0 {
        if %c {
          exit L0
        }
        store %p, 1:i32
      }
      store %p, 2:i32
    })";
  expect_after(text, simplified, text);
}

TEST(Simplify, DropsUnusedLoadsAndWrittenOnlyVariables) {
  expect_after(R"(
    kernel @k(%p: ptr<global>, %n: i32) {
      %a = load i32 %p
      %b = add i32 %a, 1
      %x = var [4 x i32]
      %q = offset ptr<local> %x, %n scale 4
      store %q, %b
      %i = var i32
      store %i, 0:i32
      loop L0 {
        %v = load.volatile i32 %p
        %c = lt i32 %v, 3
        yield %c
      } body {
        %w = load i32 %i
        %z = add i32 %w, 1
        store %i, %z
      }
    })",
               simplified, R"(
    kernel @k(%p: ptr<global>, %n: i32) {
      loop L0 {
        %v = load.volatile i32 %p
        %c = lt i32 %v, 3
        yield %c
      } body {
      }
    })");
}

TEST(Simplify, KeepsEffects) {
  const std::string_view text = R"(
    kernel @k(%p: ptr<global>) {
      %a = load.volatile i32 %p
      %b = atomic.add.device i32 %p, 1
      %m = active_mask
      %s = shuffle.down i32 %m, %b, 1:u32, 32:u32
      barrier
      %x = var i32
      store.volatile %x, 1:i32
      %y = load.volatile i32 %x
    })";
  expect_after(text, simplified, text);
}

TEST(Simplify, ReferencesToLocalsBecomeTheirValues) {
  expect_after(R"(
    kernel @k(%p: ptr<global>, %a: i32) {
      %x = var i32
      store %x, %a
      %g = space_cast ptr<generic> %x
      %r = var ptr<generic>
      store %r, %g
      %h = load ptr<generic> %r
      %v = load i32 %h
      %w = add i32 %v, 1
      store %h, %w
      %z = load i32 %x
      store %p, %z
    })",
               simplified, R"(
    kernel @k(%p: ptr<global>, %a: i32) {
      %w = add i32 %a, 1
      store %p, %w
    })");
}

TEST(Simplify, AnAliasedVariableIsNotForwarded) {
  const std::string text = after(R"(
    kernel @k(%p: ptr<global>, %q: ptr<global>, %c: bool) {
      %x = var i32
      %y = var i32
      store %x, 1:i32
      store %y, 1:i32
      %s = select ptr<local> %c, %x, %y
      store %s, 2:i32
      %z = load i32 %x
      store %p, %z
    })",
                                 simplified);
  EXPECT_EQ(count(text, "load i32 %x"), 1u);
}

TEST(Simplify, ReadsOfUnsetVariablesStay) {
  const std::string text = after(R"(
    kernel @k(%p: ptr<global>) {
      %x = var i32
      %v = load i32 %x
      %w = add i32 %v, 1
      store %p, %w
    })",
                                 simplified);
  EXPECT_EQ(count(text, "load i32 %x"), 1u);
}

TEST(Simplify, VariablesInLoopsAreFreshEachTime) {
  const std::string text = after(R"(
    kernel @k(%p: ptr<global>, %c: bool) {
      loop L0 {
      } body {
        %x = var i32
        %v = load i32 %x
        %w = add i32 %v, 1
        store %p, %w
        store %x, 3:i32
        %u = load i32 %x
        store %p, %u
      }
    })",
                                 simplified);
  EXPECT_EQ(count(text, "store %p, 3:i32"), 1u);
  EXPECT_EQ(count(text, "load i32 %x"), 1u);
}

TEST(Simplify, ExactIdentitiesOnly) {
  expect_after(R"(
    kernel @k(%p: ptr<global>, %x: f32, %i: i32, %b: bool) {
      %a = add f32 %x, 0.0
      store %p, %a
      %c = mul f32 %x, 1.0
      store %p, %c
      %d = add i32 %i, 0
      store %p, %d
      %e = div i32 %i, 0
      store %p, %e
      %f = convert i32 %b
      %g = ne i32 %f, 0
      store %p, %g
      %h = not bool %g
      %j = not bool %h
      store %p, %j
      %l = lt i32 %i, 3
      %m = not bool %l
      store %p, %m
      %n = lt f32 %x, 3.0
      %o = not bool %n
      store %p, %o
      %q = convert i64 %i
      %r = convert u8 %q
      store %p, %r
    })",
               simplified, R"(
    kernel @k(%p: ptr<global>, %x: f32, %i: i32, %b: bool) {
      %a = add f32 %x, 0.0
      store %p, %a
      store %p, %x
      store %p, %i
      %e = div i32 %i, 0
      store %p, %e
      store %p, %b
      store %p, %b
      %m = ge i32 %i, 3
      store %p, %m
      %n = lt f32 %x, 3.0
      %o = not bool %n
      store %p, %o
      %r = convert u8 %i
      store %p, %r
    })");
}

TEST(Simplify, AChoiceOfValuesIsASelect) {
  expect_after(R"(
    kernel @k(%p: ptr<global>, %c: bool, %x: f32) {
      %r = var f32
      if %c {
        store %r, 0.0:f32
      } else {
        %d = gt f32 %x, 1.0
        if %d {
          store %r, 1.0:f32
        } else {
          store %r, %x
        }
      }
      %v = load f32 %r
      store %p, %v
    })",
               simplified, R"(
    kernel @k(%p: ptr<global>, %c: bool, %x: f32) {
      %d = gt f32 %x, 1.0
      %0 = select f32 %d, 1.0, %x
      %r = select f32 %c, 0.0, %0
      store %p, %r
    })");
}

TEST(Simplify, EmptyThenIsTurnedRound) {
  expect_after(R"(
    kernel @k(%p: ptr<global>, %i: i32) {
      %c = lt i32 %i, 3
      if %c {
      } else {
        store %p, 1:i32
      }
      if %c {
      }
    })",
               simplified, R"(
    kernel @k(%p: ptr<global>, %i: i32) {
      %0 = ge i32 %i, 3
      if %0 {
        store %p, 1:i32
      }
    })");
}

TEST(Simplify, CastsToGenericGoFromAccesses) {
  expect_after(R"(
    kernel @k(%p: ptr<global>) {
      %g = space_cast ptr<generic> %p
      %v = load i32 %g
      store %g, %v
      %n = ne ptr<generic> %g, null
      assert "p", %n
    })",
               simplified, R"(
    kernel @k(%p: ptr<global>) {
      %v = load i32 %p
      store %p, %v
      %n = ne ptr<global> %p, null
      assert "p", %n
    })");
}

TEST(Simplify, SurvivesDeepNesting) {
  constexpr int kDepth = 5000;
  ir::Module module = parsed("kernel @k(%p: ptr<global>, %c: bool) {\n}\n");
  ir::Builder builder(module);
  ir::Function* kernel = module.functions[0];
  ir::Block* block = kernel->body;
  for (int i = 0; i < kDepth; ++i) {
    builder.at(block);
    ir::Inst* x = builder.var(builder.type(ir::TypeKind::kI32), "x");
    builder.store(x, module.constant_int(ir::TypeKind::kI32, i));
    builder.store(kernel->params[0], builder.load(builder.type(ir::TypeKind::kI32), x));
    block = builder.make_if(kernel->params[1])->blocks[0];
  }
  simplify(module);
  scalar_replace(module);
  nest_exits(module);
  infer_spaces(module);
  lower_exits(module);
  EXPECT_TRUE(lower_pointers(module).empty());
  EXPECT_FALSE(needs(module, *kernel).barrier);
  size_t vars = 0;
  size_t depth = 0;
  for (ir::Inst* i = kernel->body->first; i != nullptr;) {
    vars += i->is(ir::Op::kVar) ? 1 : 0;
    const bool is_if = i->is(ir::Op::kIf);
    depth += is_if ? 1 : 0;
    i = is_if ? i->blocks[0]->first : i->next;
  }
  EXPECT_EQ(vars, 0u);
  EXPECT_EQ(depth, static_cast<size_t>(kDepth - 1));
}

}  // namespace
}  // namespace quern::pass
