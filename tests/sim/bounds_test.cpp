// Out-of-bounds and misaligned accesses, and arithmetic errors: detected at the right position, with the
// right message.
#include "sim/sim_case.hpp"

namespace quern::sim {
namespace {

Report only(const LaunchResult& r) {
  EXPECT_EQ(r.reports.size(), 1u) << kinds(r);
  return r.reports.empty() ? Report() : r.reports[0];
}

constexpr const char* kRead = R"(
  kernel @k(%x: ptr<global> of f32, %y: ptr<global> of f32, %i: i32) {
    %p = offset ptr<global> %x, %i scale 4
    %v = load f32 %p @4:9+4
    store %y, %v @5:3
    return
  })";

TEST(SimBounds, PastTheEndAndBeforeTheStart) {
  Bench bench(kRead);
  const Address x = bench.upload(std::vector<float>(10, 1)), y = bench.upload(std::vector<float>(10, 7));
  const Report past = only(bench.launch(dim(1), dim(1), {x, y, 10}));
  EXPECT_EQ(past.kind, ReportKind::kOutOfBounds);
  EXPECT_EQ(past.pos.line, 4u);
  EXPECT_EQ(past.message, message::kOutsideObject("x[10]", "read", "x", "10 elements").text);
  EXPECT_EQ(past.place, "x[10]");
  EXPECT_EQ(past.extent, 10u);
  EXPECT_EQ(past.access_bytes, 4u);
  EXPECT_EQ(past.kernel, "k");
  EXPECT_EQ(only(bench.launch(dim(1), dim(1), {x, y, -1})).message,
            message::kOutsideObject("x[-1]", "read", "x", "10 elements").text);
  EXPECT_EQ(only(bench.launch(dim(1), dim(1), {x, y, INT32_MIN})).message,
            message::kOutsideObject("x[-2147483648]", "read", "x", "10 elements").text);
  EXPECT_EQ(only(bench.launch(dim(1), dim(1), {x, y, INT32_MAX})).message,
            message::kOutsideObject("x[2147483647]", "read", "x", "10 elements").text);
  EXPECT_EQ(bench.download<float>(y, 1)[0], 0.0f);  // an invalid load returns zero
  bench.run(dim(1), dim(1), {x, y, 9});
}

TEST(SimBounds, OnePointerNeverReachesAnotherBuffer) {
  Bench bench(R"(
    kernel @k(%x: ptr<global> of f32, %d: i64) {
      %p = offset ptr<global> %x, %d scale 1
      store %p, 1.5:f32 @4:3
      return
    })");
  std::vector<Address> all;
  for (int i = 0; i < 8; ++i) all.push_back(bench.upload(std::vector<float>(16, 0), "b" + std::to_string(i)));
  for (int64_t d = -4096; d < 4096; d += 60) {
    if (d >= 0 && d < 64) continue;
    ASSERT_EQ(kinds(bench.launch(dim(1), dim(1), {all[3], d})), "out of bounds at 4") << d;
  }
  for (Address a : all) EXPECT_EQ(bench.download<float>(a, 16), std::vector<float>(16, 0));
}

TEST(SimBounds, NullFreedAndInvented) {
  Bench bench(kRead);
  const Address x = bench.upload(std::vector<float>(4, 1), "gone"),
                y = bench.upload(std::vector<float>(4, 7));
  EXPECT_EQ(only(bench.launch(dim(1), dim(1), {Address{0}, y, 3})).message,
            message::kNullPointer("read").text);
  EXPECT_EQ(only(bench.launch(dim(1), dim(1), {Address{0x123456789}, y, 0})).message,
            message::kNotDeviceAddress("0x123456789", "read").text);
  ASSERT_TRUE(bench.device.free(x).ok());
  EXPECT_EQ(only(bench.launch(dim(1), dim(1), {x, y, 0})).message,
            message::kFreedMemory("x[0]", "read").text);
  EXPECT_EQ(only(bench.launch(dim(1), dim(1), {~Address{0}, y, 0})).kind, ReportKind::kOutOfBounds);
}

TEST(SimBounds, FromOneSharedArrayIntoTheNext) {
  Bench bench(R"(
    shared @a: [16 x i32] align 4
    shared @b: [16 x i32] align 4
    kernel @k(%i: i32) {
      store @b, 5:i32
      %p = offset ptr<shared> @a, %i scale 4
      store %p, 7:i32 @6:3
      return
    })");
  bench.run(dim(1), dim(1), {15});
  EXPECT_EQ(only(bench.launch(dim(1), dim(1), {16})).message,
            message::kOutsideObject("a[16]", "written", "a", "16 elements").text);
  EXPECT_EQ(only(bench.launch(dim(1), dim(1), {16})).value, "7");
  EXPECT_EQ(only(bench.launch(dim(1), dim(1), {-1})).message,
            message::kOutsideObject("a[-1]", "written", "a", "16 elements").text);
}

TEST(SimBounds, DynamicSharedMemory) {
  Bench bench(R"(
    shared @dyn: [0 x f32] align 16
    kernel @k(%i: i32) {
      %p = offset ptr<shared> @dyn, %i scale 4
      store %p, 7.0:f32 @6:3
      return
    })");
  bench.run(dim(1), dim(1), {7}, {}, 32);
  const LaunchResult r = bench.launch(dim(1), dim(1), {8}, {}, 32);
  EXPECT_EQ(only(r).message, message::kOutsideDynamicShared("dyn[8]", "written", "32 B").text);
  EXPECT_EQ(only(bench.launch(dim(1), dim(1), {0})).message,
            message::kOutsideDynamicShared("dyn[0]", "written", "0 B").text);
}

TEST(SimBounds, TwoDimensionsAndFields) {
  Bench bench(R"(
    struct %P { x: f32 @0, y: f32 @4 } size 8 align 4
    shared @tile: [4 x [8 x f32]] align 4
    kernel @k(%p: ptr<global> of %P, %i: i32, %j: i32) {
      %r = offset ptr<shared> @tile, %i scale 32
      %c = offset ptr<shared> %r, %j scale 4
      store %c, 0.0:f32 @7:3
      %e = offset ptr<global> %p, %i scale 8
      %f = field ptr<global> %e of %P index 1
      store %f, 1.0:f32 @9:3
      return
    })");
  const Address p = bench.upload(std::vector<float>(8, 0));
  // Beyond the inner dimension but within the object: not reported.
  bench.run(dim(1), dim(1), {p, 1, 9});
  EXPECT_EQ(only(bench.launch(dim(1), dim(1), {p, 3, 9})).place, "tile[4][1]");
  const LaunchResult r = bench.launch(dim(1), dim(1), {p, 4, 0});
  ASSERT_EQ(kinds(r), "out of bounds at 7; out of bounds at 9");
  EXPECT_EQ(r.reports[1].message, message::kOutsideObject("p[4].y", "written", "p", "4 elements").text);
}

TEST(SimBounds, LocalArrays) {
  Bench bench(R"(
    kernel @k(%out: ptr<global>, %i: i32) {
      %a = var [4 x i32]
      %b = var [4 x i32]
      mem_set %a, 0:u8, 16:u64
      mem_set %b, 0:u8, 16:u64
      %p = offset ptr<local> %a, %i scale 4
      %v = load i32 %p @7:5
      store %out, %v
      return
    })");
  const Address out = bench.upload(std::vector<int32_t>{0});
  bench.run(dim(1), dim(1), {out, 3});
  EXPECT_EQ(only(bench.launch(dim(1), dim(1), {out, 4})).message,
            message::kOutsideObject("a[4]", "read", "a", "4 elements").text);
  EXPECT_EQ(only(bench.launch(dim(1), dim(1), {out, -1})).message,
            message::kOutsideObject("a[-1]", "read", "a", "4 elements").text);
}

TEST(SimBounds, ALocalVariableOfAnotherThread) {
  Bench bench(R"(
    shared @where: ptr<local> align 8
    kernel @k(%out: ptr<global>) {
      %t = thread_id.x
      %v = var [2 x i32]
      mem_set %v, 1:u8, 8:u64
      %z = eq u32 %t, 0
      if %z {
        store @where, %v
      }
      barrier
      %p = load ptr<local> @where
      %x = load i32 %p @12:5
      %o = offset ptr<global> %out, %t scale 4
      store %o, %x
      return
    })");
  const Address out = bench.upload(std::vector<int32_t>(4, 0));
  const Report r = only(bench.launch(dim(1), dim(4), {out}));
  EXPECT_EQ(r.message, message::kForeignLocal("v[0]", "0", "read").text);
  EXPECT_EQ(r.count, 3u);
}

TEST(SimBounds, ConstantsCannotBeWritten) {
  Bench bench(R"(
    constant @c: [4 x i32] align 4
    kernel @k(%i: i32) {
      %g = space_cast ptr<generic> @c
      %p = offset ptr<generic> %g, %i scale 4
      store %p, 1:i32 @3:3
      return
    })");
  EXPECT_EQ(only(bench.launch(dim(1), dim(1), {2})).message, message::kConstantMemory("c[2]").text);
}

TEST(SimBounds, CopiesAndAtomicsAreChecked) {
  Bench bench(R"(
    kernel @k(%x: ptr<global> of i32, %n: u64) {
      %buf = var [8 x i32]
      mem_set %buf, 0:u8, 32:u64
      mem_copy %x, %buf, %n @4:3
      mem_set %x, 0:u8, %n @5:3
      %p = offset ptr<global> %x, %n scale 1
      %o = atomic.add.device i32 %p, 1 @6:3
      return
    })");
  const Address x = bench.upload(std::vector<int32_t>(4, 0));
  EXPECT_EQ(kinds(bench.launch(dim(1), dim(1), {x, uint64_t{20}})),
            "out of bounds at 4; out of bounds at 5; out of bounds at 6");
  EXPECT_EQ(kinds(bench.launch(dim(1), dim(1), {x, uint64_t{12}})), "");
  EXPECT_EQ(kinds(bench.launch(dim(1), dim(1), {x, ~uint64_t{0}})),
            "out of bounds at 4; out of bounds at 5; out of bounds at 6");
}

TEST(SimBounds, PartlyOutside) {
  Bench bench(R"(
    struct %float4 { x: f32 @0, y: f32 @4, z: f32 @8, w: f32 @12 } size 16 align 16
    kernel @k(%x: ptr<global> of f32, %y: ptr<global> of f32) {
      %p = offset ptr<global> %x, 8:i32 scale 4
      %v = load %float4 %p @3:3
      store %y, %v
      return
    })");
  const Address x = bench.upload(std::vector<float>(10, 1)), y = bench.upload(std::vector<float>(10, 1));
  const Report r = only(bench.launch(dim(1), dim(1), {x, y}));
  EXPECT_EQ(r.access_bytes, 16u);
  EXPECT_EQ(r.place, "x[8]");
}

TEST(SimAlign, MisalignedVectorLoad) {
  Bench bench(R"(
    struct %float4 { x: f32 @0, y: f32 @4, z: f32 @8, w: f32 @12 } size 16 align 16
    kernel @k(%x: ptr<global> of f32, %y: ptr<global> of f32, %i: i32) {
      %p = offset ptr<global> %x, %i scale 4
      %v = load %float4 %p @3:3
      store %y, %v
      return
    })");
  const Address x = bench.upload(std::vector<float>(16, 1)), y = bench.upload(std::vector<float>(16, 1));
  bench.run(dim(1), dim(1), {x, y, 4});
  const Report r = only(bench.launch(dim(1), dim(1), {x, y, 3}));
  EXPECT_EQ(r.kind, ReportKind::kMisaligned);
  EXPECT_EQ(r.message, message::kMisaligned("16", "read", "x[3]", "12", "16").text);
}

TEST(SimAlign, ScalarsAndDeclaredAlignment) {
  Bench bench(R"(
    kernel @k(%x: ptr<global> of u8, %i: i32) {
      %p = offset ptr<global> %x, %i scale 1
      %v = load i32 %p align 1
      %w = load i32 %p @4:3
      %s = add i32 %v, %w
      return
    })");
  const Address x = bench.upload(std::vector<uint8_t>(16, 1));
  bench.run(dim(1), dim(1), {x, 4});
  EXPECT_EQ(kinds(bench.launch(dim(1), dim(1), {x, 3})), "misaligned at 4");
}

TEST(SimArithmetic, DivisionByZero) {
  Bench bench(R"(
    kernel @k(%out: ptr<global>, %a: i32, %b: i32) {
      %q = div i32 %a, %b @3:3
      %r = rem i32 %a, %b @4:3
      store %out, %q
      %p = offset ptr<global> %out, 1:i32 scale 4
      store %p, %r
      return
    })");
  const Address out = bench.upload(std::vector<int32_t>{9, 9});
  const LaunchResult r = bench.launch(dim(1), dim(1), {out, 7, 0});
  ASSERT_EQ(kinds(r), "division by zero at 3; division by zero at 4");
  EXPECT_EQ(r.reports[0].message, message::kDividedByZero("7").text);
  EXPECT_EQ(r.reports[1].message, message::kModuloZero("7").text);
  EXPECT_EQ(r.reports[0].value, "7");
  EXPECT_EQ(bench.download<int32_t>(out, 2), (std::vector<int32_t>{0, 7}));
  bench.run(dim(1), dim(1), {out, INT32_MIN, -1});
  EXPECT_EQ(bench.download<int32_t>(out, 2), (std::vector<int32_t>{INT32_MIN, 0}));
}

TEST(SimArithmetic, SignedOverflowAndShiftsOnRequest) {
  Bench bench(R"(
    kernel @k(%out: ptr<global>, %a: i32, %b: i32) {
      %x = add i32 %a, %b @1:1
      %y = sub i32 %a, %b @2:1
      %z = mul i32 %a, %b @3:1
      %n = neg i32 %a @4:1
      %s = shl i32 %a, %b @5:1
      %u1 = convert u32 %a
      %u = add u32 %u1, %u1 @6:1
      store %out, %x
      return
    })");
  const Address out = bench.upload(std::vector<int32_t>{0});
  LaunchOptions all;
  all.checks = kAllChecks;
  EXPECT_EQ(kinds(bench.launch(dim(1), dim(1), {out, 5, 6}, all)), "");
  EXPECT_EQ(kinds(bench.launch(dim(1), dim(1), {out, INT32_MAX, 2}, all)), "overflow at 1; overflow at 3");
  EXPECT_EQ(kinds(bench.launch(dim(1), dim(1), {out, INT32_MIN, 1}, all)), "overflow at 2; overflow at 4");
  const LaunchResult r = bench.launch(dim(1), dim(1), {out, 1, 32}, all);
  ASSERT_EQ(kinds(r), "shift at 5");
  EXPECT_EQ(r.reports[0].message, message::kShiftAmount("32", "32").text);
  EXPECT_EQ(kinds(bench.launch(dim(1), dim(1), {out, 1, -1}, all)), "shift at 5");
  EXPECT_EQ(kinds(bench.launch(dim(1), dim(1), {out, INT32_MAX, -1})), "");
  EXPECT_EQ(bench.launch(dim(1), dim(1), {out, INT32_MAX, 2}, all).reports[0].message,
            message::kOverflow("2147483647 + 2", "32").text);
}

}  // namespace
}  // namespace quern::sim
