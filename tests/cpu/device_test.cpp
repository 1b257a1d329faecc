// The driver's guarantees: order, events, faults, variables, cooperative launches, many queues.
#include <atomic>
#include <cstring>

#include <gtest/gtest.h>

#include "cpu/cpu_device.hpp"
#include "driver/support/waiting_clock.hpp"
#include "lang/compile.hpp"

namespace quern::cpu {
namespace {

class CpuDeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    device_ = device_of_width(8);
    QUERN_NEED_CPU(device_);
    stream_ = std::move(*device_->create_stream({}));
  }

  void load(const std::string& source, driver::Math math = driver::Math::exact) {
    lang::Compilation compiled = lang::compile("test.cu", source);
    ASSERT_TRUE(compiled.ok) << compiled.rendered;
    driver::Code code;
    code.math = math;
    code.module = std::make_shared<ir::Module>(std::move(compiled.module));
    auto program = device_->load(code);
    ASSERT_TRUE(program.ok()) << program.error().to_string();
    program_ = std::move(*program);
  }

  std::unique_ptr<driver::Kernel> kernel(const char* name) {
    return std::move(*device_->kernel(*program_, name));
  }
  std::unique_ptr<driver::Buffer> ints(size_t n, int32_t value = 0) {
    auto b = std::move(*device_->allocate(n * 4, driver::MemoryKind::device));
    std::fill_n(reinterpret_cast<int32_t*>(b->host), n, value);
    return b;
  }
  static int32_t at(const driver::Buffer& b, size_t i) { return reinterpret_cast<const int32_t*>(b.host)[i]; }
  base::Result<> run(driver::Kernel& k, driver::Dim3 grid, driver::Dim3 block,
                     std::vector<driver::Argument> arguments) {
    QUERN_TRY(device_->launch(*stream_, k, {grid, block, 0, arguments, false}));
    return device_->synchronize(*stream_);
  }

  driver::Device* device_ = nullptr;
  std::unique_ptr<driver::Module> program_;
  std::unique_ptr<driver::Stream> stream_;
};

driver::Argument place(const std::unique_ptr<driver::Buffer>& b) { return {{b.get(), 0}, nullptr, 0}; }

TEST_F(CpuDeviceTest, DescribesItself) {
  EXPECT_EQ(device_->info().id(), "cpu:0");
  EXPECT_EQ(device_->info().kind, driver::DeviceKind::cpu);
  EXPECT_GE(device_->info().compute_units, 1u);
  EXPECT_TRUE(device_->info().features.has(driver::Feature::grid_barrier));
  EXPECT_GT(device_->free_memory(), 0u);
}

// A block of 20 threads in bundles of 8 lanes: the last has 4; warps are bundles of 32.
TEST_F(CpuDeviceTest, ReportsTheUseOfItsLanes) {
  load(
      "__global__ void plain(int* x) { x[threadIdx.x] = 1; }"
      "__global__ void warps(int* x) { x[threadIdx.x] = __shfl_sync(~0u, x[threadIdx.x], 1); }");
  const auto plain = kernel("plain"), warps = kernel("warps");
  EXPECT_EQ(device_->occupancy(*plain, 20, 0).max_blocks_per_unit, 1u);
  EXPECT_EQ(device_->occupancy(*plain, 20, 0).max_threads_per_unit, 24u);
  EXPECT_EQ(device_->occupancy(*warps, 20, 0).max_threads_per_unit, 32u);
}

TEST_F(CpuDeviceTest, ReportsWhenItCompiles) {
  load("__global__ void k(int* x) { x[threadIdx.x] = 7; }");
  const auto k = kernel("k");
  const auto x = ints(32);
  const uint64_t before = driver::Preparation::count();
  ASSERT_TRUE(run(*k, {1, 1, 1}, {32, 1, 1}, {place(x)}).ok());
  EXPECT_GT(driver::Preparation::count(), before);
}

TEST_F(CpuDeviceTest, WorkOfAQueueIsInOrder) {
  load("__global__ void step(int* x) { x[threadIdx.x] = x[threadIdx.x] * 3 + 1; }");
  const auto k = kernel("step");
  const auto x = ints(8, 1);
  const std::vector<driver::Argument> arguments{place(x)};
  int32_t expected = 1;
  for (int i = 0; i < 600; ++i) {  // more than the ring holds
    ASSERT_TRUE(device_->launch(*stream_, *k, {{}, {8, 1, 1}, 0, arguments, false}).ok());
    expected = static_cast<int32_t>(static_cast<uint32_t>(expected) * 3 + 1);
  }
  ASSERT_TRUE(device_->synchronize(*stream_).ok());
  EXPECT_EQ(at(*x, 7), expected);
}

#if defined(__aarch64__)
// (1 + 2^-12)^2 needs one bit more than a float has.
TEST_F(CpuDeviceTest, FusesOnlyWhenAllowed) {
  for (const bool fuses : {false, true}) {
    load("__global__ void f(float* x) { x[1] = x[0] * x[0] - x[3]; }",
         fuses ? driver::Math::fused : driver::Math::exact);
    const auto k = kernel("f");
    const auto x = ints(4);
    const float values[] = {1.000244140625f, 0, 0, 1.00048828125f};
    std::memcpy(x->host, values, sizeof values);
    ASSERT_TRUE(run(*k, {}, {}, {place(x)}).ok());
    float out[4];
    std::memcpy(out, x->host, sizeof out);
    EXPECT_EQ(out[1], fuses ? 0x1p-24f : 0.0f);
  }
}
#endif

TEST_F(CpuDeviceTest, ArgumentsAreCopiedBeforeLaunchReturns) {
  load("__global__ void put(int* x, int v) { x[0] = x[0] * 10 + v; }");
  const auto k = kernel("put");
  const auto x = ints(1);
  for (int32_t v = 1; v <= 3; ++v) {
    int32_t mine = v;
    std::vector<driver::Argument> arguments{place(x), {{}, &mine, sizeof(mine)}};
    ASSERT_TRUE(device_->launch(*stream_, *k, {{}, {}, 0, arguments, false}).ok());
    mine = 9;
  }
  ASSERT_TRUE(device_->synchronize(*stream_).ok());
  EXPECT_EQ(at(*x, 0), 123);
}

TEST_F(CpuDeviceTest, EventsJoinQueues) {
  const auto other = std::move(*device_->create_stream({}));
  const auto event = std::move(*device_->create_event());
  EXPECT_TRUE(*device_->reached(*event));
  std::atomic<bool> may_go{false};
  int order = 0, first = 0, second = 0;
  ASSERT_TRUE(device_
                  ->call(*stream_,
                         [&] {
                           while (!may_go) {
                           }
                           first = ++order;
                         })
                  .ok());
  ASSERT_TRUE(device_->record(*stream_, *event).ok());
  ASSERT_TRUE(device_->wait(*other, *event).ok());
  ASSERT_TRUE(device_->call(*other, [&] { second = ++order; }).ok());
  EXPECT_FALSE(*device_->reached(*event));
  may_go = true;
  ASSERT_TRUE(device_->synchronize(*other).ok());
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 2);
  ASSERT_TRUE(device_->wait(*event).ok());
  EXPECT_TRUE(*device_->reached(*event));
  EXPECT_GT(*device_->time(*event), 0u);
}

TEST_F(CpuDeviceTest, CopiesAndFills) {
  const auto a = ints(4, 7), b = ints(4);
  const int32_t up[2] = {1, 2};
  int32_t down[4] = {};
  ASSERT_TRUE(device_->upload(*stream_, {a.get(), 4}, up, sizeof(up)).ok());
  ASSERT_TRUE(device_->copy(*stream_, {b.get(), 0}, {a.get(), 0}, 16).ok());
  ASSERT_TRUE(device_->fill(*stream_, {b.get(), 12}, 0x0102, 2, 4).ok());
  ASSERT_TRUE(device_->download(*stream_, down, {b.get(), 0}, 16).ok());
  ASSERT_TRUE(device_->synchronize(*stream_).ok());
  EXPECT_EQ(down[0], 7);
  EXPECT_EQ(down[1], 1);
  EXPECT_EQ(down[2], 2);
  EXPECT_EQ(down[3], 0x01020102);
}

TEST_F(CpuDeviceTest, VariablesAreTheProgramsOwn) {
  load("__device__ int count = 40; __constant__ int by = 2; __global__ void add() { count += by; }");
  const auto k = kernel("add");
  auto count = device_->variable(*program_, "count"), by = device_->variable(*program_, "by");
  ASSERT_TRUE(count.ok() && by.ok());
  ASSERT_TRUE(run(*k, {}, {}, {}).ok());
  EXPECT_EQ(at(*count->buffer, 0), 42);
  const int32_t ten = 10;
  ASSERT_TRUE(device_->upload(*stream_, *by, &ten, 4).ok());
  ASSERT_TRUE(run(*k, {}, {}, {}).ok());
  EXPECT_EQ(at(*count->buffer, 0), 52);
  EXPECT_EQ(device_->variable(*program_, "none").error().kind(), base::ErrorKind::not_found);
}

TEST_F(CpuDeviceTest, FailedAssertsAreReportedOnce) {
  load("#include <cassert>\n__global__ void check(int* x) {\n  assert(x[threadIdx.x] < 5);\n}");
  const auto k = kernel("check");
  const auto x = ints(32, 1);
  reinterpret_cast<int32_t*>(x->host)[20] = 6;
  const auto failed = run(*k, {}, {32, 1, 1}, {place(x)});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().kind(), base::ErrorKind::kernel_fault);
  const auto findings = device_->take_findings(*stream_);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, "assert");
  EXPECT_EQ(findings[0].line, 3u);
  EXPECT_EQ(findings[0].thread, (driver::Dim3{20, 0, 0}));
  EXPECT_TRUE(device_->synchronize(*stream_).ok());
}

TEST_F(CpuDeviceTest, ABarrierThatSomeMissIsAFaultNotAHang) {
  load(
      "__global__ void k(int* x) {\n  if (threadIdx.x < 5) {\n    __syncthreads();\n  }\n  x[threadIdx.x] = "
      "1;\n}");
  const auto k = kernel("k");
  const auto x = ints(32);
  const auto failed = run(*k, {}, {32, 1, 1}, {place(x)});
  ASSERT_FALSE(failed.ok());
  const auto findings = device_->take_findings(*stream_);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, "divergent barrier");
  EXPECT_EQ(findings[0].line, 3u);
}

// Facts about all lanes of a bundle are not kept across a barrier: the bundle that ran last is another.
TEST_F(CpuDeviceTest, AConditionOverABarrierIsThatOfItsBundle) {
  load(R"(__global__ void k(int n, int* x) {
    const int i = threadIdx.x;
    const bool takes_part = i < n / 2;
    int v = takes_part ? i : 0;
    v += __shfl_xor_sync(~0u, v, 1);
    __syncthreads();
    if (takes_part) x[i] = v + 100;
  })");
  auto k = kernel("k");
  const int32_t n = 32;
  const auto x = ints(64);
  ASSERT_TRUE(run(*k, {}, {64, 1, 1}, {{{nullptr, 0}, &n, sizeof n}, place(x)}).ok());
  for (int32_t i = 0; i < 64; ++i)
    EXPECT_EQ(at(*x, static_cast<size_t>(i)), i < 16 ? i / 2 * 4 + 101 : 0) << i;
}

// Threads that do not enter have nothing left to do: they have returned.
TEST_F(CpuDeviceTest, ABarrierInAFinalBranchWaitsForThoseInIt) {
  load(R"(__global__ void k(int n, int* x) {
    __shared__ int t[64];
    const int i = threadIdx.x;
    if (n > 0) {
      if (i < n) {
        t[i] = i;
        __syncthreads();
        x[i] += t[n - 1 - i];
        for (int round = 0; round < 3; ++round) {
          __syncthreads();
          if (i + 1 < n) t[i] = x[i + 1];
          __syncthreads();
          x[i] += t[i];
        }
      } else {
        x[i] = -1;
      }
    }
  })");
  auto k = kernel("k");
  const int32_t n = 21;
  const auto x = ints(64);
  ASSERT_TRUE(run(*k, {}, {64, 1, 1}, {{{nullptr, 0}, &n, sizeof n}, place(x)}).ok());
  std::vector<int32_t> want(64, -1), t(64);
  for (size_t i = 0; i < 21; ++i) t[i] = static_cast<int32_t>(i), want[i] = static_cast<int32_t>(20 - i);
  for (int round = 0; round < 3; ++round) {
    for (size_t i = 0; i < 20; ++i) t[i] = want[i + 1];
    for (size_t i = 0; i < 21; ++i) want[i] += t[i];
  }
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(at(*x, i), want[i]) << i;
}

TEST_F(CpuDeviceTest, ThreadsThatWaitTellTheirBlock) {
  load(R"(__global__ void k(int* lock, int* out) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    atomicExch(lock, 0);
    if (blockIdx.x != 2) return;
    if (threadIdx.x < 4) { __syncthreads(); out[0] = 1; }
    else { out[1] = 1; __syncthreads(); }
  })");
  const auto lock = ints(1), out = ints(2);
  auto k = kernel("k");
  EXPECT_FALSE(run(*k, {4, 1, 1}, {8, 1, 1}, {place(lock), place(out)}).ok());
  const auto findings = device_->take_findings(*stream_);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, "divergent barrier");
  EXPECT_EQ(findings[0].block, (driver::Dim3{2, 0, 0}));
}

TEST_F(CpuDeviceTest, BarriersAfterReturnsAreFine) {
  load(
      "__global__ void k(int* x) { if (threadIdx.x >= 21) return; __shared__ int t[32]; t[threadIdx.x] = "
      "threadIdx.x;"
      " __syncthreads(); x[threadIdx.x] = t[20 - threadIdx.x] + __syncthreads_count(threadIdx.x < 4); }");
  const auto k = kernel("k");
  const auto x = ints(32);
  ASSERT_TRUE(run(*k, {}, {32, 1, 1}, {place(x)}).ok());
  EXPECT_EQ(at(*x, 0), 24);
  EXPECT_EQ(at(*x, 20), 4);
  EXPECT_EQ(at(*x, 21), 0);
}

TEST_F(CpuDeviceTest, GridBarriersJoinManyBlocks) {
  load(
      "#include <cooperative_groups.h>\n__global__ void k(int* x, int* out) {"
      " int i = blockIdx.x * blockDim.x + threadIdx.x; int n = gridDim.x * blockDim.x; x[i] = i;"
      " cooperative_groups::this_grid().sync(); out[i] = x[n - 1 - i];"
      " cooperative_groups::this_grid().sync(); x[i] = out[(i + 1) % n]; }");
  const auto k = kernel("k");
  const int n = 700 * 12;
  const auto x = ints(n), out = ints(n);
  ASSERT_TRUE(run(*k, {700, 1, 1}, {12, 1, 1}, {place(x), place(out)}).ok());
  EXPECT_EQ(at(*out, 0), n - 1);
  EXPECT_EQ(at(*x, 0), n - 2);
  EXPECT_EQ(at(*x, n - 1), n - 1);
}

TEST_F(CpuDeviceTest, ThreadsMayWaitForEachOther) {
  load(
      "__global__ void k(volatile int* flags, int* out) { int t = threadIdx.x;"
      " if (t > 0) while (flags[t - 1] == 0) {} __threadfence(); out[t] = t == 0 ? 1 : out[t - 1] * 2;"
      " __threadfence(); flags[t] = 1; }");
  const auto k = kernel("k");
  const auto flags = ints(16), out = ints(16);
  ASSERT_TRUE(run(*k, {}, {16, 1, 1}, {place(flags), place(out)}).ok());
  EXPECT_EQ(at(*out, 15), 1 << 15);
}

TEST_F(CpuDeviceTest, WaitingThreadsUseWarpOperationsToo) {
  load(
      "__global__ void k(int* lock, int* sum) { int v = __shfl_xor_sync(~0u, threadIdx.x, 1);"
      " unsigned b = __ballot_sync(~0u, threadIdx.x % 4 == 0); while (atomicCAS(lock, 0, 1) != 0) {}"
      " *(volatile int*)sum = *(volatile int*)sum + v + __popc(b); atomicExch(lock, 0); }");
  const auto k = kernel("k");
  const auto lock = ints(1), sum = ints(1);
  ASSERT_TRUE(run(*k, {3, 1, 1}, {64, 1, 1}, {place(lock), place(sum)}).ok());
  EXPECT_EQ(at(*sum, 0), 3 * (63 * 64 / 2 + 64 * 8));
}

TEST_F(CpuDeviceTest, LargeGridsRunOnAllThreads) {
  load("__global__ void k(unsigned* x) { atomicAdd(x, 1u); }");
  const auto k = kernel("k");
  const auto x = ints(1);
  ASSERT_TRUE(run(*k, {40, 30, 20}, {5, 3, 2}, {place(x)}).ok());
  EXPECT_EQ(at(*x, 0), 40 * 30 * 20 * 30);
}

TEST_F(CpuDeviceTest, UnknownKernelsAreNotFound) {
  load("__global__ void k() {}");
  EXPECT_EQ(device_->kernel(*program_, "other").error().kind(), base::ErrorKind::not_found);
}

}  // namespace
}  // namespace quern::cpu
