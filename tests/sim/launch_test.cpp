// Launches: sizes, arguments, variables, limits, and that a seed affects only the order.
#include <numeric>

#include "sim/sim_case.hpp"

namespace quern::sim {
namespace {

constexpr const char* kSaxpy = R"(
  kernel @k(%n: i32, %a: f32, %x: ptr<global> of f32, %y: ptr<global> of f32) {
    %t = thread_id.x
    %b = block_id.x
    %d = block_dim.x
    %m = mul u32 %b, %d
    %iu = add u32 %m, %t
    %i = convert i32 %iu
    %c = lt i32 %i, %n
    if %c {
      %px = offset ptr<global> %x, %i scale 4
      %py = offset ptr<global> %y, %i scale 4
      %vx = load f32 %px
      %vy = load f32 %py
      %p = mul f32 %a, %vx
      %s = add f32 %p, %vy
      store %py, %s
    }
    return
  })";

TEST(SimLaunch, Saxpy) {
  for_seeds([](const LaunchOptions& options) {
    Bench bench(kSaxpy);
    std::vector<float> x(1000), y(1000, 2.0f);
    std::iota(x.begin(), x.end(), 0.0f);
    const Address px = bench.upload(x), py = bench.upload(y);
    const LaunchResult r = bench.run(dim(8), dim(128), {1000, 3.0f, px, py}, options);
    EXPECT_EQ(r.threads, 1024u);
    EXPECT_EQ(r.blocks, 8u);
    EXPECT_GT(r.instructions, 1024u * 5);
    const auto out = bench.download<float>(py, 1000);
    for (size_t i = 0; i < 1000; ++i) ASSERT_EQ(out[i], 3.0f * static_cast<float>(i) + 2.0f);
  });
}

TEST(SimLaunch, RefusesBadGeometry) {
  Bench bench(kSaxpy);
  const Address x = bench.upload(std::vector<float>(4));
  const std::vector<Arg> args{4, 1.0f, x, x};
  EXPECT_EQ(bench.refusal(dim(0), dim(1), args), message::kEmptyGrid("k", "(0,1,1)").text);
  EXPECT_EQ(bench.refusal(dim(1), dim(1, 0), args), message::kEmptyBlock("k", "(1,0,1)").text);
  EXPECT_EQ(bench.refusal(dim(1), dim(33, 32), args), message::kLargeBlock("k", "(33,32,1)", "1024").text);
  EXPECT_EQ(bench.refusal(dim(1), dim(1, 1, 65), args), message::kLargeBlock("k", "(1,1,65)", "1024").text);
  EXPECT_EQ(bench.refusal(dim(1, 70000), dim(1), args), message::kLargeGrid("k", "(1,70000,1)").text);
  EXPECT_EQ(bench.refusal(dim(0x7FFFFFFF, 65535, 65535), dim(1), args),
            message::kTooManyThreads("k", "9223090559730712575", "1").text);
  EXPECT_EQ(bench.refusal(dim(1), dim(1), args, uint64_t{1} << 40),
            message::kDynamicShared("k", "1.0 TiB", "16.0 MiB").text);
  EXPECT_EQ(bench.refusal(dim(0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF), dim(0xFFFFFFFF), args),
            message::kLargeGrid("k", "(4294967295,4294967295,4294967295)").text);
}

TEST(SimLaunch, RefusesBadArguments) {
  Bench bench(kSaxpy);
  const Address x = bench.upload(std::vector<float>(4));
  EXPECT_EQ(bench.refusal(dim(1), dim(1), {4, 1.0f, x}),
            message::kArgumentCount("k", "4 arguments", "3").text);
  EXPECT_EQ(bench.refusal(dim(1), dim(1), {4, 1.0, x, x}),
            message::kArgumentSize("2", "a", "k", "f32", "4", "8").text);
  bench.kernel = "kk";
  EXPECT_EQ(bench.refusal(dim(1), dim(1), {}), "there is no kernel 'kk'");
}

TEST(SimLaunch, RefusesCallsAndLaunchBounds) {
  Bench calls("func @f() {\n}\nkernel @k() {\ncall @f()\nreturn\n}");
  EXPECT_EQ(calls.refusal(dim(1), dim(1), {}),
            "internal error: kernel 'k' still calls 'f'; run pass::prepare first");
  Bench bounds("kernel @k() bounds(64, 1) {\nreturn\n}");
  bounds.run(dim(1), dim(64), {});
  EXPECT_EQ(bounds.refusal(dim(1), dim(65), {}), message::kLaunchBounds("k", "65", "64").text);
}

TEST(SimLaunch, EmptyKernelOnManyBlocks) {
  Bench bench("kernel @k() {\nreturn\n}");
  const LaunchResult r = bench.run(dim(1000, 10), dim(7, 3), {});
  EXPECT_EQ(r.threads, 210'000u);
  EXPECT_EQ(r.instructions, 210'000u);
}

TEST(SimLaunch, VariablesAreSetAndRead) {
  Bench bench(R"(
    constant @scale: f32 align 4 = hex "0000803f"
    global @counter: [2 x i32] align 4
    constant @text: [3 x u8] align 1 literal = "ab\x00"
    kernel @k(%out: ptr<global>) {
      %s = load f32 @scale
      store %out, %s
      %p = offset ptr<global> @counter, 1:i32 scale 4
      %o = atomic.add.device i32 %p, 5
      return
    })");
  const Address out = bench.upload(std::vector<float>{0});
  bench.run(dim(1), dim(3), {out});
  EXPECT_EQ(bench.download<float>(out, 1)[0], 1.0f);
  const float two = 2.5f;
  ASSERT_TRUE(bench.program->write("scale", std::as_bytes(std::span(&two, 1))).ok());
  bench.run(dim(1), dim(1), {out});
  EXPECT_EQ(bench.download<float>(out, 1)[0], 2.5f);
  int32_t counter = 0;
  ASSERT_TRUE(bench.program->read("counter", std::as_writable_bytes(std::span(&counter, 1)), 4).ok());
  EXPECT_EQ(counter, 20);
  EXPECT_EQ(bench.program->variables().size(), 2u);
  EXPECT_TRUE(bench.program->variable("scale")->is_constant);
  EXPECT_FALSE(bench.program->variable("text").has_value());
  EXPECT_EQ(
      bench.program->read("counter", std::as_writable_bytes(std::span(&counter, 1)), 8).error().message(),
      message::kVariableRange("counter", "8", "4", "8").text);
  EXPECT_EQ(bench.program->read("none", {}).error().message(), "the module has no variable 'none'");
  EXPECT_FALSE(bench.device.free(bench.program->variable("scale")->address).ok());
  const uint64_t before = bench.device.bytes_in_use();
  bench.program.reset();
  EXPECT_EQ(bench.device.bytes_in_use(), before - 4 - 8 - 3);
}

TEST(SimLaunch, StepLimitNamesTheLoop) {
  Bench bench(R"(
    kernel @k(%n: i32) {
      loop L0 @8:3 {
      } body {
        loop L1 @9:5 {
        } body {
        }
      }
      return
    })");
  LaunchOptions options;
  options.step_limit = 50'000;
  const LaunchResult r = bench.launch(dim(4), dim(64), {1}, options);
  EXPECT_TRUE(r.stopped);
  ASSERT_EQ(r.reports.size(), 1u);
  EXPECT_EQ(r.reports[0].message, message::kUnfinishedLoop("50,000 instructions").text);
  EXPECT_EQ(r.reports[0].pos.line, 9u);
  EXPECT_GE(r.instructions, 50'000u);
  EXPECT_LT(r.instructions, 80'000u);
}

TEST(SimLaunch, TimeLimitAndPoll) {
  Bench bench("kernel @k() {\nloop L0 {\n} body {\n}\nreturn\n}");
  LaunchOptions options;
  options.time_limit_s = 0.02;
  const LaunchResult r = bench.launch(dim(1), dim(1), {}, options);
  EXPECT_TRUE(r.stopped);
  EXPECT_EQ(kinds(r).substr(0, 5), "limit");
  int calls = 0;
  LaunchOptions polled;
  polled.poll = [&] { return ++calls < 3; };
  const LaunchResult p = bench.launch(dim(1), dim(1), {}, polled);
  EXPECT_TRUE(p.stopped);
  EXPECT_TRUE(p.reports.empty());
  EXPECT_EQ(calls, 3);
}

TEST(SimLaunch, StopsAtTheFirstReportWhenAsked) {
  Bench bench(R"(
    kernel @k(%x: ptr<global> of i32) {
      store %x, 1:i32 @3:1
      %p = offset ptr<global> %x, 1:i32 scale 4
      store %p, 1:i32 @4:1
      return
    })");
  const Address x = bench.allocate(0, "x");
  EXPECT_EQ(kinds(bench.launch(dim(1), dim(1), {x})), "out of bounds at 3; out of bounds at 4");
  LaunchOptions options;
  options.stop_on_error = true;
  const LaunchResult r = bench.launch(dim(100), dim(1), {x}, options);
  EXPECT_TRUE(r.stopped);
  EXPECT_EQ(r.blocks, 0u);
}

TEST(SimLaunch, ReportsAreLimitedAndCounted) {
  std::string text = "kernel @k(%x: ptr<global> of i32) {\n";
  for (int i = 1; i <= 30; ++i) text += "store %x, 1:i32 @" + std::to_string(i) + ":1\n";
  Bench bench(text + "return\n}");
  const Address x = bench.allocate(0, "x");
  const LaunchResult r = bench.launch(dim(2), dim(5), {x});
  EXPECT_EQ(r.reports.size(), 20u);
  EXPECT_EQ(r.more_reports, 10u);
  EXPECT_EQ(r.reports[3].count, 10u);
}

TEST(SimLaunch, TheSeedDecidesTheRunAndNothingElseDoes) {
  // Threads append their number to a list: the order is the schedule.
  Bench bench(R"(
    kernel @k(%next: ptr<global>, %list: ptr<global>) {
      %t = thread_id.x
      %i = var i32
      store %i, 0:i32
      loop L0 {
        %a = load i32 %i
        %c = lt i32 %a, 4
        yield %c
      } body {
        %n = atomic.add.device u32 %next, 1
        %p = offset ptr<global> %list, %n scale 4
        store %p, %t
      } step {
        %d = load i32 %i
        %e = add i32 %d, 1
        store %i, %e
      }
      return
    })");
  const auto order = [&](uint64_t seed) {
    const Address next = bench.upload(std::vector<uint32_t>{0}), list = bench.allocate(4 * 4 * 64);
    const LaunchResult r = bench.run(dim(1), dim(64), {next, list}, seeded(seed));
    return std::pair(bench.download<uint32_t>(list, 256), r.instructions);
  };
  EXPECT_EQ(order(5), order(5));
  EXPECT_NE(order(5).first, order(6).first);
  EXPECT_EQ(order(5).second, order(6).second);
  EXPECT_EQ(order(0).first[5], 1u);
}

TEST(SimLaunch, Printf) {
  Bench bench(R"(
    constant @s: [6 x u8] align 1 literal = "hello\x00"
    kernel @k(%i: i32, %l: i64, %f: f32, %d: f64, %c: u8) {
      %w = convert u32 %i
      printf "%d %5d|%-5d|%05d %+d %u %x %X %o %c\n", %i, %i, %i, %i, %i, %w, %w, %w, %w, %c
      printf "%ld %lld %zu %hhd %hd\n", %l, %l, %l, %l, %l
      printf "%f %.2f %8.3e %g %a %%\n", %f, %d, %d, %d, %f
      printf "%s|%8s|%-8s|%.2s %p\n", @s, @s, @s, @s, 4096:u64
      printf "%*d|%-*d|%.*f\n", 6:i32, %i, 6:i32, %i, 1:i32, %d
      printf "%q %d %"
      return
    })");
  const LaunchResult r = bench.run(dim(1), dim(1), {-7, int64_t{1} << 40, 1.5f, 3.14159, uint8_t{'A'}});
  EXPECT_EQ(r.printed,
            "-7    -7|-7   |-0007 -7 4294967289 fffffff9 FFFFFFF9 37777777771 A\n"
            "1099511627776 1099511627776 1099511627776 0 0\n"
            "1.500000 3.14 3.142e+00 3.14159 0x1.8p+0 %\n"
            "hello|   hello|hello   |he 0x1000\n"
            "    -7|-7    |3.1\n"
            "%q %d %");
  std::string sink;
  LaunchOptions options;
  options.print = [&](std::string_view text) { sink += text; };
  const LaunchResult again = bench.run(dim(1), dim(1), {1, int64_t{1}, 1.0f, 1.0, uint8_t{'x'}}, options);
  EXPECT_TRUE(again.printed.empty());
  EXPECT_NE(sink.find("hello"), std::string::npos);
}

TEST(SimLaunch, AssertAndTrapEndTheLaunch) {
  Bench bench(R"(
    kernel @k(%n: i32) {
      %t = thread_id.x
      %ti = convert i32 %t
      %c = lt i32 %ti, %n
      assert "i < n", %c @6:3
      %z = eq i32 %n, 99
      if %z {
        trap @8:5
      }
      return
    })");
  bench.run(dim(1), dim(8), {8});
  const LaunchResult r = bench.launch(dim(1), dim(8), {3});
  EXPECT_TRUE(r.stopped);
  ASSERT_EQ(kinds(r), "assert at 6");
  EXPECT_EQ(r.reports[0].message, driver::message::kAssertion("i < n").text);
  EXPECT_EQ(r.reports[0].thread, (Dim3{3, 0, 0}));
  EXPECT_EQ(kinds(bench.launch(dim(1), dim(8), {99})), "trap at 8");
}

TEST(SimDevice, MemoryHasLimitsAndSaysSo) {
  Device device(DeviceOptions{.memory_limit = 1 << 20});
  EXPECT_EQ(device.allocate(uint64_t{1} << 21, {"big", 4}).error().message(),
            message::kOutOfMemory("'big'", "2.0 MiB", "1.0 MiB", "1.0 MiB").text);
  EXPECT_FALSE(device.allocate(~uint64_t{0}).ok());
  auto a = device.allocate(1 << 19, {"a", 4});
  ASSERT_TRUE(a.ok());
  EXPECT_EQ(device.bytes_in_use(), 1u << 19);
  EXPECT_EQ(device.find(*a + 5)->label, "a");
  EXPECT_FALSE(device.find(0).has_value());
  std::byte b[8] = {};
  EXPECT_EQ(device.upload(*a + (1 << 19) - 4, b).error().message(),
            "bytes 524284 to 524292 are outside 'a' of 524288 bytes");
  EXPECT_FALSE(device.download(123, b).ok());
  EXPECT_FALSE(device.free(*a + 1).ok());
  EXPECT_TRUE(device.free(*a).ok());
  EXPECT_EQ(device.free(*a).error().message(), message::kFreedTwice("'a'").text);
  EXPECT_EQ(device.upload(*a, b).error().message(), message::kFreed("'a'").text);
  EXPECT_TRUE(device.free(0).ok());
}

}  // namespace
}  // namespace quern::sim
