// Uninitialized values: reported where they are read, once they are used; copies are not uses.
#include "sim/sim_case.hpp"

namespace quern::sim {
namespace {

LaunchResult launch(const std::string& text, uint32_t threads = 1, int32_t n = 1) {
  Bench bench(text);
  const Address out = bench.upload(std::vector<int32_t>(256, 0), "out");
  const Address raw = bench.allocate(1024, "raw");
  return bench.launch(dim(1), dim(threads), {out, raw, n});
}

std::string body(const std::string& text) {
  return R"(
    struct %P { a: u8 @0, b: i32 @4 } size 8 align 4
    struct %float4 { x: f32 @0, y: f32 @4, z: f32 @8, w: f32 @12 } size 16 align 16
    shared @s: [64 x i32] align 16
    kernel @k(%out: ptr<global> of i32, %raw: ptr<global> of i32, %n: i32) {
      %t = thread_id.x
)" + text +
         "\nreturn\n}";
}

TEST(SimUndefined, ALocalVariable) {
  const LaunchResult r =
      launch(body("%x = var i32\n%v = load i32 %x @7:3\n%w = add i32 %v, 1 @7:5\nstore %out, %w"));
  ASSERT_EQ(kinds(r), "uninitialized at 7");
  EXPECT_EQ(r.reports[0].message, message::kUninitializedVariable("x").text);
  EXPECT_EQ(r.reports[0].pos.column, 3u);
}

TEST(SimUndefined, ALocalVariableOnOneWay) {
  const std::string text = body(R"(
      %x = var i32
      %c = gt i32 %n, 0
      if %c {
        store %x, 5:i32
      }
      %v = load i32 %x @7:3
      %w = add i32 %v, 1 @7:5
      store %out, %w)");
  EXPECT_EQ(kinds(launch(text, 1, 1)), "");
  EXPECT_EQ(kinds(launch(text, 1, 0)), "uninitialized at 7");
}

TEST(SimUndefined, AVariableIsNewInEachIteration) {
  const std::string text = body(R"(
      %i = var i32
      store %i, 0:i32
      loop L0 {
        %a = load i32 %i
        %c = lt i32 %a, 3
        yield %c
      } body {
        %x = var i32
        %b = load i32 %i
        %first = eq i32 %b, 0
        if %first {
          store %x, 9:i32
        }
        %v = load i32 %x @8:3
        %w = add i32 %v, 1
        store %out, %w
      } step {
        %d = load i32 %i
        %e = add i32 %d, 1
        store %i, %e
      })");
  const LaunchResult r = launch(text);
  ASSERT_EQ(kinds(r), "uninitialized at 8");
  EXPECT_EQ(r.reports[0].count, 2u);
}

TEST(SimUndefined, DeviceMemory) {
  const LaunchResult r =
      launch(body("%p = offset ptr<global> %raw, 3:i32 scale 4\n%v = load i32 %p @7:3\n%w = mul i32 %v, "
                  "2\nstore %out, %w"));
  ASSERT_EQ(kinds(r), "uninitialized at 7");
  EXPECT_EQ(r.reports[0].message, message::kNeverWritten("raw[3]").text);
}

TEST(SimUndefined, StoredInTheKernelIsDefined) {
  EXPECT_EQ(kinds(launch(body("store %raw, 4:i32\n%v = load i32 %raw\n%w = mul i32 %v, 2\nstore %out, %w"))),
            "");
}

TEST(SimUndefined, SharedMemory) {
  const std::string text = body(R"(
      %c = lt u32 %t, 8
      %p = offset ptr<shared> @s, %t scale 4
      if %c {
        store %p, 1:i32
      }
      barrier
      %v = load i32 %p @9:3
      %w = add i32 %v, 1
      %o = offset ptr<global> %out, %t scale 4
      store %o, %w)");
  EXPECT_EQ(kinds(launch(text, 8)), "");
  const LaunchResult r = launch(text, 10);
  ASSERT_EQ(kinds(r), "uninitialized at 9");
  EXPECT_EQ(r.reports[0].place, "s[8]");
  EXPECT_EQ(r.reports[0].count, 2u);
}

TEST(SimUndefined, SharedMemoryDoesNotOutliveItsBlock) {
  Bench bench(R"(
    shared @s: i32 align 4
    kernel @k(%out: ptr<global>) {
      %b = block_id.x
      %c = eq u32 %b, 0
      if %c {
        store @s, 1:i32
      }
      %v = load i32 @s @8:1
      %w = add i32 %v, 1
      return
    })");
  const Address out = bench.upload(std::vector<int32_t>{0});
  const LaunchResult r = bench.launch(dim(3), dim(1), {out});
  ASSERT_EQ(kinds(r), "uninitialized at 8");
  EXPECT_EQ(r.reports[0].count, 2u);
}

TEST(SimUndefined, CopiesPassUntilTheyLeaveTheKernel) {
  // Loaded, kept in a variable, in shared memory, in a shuffle: no report. Stored to device memory: an error.
  EXPECT_EQ(kinds(launch(body(R"(
      %x = var i32
      %v = load i32 %raw
      store %x, %v
      %w = load i32 %x
      store @s, %w
      %sh = shuffle.index i32 4294967295:u32, %w, 0:u32, 32:u32
      %p = offset ptr<shared> @s, 1:i32 scale 4
      store %p, %sh)"))),
            "");
  EXPECT_EQ(kinds(launch(body("%v = load i32 %raw @7:3\nstore %out, %v @8:3"))), "uninitialized at 8");
}

TEST(SimUndefined, AShuffleOfDefinedLanesOnly) {
  // Only lane 0 has a value; all lanes read that one.
  EXPECT_EQ(kinds(launch(body(R"(
      %x = var i32
      %z = eq u32 %t, 0
      if %z {
        store %x, 5:i32
      }
      %v = load i32 %x
      %sh = shuffle.index i32 4294967295:u32, %v, 0:u32, 32:u32
      %w = add i32 %sh, 1
      %o = offset ptr<global> %out, %t scale 4
      store %o, %w)"),
                         32)),
            "");
}

TEST(SimUndefined, AShuffleOfAnUndefinedLane) {
  EXPECT_EQ(kinds(launch(body(R"(
      %x = var i32
      %z = eq u32 %t, 0
      if %z {
        store %x, 5:i32
      }
      %v = load i32 %x @9:1
      %sh = shuffle.index i32 4294967295:u32, %v, 1:u32, 32:u32 @10:1
      %w = add i32 %sh, 1 @11:1)"),
                         32)),
            "uninitialized at 10");
}

TEST(SimUndefined, SelectTakesTheDefinedSide) {
  const std::string text = body(R"(
      %x = var i32
      %u = load i32 %x @4:1
      %c = gt i32 %n, 0
      %v = select i32 %c, 3:i32, %u
      %w = add i32 %v, 1 @5:1
      store %out, %w)");
  EXPECT_EQ(kinds(launch(text, 1, 1)), "");
  EXPECT_EQ(kinds(launch(text, 1, 0)), "uninitialized at 5");
}

TEST(SimUndefined, AnUndefOperand) {
  EXPECT_EQ(kinds(launch(body("%w = add i32 %n, undef @5:1\nstore %out, %w"))), "uninitialized at 5");
  EXPECT_EQ(kinds(launch(body(
                "%c = gt i32 %n, 0\n%v = select i32 %c, %n, undef\n%w = add i32 %v, 1\nstore %out, %w"))),
            "");
}

TEST(SimUndefined, AConditionAndAnIndex) {
  EXPECT_EQ(kinds(launch(body("%x = var bool\n%c = load bool %x @4:1\nif %c {\nstore %out, 1:i32\n}"))),
            "uninitialized at 4");
  EXPECT_EQ(
      kinds(launch(body(
          "%x = var i32\n%i = load i32 %x @4:1\n%p = offset ptr<global> %out, %i scale 4\nstore %p, 1:i32"))),
      "uninitialized at 4");
}

TEST(SimUndefined, StructuresWithPaddingAndPartsPass) {
  EXPECT_EQ(kinds(launch(body(R"(
      %v = var %P
      %pa = field ptr<local> %v of %P index 0
      %pb = field ptr<local> %v of %P index 1
      store %pa, 1:u8
      store %pb, 2:i32
      %all = load %P %v
      store @s, %all
      store %out, %all
      %back = load %P @s
      %b = extract i32 %back index 1
      %w = add i32 %b, 1)"))),
            "");
}

TEST(SimUndefined, SomeLanesOfAVector) {
  const std::string text = body(R"(
      store %raw, 1.0:f32
      %v = load %float4 %raw @8:3
      %x = extract f32 %v index 0
      %y = add f32 %x, 1.0
      %c = gt i32 %n, 1
      if %c {
        %w = extract f32 %v index 3 @9:3
        %z = add f32 %w, 1.0
      })");
  EXPECT_EQ(kinds(launch(text, 1, 1)), "");
  const LaunchResult r = launch(text, 1, 2);
  ASSERT_EQ(kinds(r), "uninitialized at 9");
  EXPECT_EQ(r.reports[0].place, "raw[3]");
}

TEST(SimUndefined, InsertDefinesAMember) {
  EXPECT_EQ(kinds(launch(body(R"(
      %v = load %float4 %raw
      %a = insert %float4 %v, 1.0:f32 index 2
      %x = extract f32 %a index 2
      %y = add f32 %x, 1.0
      %w = extract f32 %a index 1 @9:3
      %z = add f32 %w, 1.0)"))),
            "uninitialized at 9");
}

TEST(SimUndefined, MemCopyCarriesIt) {
  EXPECT_EQ(kinds(launch(body(R"(
      store %raw, 1:i32
      %l = var [4 x i32]
      mem_copy %l, %raw, 16:u64
      mem_copy %out, %l, 16:u64
      %a = load i32 %out
      %b = add i32 %a, 1
      %p = offset ptr<global> %out, 1:i32 scale 4
      %c = load i32 %p @9:3
      %d = add i32 %c, 1)"))),
            "uninitialized at 9");
}

TEST(SimUndefined, AnAtomicOnUndefinedMemory) {
  EXPECT_EQ(kinds(launch(body("%o = atomic.add.device i32 %raw, 1 @5:1"))), "uninitialized at 5");
  EXPECT_EQ(
      kinds(launch(body("%o = atomic.exchange.device i32 %raw, 1\n%p = atomic.add.device i32 %raw, 1"))), "");
}

TEST(SimUndefined, LocalArraysAndFixedPlaces) {
  EXPECT_EQ(kinds(launch(body(R"(
      %l = var [4 x i32]
      %p = offset ptr<local> %l, 2:i32 scale 4
      %v = load i32 %p @7:1
      %w = add i32 %v, 1)"))),
            "uninitialized at 7");
  EXPECT_EQ(kinds(launch(body(R"(
      %l = var [4 x i32]
      %p = offset ptr<local> %l, %n scale 4
      store %p, 1:i32
      %q = offset ptr<local> %l, 1:i32 scale 4
      %v = load i32 %q
      %w = add i32 %v, 1)"))),
            "");
}

TEST(SimUndefined, CanBeTurnedOff) {
  Bench bench(
      body("%x = var i32\n%v = load i32 %x\n%r = load i32 %raw\n%s = load i32 @s\n%w = add i32 %v, %r\n%w2 = "
           "add i32 %w, %s\nstore %out, %w2\n%a = load %float4 %raw\n%b = extract f32 %a index 0\n%c = add "
           "f32 %b, 1.0"));
  const Address out = bench.upload(std::vector<int32_t>(4, 0)), raw = bench.allocate(64);
  LaunchOptions options;
  options.checks &= ~uint32_t{kCheckUninitialized};
  bench.run(dim(1), dim(1), {out, raw, 1}, options);
}

TEST(SimUndefined, UploadsFillsAndCopiesDefine) {
  Bench bench(body(
      "%p = offset ptr<global> %raw, %n scale 4\n%v = load i32 %p @7:3\n%w = add i32 %v, 1\nstore %out, %w"));
  const Address out = bench.upload(std::vector<int32_t>(4, 0)), raw = bench.allocate(64),
                other = bench.allocate(64);
  const std::vector<int32_t> two{1, 2};
  ASSERT_TRUE(bench.device.upload(raw + 8, std::as_bytes(std::span(two))).ok());
  ASSERT_TRUE(bench.device.fill(raw + 20, 0, 4).ok());
  ASSERT_TRUE(bench.device.copy(other, raw, 64).ok());
  for (int n = 0; n < 8; ++n) {
    const std::string want = n == 2 || n == 3 || n == 5 ? "" : "uninitialized at 7";
    EXPECT_EQ(kinds(bench.launch(dim(1), dim(1), {out, raw, n})), want) << n;
    EXPECT_EQ(kinds(bench.launch(dim(1), dim(1), {out, other, n})), want) << n;
  }
}

}  // namespace
}  // namespace quern::sim
