#include "pass/pass_test.hpp"

namespace quern::pass {
namespace {

// Queries by the names of values in the text.
class Asked {
 public:
  explicit Asked(std::string_view text, Uniformity::Group group = Uniformity::Group::kBlock)
      : module_(parsed(text)), uniformity_(*module_.functions[0], group) {}

  bool uniform(std::string_view name) const { return uniformity_.is_uniform(find(name)); }
  bool converged(std::string_view name) const { return uniformity_.is_converged(find(name)); }
  bool uniform_branch(ir::Op op, int which = 0) const {
    const ir::Inst* found = nullptr;
    ir::walk(module_.functions[0]->body, [&](const ir::Inst* i) {
      if (i->is(op) && which-- == 0) found = i;
    });
    return uniformity_.is_uniform_branch(found);
  }

 private:
  const ir::Inst* find(std::string_view name) const {
    const ir::Inst* found = nullptr;
    ir::walk(module_.functions[0]->body, [&](const ir::Inst* i) {
      if (i->name == name) found = i;
    });
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  ir::Module module_;
  Uniformity uniformity_;
};

TEST(Uniformity, Sources) {
  const Asked k(R"(
    constant @c: [4 x i32] align 4
    kernel @k(%p: ptr<global>, %q: ptr<global> of i32 const restrict, %n: i32) {
      %t = thread_id.x
      %b = block_id.x
      %d = block_dim.x
      %l = lane_id
      %m = mul u32 %b, %d
      %i = add u32 %m, %t
      %x = load i32 %p
      %y = load i32 %q
      %z = load i32 @c
      %qt = offset ptr<global> %q, %t scale 4
      %w = load i32 %qt
      %a = atomic.add.device i32 %p, 1
      %any = vote_any 4294967295:u32, true
      %cnt = barrier_count true
    })");
  EXPECT_FALSE(k.uniform("t"));
  EXPECT_TRUE(k.uniform("b"));
  EXPECT_TRUE(k.uniform("m"));
  EXPECT_FALSE(k.uniform("l"));
  EXPECT_FALSE(k.uniform("i"));
  EXPECT_FALSE(k.uniform("x"));
  EXPECT_TRUE(k.uniform("y"));
  EXPECT_TRUE(k.uniform("z"));
  EXPECT_FALSE(k.uniform("w"));
  EXPECT_FALSE(k.uniform("a"));
  EXPECT_FALSE(k.uniform("any"));
  EXPECT_TRUE(k.uniform("cnt"));
}

TEST(Uniformity, InLockstepLoadsAndVotesAgree) {
  const Asked k(R"(
    kernel @k(%p: ptr<global>, %n: i32) {
      %x = load i32 %p
      %v = load.volatile i32 %p
      %t = lane_id
      %c = eq u32 %t, 0
      %any = vote_any 4294967295:u32, %c
      %some = vote_any %t, %c
      %first = shuffle.index u32 4294967295, %t, 0, 32
      %next = shuffle.down u32 4294967295, %t, 1, 32
    })",
                Uniformity::Group::kVector);
  EXPECT_TRUE(k.uniform("x"));
  EXPECT_FALSE(k.uniform("v"));
  EXPECT_TRUE(k.uniform("any"));
  EXPECT_FALSE(k.uniform("some"));
  EXPECT_TRUE(k.uniform("first"));
  EXPECT_FALSE(k.uniform("next"));
}

TEST(Uniformity, StoresUnderAVaryingBranch) {
  const Asked k(R"(
    kernel @k(%p: ptr<global>, %n: i32) {
      %x = var i32
      %y = var i32
      store %x, 1:i32
      store %y, 1:i32
      %t = thread_id.x
      %c = lt u32 %t, 5
      if %c {
        store %x, 2:i32
        %inside = load i32 %x
        store %p, %inside
        %z = var i32
        store %z, 4:i32
        %zz = load i32 %z
        store %p, %zz
      }
      %u = gt i32 %n, 3
      if %u {
        store %y, 2:i32
      }
      %xv = load i32 %x
      %yv = load i32 %y
    })");
  EXPECT_TRUE(k.uniform("inside"));
  EXPECT_TRUE(k.uniform("zz"));
  EXPECT_FALSE(k.uniform("xv"));
  EXPECT_TRUE(k.uniform("yv"));
  EXPECT_FALSE(k.uniform_branch(ir::Op::kIf, 0));
  EXPECT_TRUE(k.uniform_branch(ir::Op::kIf, 1));
}

constexpr std::string_view kLoop = R"(
    kernel @k(%p: ptr<global>, %n: i32) {
      %len = BOUND
      %i = var i32
      store %i, 0:i32
      loop L0 {
        %a = load i32 %i
        %c = lt i32 %a, %len
        yield %c
      } body {
        %inside = load i32 %i
        %q = offset ptr<global> %p, %inside scale 4
        store %q, 1:i32
      } step {
        %d = load i32 %i
        %e = add i32 %d, 1
        store %i, %e
      }
      %out = load i32 %i
    })";

std::string with_bound(std::string bound) {
  std::string text(kLoop);
  return text.replace(text.find("BOUND"), 5, bound);
}

TEST(Uniformity, ACounterIsUniformWhileTheLoopRuns) {
  const Asked same(with_bound("add i32 %n, 0"));
  EXPECT_TRUE(same.uniform("inside"));
  EXPECT_TRUE(same.uniform("out"));
  EXPECT_TRUE(same.uniform_branch(ir::Op::kLoop));
  const Asked varying(with_bound("load i32 %p"));
  EXPECT_TRUE(varying.uniform("inside"));
  EXPECT_FALSE(varying.uniform("out"));
  EXPECT_FALSE(varying.uniform_branch(ir::Op::kLoop));
}

TEST(Uniformity, AVaryingLoopInsideALoop) {
  const Asked k(R"(
    kernel @k(%p: ptr<global>, %n: i32) {
      %s = var i32
      store %s, 0:i32
      loop L0 {
      } body {
        loop L1 {
          %v = load i32 %p
          %c = lt i32 %v, 3
          yield %c
        } body {
          %d = load i32 %s
          %e = add i32 %d, 1
          store %s, %e
        }
      }
    })");
  EXPECT_FALSE(k.uniform("d"));  // left at different counts in the first iteration
}

TEST(Uniformity, AVaryingContinueSparesTheStep) {
  const Asked k(R"(
    kernel @k(%p: ptr<global>, %n: i32) {
      %i = var i32
      %s = var i32
      store %i, 0:i32
      store %s, 0:i32
      loop L0 {
        %a = load i32 %i
        %c = lt i32 %a, %n
        yield %c
      } body {
        %t = thread_id.x
        %odd = eq u32 %t, 1
        %early = load i32 %i
        if %odd {
          continue L0
        }
        %late = load i32 %i
        %sv = load i32 %s
        %sw = add i32 %sv, 1
        store %s, %sw
        store %p, %late
      } step {
        %d = load i32 %i
        %e = add i32 %d, 1
        store %i, %e
      }
      %out = load i32 %i
    })");
  EXPECT_TRUE(k.uniform("early"));
  EXPECT_TRUE(k.uniform("late"));
  EXPECT_TRUE(k.uniform("out"));
  EXPECT_FALSE(k.uniform("sv"));
  EXPECT_TRUE(k.uniform_branch(ir::Op::kLoop));
}

TEST(Uniformity, WhoIsTogether) {
  const Asked k(R"(
    kernel @k(%p: ptr<global>, %n: u32) {
      %t = thread_id.x
      %before = block_id.x
      scope L0 {
        %start = block_id.x
        %c = lt u32 %t, %n
        if %c {
          exit L0
        }
        %rest = block_id.x
      }
      %joined = block_id.x
      loop L1 {
        %head = block_id.x
        %u = lt u32 %head, %n
        yield %u
      } body {
        %d = lt u32 %t, 3
        if %d {
          %under = block_id.x
          return
        }
      }
      %after = block_id.x
    })");
  EXPECT_TRUE(k.converged("before"));
  EXPECT_TRUE(k.converged("start"));
  EXPECT_FALSE(k.converged("rest"));
  EXPECT_TRUE(k.converged("joined"));
  EXPECT_FALSE(k.converged("head"));  // in the second iteration, some have returned
  EXPECT_FALSE(k.converged("under"));
  EXPECT_FALSE(k.converged("after"));
  EXPECT_TRUE(k.uniform("after"));
}

TEST(Uniformity, LocalArrays) {
  const Asked k(R"(
    kernel @k(%p: ptr<global>, %n: u32) {
      %t = thread_id.x
      %a = var [4 x u32]
      %b = var [4 x u32]
      %an = offset ptr<local> %a, %n scale 4
      store %an, 7:u32
      %bt = offset ptr<local> %b, %t scale 4
      store %bt, 7:u32
      %av = load u32 %a
      %at = offset ptr<local> %a, %t scale 4
      %aw = load u32 %at
      %bv = load u32 %b
    })");
  EXPECT_TRUE(k.uniform("av"));
  EXPECT_FALSE(k.uniform("aw"));
  EXPECT_FALSE(k.uniform("bv"));
}

}  // namespace
}  // namespace quern::pass
