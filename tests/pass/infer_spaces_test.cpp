#include "pass/pass_test.hpp"

namespace quern::pass {
namespace {

void inferred(ir::Module& module) {
  infer_spaces(module);
  EXPECT_EQ(ir::verify(module), "") << ir::print(module);
  simplify(module);
}

// Parameter memory has no space of its own.
TEST(InferSpaces, AddressesOfParametersAreGeneric) {
  const std::string map = "struct %CUtensorMap { opaque: [16 x u64] @0 } size 128 align 64\n";
  constexpr const char* kText = R"(
    kernel @k(%a: %CUtensorMap, %b: %CUtensorMap, %c: bool, %out: ptr<global>) {
      %x = param_address ptr<generic> %a
      %y = param_address ptr<generic> %b
      %z = select ptr<generic> %c, %x, %y
      %n = load u64 %z
      store %out, %n
    })";
  expect_after(map + kText, inferred, kText);
}

TEST(InferSpaces, ThroughOffsetsSelectsAndVariables) {
  expect_after(R"(
    shared @s: [64 x f32] align 4
    kernel @k(%p: ptr<global>, %c: bool, %i: i32) {
      %g = space_cast ptr<generic> %p
      %h = offset ptr<generic> %g, %i scale 4
      %t = select ptr<generic> %c, %g, %h
      %v = var ptr<generic>
      store %v, %t
      loop L0 {
        %w = load ptr<generic> %v
        %n = ne ptr<generic> %w, null
        yield %n
      } body {
        %x = load ptr<generic> %v
        store %x, 1.0:f32
        %y = offset ptr<generic> %x, 1:i32 scale 4
        store %v, %y
      }
    })",
               inferred, R"(
    kernel @k(%p: ptr<global>, %c: bool, %i: i32) {
      %h = offset ptr<global> %p, %i scale 4
      %t = select ptr<global> %c, %p, %h
      %v = var ptr<global>
      store %v, %t
      loop L0 {
        %w = load ptr<global> %v
        %n = ne ptr<global> %w, null
        yield %n
      } body {
        %x = load ptr<global> %v
        store %x, 1.0:f32
        %y = offset ptr<global> %x, 1:i32 scale 4
        store %v, %y
      }
    })");
}

TEST(InferSpaces, SeveralSpacesStayGeneric) {
  const std::string text = after(R"(
    shared @s: [64 x f32] align 4
    kernel @k(%p: ptr<global>, %c: bool, %i: i32) {
      %g = space_cast ptr<generic> %p
      %h = space_cast ptr<generic> @s
      %g2 = offset ptr<generic> %g, %i scale 4
      store %g2, 2.0:f32
      %t = select ptr<generic> %c, %g2, %h
      store %t, 1.0:f32
    })",
                                 inferred);
  EXPECT_EQ(count(text, "offset ptr<global>"), 1u) << text;
  EXPECT_EQ(count(text, "select ptr<generic>"), 1u) << text;
}

TEST(InferSpaces, PointersInStructParametersAreGlobal) {
  const std::string text = after(R"(
    struct %args { x: ptr<generic> @0, n: i32 @8 } size 16 align 8
    kernel @k(%a: %args, %q: ptr<generic>) {
      %x = extract ptr<generic> %a index 0
      store %x, 1:i32
      store %q, 1:i32
    })",
                                 inferred);
  EXPECT_EQ(count(text, "space_cast ptr<global>"), 1u) << text;
  EXPECT_EQ(count(text, "%q: ptr<global>"), 1u) << text;
}

TEST(InferSpaces, PointersFromGlobalMemoryAreGlobal) {
  const std::string text = after(R"(
    kernel @k(%rows: ptr<global>, %i: i32) {
      %r = offset ptr<global> %rows, %i scale 8
      %x = load ptr<generic> %r
      store %x, 1:i32
    })",
                                 inferred);
  EXPECT_EQ(count(text, "space_cast ptr<global>"), 1u) << text;
}

TEST(InferSpaces, UnlessTheKernelPutsOthersThere) {
  const std::string text = after(R"(
    shared @s: [64 x f32] align 4
    kernel @k(%rows: ptr<global>, %i: i32) {
      %h = space_cast ptr<generic> @s
      store %rows, %h
      %r = offset ptr<global> %rows, %i scale 8
      %x = load ptr<generic> %r
      store %x, 1:i32
    })",
                                 inferred);
  EXPECT_EQ(count(text, "space_cast ptr<global>"), 0u) << text;
}

TEST(InferSpaces, LocalArraysOfPointers) {
  const std::string text = after(R"(
    shared @s: [64 x f32] align 4
    kernel @k(%p: ptr<global>, %i: i32) {
      %t = var [2 x ptr<generic>]
      %h = space_cast ptr<generic> @s
      store %t, %h
      %t1 = offset ptr<local> %t, 1:i32 scale 8
      %h1 = offset ptr<generic> %h, 4:i32 scale 4
      store %t1, %h1
      %e = offset ptr<local> %t, %i scale 8
      %x = load ptr<generic> %e
      store %x, 1:i32
    })",
                                 inferred);
  EXPECT_EQ(count(text, "space_cast ptr<shared>"), 1u) << text;
}

TEST(InferSpaces, AnAddressAlignedAsAnIntegerKeepsItsSpace) {
  const std::string text = after(R"(
    shared @s: [64 x f32] align 4
    kernel @k(%p: ptr<global>) {
      %h = space_cast ptr<generic> @s
      %u = ptr_to_int %h
      %v = and u64 %u, 18446744073709551600
      %q = int_to_ptr ptr<generic> %v
      store %q, 1:i32
    })",
                                 inferred);
  EXPECT_EQ(count(text, "space_cast ptr<shared>"), 1u) << text;
}

TEST(InferSpaces, NullJoinsWithAnything) {
  const std::string text = after(R"(
    kernel @k(%p: ptr<global>, %c: bool) {
      %v = var ptr<generic>
      store %v, null:ptr<generic>
      if %c {
        barrier
        %g = space_cast ptr<generic> %p
        store %v, %g
      }
      %w = load ptr<generic> %v
      %n = ne ptr<generic> %w, null
      if %n {
        store %w, 1:i32
      }
    })",
                                 inferred);
  EXPECT_EQ(count(text, "generic"), 0u) << text;
}

}  // namespace
}  // namespace quern::pass
