// Code generation: prepared before launches, quick first and full later, outlined, and with divergent lanes.
#include <cstring>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.hpp"
#include "cpu/cpu_device.hpp"
#include "driver/cpu/device.hpp"
#include "driver/cpu/module.hpp"
#include "lang/compile.hpp"
#include "runtime/module.hpp"
#include "runtime/stream.hpp"

namespace quern::cpu {
namespace {

class CpuCodeTest : public testing::Test {
 protected:
  void SetUp() override { open({}); }

  void open(const driver::OpenOptions& options) {
    ::setenv("QUERN_CACHE", "off", 1);
    driver_ = make_driver();
    if (!driver_->start().ok()) GTEST_SKIP() << "LLVM is not installed";
    auto device = driver_->open(0, options);
    ASSERT_TRUE(device.ok()) << device.error().to_string();
    stream_.reset();
    device_ = std::move(*device);
    stream_ = std::move(*device_->create_stream({}));
  }

  void load(const std::string& source, const char* name) {
    lang::Compilation compiled = lang::compile("test.cu", source);
    ASSERT_TRUE(compiled.ok) << compiled.rendered;
    driver::Code code;
    code.module = std::make_shared<ir::Module>(std::move(compiled.module));
    kernel_.reset();
    program_ = std::move(*device_->load(code));
    kernel_ = std::move(*device_->kernel(*program_, name));
  }

  // One buffer of `count` ints with the values 0, 1, 2, …
  base::Result<std::vector<int32_t>> run(size_t count, driver::Dim3 grid, driver::Dim3 block) {
    QUERN_TRY_ASSIGN(auto buffer, device_->allocate(count * 4, driver::MemoryKind::device));
    auto* const numbers = reinterpret_cast<int32_t*>(buffer->host);
    for (size_t i = 0; i < count; ++i) numbers[i] = static_cast<int32_t>(i);
    const std::vector<driver::Argument> arguments{{{buffer.get(), 0}, nullptr, 0}};
    QUERN_TRY(device_->launch(*stream_, *kernel_, {grid, block, 0, arguments, false}));
    QUERN_TRY(device_->synchronize(*stream_));
    return std::vector<int32_t>(numbers, numbers + count);
  }

  CpuKernel& own() { return static_cast<CpuKernel&>(*kernel_); }

  std::unique_ptr<driver::Driver> driver_;
  std::unique_ptr<driver::Device> device_;
  std::unique_ptr<driver::Module> program_;
  std::unique_ptr<driver::Kernel> kernel_;
  std::unique_ptr<driver::Stream> stream_;
};

// Text of more than 8000 bytes: divisions, indirect accesses, a divergent branch.
constexpr const char* kLarge = R"(
__global__ void k(int* x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, s = i;
  for (int r = 0; r < 9; ++r) {
    if ((s ^ r) & 1) s = s / (r + 3) + x[(s & 1023) ^ r] % 7;
    else s = s * 5 + x[(s >> 3) & 1023] / (1 + (s & 3));
    switch (s & 3) { case 0: s += 3; break; case 1: s ^= 77; default: s -= x[s & 511]; }
  }
  __syncthreads();
  x[1024 + i] = s;
}
)";

TEST_F(CpuCodeTest, PreparedKernelsAreNotCompiledAgain) {
  load("__global__ void k(int* x) { x[threadIdx.x] += 1; }", "k");
  const auto first = device_->prepare(*kernel_, {64, 1, 1}, 0);
  ASSERT_TRUE(first.ok()) << first.error().to_string();
  EXPECT_TRUE(*first);
  EXPECT_FALSE(*device_->prepare(*kernel_, {64, 1, 1}, 0));
  EXPECT_FALSE(*device_->prepare(*kernel_, {128, 1, 1}, 0));  // uses the same code
  EXPECT_TRUE(*device_->prepare(*kernel_, {3, 5, 1}, 0));
  EXPECT_EQ((*run(64, {1, 1, 1}, {64, 1, 1}))[63], 64);
}

TEST_F(CpuCodeTest, TimesOfLaunchesAreWithoutCompilation) {
  const auto opened = runtime::Device::open(*driver_, 0, {});
  ASSERT_TRUE(opened.ok());
  runtime::Source source;
  source.name = "test.cu";
  source.text = kLarge;
  const auto program = runtime::Module::load(*opened, std::move(source));
  ASSERT_TRUE(program.ok());
  const auto kernel = (*program)->kernel("k");
  ASSERT_TRUE(kernel.ok());
  const double before = (*kernel)->take_compile_seconds();
  runtime::LaunchConfig shape;
  shape.grid_size = {1, 1, 1};
  shape.block_size = {64, 1, 1};
  ASSERT_TRUE((*opened)->default_stream().prepare(**kernel, shape).ok());
  const double compiling = (*kernel)->take_compile_seconds();
  EXPECT_GT(compiling, 0);
  EXPECT_GT(before, 0);
  ASSERT_TRUE((*opened)->default_stream().prepare(**kernel, shape).ok());
  EXPECT_EQ((*kernel)->take_compile_seconds(), 0);  // there was nothing to do
}

TEST_F(CpuCodeTest, LargeKernelsBeginWithQuickCode) {
  load(kLarge, "k");
  const auto wanted = *run(1024 + 512, {8, 1, 1}, {64, 1, 1});
  const Variant* quick = *own().variant_for({64, 1, 1});
  ASSERT_EQ(quick->effort, Effort::kQuick);
  EXPECT_EQ(own().promoted(quick), quick);
  quick->spent = quick->patience + 1;
  const Variant* full = own().promoted(quick);
  EXPECT_EQ(full->effort, Effort::kFull);
  EXPECT_EQ(own().promoted(quick), full);
  EXPECT_EQ(*own().variant_for({64, 1, 1}), full);
  EXPECT_EQ(*run(1024 + 512, {8, 1, 1}, {64, 1, 1}), wanted);
}

TEST_F(CpuCodeTest, FullCodeTakesOverWithinALaunch) {
  load(kLarge, "k");
  const Variant* quick = *own().variant_for({64, 1, 1});
  quick->spent = quick->patience;  // the first blocks exhaust it
  const auto mixed = *run(1024 + 64 * 200, {200, 1, 1}, {64, 1, 1});
  EXPECT_EQ((*own().variant_for({64, 1, 1}))->effort, Effort::kFull);
  EXPECT_EQ(*run(1024 + 64 * 200, {200, 1, 1}, {64, 1, 1}), mixed);
}

// Compiled on another thread before quick code has run for as long; no thread waits for it.
TEST_F(CpuCodeTest, FullCodeIsCompiledConcurrentlyWithQuickCode) {
  load(kLarge, "k");
  const Variant* quick = *own().variant_for({64, 1, 1});
  quick->spent = quick->patience / 8 + 1;
  const Variant* found = own().promoted(quick);
  for (int i = 0; i < 3000 && found == quick; ++i) {
    ::usleep(10'000);
    found = own().promoted(quick);
  }
  EXPECT_EQ(found->effort, Effort::kFull);
  EXPECT_LT(quick->spent, quick->patience);
}

// The same memory for all threads of a grid, some of which have one element more than others; interleaved
// blocks have their own shared memory and their own sum.
TEST_F(CpuCodeTest, BlocksThatTakeTurnsKeepApart) {
  constexpr const char* kSums = R"(
__global__ void k(int* x) {
  __shared__ int part[64];
  int n = 30011, sum = 0;
  part[threadIdx.x] = threadIdx.x + 1000 * blockIdx.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += x[i] * 3;
    if (i % 5 == 0) part[threadIdx.x] += 7;
  }
  __syncthreads();
  for (int s = 32; s > 0; s /= 2) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  atomicAdd(&x[30100 + blockIdx.x], sum);
  if (threadIdx.x == 0) x[31000 + blockIdx.x] = part[0];
})";
  for (const char* width : {"4", "16", "64"}) {
    for (const char* threads : {"1", "3"}) {
      open({{"width", width}, {"threads", threads}, {"effort", "full"}});
      load(kSums, "k");
      for (const uint32_t blocks : {1u, 3u, 70u, 150u}) {  // fewer and more than are interleaved
        const auto got = *run(32000, {blocks, 1, 1}, {64, 1, 1});
        for (uint32_t b = 0; b < blocks; ++b) {
          int32_t sum = static_cast<int32_t>(30100 + b), part = 63 * 32 + 64000 * static_cast<int32_t>(b);
          for (uint32_t i = b * 64; i < 30011; i += i % 64 == 63 ? blocks * 64 - 63 : 1) {
            sum += static_cast<int32_t>(i) * 3;
            if (i % 5 == 0) part += 7;
          }
          ASSERT_EQ(got[30100 + b], sum) << blocks << " blocks, " << width << " lanes";
          ASSERT_EQ(got[31000 + b], part) << blocks << " blocks, " << width << " lanes";
        }
      }
    }
  }
}

// The blocks of a call add the sum of their values once.
TEST_F(CpuCodeTest, BlocksThatTakeTurnsAddTheirSums) {
  constexpr const char* kBins = R"(
__global__ void k(int* x) {
  __shared__ int own[256];
  int n = 30011, t = threadIdx.x;
  own[t] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[x[i] % blockDim.x], x[i] % 7 - 3);
  __syncthreads();
  atomicAdd(&x[30100 + t], own[t]);
  atomicAdd((unsigned long long*)(x + 31000) + t, (unsigned long long)(own[t] & 15) << 31);
})";
  for (const char* width : {"4", "16", "64"}) {
    for (const char* threads : {"1", "3"}) {
      open({{"width", width}, {"threads", threads}, {"effort", "full"}});
      load(kBins, "k");
      for (const uint32_t size : {64u, 37u, 256u}) {
        for (const uint32_t blocks : {1u, 3u, 150u}) {
          const auto got = *run(32000, {blocks, 1, 1}, {size, 1, 1});
          std::vector<int32_t> own(size_t{blocks} * size);
          for (uint32_t i = 0; i < 30011; ++i) own[i % (blocks * size)] += static_cast<int32_t>(i % 7) - 3;
          for (uint32_t t = 0; t < size; ++t) {
            int32_t sum = static_cast<int32_t>(30100 + t);
            uint64_t wide = uint64_t{31001 + 2 * t} << 32 | (31000 + 2 * t), wide_got = 0;
            for (uint32_t b = 0; b < blocks; ++b) {
              sum += own[b * size + t];
              wide += static_cast<uint64_t>(own[b * size + t] & 15) << 31;
            }
            std::memcpy(&wide_got, &got[31000 + 2 * t], sizeof(wide_got));
            ASSERT_EQ(got[30100 + t], sum) << blocks << " blocks of " << size << ", " << width << " lanes";
            ASSERT_EQ(wide_got, wide) << blocks << " blocks of " << size << ", " << width << " lanes";
          }
        }
      }
    }
  }
}

// Partners by exclusive-or: at every distance, also if it is not a multiple of the lanes.
TEST_F(CpuCodeTest, PartnersAreFoundAtEveryDistance) {
  open({{"effort", "full"}, {"threads", "1"}});  // rows of blocks run in sequence
  load(R"(
__global__ void k(int* x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = gridDim.y, other = i ^ j;
  if (other <= i) return;
  int a = x[i], b = x[other];
  bool up = (i & (2 * j)) == 0;
  x[i] = up ? a - b : b; x[other] = up ? b : a + 1;
})",
       "k");
  for (const uint32_t j : {1u, 2u, 3u, 8u, 16u, 24u, 64u, 128u}) {
    std::vector<int32_t> wanted(512);
    for (int32_t i = 0; i < 512; ++i) wanted[static_cast<size_t>(i)] = i;
    for (uint32_t row = 0; row < j; ++row) {
      for (uint32_t i = 0; i < 512; ++i) {
        const uint32_t other = i ^ j;
        if (other <= i) continue;
        const int32_t a = wanted[i], b = wanted[other];
        const bool up = (i & (2 * j)) == 0;
        wanted[i] = up ? a - b : b;
        wanted[other] = up ? b : a + 1;
      }
    }
    EXPECT_EQ(*run(512, {8, j, 1}, {64, 1, 1}), wanted) << j;
  }
}

// Rows and columns of an index: of every size, also if it is not a multiple of the lanes, and below 0.
TEST_F(CpuCodeTest, PlacesAreFoundInPiecesOfEverySize) {
  open({{"effort", "full"}, {"threads", "1"}});
  load(R"(
__global__ void k(int* x) {
  const int* table = x + 2048;
  int at = blockIdx.x * blockDim.x + threadIdx.x, i = at - 128, c = gridDim.y;
  x[at] = i % c * 1000 + i / c;
  x[512 + at] = table[at % c] + at / c;
  x[1024 + at] = table[at & (c - 1)];
  x[1536 + at] = table[(unsigned)at % (unsigned)c * 2u] - (int)((unsigned)at / (unsigned)c % 3u);
})",
       "k");
  for (const int32_t c : {1, 2, 3, 7, 8, 16, 24, 32, 48, 64, 100, 128}) {
    const auto seen = run(4096, {8, static_cast<uint32_t>(c), 1}, {64, 1, 1});
    ASSERT_TRUE(seen.ok()) << seen.error().to_string();
    for (int32_t at = 0; at < 512; ++at) {
      const auto out = [&](int32_t part) { return (*seen)[static_cast<size_t>(512 * part + at)]; };
      const int32_t i = at - 128;
      EXPECT_EQ(out(0), i % c * 1000 + i / c) << at << " of " << c;
      EXPECT_EQ(out(1), 2048 + at % c + at / c) << at << " of " << c;
      EXPECT_EQ(out(2), 2048 + (at & (c - 1))) << at << " of " << c;
      EXPECT_EQ(out(3), 2048 + at % c * 2 - at / c % 3) << at << " of " << c;
    }
  }
}

TEST_F(CpuCodeTest, DivisionsAreExact) {
  constexpr uint32_t kCount = 1 << 14;
  const std::string source = R"(
typedef TYPE T;
__global__ void k(int* x) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned edges[16] = {0, 1, 2, 3, 7, 10, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 65535, 65536, 65537, 0xaaaaaaab};
  unsigned a = i * 2654435761u, b = (i ^ 0x5bd1e995u) * 2246822519u >> i % 32;
  if (i < 256) { a = edges[i / 16]; b = edges[i % 16]; }
  else if (i % 4 == 0) a = b * (i % 97) - (i % 8 == 0);
  x[4 * i] = (int)a; x[4 * i + 1] = (int)b;
  x[4 * i + 2] = (int)((T)a / (T)b); x[4 * i + 3] = (int)((T)a % (T)b);
})";
  for (const char* const vectors : {"", "avx2", "sse4", "sse2"}) {
    driver::OpenOptions options{{"effort", "full"}};
    if (*vectors != 0) options.emplace_back("vectors", vectors);
    if (!driver_->open(0, options).ok()) continue;  // this processor has others
    open(options);
    for (const bool is_signed : {true, false}) {
      std::string text = source;
      load(text.replace(text.find("TYPE"), 4, is_signed ? "int" : "unsigned"), "k");
      const auto seen = run(std::size_t{4} * kCount, {kCount / 128, 1, 1}, {128, 1, 1});
      ASSERT_TRUE(seen.ok()) << seen.error().to_string();
      int wrong = 0;
      for (size_t i = 0; i < kCount; ++i) {
        const auto at = [&](size_t k) { return static_cast<uint32_t>((*seen)[4 * i + k]); };
        int64_t a = at(0), b = at(1);
        if (is_signed) a = static_cast<int32_t>(at(0)), b = static_cast<int32_t>(at(1));
        const int64_t quotient = b == 0 ? 0 : a / b, rest = b == 0 ? a : a % b;
        wrong += at(2) != static_cast<uint32_t>(quotient) || at(3) != static_cast<uint32_t>(rest);
      }
      EXPECT_EQ(wrong, 0) << vectors << (is_signed ? " signed" : " unsigned");
    }
  }
}

TEST_F(CpuCodeTest, EffortCanBeChosen) {
  for (const auto& [name, effort] : {std::pair{"quick", Effort::kQuick}, std::pair{"full", Effort::kFull}}) {
    open({{"effort", name}});
    load(kLarge, "k");
    EXPECT_EQ((*own().variant_for({64, 1, 1}))->effort, effort);
  }
  EXPECT_FALSE(driver_->open(0, {{"effort", "some"}}).ok());
}

TEST_F(CpuCodeTest, WarpOperationsMeetAcrossBranches) {
  load(
      "__global__ void k(int* x) { int t = threadIdx.x, r;\n"
      "  if (t & 1) r = __shfl_xor_sync(0xffffffffu, t * 3, 1);\n"
      "  else r = __shfl_xor_sync(0xffffffffu, t + 100, 1);\n"
      "  x[t] = r; }",
      "k");
  const auto got = *run(32, {1, 1, 1}, {32, 1, 1});
  for (int32_t t = 0; t < 32; ++t)
    EXPECT_EQ(got[static_cast<size_t>(t)], (t & 1) != 0 ? t - 1 + 100 : (t + 1) * 3);
}

TEST_F(CpuCodeTest, WarpOperationsWithoutLanesThatAreGoneWork) {
  load(
      "__global__ void k(int* x) { int t = threadIdx.x;\n"
      "  if (t >= 8) return;\n"
      "  x[t] = __any_sync(0xffffffffu, t == 3) + 2 * __all_sync(0xffffffffu, t < 8); }",
      "k");
  EXPECT_EQ((*run(32, {1, 1, 1}, {32, 1, 1}))[7], 3);
}

TEST_F(CpuCodeTest, LanesThatComeToAnotherWarpOperationAreAFault) {
  load(
      "__global__ void k(int* x) { int t = threadIdx.x, r = 0;\n"
      "  if (t < 16) r = __shfl_xor_sync(0xffffffffu, t, 1);\n"
      "  r += __any_sync(0xffffffffu, t == 20);\n"
      "  x[t] = r; }",
      "k");
  const auto done = run(32, {1, 1, 1}, {32, 1, 1});
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().kind(), base::ErrorKind::kernel_fault);
  const auto findings = device_->take_findings(*stream_);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, "divergent warp operation");
  EXPECT_EQ(findings[0].line, 3u);
}

TEST_F(CpuCodeTest, BranchesWithTheirOwnMasksAreFine) {
  load(
      "__global__ void k(int* x) { int t = threadIdx.x, r;\n"
      "  if (t < 16) r = __shfl_sync(0x0000ffffu, t, 3);\n"
      "  else r = __shfl_sync(0xffff0000u, t, 20);\n"
      "  x[t] = r + __all_sync(0xffffffffu, r < 99); }",
      "k");
  const auto got = *run(32, {1, 1, 1}, {32, 1, 1});
  EXPECT_EQ(got[0], 4);
  EXPECT_EQ(got[31], 21);
}

TEST_F(CpuCodeTest, VariablesBeginAsAddressesOfOthers) {
  load(
      "__device__ int a[4] = {10, 20, 30, 40};\n"
      "__device__ int* p = &a[2];\n"
      "__constant__ int b[3] = {1, 2, 3};\n"
      "__constant__ const int* table[2] = {b, a + 1};\n"
      "struct Node { const Node* next; int v; };\n"
      "__device__ Node last = {nullptr, 7};\n"
      "__device__ Node first = {&last, 5};\n"
      "__global__ void k(int* x) { x[0] = *p; x[1] = p[1]; x[2] = table[0][2]; x[3] = table[1][0];\n"
      "  x[4] = first.next->v; x[5] = first.next->next == nullptr; *p = 99; x[6] = a[2]; }",
      "k");
  EXPECT_EQ(*run(7, {1, 1, 1}, {1, 1, 1}), (std::vector<int32_t>{30, 40, 3, 20, 7, 1, 99}));
}

TEST_F(CpuCodeTest, GridStrideLoopsTakeEveryElementOnce) {
  for (const char* type : {"int", "unsigned", "long long", "size_t"}) {
    load(
        std::string("__global__ void k(int* x) { for (") + type +
            " i = blockIdx.x * blockDim.x + threadIdx.x; i < 1000; i += blockDim.x * gridDim.x) x[i] += 5; }",
        "k");
    for (const driver::Dim3 block :
         {driver::Dim3{64, 1, 1}, driver::Dim3{37, 1, 1}, driver::Dim3{256, 1, 1}}) {
      const auto got = *run(1010, {3, 1, 1}, block);
      for (int32_t i = 0; i < 1010; ++i)
        ASSERT_EQ(got[static_cast<size_t>(i)], i < 1000 ? i + 5 : i) << type << " " << i;
    }
  }
}

// The bound is the largest integer: the index of the last lanes wraps around.
TEST_F(CpuCodeTest, BoundsThatLanesWrapAroundAtAreExact) {
  load(
      "__global__ void k(int* x) { int i = 2147483640 + threadIdx.x; x[threadIdx.x] = i < 2147483647 ? 1 : "
      "2; }",
      "k");
  const auto got = *run(32, {1, 1, 1}, {32, 1, 1});
  for (int32_t t = 0; t < 32; ++t) EXPECT_EQ(got[static_cast<size_t>(t)], t == 7 ? 2 : 1) << t;
}

// With line tables the code is the same, and perf finds its name.
TEST_F(CpuCodeTest, DebuggedKernelsAreShown) {
  load(kLarge, "k");
  const auto wanted = *run(1024 + 512, {8, 1, 1}, {64, 1, 1});
  ::setenv("QUERN_CPU_DEBUG", "1", 1);
  open({});
  ::unsetenv("QUERN_CPU_DEBUG");
  load(kLarge, "k");
  EXPECT_EQ(*run(1024 + 512, {8, 1, 1}, {64, 1, 1}), wanted);
  const std::string path = "/tmp/perf-" + std::to_string(::getpid()) + ".map";
  const auto map = base::read_file(path);
  ASSERT_TRUE(map.ok()) << map.error().to_string();
  EXPECT_NE(map->find(" k\n"), std::string::npos);
  EXPECT_EQ(::unlink(path.c_str()), 0);
}

// Lanes that leave a loop one by one and read anywhere run one by one, if there are no gathers.
TEST_F(CpuCodeTest, LanesThatOnlyScatterRunAlone) {
  load(
      "__global__ void k(int* x) { int i = threadIdx.x, s = 0;\n"
      "  for (int j = x[i]; j < x[i + 1] * 3; ++j) s += x[(j * 7) & 63];\n"
      "  x[64 + i] = s; }",
      "k");
  const Variant* variant = *own().variant_for({32, 1, 1});
  if (!variant->options.has_masked_memory) {
    EXPECT_EQ(variant->own.width, 1u);
  }
  const auto got = *run(128, {1, 1, 1}, {32, 1, 1});
  for (int32_t i = 0; i < 32; ++i) {
    int32_t sum = 0;
    for (int32_t j = i; j < (i + 1) * 3; ++j) sum += (j * 7) & 63;
    EXPECT_EQ(got[static_cast<size_t>(64 + i)], sum) << i;
  }
}

// Partial rows, at every distance from the end of a page.
TEST_F(CpuCodeTest, RowsUnderAMaskStayWithinTheirPages) {
  load(
      "__global__ void k(int* x) { int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i >= 3 && i < 2043 && (i & 8) == 0) x[i] = x[i + 1] + x[i - 3]; }",
      "k");
  const auto got = *run(2044, {8, 1, 1}, {256, 1, 1});
  // Reads may return the old or the new value; only writes are certain.
  for (int32_t i = 0; i < 2044; ++i) {
    const bool runs = i >= 3 && i < 2043 && (i & 8) == 0;
    if (!runs) {
      EXPECT_EQ(got[static_cast<size_t>(i)], i);
    }
  }
}

TEST_F(CpuCodeTest, CooperativeBlocksUseAllThreads) {
  open({{"threads", "4"}});
  load(
      "#include <cooperative_groups.h>\n"
      "__global__ void k(int* x) { auto g = cooperative_groups::this_grid();\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x, n = blockDim.x * gridDim.x;\n"
      "  for (int r = 0; r < 50; ++r) { int v = x[(i + 33) % n]; g.sync(); x[i] = v + 1; g.sync(); } }",
      "k");
  const auto got = *run(2048, {32, 1, 1}, {64, 1, 1});
  for (int32_t i = 0; i < 2048; ++i) ASSERT_EQ(got[static_cast<size_t>(i)], (i + 33 * 50) % 2048 + 50) << i;
}

}  // namespace
}  // namespace quern::cpu
