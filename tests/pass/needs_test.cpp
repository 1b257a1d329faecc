#include "pass/pass_test.hpp"

namespace quern::pass {
namespace {

Needs needs_of(std::string_view text) {
  const ir::Module module = parsed(text);
  return needs(module, *module.functions[0]);
}

TEST(Needs, NothingUnused) {
  const Needs n = needs_of(R"(
    shared @unused: [1024 x f64] align 8
    kernel @k(%p: ptr<global>, %d: f32, %n: i32) {
      %i = var i32
      store %i, 0:i32
      %v = load i32 %i
      %q = offset ptr<global> %p, 3:i64 scale 4
      store %q, %v
    })");
  EXPECT_FALSE(n.fp64 || n.fp16 || n.bf16 || n.int64 || n.int8 || n.int16);
  EXPECT_FALSE(n.barrier || n.warp_ops || n.generic_pointers || n.pointer_in_memory || n.dynamic_shared);
  EXPECT_EQ(n.shared_bytes, 0u);
  EXPECT_EQ(n.local_bytes, 0u);
  EXPECT_EQ(n.param_bytes, 16u);
  EXPECT_EQ(n.buffers, 1u);
}

TEST(Needs, Types) {
  const Needs n = needs_of(R"(
    kernel @k(%p: ptr<global>, %q: ptr<global>) {
      %a = load f64 %p
      %b = convert f16 %a
      %c = convert i64 %a
      %d = convert u8 %c
      %e = load bool %q
      store %p, %b
      store %p, %d
      store %p, %e
    })");
  EXPECT_TRUE(n.fp64 && n.fp16 && n.int64 && n.int8);
  EXPECT_FALSE(n.bf16 || n.int16);
  EXPECT_TRUE(needs_of("kernel @k(%q: ptr<global>) {\n %e = load bool %q\n assert \"e\", %e\n}").int8);
}

TEST(Needs, Atomics) {
  const Needs n = needs_of(R"(
    kernel @k(%p: ptr<global>) {
      %a = atomic.add.device f32 %p, 1.0
      %b = atomic.exchange.device f64 %p, 1.0
      %c = atomic.max.system i32 %p, 1
    })");
  EXPECT_TRUE(n.atomics_float32 && n.atomics_int64 && n.atomics_int32 && n.system_scope);
  EXPECT_FALSE(n.atomics_float64 || n.atomics_float16);
}

TEST(Needs, Memory) {
  const Needs n = needs_of(R"(
    struct %args { x: ptr<generic> @0, n: i32 @8 } size 16 align 8
    shared @s: [10 x i32] align 4
    shared @t: [2 x f64] align 16
    shared @dyn: [0 x f32] align 4
    kernel @k(%c: bool, %a: %args, %p: ptr<global>, %i: i32) {
      %v = var [5 x i32]
      %e = offset ptr<local> %v, %i scale 4
      store %e, 1:i32
      store @s, 1:i32
      store @t, 1:i32
      store @dyn, 1:i32
      %g = load ptr<generic> %p
      store %g, 1:i32
      %x = extract ptr<generic> %a index 0
      store %x, 1:i32
    })");
  EXPECT_EQ(n.shared_bytes, 64u);
  EXPECT_TRUE(n.dynamic_shared && n.generic_pointers && n.pointer_in_memory && n.pointer_in_params);
  EXPECT_EQ(n.local_bytes, 20u);
  EXPECT_EQ(n.param_bytes, 36u);
}

TEST(Needs, Barriers) {
  EXPECT_FALSE(needs_of("kernel @k() {\n barrier\n}").divergent_barrier);
  EXPECT_TRUE(needs_of("kernel @k() {\n barrier\n}").barrier);
  const Needs n = needs_of(R"(
    kernel @k(%n: u32) {
      %t = thread_id.x
      %c = lt u32 %t, %n
      if %c {
        barrier
      }
    })");
  EXPECT_TRUE(n.divergent_barrier);
  const Needs after_return = needs_of(R"(
    kernel @k(%n: u32) {
      %t = thread_id.x
      %c = ge u32 %t, %n
      if %c {
        return
      }
      barrier
    })");
  EXPECT_TRUE(after_return.divergent_barrier);
}

TEST(Needs, Effects) {
  const Needs n = needs_of(R"(
    kernel @k(%p: ptr<global>) {
      printf "hello"
      assert "x", true
      %c = clock
      store %p, %c
      %m = active_mask
      grid_barrier
      fence.system
    })");
  EXPECT_TRUE(n.print && n.assertion && n.clock && n.warp_ops && n.grid_barrier && n.system_scope);
}

// The host converts printed values to double.
TEST(Needs, PrintingFloatsNeedsNoDoubles) {
  EXPECT_FALSE(needs_of(R"(
    kernel @k(%x: f32) {
      %d = convert f64 %x
      printf "%f %f", %d
    })")
                   .fp64);
  EXPECT_TRUE(needs_of(R"(
    kernel @k(%p: ptr<global>, %x: f32) {
      %d = convert f64 %x
      printf "%f", %d
      store %p, %d
    })")
                  .fp64);
  EXPECT_TRUE(needs_of("kernel @k(%x: f64) {\n printf \"%f\", %x\n }").fp64);
}

}  // namespace
}  // namespace quern::pass
