#include "pass/pass_test.hpp"

namespace quern::pass {
namespace {

void lowered(ir::Module& module) {
  for (const Unlowered& u : lower_pointers(module)) ADD_FAILURE() << u.reason;
}

std::vector<std::string> refused(std::string_view text) {
  ir::Module module = parsed(text);
  std::vector<std::string> reasons;
  for (const Unlowered& u : lower_pointers(module)) {
    reasons.push_back(std::to_string(u.pos.line) + ": " + u.reason);
  }
  EXPECT_EQ(ir::verify(module), "") << ir::print(module);
  return reasons;
}

constexpr std::string_view kLowerPointersTypes = R"(
  struct %float4 { x: f32 @0, y: f32 @4, z: f32 @8, w: f32 @12 } size 16 align 16
  struct %args { x: ptr<generic> @0, n: i32 @8, y: ptr<generic> @16 } size 24 align 8
  shared @tile: [256 x f32] align 4
)";

std::string with_types(std::string_view text) { return std::string(kLowerPointersTypes) + std::string(text); }

TEST(LowerPointers, OneOffsetInUnitsOfTheAccess) {
  expect_after(with_types(R"(
    kernel @k(%p: ptr<global>, %i: i32) {
      %q = offset ptr<global> %p, %i scale 16
      %y = field ptr<global> %q of %float4 index 1
      %v = load f32 %y
      store %p, %v
      %w = load %float4 %q
      %q2 = offset ptr<global> %p, %i scale 4
      %q3 = offset ptr<global> %q2, 3:i32 scale 4
      store %q3, %w
    })"),
               lowered, R"(
    kernel @k(%p: ptr<global>, %i: i32) {
      %0 = convert i64 %i
      %1 = mul i64 %0, 4
      %2 = add i64 %1, 1
      %3 = offset ptr<global> %p, %2 scale 4
      %v = load f32 %3
      store %p, %v
      %4 = offset ptr<global> %p, %i scale 16
      %w = load %float4 %4
      %5 = convert i64 %i
      %6 = add i64 %5, 3
      %7 = offset ptr<global> %p, %6 scale 4
      store %7, %w
    })");
}

TEST(LowerPointers, AWalkingPointerIsAnIndex) {
  expect_after(R"(
    kernel @k(%p: ptr<global>, %n: i32) {
      %v = var ptr<global>
      store %v, %p
      %end = offset ptr<global> %p, %n scale 4
      loop L0 {
        %a = load ptr<global> %v
        %c = ne ptr<global> %a, %end
        yield %c
      } body {
        %b = load ptr<global> %v
        store %b, 1.0:f32
        %d = offset ptr<global> %b, 1:i32 scale 4
        store %v, %d
      }
      %e = load ptr<global> %v
      %f = ptr_diff %e, %p scale 4
      store %p, %f
    })",
               lowered, R"(
    kernel @k(%p: ptr<global>, %n: i32) {
      %"v.at" = var i64
      store %"v.at", 0:i64
      loop L0 {
        %0 = load i64 %"v.at"
        %1 = convert i64 %n
        %2 = ne i64 %0, %1
        yield %2
      } body {
        %3 = load i64 %"v.at"
        %4 = offset ptr<global> %p, %3 scale 4
        store %4, 1.0:f32
        %5 = add i64 %3, 1
        store %"v.at", %5
      }
      %6 = load i64 %"v.at"
      store %p, %6
    })");
}

TEST(LowerPointers, NarrowIndices) {
  const std::string text =
      after(R"(
    kernel @k(%p: ptr<global>, %i: i64) {
      %q = offset ptr<global> %p, %i scale 4
      %r = offset ptr<global> %q, 2:i32 scale 4
      store %r, 1.0:f32
    })",
            [](ir::Module& m) { EXPECT_TRUE(lower_pointers(m, {.wide = false}).empty()); });
  EXPECT_EQ(count(text, "i64"), 1u) << text;  // the parameter
  EXPECT_EQ(count(text, "add i32"), 1u) << text;
}

TEST(LowerPointers, SeveralBasesAndNull) {
  expect_after(with_types(R"(
    kernel @k(%a: %args, %q: ptr<global>, %c: bool, %d: bool) {
      %x = extract ptr<generic> %a index 0
      %v = var ptr<generic>
      store %v, null:ptr<generic>
      if %c {
        barrier
        %xx = offset ptr<generic> %x, 2:i32 scale 4
        store %v, %xx
      }
      if %d {
        barrier
        %t = space_cast ptr<generic> @tile
        store %v, %t
      }
      %w = load ptr<generic> %v
      %n = ne ptr<generic> %w, null
      if %n {
        %l = load f32 %w
        store %q, %l
        %s = is_space.shared %w
        assert "s", %s
      }
    })"),
               lowered, R"(
    kernel @k(%a: %args, %q: ptr<global>, %c: bool, %d: bool) {
      %0 = extract ptr<generic> %a index 0
      %"v.base" = var u32
      %"v.at" = var i64
      store %"v.base", 0:u32
      store %"v.at", 0:i64
      if %c {
        barrier
        store %"v.base", 1:u32
        store %"v.at", 2:i64
      }
      if %d {
        barrier
        store %"v.base", 3:u32
        store %"v.at", 0:i64
      }
      %1 = load u32 %"v.base"
      %2 = load i64 %"v.at"
      %3 = eq u32 %1, 0
      %4 = eq u32 %1, 1
      %5 = eq ptr<generic> %0, null
      %6 = and bool %4, %5
      %7 = or bool %3, %6
      %8 = not bool %7
      if %8 {
        %l = var f32
        %9 = eq u32 %1, 1
        if %9 {
          %10 = offset ptr<generic> %0, %2 scale 4
          %11 = load f32 %10
          store %l, %11
        } else {
          %12 = offset ptr<shared> @tile, %2 scale 4
          %13 = load f32 %12
          store %l, %13
        }
        %14 = load f32 %l
        store %q, %14
        %15 = eq u32 %1, 3
        assert "s", %15
      }
    })");
}

TEST(LowerPointers, SelectsAndCopies) {
  const std::string text = after(R"(
    kernel @k(%p: ptr<global>, %q: ptr<global>, %c: bool, %i: i32) {
      %qi = offset ptr<global> %q, %i scale 4
      %s = select ptr<global> %c, %p, %qi
      %t = select ptr<global> %c, %qi, %p
      mem_copy %s, %t, 16:u64
      %x = atomic.add.device i32 %s, 1
      store %p, %x
    })",
                                 lowered);
  EXPECT_EQ(count(text, "mem_copy"), 4u) << text;
  EXPECT_EQ(count(text, "atomic.add"), 2u) << text;
  EXPECT_EQ(count(text, "select ptr"), 0u) << text;
}

TEST(LowerPointers, AVariableThatIsGoneIsNoCandidate) {
  const std::string text = after(R"(
    kernel @k(%p: ptr<global>, %c: bool) {
      %v = var ptr<generic>
      %g = space_cast ptr<generic> %p
      store %v, %g
      if %c {
        %t = var [4 x i32]
        %h = space_cast ptr<generic> %t
        store %v, %h
        %i = load ptr<generic> %v
        store %i, 1:i32
        barrier
        %x = load i32 %t
        store %p, %x
      }
      %w = load ptr<generic> %v
      store %w, 2:i32
    })",
                                 lowered);
  EXPECT_EQ(count(text, "store %p, 2:i32"), 1u) << text;
}

TEST(LowerPointers, ArraysOfPointersAreArraysOfNumbers) {
  expect_after(R"(
    kernel @k(%p: ptr<global>, %q: ptr<global>, %i: i32) {
      %rows = var [2 x ptr<global>]
      store %rows, zero:[2 x ptr<global>]
      store %rows, %p
      %r1 = offset ptr<local> %rows, 1:i32 scale 8
      %q4 = offset ptr<global> %q, %i scale 4
      store %r1, %q4
      %ri = offset ptr<local> %rows, %i scale 8
      %r = load ptr<global> %ri
      store %r, 7:i32
    })",
               lowered, R"(
    kernel @k(%p: ptr<global>, %q: ptr<global>, %i: i32) {
      %"rows.base" = var [2 x u32]
      %"rows.at" = var [2 x i64]
      store %"rows.base", zero:[2 x u32]
      store %"rows.at", zero:[2 x i64]
      store %"rows.base", 1:u32
      store %"rows.at", 0:i64
      %0 = offset ptr<local> %"rows.base", 1:i64 scale 4
      store %0, 2:u32
      %1 = offset ptr<local> %"rows.at", 1:i64 scale 8
      %2 = convert i64 %i
      store %1, %2
      %3 = offset ptr<local> %"rows.base", %i scale 4
      %4 = load u32 %3
      %5 = offset ptr<local> %"rows.at", %i scale 8
      %6 = load i64 %5
      %7 = eq u32 %4, 1
      if %7 {
        %8 = offset ptr<global> %p, %6 scale 4
        store %8, 7:i32
      } else {
        %9 = offset ptr<global> %q, %6 scale 4
        store %9, 7:i32
      }
    })");
}

TEST(LowerPointers, DynamicSharedMemoryIsOneObject) {
  const std::string text = after(R"(
    shared @a: [0 x f32] align 4
    shared @b: [0 x i32] align 4
    kernel @k(%p: ptr<global>, %i: i32) {
      %q = offset ptr<shared> @b, %i scale 4
      store %q, 1:i32
      %c = eq ptr<shared> @a, @b
      assert "c", %c
    })",
                                 lowered);
  EXPECT_EQ(count(text, "offset ptr<shared> @a, %i scale 4"), 1u) << text;
  EXPECT_EQ(count(text, "true"), 1u) << text;
}

TEST(LowerPointers, SaysWhatItCannot) {
  EXPECT_EQ(
      refused(R"(
    kernel @k(%p: ptr<global>, %u: u64) {
      %m = load ptr<generic> %p @3:3
      store %m, 1:i32 @4:3
      %i = int_to_ptr ptr<global> %u @5:3
      store %i, 1:i32 @6:3
      %n = ptr_to_int %p @7:3
      store %p, %n
      %g = space_cast ptr<generic> %p
      store %p, %g @9:3
    })"),
      (std::vector<std::string>{
          "4: the pointer is read from memory, and this target has no addresses: pass the buffer as a "
          "parameter",
          "6: the pointer is made from an integer, and this target has no addresses: compute with an index",
          "7: the address is used as an integer, and this target has no addresses",
          "9: a pointer is written to memory, and this target has no addresses: keep an index instead"}));
}

TEST(LowerPointers, ComparisonsWithinOneObject) {
  const std::string text = after(R"(
    kernel @k(%p: ptr<global>, %i: i32, %j: i32) {
      %a = offset ptr<global> %p, %i scale 8
      %b = offset ptr<global> %p, %j scale 12
      %c = lt ptr<global> %a, %b
      assert "c", %c
      %d = eq ptr<global> %p, null
      assert "d", %d
      %e = ptr_diff %a, %b scale 2
      store %p, %e
    })",
                                 lowered);
  EXPECT_EQ(count(text, "lt i64"), 1u) << text;
  EXPECT_EQ(count(text, "eq ptr<global> %p, null"), 1u) << text;
  EXPECT_EQ(count(text, "sub i64"), 1u) << text;
}

TEST(LowerPointers, AlignmentIsAskedOfTheArgumentsPlace) {
  expect_after(R"(
    kernel @k(%p: ptr<global>, %i: i32) {
      %q = offset ptr<global> %p, %i scale 4
      %a = ptr_to_int %q
      %b = and u64 %a, 15:u64
      store %p, %b
    })",
               lowered, R"(
kernel @k(%p: ptr<global>, %i: i32) {
  %0 = ptr_to_int u32 %p
  %1 = convert i64 %i
  %2 = mul i64 %1, 4
  %3 = convert u32 %2
  %4 = add u32 %0, %3
  %5 = convert u64 %4
  %b = and u64 %5, 15
  store %p, %b
}
)");
}

}  // namespace
}  // namespace quern::pass
