// Barriers of blocks and grids, atomics, blocks that wait for each other, and deadlocks.
#include <numeric>

#include "sim/sim_case.hpp"

namespace quern::sim {
namespace {

constexpr const char* kBlockReduce = R"(
  shared @s: [256 x i32] align 4
  kernel @k(%in: ptr<global> of i32, %out: ptr<global> of i32) {
    %t = thread_id.x
    %b = block_id.x
    %d = block_dim.x
    %m = mul u32 %b, %d
    %i = add u32 %m, %t
    %pi = offset ptr<global> %in, %i scale 4
    %v = load i32 %pi
    %ps = offset ptr<shared> @s, %t scale 4
    store %ps, %v
    %o = var u32
    %h = shr u32 %d, 1:u32
    store %o, %h
    barrier
    loop L0 {
      %o1 = load u32 %o
      %c = gt u32 %o1, 0
      yield %c
    } body {
      %o2 = load u32 %o
      %low = lt u32 %t, %o2
      if %low {
        %q = offset ptr<shared> %ps, %o2 scale 4
        %x = load i32 %ps
        %y = load i32 %q
        %z = add i32 %x, %y
        store %ps, %z
      }
      barrier
    } step {
      %o3 = load u32 %o
      %o4 = shr u32 %o3, 1:u32
      store %o, %o4
    }
    %first = eq u32 %t, 0
    if %first {
      %r = load i32 @s
      %old = atomic.add.device i32 %out, %r
    }
    return
  })";

TEST(SimBarrier, TreeReduction) {
  for_seeds([](const LaunchOptions& options) {
    Bench bench(kBlockReduce);
    std::vector<int32_t> in(4096);
    std::iota(in.begin(), in.end(), 1);
    const Address a = bench.upload(in), out = bench.upload(std::vector<int32_t>{0});
    bench.run(dim(16), dim(256), {a, out}, options);
    EXPECT_EQ(bench.download<int32_t>(out, 1)[0], 4096 * 4097 / 2);
  });
}

TEST(SimBarrier, CountAndOr) {
  for_seeds([](const LaunchOptions& options) {
    Bench bench(R"(
      kernel @k(%out: ptr<global>) {
        %t = thread_id.x
        %c = lt u32 %t, 10
        %n = barrier_count %c
        %a = barrier_and %c
        %o = barrier_or %c
        %yes = lt u32 %t, 1000
        %a2 = barrier_and %yes
        %ai = convert i32 %a
        %oi = convert i32 %o
        %a2i = convert i32 %a2
        %x = mul i32 %ai, 1000
        %y = mul i32 %oi, 10000
        %z = mul i32 %a2i, 100000
        %s = add i32 %n, %x
        %s2 = add i32 %s, %y
        %s3 = add i32 %s2, %z
        %p = offset ptr<global> %out, %t scale 4
        store %p, %s3
        return
      })");
    const Address out = bench.allocate(400);
    bench.run(dim(1), dim(100), {out}, options);
    for (int32_t v : bench.download<int32_t>(out, 100)) ASSERT_EQ(v, 110010);
  });
}

TEST(SimBarrier, ThreadsThatReturnedBeforeAreNotWaitedFor) {
  for_seeds([](const LaunchOptions& options) {
    Bench bench(R"(
      kernel @k(%out: ptr<global>) {
        %t = thread_id.x
        %c = ge u32 %t, 10
        if %c {
          return
        }
        %n = barrier_count true
        %p = offset ptr<global> %out, %t scale 4
        store %p, %n
        return
      })");
    const Address out = bench.allocate(40);
    bench.run(dim(1), dim(64), {out}, options);
    for (int32_t v : bench.download<int32_t>(out, 10)) ASSERT_EQ(v, 10);
  });
}

TEST(SimBarrier, PassedByIsReported) {
  Bench bench(R"(
    kernel @k() {
      %t = thread_id.x
      %c = lt u32 %t, 16
      if %c {
        barrier @5:9
      }
      return @7:1
    })");
  for_seeds([&](const LaunchOptions& options) {
    const LaunchResult r = bench.launch(dim(1), dim(64), {}, options);
    ASSERT_EQ(kinds(r), "divergent barrier at 5");
    EXPECT_LT(r.reports[0].thread.x, 16u);
    ASSERT_TRUE(r.reports[0].other.has_value());
    EXPECT_GE(r.reports[0].other->thread.x, 16u);
    EXPECT_EQ(r.reports[0].other->pos.line, 7u);
    EXPECT_FALSE(r.stopped);
  });
}

TEST(SimBarrier, DifferentBarriersAreReported) {
  Bench bench(R"(
    kernel @k() {
      %t = thread_id.x
      %c = lt u32 %t, 16
      if %c {
        barrier @5:9
      } else {
        barrier @7:9
      }
      return
    })");
  for_seeds([&](const LaunchOptions& options) {
    const LaunchResult r = bench.launch(dim(1), dim(64), {}, options);
    ASSERT_GE(r.reports.size(), 1u);
    EXPECT_EQ(r.reports[0].kind, ReportKind::kDivergentBarrier);
    ASSERT_TRUE(r.reports[0].other.has_value());
    EXPECT_EQ(r.reports[0].pos.line + r.reports[0].other->pos.line, 12u);
  });
}

TEST(SimBarrier, AWarpOperationAgainstABarrierIsADeadlock) {
  Bench bench(R"(
    kernel @k() {
      %t = thread_id.x
      %c = lt u32 %t, 16
      if %c {
        warp_barrier 4294967295:u32 @5:9
      } else {
        barrier @7:9
      }
      return
    })");
  for_seeds([&](const LaunchOptions& options) {
    const LaunchResult r = bench.launch(dim(1), dim(32), {}, options);
    EXPECT_TRUE(r.stopped);
    ASSERT_EQ(kinds(r), "deadlock at 5");
    ASSERT_TRUE(r.reports[0].other.has_value());
    EXPECT_EQ(r.reports[0].other->pos.line, 7u);
    EXPECT_EQ(r.reports[0].value, "mask 0xffffffff");
  });
}

TEST(SimBarrier, DifferentWarpOperationsAreADeadlock) {
  Bench bench(R"(
    kernel @k() {
      %t = thread_id.x
      %c = lt u32 %t, 16
      if %c {
        warp_barrier 4294967295:u32 @5:9
      } else {
        %v = ballot 4294967295:u32, true @7:9
      }
      return
    })");
  const LaunchResult r = bench.launch(dim(1), dim(32), {});
  EXPECT_TRUE(r.stopped);
  EXPECT_EQ(kinds(r), "deadlock at 5");
}

TEST(SimAtomic, EveryOperation) {
  const struct {
    const char* op;
    uint32_t start, operand, want, old;
  } cases[] = {
      {"add", 5, 7, 12, 5}, {"sub", 5, 7, 0xFFFFFFFE, 5}, {"min", 5, 7, 5, 5}, {"max", 5, 7, 7, 5},
      {"and", 6, 3, 2, 6},  {"or", 6, 3, 7, 6},           {"xor", 6, 3, 5, 6}, {"exchange", 6, 3, 3, 6},
      {"inc", 5, 7, 6, 5},  {"inc", 7, 7, 0, 7},          {"dec", 5, 7, 4, 5}, {"dec", 0, 7, 7, 0},
      {"dec", 9, 7, 7, 9},  {"inc", 9, 7, 0, 9},
  };
  for (const auto& c : cases) {
    for (const char* type : {"u32", "u64"}) {
      Bench bench("kernel @k(%p: ptr<global>, %v: " + std::string(type) + ") {\n%o = atomic." + c.op +
                  ".device " + type +
                  " %p, %v\n%q = offset ptr<global> %p, 1:i32 scale 8\nstore %q, %o\nreturn\n}");
      const Address p = bench.upload(std::vector<uint64_t>{c.start, 0});
      const bool wide = std::string(type) == "u64";
      bench.run(dim(1), dim(1), {p, wide ? Arg(uint64_t{c.operand}) : Arg(c.operand)});
      const auto v = bench.download<uint64_t>(p, 2);
      const uint64_t want =
          wide && std::string(c.op) == "sub" ? uint64_t{c.want} | 0xFFFFFFFF00000000u : c.want;
      EXPECT_EQ(v[0], want) << c.op << " " << type;
      EXPECT_EQ(v[1], c.old) << c.op;
    }
  }
}

TEST(SimAtomic, SignedFloatAndHalf) {
  Bench bench(R"(
    kernel @k(%i: ptr<global>, %f: ptr<global>, %d: ptr<global>) {
      %a = atomic.min.device i32 %i, -5
      %b = atomic.add.device f32 %f, 0.5
      %c = atomic.max.device f64 %d, 2.5
      %e = atomic_cas.device i32 %i, -5, 77
      %g = atomic_cas.device i32 %i, -5, 99
      %h = atomic_load.device i32 %i
      atomic_store.device %f, 4.0:f32
      return
    })");
  const Address i = bench.upload(std::vector<int32_t>{3}), f = bench.upload(std::vector<float>{1}),
                d = bench.upload(std::vector<double>{-1});
  bench.run(dim(1), dim(1), {i, f, d});
  EXPECT_EQ(bench.download<int32_t>(i, 1)[0], 77);
  EXPECT_EQ(bench.download<float>(f, 1)[0], 4.0f);
  EXPECT_EQ(bench.download<double>(d, 1)[0], 2.5);
}

TEST(SimAtomic, HistogramAndSharedCounter) {
  for_seeds([](const LaunchOptions& options) {
    Bench bench(R"(
      shared @n: i32 align 4
      kernel @k(%bins: ptr<global> of i32, %total: ptr<global> of i32) {
        %t = thread_id.x
        %z = eq u32 %t, 0
        if %z {
          store @n, 0:i32
        }
        barrier
        %b = rem u32 %t, 7
        %p = offset ptr<global> %bins, %b scale 4
        %o = atomic.add.device i32 %p, 1
        %s = atomic.add.block i32 @n, 1
        barrier
        if %z {
          %v = load i32 @n
          %w = atomic.add.device i32 %total, %v
        }
        return
      })");
    const Address bins = bench.upload(std::vector<int32_t>(7, 0)),
                  total = bench.upload(std::vector<int32_t>{0});
    bench.run(dim(5), dim(70), {bins, total}, options);
    EXPECT_EQ(bench.download<int32_t>(bins, 7), std::vector<int32_t>(7, 50));
    EXPECT_EQ(bench.download<int32_t>(total, 1)[0], 350);
  });
}

// A lock: each thread of each block takes it in turn and adds to a plain counter.
TEST(SimAtomic, SpinLockBetweenThreadsAndBlocks) {
  for_seeds([](const LaunchOptions& options) {
    Bench bench(R"(
      kernel @k(%lock: ptr<global> of i32, %count: ptr<global> of i32) {
        loop L0 {
        } body {
          %o = atomic_cas.device i32 %lock, 0, 1
          %mine = eq i32 %o, 0
          if %mine {
            %v = load i32 %count
            %w = add i32 %v, 1
            store %count, %w
            fence.device
            %x = atomic.exchange.device i32 %lock, 0
            exit L0
          }
        }
        return
      })");
    const Address lock = bench.upload(std::vector<int32_t>{0}), count = bench.upload(std::vector<int32_t>{0});
    bench.run(dim(8), dim(40), {lock, count}, options);
    EXPECT_EQ(bench.download<int32_t>(count, 1)[0], 320);
  });
}

// Block b waits until block b+1 has set its flag: the last block to start must run before the first can end.
TEST(SimBlocks, SpinOnAFlagOfALaterBlock) {
  for_seeds([](const LaunchOptions& options) {
    Bench bench(R"(
      kernel @k(%flags: ptr<global> of i32, %data: ptr<global> of i32) {
        %b = block_id.x
        %g = grid_dim.x
        %next = add u32 %b, 1
        %last = eq u32 %next, %g
        %pd = offset ptr<global> %data, %b scale 4
        %v = var i32
        store %v, 1:i32
        if %last {
        } else {
          %pf = offset ptr<global> %flags, %next scale 4
          loop L0 {
            %f = load.volatile i32 %pf
            %c = eq i32 %f, 0
            yield %c
          } body {
          }
          %pn = offset ptr<global> %data, %next scale 4
          %w = load i32 %pn
          %w2 = add i32 %w, 1
          store %v, %w2
        }
        %r = load i32 %v
        store %pd, %r
        fence.device
        %mine = offset ptr<global> %flags, %b scale 4
        store.volatile %mine, 1:i32
        return
      })");
    const Address flags = bench.upload(std::vector<int32_t>(12, 0)),
                  data = bench.upload(std::vector<int32_t>(12, 0));
    bench.run(dim(12), dim(1), {flags, data}, options);
    const auto v = bench.download<int32_t>(data, 12);
    for (int i = 0; i < 12; ++i) ASSERT_EQ(v[static_cast<size_t>(i)], 12 - i);
  });
}

constexpr const char* kGrid = R"(
  kernel @k(%a: ptr<global> of i32, %b: ptr<global> of i32, %n: u32) {
    %t = thread_id.x
    %bi = block_id.x
    %d = block_dim.x
    %m = mul u32 %bi, %d
    %i = add u32 %m, %t
    %pa = offset ptr<global> %a, %i scale 4
    %v = convert i32 %i
    store %pa, %v
    grid_barrier @9:3
    %last = sub u32 %n, 1
    %j = sub u32 %last, %i
    %pj = offset ptr<global> %a, %j scale 4
    %w = load i32 %pj
    grid_barrier
    store %pa, 0:i32
    %pb = offset ptr<global> %b, %i scale 4
    store %pb, %w
    return
  })";

TEST(SimBlocks, GridBarrier) {
  for_seeds([](const LaunchOptions& options) {
    Bench bench(kGrid);
    const Address a = bench.allocate(400), b = bench.allocate(400);
    const LaunchResult r = bench.run(dim(5), dim(20), {a, b, 100u}, options);
    EXPECT_EQ(r.blocks, 5u);
    EXPECT_EQ(r.threads, 100u);
    const auto v = bench.download<int32_t>(b, 100);
    for (int i = 0; i < 100; ++i) ASSERT_EQ(v[static_cast<size_t>(i)], 99 - i);
  });
}

TEST(SimBlocks, GridBarrierThatSomeNeverReach) {
  Bench bench(R"(
    kernel @k() {
      %b = block_id.x
      %c = eq u32 %b, 0
      if %c {
        grid_barrier @5:9
      } else {
        loop L0 {
        } body {
          barrier @8:3
        }
      }
      return
    })");
  LaunchOptions options;
  options.step_limit = 100'000;
  const LaunchResult r = bench.launch(dim(2), dim(4), {}, options);
  EXPECT_TRUE(r.stopped);
  ASSERT_EQ(r.reports.size(), 1u);
  EXPECT_EQ(r.reports[0].kind, ReportKind::kLimit);
}

TEST(SimBlocks, ManyBlocksAreDoneInOrderOfTheSeed) {
  Bench bench(R"(
    kernel @k(%next: ptr<global>, %order: ptr<global>) {
      %b = block_id.x
      %n = atomic.add.device u32 %next, 1
      %p = offset ptr<global> %order, %n scale 4
      store %p, %b
      return
    })");
  const auto order = [&](uint64_t seed) {
    const Address next = bench.upload(std::vector<uint32_t>{0}), out = bench.allocate(4000);
    bench.run(dim(1000), dim(1), {next, out}, seeded(seed));
    return bench.download<uint32_t>(out, 1000);
  };
  const auto plain = order(0);
  for (uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(plain[i], i);
  const auto one = order(1);
  EXPECT_NE(one, plain);
  EXPECT_EQ(one, order(1));
  EXPECT_NE(one, order(2));
}

}  // namespace
}  // namespace quern::sim
