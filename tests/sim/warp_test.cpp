// Warp operations: all forms of shuffles, votes, matches, reductions, active masks, and inactive lanes.
#include "sim/sim_case.hpp"

namespace quern::sim {
namespace {

// Runs a kernel whose result per thread is stored to %out.
std::vector<uint32_t> lanes(const std::string& body, uint32_t threads, const LaunchOptions& options,
                            uint32_t arg = 0) {
  Bench bench(
      "kernel @k(%out: ptr<global> of u32, %n: u32) {\n%t = thread_id.x\n%po = offset ptr<global> %out, %t "
      "scale 4\n" +
      body + "\nreturn\n}");
  const Address out = bench.upload(std::vector<uint32_t>(threads, 999));
  bench.run(dim(1), dim(threads), {out, arg}, options);
  return bench.download<uint32_t>(out, threads);
}

struct ShuffleCase {
  const char* kind;
  uint32_t by, width;
};

// As defined by PTX.
uint32_t shuffled(const ShuffleCase& c, uint32_t lane) {
  const std::string kind = c.kind;
  const uint32_t first = lane / c.width * c.width, last = first + c.width - 1;
  int j = static_cast<int>(lane);
  if (kind == "index") j = static_cast<int>(first + c.by % c.width);
  if (kind == "up") j = static_cast<int>(lane) - static_cast<int>(c.by % 32);
  if (kind == "down") j = static_cast<int>(lane + c.by % 32);
  if (kind == "xor") j = static_cast<int>(lane ^ (c.by % 32));
  if (kind == "up" && j < static_cast<int>(first)) return lane;
  if (kind != "up" && j > static_cast<int>(last)) return lane;
  return static_cast<uint32_t>(j);
}

TEST(SimWarp, ShufflesInAllForms) {
  for (const char* kind : {"index", "up", "down", "xor"}) {
    for (uint32_t width : {32u, 16u, 8u, 4u, 2u, 1u}) {
      for (uint32_t by : {0u, 1u, 2u, 3u, 7u, 8u, 15u, 16u, 31u, 32u, 33u}) {
        const std::string body = "%v = mul u32 %t, 10\n%s = shuffle." + std::string(kind) +
                                 " u32 4294967295:u32, %v, %n, " + std::to_string(width) +
                                 ":u32\nstore %po, %s";
        const auto got = lanes(body, 64, seeded(by % 3), by);
        for (uint32_t t = 0; t < 64; ++t) {
          ASSERT_EQ(got[t], (t / 32 * 32 + shuffled({kind, by, width}, t % 32)) * 10)
              << kind << " " << by << " " << width << " " << t;
        }
      }
    }
  }
}

TEST(SimWarp, ShufflesSixtyFourBits) {
  Bench bench(R"(
    kernel @k(%out: ptr<global>) {
      %t = thread_id.x
      %d = convert f64 %t
      %s = shuffle.xor f64 4294967295:u32, %d, 1:u32, 32:u32
      %p = offset ptr<global> %out, %t scale 8
      store %p, %s
      return
    })");
  const Address out = bench.allocate(256, "out", 8);
  bench.run(dim(1), dim(32), {out});
  const auto v = bench.download<double>(out, 32);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(v[i], i ^ 1);
}

TEST(SimWarp, Votes) {
  for_seeds([](const LaunchOptions& options) {
    const std::string any =
        "%c = eq u32 %t, %n\n%v = vote_any 4294967295:u32, %c\n%w = convert u32 %v\nstore %po, %w";
    const auto a = lanes(any, 64, options, 40);
    for (uint32_t t = 0; t < 64; ++t) ASSERT_EQ(a[t], t >= 32 ? 1u : 0u);
    const std::string all =
        "%c = ne u32 %t, %n\n%v = vote_all 4294967295:u32, %c\n%w = convert u32 %v\nstore %po, %w";
    const auto b = lanes(all, 64, options, 40);
    for (uint32_t t = 0; t < 64; ++t) ASSERT_EQ(b[t], t >= 32 ? 0u : 1u);
    const std::string ballot =
        "%m = and u32 %t, %n\n%c = ne u32 %m, 0\n%v = ballot 4294967295:u32, %c\nstore %po, %v";
    for (uint32_t v : lanes(ballot, 32, options, 1)) ASSERT_EQ(v, 0xAAAAAAAAu);
  });
}

TEST(SimWarp, PartialWarpsAndMasks) {
  for_seeds([](const LaunchOptions& options) {
    // 40 threads: the second warp has 8 lanes, and a full mask means those.
    const std::string body = "%v = ballot 4294967295:u32, true\nstore %po, %v";
    const auto a = lanes(body, 40, options);
    EXPECT_EQ(a[0], 0xFFFFFFFFu);
    EXPECT_EQ(a[39], 0xFFu);
    // Each half of the warp separately.
    const auto b = lanes(R"(
      %low = lt u32 %t, 16
      %c = eq u32 %t, 3
      if %low {
        %v = vote_any 65535:u32, %c
        %w = convert u32 %v
        store %po, %w
      } else {
        %x = vote_any 4294901760:u32, %c
        %y = convert u32 %x
        store %po, %y
      })",
                         32, options);
    for (uint32_t t = 0; t < 32; ++t) ASSERT_EQ(b[t], t < 16 ? 1u : 0u);
  });
}

TEST(SimWarp, MatchAndReduce) {
  for_seeds([](const LaunchOptions& options) {
    const auto any =
        lanes("%k = rem u32 %t, 3\n%v = match_any 4294967295:u32, %k\nstore %po, %v", 32, options);
    for (uint32_t t = 0; t < 32; ++t) {
      uint32_t want = 0;
      for (uint32_t o = 0; o < 32; ++o) want |= o % 3 == t % 3 ? 1u << o : 0;
      ASSERT_EQ(any[t], want);
    }
    const auto all =
        lanes("%k = div u32 %t, 32\n%v = match_all 4294967295:u32, %k\nstore %po, %v", 64, options);
    EXPECT_EQ(all[40], 0xFFFFFFFFu);
    const auto not_all =
        lanes("%k = div u32 %t, 16\n%v = match_all 4294967295:u32, %k\nstore %po, %v", 64, options);
    EXPECT_EQ(not_all[40], 0u);
    const struct {
      const char* op;
      uint32_t want;
    } cases[] = {
        {"add", 32 * 31 / 2 + 32 * 5}, {"min", 5}, {"max", 36}, {"and", 0}, {"or", 63}, {"xor", [] {
                                                                                           uint32_t x = 0;
                                                                                           for (uint32_t i =
                                                                                                    5;
                                                                                                i < 37; ++i)
                                                                                             x ^= i;
                                                                                           return x;
                                                                                         }()}};
    for (const auto& c : cases) {
      const std::string body = "%k = add u32 %t, 5\n%v = warp_reduce." + std::string(c.op) +
                               " u32 4294967295:u32, %k\nstore %po, %v";
      for (uint32_t v : lanes(body, 32, options)) ASSERT_EQ(v, c.want) << c.op;
    }
    const auto low = lanes(
        "%i = convert i32 %t\n%k = sub i32 %i, 5\n%v = warp_reduce.min i32 4294967295:u32, %k\n%w = convert "
        "u32 %v\nstore %po, %w",
        32, options);
    EXPECT_EQ(static_cast<int32_t>(low[0]), -5);
  });
}

TEST(SimWarp, ActiveMaskIsWhoTookTheBranch) {
  for_seeds([](const LaunchOptions& options) {
    const auto v = lanes(R"(
      %m = rem u32 %t, 3
      %c = eq u32 %m, 1
      if %c {
        %a = active_mask
        store %po, %a
      } else {
        %b = active_mask
        store %po, %b
      })",
                         32, options);
    uint32_t want = 0;
    for (uint32_t t = 0; t < 32; ++t) want |= t % 3 == 1 ? 1u << t : 0;
    for (uint32_t t = 0; t < 32; ++t) ASSERT_EQ(v[t], t % 3 == 1 ? want : ~want);
  });
}

TEST(SimWarp, ActiveMaskInLoopsOfDifferentLength) {
  for_seeds([](const LaunchOptions& options) {
    // Lane t runs t + 1 iterations; after the loop all lanes have reconverged.
    const auto v = lanes(R"(
      %i = var u32
      store %i, 0:u32
      %sum = var i32
      store %sum, 0:i32
      loop L0 {
        %a = load u32 %i
        %c = le u32 %a, %t
        yield %c
      } body {
        %m = active_mask
        %p = popc %m
        %s = load i32 %sum
        %s2 = add i32 %s, %p
        store %sum, %s2
      } step {
        %d = load u32 %i
        %e = add u32 %d, 1
        store %i, %e
      }
      %after = active_mask
      %full = eq u32 %after, 4294967295
      %f = select i32 %full, 1000:i32, 0:i32
      %r = load i32 %sum
      %r2 = add i32 %r, %f
      %r3 = convert u32 %r2
      store %po, %r3)",
                         32, options);
    for (uint32_t t = 0; t < 32; ++t) {
      uint32_t want = 1000;
      for (uint32_t round = 0; round <= t; ++round) want += 32 - round;
      ASSERT_EQ(v[t], want) << t;
    }
  });
}

TEST(SimWarp, AggregatedAtomicWithTheActiveMask) {
  for_seeds([](const LaunchOptions& options) {
    Bench bench(R"(
      kernel @k(%out: ptr<global>) {
        %t = thread_id.x
        %b = and u32 %t, 1
        %c = eq u32 %b, 1
        if %c {
          %m = active_mask
          %f = ctz %m
          %lane = lane_id
          %fu = convert u32 %f
          %lead = eq u32 %lane, %fu
          %base = var u32
          store %base, 0:u32
          if %lead {
            %n = popc %m
            %nu = convert u32 %n
            %old = atomic.add.device u32 %out, %nu
            store %base, %old
          }
          %mine = load u32 %base
          %got = shuffle.index u32 %m, %mine, %fu, 32:u32
          %p = offset ptr<global> %out, %t scale 4
          %p1 = offset ptr<global> %p, 1:i32 scale 4
          store %p1, %got
        }
        return
      })");
    const Address out = bench.upload(std::vector<uint32_t>(129, 0));
    bench.run(dim(1), dim(128), {out}, options);
    EXPECT_EQ(bench.download<uint32_t>(out, 1)[0], 64u);
  });
}

TEST(SimWarp, OldReductionsOnVolatileSharedMemoryRunInStep) {
  for_seeds([](const LaunchOptions& options) {
    std::string text = R"(
      shared @s: [64 x i32] align 4
      kernel @k(%out: ptr<global>) {
        %t = thread_id.x
        %p = offset ptr<shared> @s, %t scale 4
        %ti = convert i32 %t
        store %p, %ti
        %p2 = offset ptr<shared> %p, 32:i32 scale 4
        %hi = add i32 %ti, 32
        store %p2, %hi
        barrier
)";
    for (int step : {32, 16, 8, 4, 2, 1}) {
      const std::string n = std::to_string(step);
      text += "%q" + n + " = offset ptr<shared> %p, " + n + ":i32 scale 4\n";
      text += "%a" + n + " = load.volatile i32 %p\n%b" + n + " = load.volatile i32 %q" + n + "\n";
      text += "%c" + n + " = add i32 %a" + n + ", %b" + n + "\nstore.volatile %p, %c" + n + "\n";
    }
    text += R"(
        %z = eq u32 %t, 0
        if %z {
          %r = load.volatile i32 @s
          store %out, %r
        }
        return
      })";
    Bench bench(text);
    const Address out = bench.upload(std::vector<int32_t>{0});
    bench.run(dim(1), dim(32), {out}, options);
    EXPECT_EQ(bench.download<int32_t>(out, 1)[0], 64 * 63 / 2);
  });
}

TEST(SimWarp, ALaneThatIsNotThereIsReportedWhenItsValueIsUsed) {
  const char* text = R"(
    kernel @k(%out: ptr<global> of i32) {
      %t = thread_id.x
      %ti = convert i32 %t
      %c = lt u32 %t, 20
      if %c {
        %s = shuffle.down i32 1048575:u32, %ti, 1:u32, 32:u32 @4:7
        %v = add i32 %s, %ti @4:5
        %p = offset ptr<global> %out, %t scale 4
        store %p, %v
      }
      return
    })";
  Bench bench(text);
  const Address out = bench.allocate(128);
  const LaunchResult r = bench.launch(dim(1), dim(32), {out});
  ASSERT_EQ(kinds(r), "warp at 4");
  EXPECT_EQ(r.reports[0].thread, (Dim3{19, 0, 0}));
  EXPECT_EQ(r.reports[0].count, 1u);
}

TEST(SimWarp, ALaneOutsideItsOwnMask) {
  Bench bench(R"(
    kernel @k() {
      warp_barrier 1:u32 @3:5
      return
    })");
  const LaunchResult r = bench.launch(dim(1), dim(2), {});
  ASSERT_EQ(kinds(r), "warp at 3");
  EXPECT_EQ(r.reports[0].message, message::kNotInMask("1", "0x00000001").text);
}

TEST(SimWarp, AWidthThatIsNoPowerOfTwo) {
  Bench bench(R"(
    kernel @k(%out: ptr<global>) {
      %s = shuffle.index i32 4294967295:u32, 1, 0:u32, 12:u32 @9:1
      store %out, %s
      return
    })");
  const Address out = bench.upload(std::vector<int32_t>{0});
  EXPECT_EQ(kinds(bench.launch(dim(1), dim(32), {out})), "warp at 9");
}

}  // namespace
}  // namespace quern::sim
