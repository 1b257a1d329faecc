// Threads that do not all reach convergent operations: run on the simulator unchanged and gathered. Both must
// have the same results, and afterwards all threads reach all such operations.
#include <gtest/gtest.h>

#include "driver/sim/sim.hpp"
#include "lang/compile.hpp"
#include "lang/ir/verify.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {
namespace {

constexpr uint32_t kBlock = 128, kBlocks = 2;

bool is_meeting(const ir::Inst& i) { return ir::has(i.op, ir::kConvergent); }

std::vector<int> run(const std::shared_ptr<ir::Module>& module, uint32_t unchecked = 0) {
  sim::Device device;
  auto program = device.load(module);
  EXPECT_TRUE(program.ok());
  std::vector<int> in(kBlock * kBlocks);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>((i * 37 + 11) % 101);
  const sim::Address from = *device.upload_new(std::span<const int>(in), "in");
  const sim::Address to = *device.upload_new(std::span<const int>(std::vector<int>(in.size(), -1)), "out");
  sim::LaunchConfig config;
  config.grid = {kBlocks, 1, 1};
  config.block = {kBlock, 1, 1};
  config.args = {sim::Arg(from), sim::Arg(to)};
  config.options.checks &= ~unchecked;
  auto launched = device.launch(**program, "k", config);
  EXPECT_TRUE(launched.ok()) << launched.error().to_string();
  if (!launched.ok()) return {};
  for (const sim::Report& report : launched->reports) ADD_FAILURE() << sim::render(report, *module);
  return *device.download_as<int>(to, in.size());
}

void expect_same(const std::string& body) {
  const std::string text =
      "__global__ void k(const int* in, int* out) {\n"
      "  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, lane = t & 31, warp = t >> 5, x = in[i];\n" +
      body + "}\n";
  lang::Compilation c = lang::compile("test.cu", text);
  ASSERT_TRUE(c.ok) << c.rendered;
  const auto plain = std::make_shared<ir::Module>(std::move(c.module));
  const auto gathered = std::make_shared<ir::Module>(plain->clone());
  ir::Function* kernel = gathered->find_function("k");
  const auto all_arrive = [](const ir::Function& f) {
    const Uniformity uniformity(f);
    bool all = true;
    traverse(f.body,
             [&](const ir::Inst* i) { all = all && (!is_meeting(*i) || uniformity.is_converged(i)); });
    return all;
  };
  EXPECT_FALSE(all_arrive(*kernel)) << "nothing to do";
  gather_threads(*gathered);
  ASSERT_EQ(ir::verify(*gathered), "");
  ASSERT_EQ(ir::verify_lifetimes(*gathered), "");
  EXPECT_TRUE(all_arrive(*kernel)) << body;
  // Inactive threads compute with uninitialized values, and are in no mask; this has no effect.
  EXPECT_EQ(run(gathered, sim::kCheckUninitialized | sim::kCheckWarps), run(plain)) << body;
}

TEST(Gather, OneWarpReduces) {
  expect_same(R"(
    if (t < 32) {
      for (int by = 16; by > 0; by /= 2) x += __shfl_down_sync(0xffffffffu, x, by);
      if (lane == 0) out[i] = x;
    }
    if (t == 64) out[i] = x + 1;
  )");
}

TEST(Gather, WarpsReturnEarly) {
  expect_same(R"(
    if (warp == 2) return;
    int most = x;
    for (int by = 16; by > 0; by /= 2) most = max(most, __shfl_xor_sync(0xffffffffu, most, by));
    if (warp == 1 && blockIdx.x == 1) { out[i] = -7; return; }
    out[i] = most + __popc(__ballot_sync(0xffffffffu, x > 40));
  )");
}

TEST(Gather, EachWarpHasItsOwnNumberOfRounds) {
  expect_same(R"(
    int sum = 0;
    for (int row = warp; row < 11; row += 3) {
      int part = x * row;
      for (int by = 16; by > 0; by /= 2) part += __shfl_xor_sync(0xffffffffu, part, by);
      if (row == 5) continue;
      if (part > 9000) break;
      sum += part + __any_sync(0xffffffffu, x == row);
    }
    out[i] = sum;
  )");
}

TEST(Gather, BothWaysMeet) {
  expect_same(R"(
    int y = 0;
    if (warp & 1) {
      y = __shfl_sync(0xffffffffu, x, 3);
      if (warp == 3) y += __reduce_add_sync(0xffffffffu, 1u);
    } else {
      y = __shfl_sync(0xffffffffu, x, 5) + __all_sync(0xffffffffu, x >= 0);
    }
    out[i] = y;
  )");
}

TEST(Gather, BarriersAfterAReturn) {
  expect_same(R"(
    __shared__ int tile[128];
    if (t >= 96) return;
    tile[t] = x;
    __syncthreads();
    out[i] = tile[95 - t] + __syncthreads_count(x & 1);
  )");
}

TEST(Gather, ValuesOfOneBranchAreVisibleAfterTheJoin) {
  expect_same(R"(
    if (warp < 2) {
      int mine = in[i ^ 1];
      int other = __shfl_sync(0xffffffffu, mine, lane ^ 2);
      out[i] = mine * 1000 + other + in[i];
    }
  )");
}

TEST(Gather, LeavesAlreadyTogetherAlone) {
  lang::Compilation c = lang::compile(
      "test.cu",
      "__global__ void k(int* out) { if (blockIdx.x == 0) __syncthreads(); out[threadIdx.x] = 1; }");
  ASSERT_TRUE(c.ok);
  size_t before = 0, after = 0;
  ir::Function* kernel = c.module.find_function("k");
  traverse(kernel->body, [&](const ir::Inst*) { ++before; });
  gather_threads(c.module);
  traverse(kernel->body, [&](const ir::Inst*) { ++after; });
  EXPECT_EQ(before, after);
}

}  // namespace
}  // namespace quern::pass
