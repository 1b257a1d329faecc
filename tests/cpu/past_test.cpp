// Non-temporal stores: which code contains them, which launches use them, and that their results are correct
// at every address and with overlapping buffers.
#include <cstring>
#include <numeric>

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "cpu/cpu_device.hpp"
#include "driver/cpu/listing.hpp"
#include "driver/cpu/module.hpp"
#include "lang/compile.hpp"
#include "target/llvm/outflow.hpp"

namespace quern::cpu {
namespace {

constexpr const char* kSource = R"(
__global__ void copy(int n, const float* a, float* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i];
}
__global__ void fill(int n, float s, float* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = s;
}
__global__ void bytes(int n, const unsigned char* a, unsigned char* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i];
}
__global__ void fours(int n, const float4* a, float4* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i];
}
__global__ void rows(int nx, int ny, const float* a, float* c) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny) c[y * nx + x] = a[y * nx + x];
}
__global__ void over_grid(int n, const float* a, float* c) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = a[i];
}
__global__ void hidden(int n, const float* const* where, float* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float* a = where[0];
  if (i < n) c[i] = a[i];
}
__global__ void in_place(int n, const float* a, float* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + c[i];
}
__global__ void counts(int n, const float* a, float* c, int* count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i];
  atomicAdd(count, 1);
}
__global__ void waits(int n, const float* a, float* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i];
  __syncthreads();
}
__global__ void tells(int n, const float* a, float* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i];
  __threadfence();
}
__global__ void shown(int n, const float* a, volatile float* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i];
}
__global__ void apart(int n, const float* a, float* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[2 * i] = a[i];
}
)";

class PastTest : public testing::Test {
 protected:
  void SetUp() override {
    compiled_ = lang::compile("past.cu", kSource);
    ASSERT_TRUE(compiled_.ok) << compiled_.rendered;
  }

  std::string listing(const char* kernel, const char* vectors, bool is_assembly) {
    ListingOptions options;
    options.processor = *processor_with(vectors);
    options.block = {256, 1, 1};
    const ir::Function& function = *compiled_.module.find_function(kernel);
    const auto text = is_assembly ? assembly_listing(compiled_.module, function, options)
                                  : llvm_listing(compiled_.module, function, options);
    return text.ok() ? *text : std::string();
  }

  void open(const char* cache, const char* vectors = "", const char* threads = "2") {
    ::setenv("QUERN_CACHE", "off", 1);
    driver_ = make_driver();
    if (!driver_->start().ok()) GTEST_SKIP() << "LLVM is not installed";
    driver::OpenOptions options{{"cache", cache}, {"threads", threads}};
    if (*vectors != 0) options.emplace_back("vectors", vectors);
    auto device = driver_->open(0, options);
    ASSERT_TRUE(device.ok()) << device.error().to_string();
    kernel_.reset(), program_.reset(), stream_.reset();
    device_ = std::move(*device);
    stream_ = std::move(*device_->create_stream({}));
    driver::Code code;
    code.module = std::make_shared<ir::Module>(compiled_.module.clone());
    program_ = std::move(*device_->load(code));
  }

  CpuKernel& take(const char* name) {
    if (kernel_ == nullptr || kernel_->info.name != name)
      kernel_ = std::move(*device_->kernel(*program_, name));
    return static_cast<CpuKernel&>(*kernel_);
  }

  // copy(n, a, c) and similar kernels with this many threads.
  bool goes_past(const char* name, int n, uint64_t a, uint64_t c, uint64_t threads) {
    CpuKernel& kernel = take(name);
    std::vector<std::byte> bytes(kernel.arguments().bytes);
    std::memcpy(bytes.data() + kernel.arguments().offsets[0], &n, 4);
    std::memcpy(bytes.data() + kernel.arguments().offsets[1], &a, 8);
    std::memcpy(bytes.data() + kernel.arguments().offsets[2], &c, 8);
    return kernel.goes_past_caches(bytes.data(), threads);
  }

  void launch(const char* name, int n, driver::Place a, driver::Place c, driver::Dim3 grid,
              driver::Dim3 block) {
    take(name);
    const std::vector<driver::Argument> arguments{{{}, &n, 4}, {a, nullptr, 0}, {c, nullptr, 0}};
    const auto done = device_->launch(*stream_, *kernel_, {grid, block, 0, arguments, false});
    ASSERT_TRUE(done.ok()) << done.error().to_string();
    ASSERT_TRUE(device_->synchronize(*stream_).ok());
  }

  std::unique_ptr<driver::Buffer> numbers(size_t count) {
    auto buffer = std::move(*device_->allocate(count, driver::MemoryKind::device));
    for (size_t i = 0; i < count; ++i) buffer->host[i] = static_cast<std::byte>(i * 7 + i / 251);
    return buffer;
  }

  lang::Compilation compiled_;
  std::unique_ptr<driver::Driver> driver_;
  std::unique_ptr<driver::Device> device_;
  std::unique_ptr<driver::Module> program_;
  std::unique_ptr<driver::Kernel> kernel_;
  std::unique_ptr<driver::Stream> stream_;
};

bool has(const std::string& text, const char* what) { return text.find(what) != std::string::npos; }

TEST_F(PastTest, CodeForWhatIsOnlyWrittenHasThem) {
  for (const char* kernel : {"copy", "fill", "bytes", "fours", "over_grid"}) {
    EXPECT_TRUE(has(listing(kernel, "avx512", false), "!nontemporal")) << kernel;
    EXPECT_FALSE(has(listing(kernel, "neon", false), "!nontemporal")) << kernel;
  }
  for (const char* kernel : {"in_place", "counts", "waits", "tells", "shown", "apart"})
    EXPECT_FALSE(has(listing(kernel, "avx512", false), "!nontemporal")) << kernel;
}

TEST_F(PastTest, MachineCodeHasThemInAdditionToOrdinaryStores) {
  for (const char* vectors : {"avx512", "avx2", "sse2"}) {
    const std::string text = listing("copy", vectors, true);
    if (text.empty()) GTEST_SKIP() << "no LLVM";
    EXPECT_TRUE(has(text, "movnt")) << vectors;
    EXPECT_TRUE(has(text, "movup") || has(text, "movdqu")) << vectors;
    EXPECT_FALSE(has(listing("in_place", vectors, true), "movnt")) << vectors;
  }
}

TEST_F(PastTest, LaunchesThatWriteMuchGoPast) {
  open("1000000");
  constexpr uint64_t kA = 1 << 30, kC = 1 << 29;
  EXPECT_FALSE(goes_past("copy", 0, kA, kC, 74'000));  // 296,000 bytes
  EXPECT_TRUE(goes_past("copy", 0, kA, kC, 76'000));
  EXPECT_FALSE(goes_past("in_place", 0, kA, kC, 10'000'000));
  EXPECT_FALSE(goes_past("counts", 0, kA, kC, 10'000'000));
  EXPECT_FALSE(goes_past("bytes", 0, kA, kC, 290'000));
  EXPECT_TRUE(goes_past("bytes", 0, kA, kC, 310'000));
  // Memory that is read through another parameter is not write-only.
  EXPECT_FALSE(goes_past("copy", 0, kA, kA, 10'000'000));
  EXPECT_FALSE(goes_past("copy", 0, kA, kA + 64, 10'000'000));
  EXPECT_FALSE(goes_past("copy", 0, kA + 64, kA, 10'000'000));
  EXPECT_TRUE(goes_past("copy", 0, kA + 40'000'000, kA, 10'000'000));
  // Few threads that process much data.
  EXPECT_FALSE(goes_past("over_grid", 74'000, kA, kC, 1024));
  EXPECT_TRUE(goes_past("over_grid", 76'000, kA, kC, 1024));
  EXPECT_FALSE(goes_past("over_grid", -1, kA, kC, 1024));
  EXPECT_TRUE(goes_past("over_grid", -1, kA, kC, 76'000));
}

TEST_F(PastTest, FillsGoPastLater) {
  open("1000000");
  CpuKernel& kernel = take("fill");
  const std::vector<std::byte> bytes(kernel.arguments().bytes);
  EXPECT_FALSE(kernel.goes_past_caches(bytes.data(), 112'000));
  EXPECT_TRUE(kernel.goes_past_caches(bytes.data(), 113'000));
}

TEST_F(PastTest, ManyWorkersGoPastLater) {
  constexpr uint64_t kA = uint64_t{1} << 40, kC = uint64_t{1} << 41;
  open("1000000", "", "16");
  EXPECT_FALSE(goes_past("copy", 0, kA, kC, 187'000));
  EXPECT_TRUE(goes_past("copy", 0, kA, kC, 188'000));
  CpuKernel& kernel = take("fill");
  const std::vector<std::byte> bytes(kernel.arguments().bytes);
  EXPECT_FALSE(kernel.goes_past_caches(bytes.data(), 374'000));
  EXPECT_TRUE(kernel.goes_past_caches(bytes.data(), 376'000));
}

TEST_F(PastTest, NothingGoesPastWithoutACache) {
  open("0");
  EXPECT_FALSE(goes_past("copy", 0, 1 << 30, 1 << 29, uint64_t{1} << 32));
}

TEST_F(PastTest, WhatIsCopiedIsRightAtEveryAddress) {
  struct Case {
    const char* kernel;
    size_t element;
  };
  for (const char* vectors : {"", host_processor().is_aarch64 ? "neon" : "sse2"}) {
    open("1", vectors);
    for (const Case& c : {Case{"copy", 4}, Case{"bytes", 1}, Case{"fours", 16}, Case{"over_grid", 4}}) {
      for (const size_t from : {size_t{0}, c.element, 5 * c.element}) {
        for (const size_t to : {size_t{0}, c.element, 3 * c.element, size_t{64}}) {
          for (const int n : {1, 100, 4096, 5003}) {
            const auto a = numbers(8192 * c.element), b = numbers(8192 * c.element);
            std::memset(b->host, 0x5a, b->bytes);
            std::vector<std::byte> wanted(b->host, b->host + b->bytes);
            std::memcpy(wanted.data() + to, a->host + from, static_cast<size_t>(n) * c.element);
            launch(c.kernel, n, {a.get(), from}, {b.get(), to}, {static_cast<uint32_t>(n + 255) / 256, 1, 1},
                   {256, 1, 1});
            ASSERT_EQ(std::memcmp(wanted.data(), b->host, b->bytes), 0)
                << c.kernel << " from " << from << " to " << to << ", " << n;
          }
        }
      }
    }
  }
}

TEST_F(PastTest, BlocksOfAnyLengthAndRowsAreRight) {
  open("1");
  for (const uint32_t block : {7u, 16u, 100u, 256u}) {
    const auto a = numbers(20'000), b = numbers(20'000);
    std::memset(b->host, 0, b->bytes);
    launch("copy", 5000, {a.get(), 0}, {b.get(), 0}, {(5000 + block - 1) / block, 1, 1}, {block, 1, 1});
    EXPECT_EQ(std::memcmp(a->host, b->host, 20'000), 0) << block;
  }
  take("rows");
  const auto a = numbers(80'000), b = numbers(80'000);
  std::memset(b->host, 0, b->bytes);
  const int nx = 200, ny = 100;
  const std::vector<driver::Argument> arguments{
      {{}, &nx, 4}, {{}, &ny, 4}, {{a.get(), 0}, nullptr, 0}, {{b.get(), 0}, nullptr, 0}};
  ASSERT_TRUE(device_->launch(*stream_, *kernel_, {{7, 13, 1}, {32, 8, 1}, 0, arguments, false}).ok());
  ASSERT_TRUE(device_->synchronize(*stream_).ok());
  EXPECT_EQ(std::memcmp(a->host, b->host, 80'000), 0);
}

// One OS thread runs everything in order, and reads its own recent non-temporal stores. The
// overlap is not known: the address is in memory.
TEST_F(PastTest, OverlappingBuffersAreRight) {
  open("1", "", "1");
  for (const auto& [from, to] : {std::pair{0, 256}, std::pair{0, 320}, std::pair{0, 8192}, std::pair{4, 260},
                                 std::pair{256, 0}, std::pair{64, 0}, std::pair{4, 0}}) {
    constexpr int kCount = 50'000;
    // The location is at the far end from the writes: close locations might overlap them.
    const auto a = numbers(4 * kCount + 8192), large = numbers(4 << 20);
    const driver::Place place{large.get(), large->address < a->address ? 0 : large->bytes - 64};
    const uint64_t address = a->address + static_cast<uint64_t>(from);
    std::memcpy(large->host + place.offset, &address, sizeof(address));
    std::vector<std::byte> wanted(a->host, a->host + a->bytes);
    for (size_t i = 0; i < size_t{4} * kCount; ++i)
      wanted[static_cast<size_t>(to) + i] = wanted[static_cast<size_t>(from) + i];
    EXPECT_TRUE(goes_past("hidden", kCount, large->address + place.offset, a->address, kCount));
    launch("hidden", kCount, place, {a.get(), static_cast<uint64_t>(to)}, {(kCount + 255) / 256, 1, 1},
           {256, 1, 1});
    EXPECT_EQ(std::memcmp(wanted.data(), a->host, a->bytes), 0) << "from " << from << " to " << to;
  }
}

// One launch reads on all threads what the previous one wrote on all threads.
TEST_F(PastTest, ChainsSeeWhatWasWritten) {
  open("1");
  constexpr int kCount = 300'000;
  const auto a = numbers(kCount * 4), b = numbers(kCount * 4), c = numbers(kCount * 4);
  for (uint8_t round = 0; round < 20; ++round) {
    std::memset(a->host, round, a->bytes);
    const driver::Dim3 grid{(kCount + 255) / 256, 1, 1}, block{256, 1, 1};
    const int n = kCount;
    take("copy");
    for (const auto& [from, to] : {std::pair{a.get(), b.get()}, std::pair{b.get(), c.get()}}) {
      const std::vector<driver::Argument> arguments{
          {{}, &n, 4}, {{from, 0}, nullptr, 0}, {{to, 0}, nullptr, 0}};
      ASSERT_TRUE(device_->launch(*stream_, *kernel_, {grid, block, 0, arguments, false}).ok());
    }
    ASSERT_TRUE(device_->synchronize(*stream_).ok());
    ASSERT_EQ(std::memcmp(a->host, c->host, a->bytes), 0) << int{round};
  }
}

TEST_F(PastTest, CachesAreCounted) {
  if (base::read_file("/sys/devices/system/cpu/cpu0/cache/index2/size").ok()) {
    EXPECT_GE(host_last_cache(), uint64_t{64} << 10);
  }
}

}  // namespace
}  // namespace quern::cpu
