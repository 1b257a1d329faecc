// The library's cooperative functions (shuffles, votes, barriers, atomics, groups), run on the simulator and
// compared with results computed on the host. All checks of the simulator are enabled and must report
// nothing.
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "driver/sim/sim.hpp"
#include "lang/compile.hpp"
#include "lang/pass/pass.hpp"

namespace quern::lang {
namespace {

// Compiles a body, runs it with one block of `threads`, and returns what it wrote to `out`, one element per
// thread.
template <typename T>
std::vector<T> run(const std::string& type, const std::string& body, uint32_t threads,
                   std::vector<T> in = {}) {
  std::string text = "namespace cg = cooperative_groups;\n__global__ void k(" + type + "* out, const " +
                     type + "* in) {\n  const int t = threadIdx.x;\n" + body + "\n}\n";
  Compilation compiled = compile("test.cu", text);
  EXPECT_TRUE(compiled.ok) << compiled.rendered;
  if (!compiled.ok || compiled.module.functions.empty()) return {};
  pass::legalize_forms(compiled.module, {});
  auto module = std::make_shared<ir::Module>(std::move(compiled.module));
  sim::Device device;
  auto program = device.load(module);
  EXPECT_TRUE(program.ok());
  in.resize(threads);
  sim::Address from = *device.upload_new(std::span<const T>(in), "in");
  sim::Address to = *device.upload_new(std::span<const T>(std::vector<T>(threads)), "out");
  sim::LaunchConfig config;
  config.block = {threads, 1, 1};
  config.args = {sim::Arg(to), sim::Arg(from)};
  auto launched = device.launch(**program, "k", config);
  EXPECT_TRUE(launched.ok()) << launched.error().to_string();
  if (!launched.ok()) return {};
  for (const sim::Report& report : launched->reports) ADD_FAILURE() << sim::render(report, *module);
  return *device.download_as<T>(to, threads);
}

std::vector<int> ints(const std::string& body, uint32_t threads = 32, std::vector<int> in = {}) {
  return run<int>("int", body, threads, std::move(in));
}

template <typename F>
std::vector<int> each(uint32_t threads, F f) {
  std::vector<int> values;
  for (uint32_t t = 0; t < threads; ++t) values.push_back(static_cast<int>(f(static_cast<int>(t))));
  return values;
}

TEST(LibraryRun, Shuffles) {
  EXPECT_EQ(ints("out[t] = __shfl_sync(0xffffffff, t, 5);"), each(32, [](int) { return 5; }));
  EXPECT_EQ(ints("out[t] = __shfl_sync(0xffffffff, t, 9, 8);"),
            each(32, [](int t) { return t / 8 * 8 + 1; }));
  EXPECT_EQ(ints("out[t] = __shfl_up_sync(0xffffffff, t, 3, 16);"),
            each(32, [](int t) { return t % 16 < 3 ? t : t - 3; }));
  EXPECT_EQ(ints("out[t] = __shfl_down_sync(0xffffffff, t, 2, 8);"),
            each(32, [](int t) { return t % 8 > 5 ? t : t + 2; }));
  EXPECT_EQ(ints("out[t] = __shfl_xor_sync(0xffffffff, t, 5);"), each(32, [](int t) { return t ^ 5; }));
  EXPECT_EQ(ints("out[t] = __shfl_down(t, 1);"), each(32, [](int t) { return t == 31 ? 31 : t + 1; }));
  EXPECT_EQ(ints("out[t] = int(__shfl_xor_sync(0xffffffff, double(t) * 1e10, 1) / 1e10);"),
            each(32, [](int t) { return t ^ 1; }));
  EXPECT_EQ(ints("out[t] = int(__half2float(__shfl_sync(0xffffffff, __int2half_rn(t), t + 1)));"),
            each(32, [](int t) { return (t + 1) % 32; }));
  EXPECT_EQ(ints("__half2 h = __shfl_xor_sync(0xffffffff, __floats2half2_rn(t, 2 * t), 2);"
                 "out[t] = int(__low2float(h)) * 100 + int(__high2float(h));"),
            each(32, [](int t) { return (t ^ 2) * 102; }));
}

TEST(LibraryRun, VotesAndMatches) {
  EXPECT_EQ(ints("out[t] = __ballot_sync(0xffffffff, t % 3 == 0);"),
            each(32, [](int) { return 0x49249249; }));
  EXPECT_EQ(ints("out[t] = __any_sync(0xffffffff, t == 7) * 2 + __all_sync(0xffffffff, t < 31);"),
            each(32, [](int) { return 2; }));
  EXPECT_EQ(ints("out[t] = __match_any_sync(0xffffffff, t / 8);"),
            each(32, [](int t) { return 0xff << t / 8 * 8; }));
  EXPECT_EQ(ints("int all; out[t] = int(__match_all_sync(0xffffffff, 1.5f, &all)) + all;"),
            each(32, [](int) { return 0; }));
  EXPECT_EQ(ints("out[t] = __reduce_add_sync(0xffffffff, t) + __reduce_max_sync(0xffffffff, -t);"),
            each(32, [](int) { return 496; }));
  EXPECT_EQ(ints("out[t] = __reduce_xor_sync(0xffffffff, 1u << t % 5);"), each(32, [](int) { return 3; }));
  EXPECT_EQ(ints("if (t < 8) out[t] = __popc(__activemask()) > 0;", 32),
            each(32, [](int t) { return t < 8; }));
}

TEST(LibraryRun, Barriers) {
  EXPECT_EQ(ints("out[t] = __syncthreads_count(t % 2) * 4 + __syncthreads_or(t == 3) * 2 + "
                 "__syncthreads_and(t < 90);",
                 96),
            each(96, [](int) { return 48 * 4 + 2; }));
  EXPECT_EQ(ints("__shared__ int s[64]; s[t] = t; __syncthreads(); out[t] = s[63 - t];", 64),
            each(64, [](int t) { return 63 - t; }));
}

TEST(LibraryRun, Atomics) {
  auto shared = [](const std::string& init, const std::string& step, const std::string& type = "int") {
    return ints("__shared__ " + type + " s; if (t == 0) s = " + init + "; __syncthreads(); " + step +
                    "; __syncthreads(); out[t] = int(s);",
                64)
        .at(0);
  };
  EXPECT_EQ(shared("5", "atomicAdd(&s, t)"), 5 + 2016);
  EXPECT_EQ(shared("5", "atomicSub(&s, 1)"), 5 - 64);
  EXPECT_EQ(shared("5", "atomicMin(&s, 40 - t)"), -23);
  EXPECT_EQ(shared("5", "atomicMax_block(&s, t)"), 63);
  EXPECT_EQ(shared("0", "atomicOr(&s, 1 << t % 8)"), 255);
  EXPECT_EQ(shared("-1", "atomicAnd(&s, ~(1 << t % 4))"), -16);
  EXPECT_EQ(shared("0", "atomicXor_system(&s, t)"), 0);
  EXPECT_EQ(shared("0u", "atomicInc(&s, 9)", "unsigned"), 4);
  EXPECT_EQ(shared("0u", "atomicDec(&s, 9)", "unsigned"), 6);
  EXPECT_EQ(shared("0.5f", "atomicAdd(&s, 0.25f)", "float"), 16);
  EXPECT_EQ(shared("0.5", "atomicAdd(&s, 0.25)", "double"), 16);
  EXPECT_EQ(shared("0ull", "atomicAdd(&s, 1ull << 3)", "unsigned long long"), 512);
  EXPECT_EQ(shared("0ul", "atomicMax(&s, (unsigned long)t)", "unsigned long"), 63);
  EXPECT_EQ(
      shared("0",
             "int old, now = 0; do { old = now; now = atomicCAS(&s, old, old + 2); } while (now != old)"),
      128);
  EXPECT_EQ(shared("__half(1.0f)", "atomicAdd(&s, __half(0.5f))", "__half"), 33);
}

TEST(LibraryRun, AtomicObjects) {
  EXPECT_EQ(
      ints("__shared__ int s; if (t == 0) s = 0; __syncthreads();"
           "cuda::atomic_ref<int, cuda::thread_scope_block> r(s); r.fetch_add(2); r += 1; __syncthreads();"
           "out[t] = r.load();",
           64),
      each(64, [](int) { return 192; }));
}

TEST(LibraryRun, Tiles) {
  EXPECT_EQ(ints("auto tile = cg::tiled_partition<8>(cg::this_thread_block());"
                 "out[t] = tile.thread_rank() * 100 + tile.meta_group_rank() * 10 + tile.meta_group_size();",
                 64),
            each(64, [](int t) { return t % 8 * 100 + t / 8 * 10 + 8; }));
  EXPECT_EQ(
      ints("auto tile = cg::tiled_partition<8>(cg::this_thread_block());"
           "out[t] = cg::reduce(tile, t, cg::plus<int>()) * 100 + cg::reduce(tile, t, cg::greater<int>());",
           64),
      each(64, [](int t) { return (t / 8 * 64 + 28) * 100 + t / 8 * 8 + 7; }));
  EXPECT_EQ(ints("auto tile = cg::tiled_partition<16>(cg::this_thread_block());"
                 "out[t] = cg::inclusive_scan(tile, 1) * 100 + cg::exclusive_scan(tile, 2);"),
            each(32, [](int t) { return (t % 16 + 1) * 100 + t % 16 * 2; }));
  EXPECT_EQ(ints("auto tile = cg::tiled_partition<4>(cg::tiled_partition<16>(cg::this_thread_block()));"
                 "float3 v = tile.shfl(make_float3(t, 2 * t, 3 * t), 1); out[t] = int(v.x + v.y + v.z) + "
                 "tile.ballot(t & 1);"),
            each(32, [](int t) { return (t / 4 * 4 + 1) * 6 + 10; }));
}

TEST(LibraryRun, CoalescedGroups) {
  EXPECT_EQ(ints("if (t % 3 == 0) { auto g = cg::coalesced_threads();"
                 "out[t] = g.size() * 1000 + g.thread_rank() * 10 + g.shfl(t, 2); }"),
            each(32, [](int t) { return t % 3 == 0 ? 11000 + t / 3 * 10 + 6 : 0; }));
  EXPECT_EQ(
      ints("if (t % 3 == 0) { auto g = cg::coalesced_threads(); out[t] = cg::reduce(g, t, cg::plus<int>()) + "
           "g.shfl_down(t, 1) * 1000; }"),
      each(32, [](int t) { return t % 3 == 0 ? 165 + (t == 30 ? 30 : t + 3) * 1000 : 0; }));
  EXPECT_EQ(ints("auto g = cg::labeled_partition(cg::coalesced_threads(), t % 4); out[t] = g.size() * 100 + "
                 "g.thread_rank();"),
            each(32, [](int t) { return 800 + t / 4; }));
  EXPECT_EQ(ints("cg::thread_group g = cg::tiled_partition(cg::this_thread_block(), 4); g.sync();"
                 "out[t] = int(g.thread_rank() * 10 + g.size());"),
            each(32, [](int t) { return t % 4 * 10 + 4; }));
}

TEST(LibraryRun, GroupCopies) {
  std::vector<int> in(64);
  std::iota(in.begin(), in.end(), 7);
  EXPECT_EQ(ints("__shared__ int s[64]; auto b = cg::this_thread_block(); cg::memcpy_async(b, s, in, "
                 "sizeof(int) * 64);"
                 "cg::wait(b); out[t] = s[t];",
                 64, in),
            in);
}

TEST(LibraryRun, MathThatIsNoSingleOperation) {
  auto value = [](const std::string& expression) {
    return run<double>("double", "out[t] = " + expression + ";", 1).at(0);
  };
  for (int n : {2, 3, 5, 12}) {
    for (double x : {0.5, 3.0, 10.0, 40.0}) {
      std::string args = "(" + std::to_string(n) + ", " + std::to_string(x) + ")";
      EXPECT_NEAR(value("jn" + args), ::jn(n, x), 1e-13) << args;
      EXPECT_NEAR(value("yn" + args) / ::yn(n, x), 1.0, 1e-12) << args;
      EXPECT_NEAR(value("jnf" + args), ::jn(n, x), 2e-6) << args;
    }
  }
  for (double x : {0.0, 0.25, 2.0, 20.0, 29.0, 31.0, 80.0, 300.0}) {
    std::string arg = "(" + std::to_string(x) + ")";
    EXPECT_NEAR(value("cyl_bessel_i0" + arg) / std::cyl_bessel_i(0.0, x), 1.0, 1e-14) << arg;
    if (x > 0) {
      EXPECT_NEAR(value("cyl_bessel_i1" + arg) / std::cyl_bessel_i(1.0, x), 1.0, 1e-14) << arg;
    }
  }
  EXPECT_DOUBLE_EQ(value("norm3d(3e200, 4e200, 0)"), 5e200);
  EXPECT_EQ(value("norm4df(1e-30f, 1e-30f, 1e-30f, 1e-30f)"), static_cast<double>(2e-30f));
  EXPECT_DOUBLE_EQ(value("rnorm3d(0.0, 3.0, 4.0)"), 0.2);
  EXPECT_EQ(run<double>("double", "int e; double m = frexp(-12.0, &e); out[t] = m * 100 + e;", 1).at(0),
            -75.0 + 4);
  EXPECT_EQ(
      run<double>("double", "int q; float r = remquof(29.0f, 3.0f, &q); out[t] = r * 100 + q;", 1).at(0),
      -100.0 + 2);
  EXPECT_EQ(run<double>("double", "double w; double f = modf(-3.25, &w); out[t] = w * 100 + f;", 1).at(0),
            -300.25);
}

}  // namespace
}  // namespace quern::lang
