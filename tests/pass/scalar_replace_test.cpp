#include "pass/pass_test.hpp"

namespace quern::pass {
namespace {

constexpr std::string_view kScalarReplaceTypes = R"(
  struct %float2 { x: f32 @0, y: f32 @4 } size 8 align 8
  struct %pair { a: %float2 @0, n: i32 @8, m: [3 x i32] @12 } size 24 align 8
  struct %bits { f: f32 @0, u: u32 @0 } size 4 align 4
  struct %halves { all: u64 @0, low: u32 @0, high: u32 @4 } size 8 align 8
  struct %closure { x: ptr<generic> @0, n: i32 @8 } size 16 align 8
)";

void split(ir::Module& module) {
  for (int i = 0; i < 4; ++i) {
    scalar_replace(module);
    EXPECT_EQ(ir::verify(module), "");
    simplify(module);
  }
}

std::string after_split(std::string_view text) {
  return after(std::string(kScalarReplaceTypes) + std::string(text), split);
}

TEST(ScalarReplace, FieldsBecomeVariables) {
  expect_after(std::string(kScalarReplaceTypes) + R"(
    kernel @k(%p: ptr<global>, %c: bool) {
      %v = var %float2
      %x = field ptr<local> %v of %float2 index 0
      store %x, 1.0:f32
      %y = field ptr<local> %v of %float2 index 1
      store %y, 2.0:f32
      if %c {
        barrier
        store %x, 3.0:f32
      }
      %w = load %float2 %v
      store %p, %w
    })",
               split, R"(
    kernel @k(%p: ptr<global>, %c: bool) {
      %"v.x" = var f32
      store %"v.x", 1.0:f32
      if %c {
        barrier
        store %"v.x", 3.0:f32
      }
      %0 = load f32 %"v.x"
      %1 = construct %float2(%0, 2.0:f32)
      store %p, %1
    })");
}

TEST(ScalarReplace, NestedStructsAndConstantIndices) {
  const std::string text = after_split(R"(
    kernel @k(%p: ptr<global>, %q: ptr<global>) {
      %v = var %pair
      %w = load %pair %q
      store %v, %w
      %a = field ptr<local> %v of %pair index 0
      %y = field ptr<local> %a of %float2 index 1
      %f = load f32 %y
      store %p, %f
      %m = field ptr<local> %v of %pair index 2
      %m2 = offset ptr<local> %m, 2:i32 scale 4
      %i = load i32 %m2
      store %p, %i
    })");
  EXPECT_EQ(count(text, "var"), 0u) << text;
  EXPECT_EQ(count(text, "extract"), 4u) << text;
}

TEST(ScalarReplace, ARunTimeIndexKeepsOnlyItsArray) {
  const std::string text = after_split(R"(
    kernel @k(%p: ptr<global>, %i: i32) {
      %v = var %pair
      %n = field ptr<local> %v of %pair index 1
      store %n, 5:i32
      %m = field ptr<local> %v of %pair index 2
      store %m, 7:i32
      %e = offset ptr<local> %m, %i scale 4
      %x = load i32 %e
      store %p, %x
      %y = load i32 %n
      store %p, %y
    })");
  EXPECT_EQ(count(text, "%\"v.m\" = var [3 x i32]"), 1u) << text;
  EXPECT_EQ(count(text, "store %p, 5:i32"), 1u) << text;
  EXPECT_EQ(count(text, "%pair"), 0u) << text;
}

TEST(ScalarReplace, AnIndexPastAMemberKeepsTheStruct) {
  const std::string text = after_split(R"(
    kernel @k(%p: ptr<global>, %i: i32) {
      %v = var %float2
      %x = field ptr<local> %v of %float2 index 0
      store %x, 1.0:f32
      %e = offset ptr<local> %x, %i scale 4
      %f = load f32 %e
      store %p, %f
    })");
  EXPECT_EQ(count(text, "%v = var %float2"), 1u) << text;
}

TEST(ScalarReplace, UnionsThatAgreeInSizeAreBitcasts) {
  expect_after(std::string(kScalarReplaceTypes) + R"(
    kernel @k(%p: ptr<global>, %x: f32) {
      %v = var %bits
      %f = field ptr<local> %v of %bits index 0
      store %f, %x
      %u = field ptr<local> %v of %bits index 1
      %i = load u32 %u
      store %p, %i
    })",
               split, R"(
    kernel @k(%p: ptr<global>, %x: f32) {
      %0 = bitcast u32 %x
      store %p, %0
    })");
}

TEST(ScalarReplace, UnionsThatDoNotAgreeStay) {
  const std::string text = after_split(R"(
    kernel @k(%p: ptr<global>, %x: u64) {
      %v = var %halves
      %a = field ptr<local> %v of %halves index 0
      store %a, %x
      %h = field ptr<local> %v of %halves index 2
      %i = load u32 %h
      store %p, %i
    })");
  EXPECT_EQ(count(text, "%v = var %halves"), 1u) << text;
}

TEST(ScalarReplace, AccessThroughACastOfTheAddress) {
  expect_after(std::string(kScalarReplaceTypes) + R"(
    kernel @k(%p: ptr<global>, %x: f32) {
      %v = var f32
      store %v, %x
      %g = space_cast ptr<generic> %v
      %i = load i32 %g
      store %p, %i
    })",
               split, R"(
    kernel @k(%p: ptr<global>, %x: f32) {
      %0 = bitcast i32 %x
      store %p, %0
    })");
}

TEST(ScalarReplace, CapturedVariablesAreAccessedDirectly) {
  expect_after(std::string(kScalarReplaceTypes) + R"(
    kernel @k(%p: ptr<global>, %x: i32) {
      %v = var i32
      store %v, %x
      %c = var %closure
      %c0 = field ptr<local> %c of %closure index 0
      %g = space_cast ptr<generic> %v
      store %c0, %g
      %c1 = field ptr<local> %c of %closure index 1
      store %c1, 3:i32
      %d = var %closure
      %whole = load %closure %c
      store %d, %whole
      %this = space_cast ptr<generic> %d
      %t0 = field ptr<generic> %this of %closure index 0
      %r = load ptr<generic> %t0
      %a = load i32 %r
      %t1 = field ptr<generic> %this of %closure index 1
      %n = load i32 %t1
      %s = add i32 %a, %n
      store %r, %s
      %z = load i32 %v
      store %p, %z
    })",
               split, R"(
    kernel @k(%p: ptr<global>, %x: i32) {
      %s = add i32 %x, 3
      store %p, %s
    })");
}

TEST(ScalarReplace, AnEscapingAddressKeepsTheVariable) {
  const std::string text = after_split(R"(
    kernel @k(%p: ptr<global>, %c: bool) {
      %v = var %float2
      %w = var %float2
      %s = select ptr<local> %c, %v, %w
      %x = field ptr<local> %s of %float2 index 0
      store %x, 1.0:f32
      %u = load %float2 %v
      store %p, %u
    })");
  EXPECT_EQ(count(text, "var %float2"), 2u) << text;
}

TEST(ScalarReplace, OutOfBoundsIsLeftToBeReported) {
  const std::string text = after_split(R"(
    kernel @k(%p: ptr<global>) {
      %v = var [2 x i32]
      store %v, 1:i32
      %e = offset ptr<local> %v, 2:i32 scale 4
      %x = load i32 %e
      store %p, %x
    })");
  EXPECT_EQ(count(text, "var [2 x i32]"), 1u) << text;
}

TEST(ScalarReplace, LargeArraysStay) {
  const std::string text = after_split(R"(
    kernel @k(%p: ptr<global>, %q: ptr<global>) {
      %v = var [4096 x i32]
      %all = load [4096 x i32] %q
      store %v, %all
      %x = load i32 %v
      store %p, %x
    })");
  EXPECT_EQ(count(text, "var [4096 x i32]"), 1u) << text;
}

TEST(ScalarReplace, VectorAccessToAnArray) {
  const std::string text = after_split(R"(
    kernel @k(%p: ptr<global>, %q: ptr<global>) {
      %v = var [4 x f32]
      %w = load %float2 %q
      store %v, %w
      %e = offset ptr<local> %v, 1:i32 scale 4
      %x = load f32 %e
      store %p, %x
    })");
  EXPECT_EQ(count(text, "var"), 0u) << text;
}

}  // namespace
}  // namespace quern::pass
