// Races between threads and between blocks, and accesses that look like races but are not.
#include "sim/sim_case.hpp"

namespace quern::sim {
namespace {

// A kernel of one block, with common names predefined.
std::string with_thread(const std::string& body) {
  return R"(
    shared @s: [256 x i32] align 4
    shared @flag: i32 align 4
    shared @bytes: [256 x u8] align 4
    kernel @k(%g: ptr<global> of i32) {
      %t = thread_id.x
      %b = block_id.x
      %ti = convert i32 %t
      %p = offset ptr<shared> @s, %t scale 4
      %n = add u32 %t, 1
      %q = offset ptr<shared> @s, %n scale 4
      %x = xor u32 %t, 1
      %px = offset ptr<shared> @s, %x scale 4
)" + body +
         "\nreturn\n}";
}

std::string found(const std::string& text, Dim3 grid, Dim3 block, const LaunchOptions& options) {
  Bench bench(text);
  const Address g = bench.upload(std::vector<int32_t>(1024, 0), "g");
  return kinds(bench.launch(grid, block, {g}, options));
}

void expect_clean(const std::string& text, Dim3 grid = {1, 1, 1}, Dim3 block = {64, 1, 1}) {
  for_seeds([&](const LaunchOptions& options) { EXPECT_EQ(found(text, grid, block, options), ""); });
}

TEST(SimRace, MissingBarrier) {
  const std::string text = with_thread(R"(
      store %p, %ti @10:3
      %v = load i32 %px @11:9
      %pg = offset ptr<global> %g, %t scale 4
      store %pg, %v)");
  for_seeds([&](const LaunchOptions& options) {
    Bench bench(text, "");
    const Address g = bench.upload(std::vector<int32_t>(64, 0), "g");
    const LaunchResult r = bench.launch(dim(1), dim(64), {g}, options);
    ASSERT_GE(r.reports.size(), 1u);
    bool has_race = false;
    for (const Report& report : r.reports) {
      if (report.kind != ReportKind::kRace) continue;
      has_race = true;
      EXPECT_TRUE(report.pos.line == 10 || report.pos.line == 11);
      ASSERT_TRUE(report.other.has_value());
      EXPECT_EQ(report.pos.line + report.other->pos.line, 21u);
      EXPECT_EQ(report.thread.x ^ report.other->thread.x, 1u);
      EXPECT_EQ(report.hint, message::kInsertBarrier("10", "11").text);
    }
    EXPECT_TRUE(has_race);
  });
}

TEST(SimRace, ABarrierOrders) {
  expect_clean(with_thread(R"(
      store %p, %ti
      barrier
      %v = load i32 %px
      barrier
      store %p, %v)"));
}

TEST(SimRace, MissingSecondBarrier) {
  const std::string text = with_thread(R"(
      store %p, %ti
      barrier
      %v = load i32 %px @20:1
      %w = add i32 %v, 1000
      store %p, %w @22:1)");
  for_seeds([&](const LaunchOptions& options) {
    const std::string got = found(text, dim(1), dim(64), options);
    EXPECT_TRUE(got == "race at 22" || got == "race at 20" || got == "race at 22; race at 20" ||
                got == "race at 20; race at 22")
        << got;
  });
}

TEST(SimRace, SyncWarpOrdersWithinAWarpOnly) {
  const std::string near = with_thread(R"(
      store %p, %ti
      warp_barrier 4294967295:u32
      %v = load i32 %px
      warp_barrier 4294967295:u32
      store %p, %v)");
  expect_clean(near);
  const std::string far = with_thread(R"(
      store %p, %ti
      warp_barrier 4294967295:u32
      %y = xor u32 %t, 32
      %py = offset ptr<shared> @s, %y scale 4
      %v = load i32 %py @30:1
      %w = add i32 %v, 1)");
  for_seeds([&](const LaunchOptions& options) {
    EXPECT_NE(found(far, dim(1), dim(64), options).find("race at"), std::string::npos);
  });
}

TEST(SimRace, PartialMasksOrderTheirLanesOnly) {
  const std::string halves = R"(
      %low = lt u32 %t, 16
      store %p, %ti @10:1
      if %low {
        warp_barrier 65535:u32
      } else {
        warp_barrier 4294901760:u32
      }
      %y = xor u32 %t, DIST
      %py = offset ptr<shared> @s, %y scale 4
      %v = load i32 %py @11:1
      %w = add i32 %v, 1)";
  std::string right = halves, wrong = halves;
  right.replace(right.find("DIST"), 4, "8");
  wrong.replace(wrong.find("DIST"), 4, "16");
  expect_clean(with_thread(right), dim(1), dim(32));
  for_seeds([&](const LaunchOptions& options) {
    EXPECT_NE(found(with_thread(wrong), dim(1), dim(32), options).find("race at"), std::string::npos);
  });
}

TEST(SimRace, ShufflesOrderToo) {
  expect_clean(with_thread(R"(
      store %p, %ti
      %sh = shuffle.xor i32 4294967295:u32, %ti, 1:u32, 32:u32
      %v = load i32 %px
      %w = add i32 %v, %sh)"));
}

TEST(SimRace, UpdateWithoutAnAtomic) {
  const std::string source =
      "__global__ void hist(const int* data, int* bins, int n) {\n"
      "  int i = threadIdx.x;\n"
      "  if (i < n)\n"
      "    bins[data[i] & 7] += 1;\n"
      "}\n";
  Bench bench(R"(
    file 0 "hist.cu"
    kernel @k(%data: ptr<global> of i32, %bins: ptr<global> of i32) {
      %t = thread_id.x
      %pd = offset ptr<global> %data, %t scale 4
      %d = load i32 %pd @4:10+4
      %m = and i32 %d, 7
      %p = offset ptr<global> %bins, %m scale 4
      %v = load i32 %p @4:5+4
      %w = add i32 %v, 1 @4:5+4
      store %p, %w @4:5+4
      return
    })",
              source);
  const Address data = bench.upload(std::vector<int32_t>(64, 3)),
                bins = bench.upload(std::vector<int32_t>(8, 0));
  for_seeds([&](const LaunchOptions& options) {
    const LaunchResult r = bench.launch(dim(1), dim(64), {data, bins}, options);
    ASSERT_EQ(kinds(r), "race at 4");
    EXPECT_EQ(r.reports[0].message, message::kThreadsWrite("bins[3]").text);
    EXPECT_EQ(r.reports[0].hint, message::kWriteAtomic("atomicAdd", "bins[data[i] & 7]", "1").text);
    EXPECT_EQ(r.reports[0].place, "bins[3]");
    EXPECT_EQ(r.reports[0].extent, 8u);
  });
  const LaunchResult r = bench.launch(dim(1), dim(2), {data, bins});
  EXPECT_EQ(
      render(r.reports[0], *bench.module),
      "hist.cu:4:5: race: two threads write bins[3] without an atomic operation or a barrier between them\n"
      "    4 |     bins[data[i] & 7] += 1;\n"
      "      |     ^~~~\n"
      "  thread (1,0,0) of block (0,0,0) here, thread (0,0,0) of block (0,0,0) at hist.cu:4:5, in kernel k\n"
      "  write atomicAdd(&bins[data[i] & 7], 1)");
}

TEST(SimRace, BetweenBlocks) {
  const std::string text = with_thread(R"(
      %first = eq u32 %t, 0
      if %first {
        %bi = convert i32 %b
        store %g, %bi @8:5
      })");
  for_seeds([&](const LaunchOptions& options) {
    Bench bench(text);
    const Address g = bench.upload(std::vector<int32_t>(4, -1), "g");
    const LaunchResult r = bench.launch(dim(6), dim(32), {g}, options);
    ASSERT_EQ(kinds(r), "race at 8");
    EXPECT_EQ(r.reports[0].message, message::kBlocksWrite("g[0]").text);
    ASSERT_TRUE(r.reports[0].other.has_value());
    EXPECT_NE(r.reports[0].block.x, r.reports[0].other->block.x);
    EXPECT_EQ(r.reports[0].count, 5u);
  });
}

TEST(SimRace, OneLaunchAfterAnotherIsOrdered) {
  Bench bench(with_thread(
      "%pg = offset ptr<global> %g, %t scale 4\n%v = load i32 %pg\n%w = add i32 %v, 1\nstore %pg, %w"));
  const Address g = bench.upload(std::vector<int32_t>(64, 0), "g");
  for (int i = 0; i < 5; ++i) bench.run(dim(1), dim(64), {g}, seeded(static_cast<uint64_t>(i)));
  EXPECT_EQ(bench.download<int32_t>(g, 64), std::vector<int32_t>(64, 5));
}

TEST(SimRace, TheSameValueFromManyIsHarmless) {
  expect_clean(with_thread("store @flag, 1:i32\nstore %g, 7:i32"), dim(4));
}

TEST(SimRace, DifferentValuesAreNot) {
  const std::string text = with_thread("store @flag, %ti @5:1");
  for_seeds(
      [&](const LaunchOptions& options) { EXPECT_EQ(found(text, dim(1), dim(64), options), "race at 5"); });
}

TEST(SimRace, NeighbouringBytesAreApart) {
  expect_clean(with_thread(R"(
      %pb = offset ptr<shared> @bytes, %t scale 1
      %tb = convert u8 %t
      store %pb, %tb
      %gb = offset ptr<global> %g, %t scale 1
      store %gb, %tb
      barrier
      %v = load i32 @bytes
      %w = add i32 %v, 1)"));
}

TEST(SimRace, BytesAgainstTheWordTheyAreIn) {
  const std::string text = with_thread(R"(
      %pb = offset ptr<shared> @bytes, %t scale 1
      %tb = convert u8 %n
      store %pb, %tb @5:1
      %z = eq u32 %t, 40
      if %z {
        %v = load i32 @bytes @7:1
        %w = add i32 %v, 1
      })");
  for_seeds([&](const LaunchOptions& options) {
    EXPECT_NE(found(text, dim(1), dim(64), options).find("race at"), std::string::npos);
  });
}

TEST(SimRace, AtomicsDoNotRaceWithEachOther) {
  expect_clean(with_thread("%o = atomic.add.device i32 %g, 1\n%v = atomic_load.device i32 %g"), dim(4));
}

TEST(SimRace, AnAtomicAgainstAPlainRead) {
  const std::string text = with_thread(R"(
      %o = atomic.add.device i32 %g, 1 @4:1
      %v = load i32 %g @5:1
      %w = add i32 %v, 1)");
  for_seeds([&](const LaunchOptions& options) {
    EXPECT_NE(found(text, dim(1), dim(64), options).find("race at"), std::string::npos);
  });
}

TEST(SimRace, ABlockAtomicIsNotEnoughBetweenBlocks) {
  const std::string text = with_thread("%o = atomic.add.block i32 %g, 1 @4:1");
  for_seeds([&](const LaunchOptions& options) {
    EXPECT_EQ(found(text, dim(1), dim(64), options), "");
    EXPECT_EQ(found(text, dim(4), dim(64), options), "race at 4");
  });
}

// Partial results, a fence, a ticket; the last block adds them up.
std::string last_block(bool with_fence, bool everybody) {
  return std::string(R"(
    shared @last: i32 align 4
    kernel @k(%g: ptr<global> of i32) {
      %t = thread_id.x
      %b = block_id.x
      %n = grid_dim.x
      %d = block_dim.x
      %m = mul u32 %b, %d
      %i = add u32 %m, %t
      %i1 = add u32 %i, 8
      %p = offset ptr<global> %g, %i1 scale 4
      %v = convert i32 %i1
      store %p, %v @10:1
)") + (with_fence && everybody ? "fence.device\n" : "") +
         R"(
      barrier
      %z = eq u32 %t, 0
      if %z {
)" + (with_fence && !everybody ? "fence.device\n" : "") +
         R"(
        %max = sub u32 %n, 1
        %o = atomic.inc.device u32 %g, %max
        %is = eq u32 %o, %max
        %isi = convert i32 %is
        store @last, %isi
      }
      barrier
      %l = load i32 @last
      %yes = ne i32 %l, 0
      if %yes {
        %j = var u32
        store %j, %t
        %sum = var i32
        store %sum, 0:i32
        %all = mul u32 %n, %d
        loop L0 {
          %j1 = load u32 %j
          %c = lt u32 %j1, %all
          yield %c
        } body {
          %j2 = load u32 %j
          %j3 = add u32 %j2, 8
          %q = offset ptr<global> %g, %j3 scale 4
          %w = load i32 %q @20:1
          %s = load i32 %sum
          %s2 = add i32 %s, %w
          store %sum, %s2
        } step {
          %j4 = load u32 %j
          %j5 = add u32 %j4, %d
          store %j, %j5
        }
        %fin = load i32 %sum
        %r = offset ptr<global> %g, 1:i32 scale 4
        %old = atomic.add.device i32 %r, %fin
      }
      return
    })";
}

TEST(SimRace, TheLastBlockAddsUp) {
  for (bool everybody : {false, true}) {
    for_seeds([&](const LaunchOptions& options) {
      Bench bench(last_block(true, everybody));
      const Address g = bench.upload(std::vector<int32_t>(8 + 640, 0), "g");
      bench.run(dim(10), dim(64), {g}, options);
      EXPECT_EQ(bench.download<int32_t>(g, 2)[1], 640 * 639 / 2 + 640 * 8);
    });
  }
}

TEST(SimRace, TheLastBlockWithoutAFence) {
  for_seeds([&](const LaunchOptions& options) {
    const std::string got = found(last_block(false, false), dim(10), dim(64), options);
    EXPECT_EQ(got, "race at 20");
  });
}

// Producer → relay → consumer, over two flags: the third has acquired what the first wrote.
TEST(SimRace, OrderIsHandedOn) {
  for_seeds([](const LaunchOptions& options) {
    Bench bench(R"(
      kernel @k(%g: ptr<global> of i32, %data: ptr<global> of i32) {
        %b = block_id.x
        %f1 = offset ptr<global> %g, 0:i32 scale 4
        %f2 = offset ptr<global> %g, 1:i32 scale 4
        switch L0 %b {
          case 0 {
            store %data, 42:i32
            fence.device
            atomic_store.device %f1, 1:i32
          }
          case 1 {
            loop L1 {
              %a = atomic_load.device i32 %f1
              %c = eq i32 %a, 0
              yield %c
            } body {
            }
            fence.device
            atomic_store.device %f2, 1:i32
          }
          default {
            loop L2 {
              %a2 = atomic_load.device i32 %f2
              %c2 = eq i32 %a2, 0
              yield %c2
            } body {
            }
            %v = load i32 %data
            %o = offset ptr<global> %data, 1:i32 scale 4
            store %o, %v
          }
        }
        return
      })");
    const Address g = bench.upload(std::vector<int32_t>(2, 0)),
                  data = bench.upload(std::vector<int32_t>(2, 0));
    bench.run(dim(3), dim(1), {g, data}, options);
    EXPECT_EQ(bench.download<int32_t>(data, 2)[1], 42);
  });
}

TEST(SimRace, ReadersOfUnwrittenBuffersCostNothingAndFindNothing) {
  expect_clean(with_thread("%v = load i32 %g\n%w = add i32 %v, 1"), dim(4));
}

TEST(SimRace, CanBeTurnedOff) {
  Bench bench(with_thread("store @flag, %ti\nstore %g, %ti"));
  const Address g = bench.upload(std::vector<int32_t>(4, 0));
  LaunchOptions options;
  options.checks &= ~uint32_t{kCheckRaces};
  const LaunchResult r = bench.run(dim(2), dim(64), {g}, options);
  EXPECT_FALSE(r.races_checked);
}

TEST(SimRace, WriteAfterReadsOfManyThreads) {
  const std::string text = with_thread(R"(
      %v = load i32 %g @4:1
      %w = add i32 %v, 5
      barrier
      %v2 = load i32 %g @5:1
      %w2 = add i32 %v2, 6
      %z = eq u32 %t, 9
      if %z {
        store %g, %w @6:1
      })");
  for_seeds([&](const LaunchOptions& options) {
    const std::string got = found(text, dim(1), dim(64), options);
    EXPECT_TRUE(got == "race at 6" || got == "race at 5" || got == "race at 6; race at 5") << got;
  });
}

// A retry loop around a compare-and-swap, as in the atomicAdd for double of the CUDA C++ Programming Guide.
std::string cas_loop(const std::string& before_loop, const std::string& swapped) {
  return with_thread(R"(
      %old = var i32
      %first = load i32 %g @10:3
      store %old, %first
)" + before_loop + R"(
      %assumed = var i32
      loop L0 {
      } body {
        %o = load i32 %old
        store %assumed, %o
        %sum = add i32 %o, %ti
        %new = atomic_cas.device i32 )" +
                     swapped + R"(, %o, %sum @11:3
        store %old, %new
      } step {
        %a = load i32 %assumed
        %b2 = load i32 %old
        %again = ne i32 %a, %b2
        yield %again
      }
)");
}

TEST(SimRace, TheFirstReadOfACasLoopIsNone) { expect_clean(cas_loop("", "%g"), {4, 1, 1}); }

TEST(SimRace, AReadThatIsUsedBeforeTheCasLoopIsOne) {
  const std::string text = cas_loop(R"(
      %early = load i32 %old
      %far = add u32 %t, 64
      %pe = offset ptr<global> %g, %far scale 4
      store %pe, %early)",
                                    "%g");
  for_seeds([&](const LaunchOptions& options) {
    const std::string all = found(text, {1, 1, 1}, {64, 1, 1}, options);
    EXPECT_TRUE(all.starts_with("race at 10") || all.starts_with("race at 11")) << all;
  });
}

}  // namespace
}  // namespace quern::sim
