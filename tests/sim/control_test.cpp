// Control flow, local variables, aggregates and pointers.
#include "sim/sim_case.hpp"

namespace quern::sim {
namespace {

int32_t one(const std::string& text, std::vector<Arg> args = {}) {
  Bench bench(text);
  const Address out = bench.upload(std::vector<int32_t>{0});
  args.insert(args.begin(), out);
  bench.run(dim(1), dim(1), std::move(args));
  return bench.download<int32_t>(out, 1)[0];
}

TEST(SimControl, LoopsCountContinueAndExit) {
  const char* text = R"(
    kernel @k(%out: ptr<global>, %n: i32) {
      %i = var i32
      %s = var i32
      store %i, 0:i32
      store %s, 0:i32
      loop L0 {
        %a = load i32 %i
        %c = lt i32 %a, %n
        yield %c
      } body {
        %b = load i32 %i
        %odd = and i32 %b, 1
        %is = ne i32 %odd, 0
        if %is {
          continue L0
        }
        %far = gt i32 %b, 100
        if %far {
          exit L0
        }
        %t = load i32 %s
        %u = add i32 %t, %b
        store %s, %u
      } step {
        %d = load i32 %i
        %e = add i32 %d, 1
        store %i, %e
      }
      %r = load i32 %s
      store %out, %r
      return
    })";
  EXPECT_EQ(one(text, {10}), 0 + 2 + 4 + 6 + 8);
  EXPECT_EQ(one(text, {0}), 0);
  EXPECT_EQ(one(text, {1000}), 50 * 51);
}

TEST(SimControl, DoWhile) {
  const char* text = R"(
    kernel @k(%out: ptr<global>, %n: i32) {
      %i = var i32
      store %i, 0:i32
      loop L0 {
      } body {
        %a = load i32 %i
        %b = add i32 %a, 1
        store %i, %b
      } step {
        %c = load i32 %i
        %d = lt i32 %c, %n
        yield %d
      }
      %r = load i32 %i
      store %out, %r
      return
    })";
  EXPECT_EQ(one(text, {5}), 5);
  EXPECT_EQ(one(text, {-5}), 1);
}

TEST(SimControl, SwitchOnEveryKindOfCase) {
  const char* text = R"(
    kernel @k(%out: ptr<global>, %n: i32) {
      switch L0 %n {
        case 1, 2, -3 {
          store %out, 10:i32
        }
        default {
          store %out, 20:i32
        }
        case 7 {
          store %out, 30:i32
          exit L0
        }
        case 8 {
          return
        }
      }
      %v = load i32 %out
      %w = add i32 %v, 1
      store %out, %w
      return
    })";
  EXPECT_EQ(one(text, {1}), 11);
  EXPECT_EQ(one(text, {-3}), 11);
  EXPECT_EQ(one(text, {0}), 21);
  EXPECT_EQ(one(text, {7}), 31);
  EXPECT_EQ(one(text, {8}), 0);
}

TEST(SimControl, SwitchWithoutDefault) {
  const char* text = R"(
    kernel @k(%out: ptr<global>, %n: u64) {
      switch L0 %n {
        case -1 {
          store %out, 1:i32
        }
      }
      return
    })";
  EXPECT_EQ(one(text, {~uint64_t{0}}), 1);
  EXPECT_EQ(one(text, {uint64_t{5}}), 0);
}

TEST(SimControl, ScopesExitAcrossLoops) {
  const char* text = R"(
    kernel @k(%out: ptr<global>, %n: i32) {
      %r = var i32
      store %r, 0:i32
      scope L0 {
        loop L1 {
        } body {
          loop L2 {
          } body {
            %a = load i32 %r
            %b = add i32 %a, 1
            store %r, %b
            %c = ge i32 %b, %n
            if %c {
              exit L0
            } else {
              continue L1
            }
          }
        }
        store %r, -1:i32
      }
      %v = load i32 %r
      store %out, %v
      return
    })";
  EXPECT_EQ(one(text, {9}), 9);
}

TEST(SimControl, LoadsKeepTheirValueOverLaterStores) {
  EXPECT_EQ(one(R"(
    kernel @k(%out: ptr<global>, %n: i32) {
      %x = var i32
      store %x, %n
      %a = load i32 %x
      %b = add i32 %a, 1
      store %x, %b
      %c = load i32 %x
      %d = mul i32 %a, 100
      %e = add i32 %d, %c
      store %out, %e
      return
    })",
                {3}),
            304);
}

TEST(SimControl, SwappedVariables) {
  EXPECT_EQ(one(R"(
    kernel @k(%out: ptr<global>, %n: i32) {
      %x = var i32
      %y = var i32
      store %x, %n
      store %y, 7:i32
      %a = load i32 %x
      %b = load i32 %y
      store %x, %b
      store %y, %a
      %c = load i32 %x
      %d = load i32 %y
      %e = mul i32 %c, 10
      %f = add i32 %e, %d
      store %out, %f
      return
    })",
                {3}),
            73);
}

TEST(SimControl, AnAddressIsComputedAtItsUse) {
  // The index changes between the address and its use.
  EXPECT_EQ(one(R"(
    kernel @k(%out: ptr<global>, %n: i32) {
      %i = var i32
      store %i, 0:i32
      %a = load i32 %i
      %p = offset ptr<global> %out, %a scale 4
      store %i, 1000000:i32
      store %p, %n
      return
    })",
                {42}),
            42);
}

TEST(SimControl, ConstantsDoNotShareSlotsWithValues) {
  EXPECT_EQ(one(R"(
    kernel @k(%out: ptr<global>, %n: i32) {
      %i = var i32
      %s = var i32
      store %i, 0:i32
      store %s, 0:i32
      loop L0 {
        %a = load i32 %i
        %c = lt i32 %a, 4
        yield %c
      } body {
        %x = mul i32 %n, 3
        %y = add i32 %x, %n
        %z = xor i32 %y, 77
        %t = load i32 %s
        %u = add i32 %t, %z
        %w = mul i32 %u, 5
        store %s, %w
      } step {
        %d = load i32 %i
        %e = add i32 %d, 1
        store %i, %e
      }
      %r = load i32 %s
      store %out, %r
      return
    })",
                {1}),
            [] {
              int s = 0;
              for (int i = 0; i < 4; ++i) s = (s + ((1 * 3 + 1) ^ 77)) * 5;
              return s;
            }());
}

TEST(SimMemory, LocalArraysByIndex) {
  EXPECT_EQ(one(R"(
    kernel @k(%out: ptr<global>, %n: i32) {
      %a = var [8 x i32]
      %i = var i32
      store %i, 0:i32
      loop L0 {
        %x = load i32 %i
        %c = lt i32 %x, 8
        yield %c
      } body {
        %y = load i32 %i
        %p = offset ptr<local> %a, %y scale 4
        %sq = mul i32 %y, %y
        store %p, %sq
      } step {
        %d = load i32 %i
        %e = add i32 %d, 1
        store %i, %e
      }
      %q = offset ptr<local> %a, %n scale 4
      %v = load i32 %q
      %last = offset ptr<local> %a, 7:i32 scale 4
      %w = load i32 %last
      %s = add i32 %v, %w
      store %out, %s
      return
    })",
                {5}),
            25 + 49);
}

TEST(SimMemory, StructsByValueAndByField) {
  EXPECT_EQ(one(R"(
    struct %P { a: u8 @0, b: i32 @4, c: f64 @8 } size 16 align 8
    kernel @k(%out: ptr<global>, %in: %P) {
      %v = var %P
      store %v, %in
      %pb = field ptr<local> %v of %P index 1
      %b = load i32 %pb
      %b2 = add i32 %b, 1
      store %pb, %b2
      %all = load %P %v
      %more = insert %P %all, 5:u8 index 0
      %x = extract u8 %more index 0
      %y = extract i32 %more index 1
      %z = extract f64 %more index 2
      %xi = convert i32 %x
      %zi = convert i32 %z
      %s = add i32 %xi, %y
      %t = add i32 %s, %zi
      store %out, %t
      return
    })",
                {[] {
                  struct {
                    uint8_t a = 1;
                    int32_t b = 20;
                    double c = 300.5;
                  } p;
                  return Arg(p);
                }()}),
            5 + 21 + 300);
}

TEST(SimMemory, ConstructSelectAndNestedAggregates) {
  EXPECT_EQ(one(R"(
    struct %I { x: i32 @0, y: i32 @4 } size 8 align 4
    struct %O { i: [2 x %I] @0, k: i32 @16 } size 20 align 4
    kernel @k(%out: ptr<global>, %n: i32) {
      %a = construct %I (1:i32, %n)
      %b = construct %I (10:i32, 20:i32)
      %c = gt i32 %n, 5
      %s = select %I %c, %a, %b
      %arr = construct [2 x %I] (%s, %b)
      %o = construct %O (%arr, 7:i32)
      %ar = extract [2 x %I] %o index 0
      %e0 = extract %I %ar index 0
      %y = extract i32 %e0 index 1
      %e1 = extract %I %ar index 1
      %x = extract i32 %e1 index 0
      %kk = extract i32 %o index 1
      %t = add i32 %x, %y
      %u = add i32 %t, %kk
      store %out, %u
      return
    })",
                {6}),
            10 + 6 + 7);
}

TEST(SimMemory, PointersLiveInMemory) {
  Bench bench(R"(
    kernel @k(%table: ptr<global>, %n: i32) {
      %slot = offset ptr<global> %table, %n scale 8
      %p = load ptr<global> %slot
      %v = load i32 %p
      %w = add i32 %v, 1
      store %p, %w
      return
    })");
  const Address a = bench.upload(std::vector<int32_t>{5}), b = bench.upload(std::vector<int32_t>{9});
  const Address table = bench.upload(std::vector<uint64_t>{a, b});
  bench.run(dim(1), dim(1), {table, 1});
  EXPECT_EQ(bench.download<int32_t>(a, 1)[0], 5);
  EXPECT_EQ(bench.download<int32_t>(b, 1)[0], 10);
}

TEST(SimMemory, GenericPointersFindTheirSpace) {
  Bench bench(R"(
    shared @s: [4 x i32] align 4
    kernel @k(%out: ptr<global>, %n: i32) {
      %l = var [4 x i32]
      %lp = offset ptr<local> %l, 1:i32 scale 4
      store %lp, 7:i32
      store @s, 8:i32
      %g = space_cast ptr<generic> %out
      %sh = space_cast ptr<generic> @s
      %lo = space_cast ptr<generic> %lp
      %c0 = eq i32 %n, 0
      %c1 = eq i32 %n, 1
      %p1 = select ptr<generic> %c1, %sh, %lo
      %p = select ptr<generic> %c0, %g, %p1
      %v = load i32 %p
      %ig = is_space.global %p
      %is = is_space.shared %p
      %il = is_space.local %p
      %a = convert i32 %ig
      %b = convert i32 %is
      %c = convert i32 %il
      %b2 = mul i32 %b, 10
      %c2 = mul i32 %c, 100
      %ab = add i32 %a, %b2
      %abc = add i32 %ab, %c2
      store %p, %abc
      %o = offset ptr<global> %out, 1:i32 scale 4
      store %o, %v
      %o2 = offset ptr<global> %out, 2:i32 scale 4
      %w = load i32 %p
      store %o2, %w
      return
    })");
  for (int n = 0; n < 3; ++n) {
    const Address out = bench.upload(std::vector<int32_t>{6, 0, 0});
    bench.run(dim(1), dim(1), {out, n});
    const auto v = bench.download<int32_t>(out, 3);
    EXPECT_EQ(v[1], 6 + (n == 1 ? 2 : n == 2 ? 1 : 0));
    EXPECT_EQ(v[2], n == 0 ? 1 : n == 1 ? 10 : 100);
  }
}

TEST(SimMemory, AddressesAreNumbers) {
  EXPECT_EQ(one(R"(
    kernel @k(%out: ptr<global>, %n: i32) {
      %p = offset ptr<global> %out, %n scale 4
      %d = ptr_diff %p, %out scale 4
      %i = ptr_to_int %p
      %back = sub u64 %i, 12
      %q = int_to_ptr ptr<global> %back
      %same = eq ptr<global> %q, %out
      %low = and u64 %i, 15
      %di = convert i32 %d
      %li = convert i32 %low
      %si = convert i32 %same
      %a = mul i32 %di, 100
      %b = mul i32 %li, 10000
      %c = add i32 %a, %si
      %e = add i32 %c, %b
      store %q, %e
      return
    })",
                {3}),
            300 + 1 + 12 * 10000);
}

TEST(SimMemory, CopyAndSet) {
  Bench bench(R"(
    kernel @k(%out: ptr<global>, %in: ptr<global>, %n: u64) {
      %buf = var [16 x u8]
      mem_set %buf, 170:u8, 16:u64
      mem_copy %buf, %in, %n
      mem_copy %out, %buf, 16:u64
      return
    })");
  const Address in = bench.upload(std::vector<uint8_t>{1, 2, 3, 4, 5, 6, 7, 8}), out = bench.allocate(16);
  bench.run(dim(1), dim(1), {out, in, uint64_t{5}});
  const auto v = bench.download<uint8_t>(out, 16);
  EXPECT_EQ(v, (std::vector<uint8_t>{1, 2, 3, 4, 5, 170, 170, 170, 170, 170, 170, 170, 170, 170, 170, 170}));
}

TEST(SimMemory, NarrowTypes) {
  Bench bench(R"(
    kernel @k(%out: ptr<global>, %in: ptr<global>) {
      %t = thread_id.x
      %p8 = offset ptr<global> %in, %t scale 1
      %a = load i8 %p8
      %w = convert i64 %a
      %h = convert i16 %w
      %p16 = offset ptr<global> %out, %t scale 2
      store %p16, %h
      return
    })");
  const Address in = bench.upload(std::vector<int8_t>{-1, 2, -128, 127}), out = bench.allocate(8, "out", 2);
  bench.run(dim(1), dim(4), {out, in});
  EXPECT_EQ(bench.download<int16_t>(out, 4), (std::vector<int16_t>{-1, 2, -128, 127}));
}

TEST(SimMemory, IndicesInThreeDimensions) {
  Bench bench(R"(
    kernel @k(%out: ptr<global>) {
      %tx = thread_id.x
      %ty = thread_id.y
      %tz = thread_id.z
      %bx = block_id.x
      %by = block_id.y
      %bz = block_id.z
      %dx = block_dim.x
      %dy = block_dim.y
      %dz = block_dim.z
      %gx = grid_dim.x
      %gy = grid_dim.y
      %gz = grid_dim.z
      %lane = lane_id
      %dyn = dynamic_shared_size
      %a1 = mul u32 %bz, %gy
      %a2 = add u32 %a1, %by
      %a3 = mul u32 %a2, %gx
      %a4 = add u32 %a3, %bx
      %a5 = mul u32 %a4, %dz
      %a6 = add u32 %a5, %tz
      %a7 = mul u32 %a6, %dy
      %a8 = add u32 %a7, %ty
      %a9 = mul u32 %a8, %dx
      %i = add u32 %a9, %tx
      %v1 = mul u32 %gz, 1000
      %v2 = add u32 %v1, %lane
      %v3 = mul u32 %dyn, 10000
      %v4 = add u32 %v2, %v3
      %p = offset ptr<global> %out, %i scale 4
      store %p, %v4
      return
    })");
  const uint32_t n = 2 * 3 * 4 * 5 * 3 * 2;
  for_seeds([&](const LaunchOptions& options) {
    const Address out = bench.allocate(n * 4);
    bench.run(dim(2, 3, 4), dim(5, 3, 2), {out}, options, 7);
    const auto v = bench.download<uint32_t>(out, n);
    for (uint32_t i = 0; i < n; ++i) ASSERT_EQ(v[i], 70000 + 4000 + i % 30 % 32) << i;
  });
}

}  // namespace
}  // namespace quern::sim
