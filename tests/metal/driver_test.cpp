// The driver on the test device (device/), which can be made odd. Results of kernels are the suite's
// business.
#include "driver/metal/driver.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "base/store.hpp"
#include "base/temporary_folder.hpp"
#include "driver/decorators/checked/device.hpp"
#include "driver/metal/device.hpp"
#include "lang/compile.hpp"
#include "support/command.hpp"
#include "support/runtime_case.hpp"
#include "target/portable.hpp"

#ifndef QUERN_METAL_DEVICE
#define QUERN_METAL_DEVICE ""
#endif

namespace quern::runtime {
namespace {

using base::ErrorKind;
using driver::Feature;
using driver::MemoryKind;

class Metal : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::string_view(QUERN_METAL_DEVICE).empty()) GTEST_SKIP() << "the test device is not built";
    if (test::run_command("clang++ --version").code != 0)
      GTEST_SKIP() << "clang++ is not installed: the test device cannot compile Metal text";
    ::setenv("QUERN_CACHE", cache_.path().c_str(), 1);
    ::setenv("QUERN_METAL_DEVICE_CACHE", cache_.path().c_str(), 1);
  }
  void TearDown() override {
    for (const char* const name :
         {"QUERN_METAL_LIBRARY", "QUERN_ODD_METAL", "QUERN_CACHE", "QUERN_METAL_DEVICE_CACHE"})
      ::unsetenv(name);
  }

  static void be(const char* odd) { ::setenv("QUERN_ODD_METAL", odd, 1); }
  static std::unique_ptr<driver::Driver> driver(const char* odd) {
    ::setenv("QUERN_METAL_LIBRARY", QUERN_METAL_DEVICE, 1);
    be(odd);
    return metal::make_driver();
  }
  static Result<driver::DeviceInfo> first(const char* odd) {
    const auto made = driver(odd);
    QUERN_TRY(made->start());
    QUERN_TRY_ASSIGN(const auto all, made->devices());
    return all.front();
  }
  static Result<std::unique_ptr<driver::Device>> native(const char* odd,
                                                        const driver::OpenOptions& options = {}) {
    const auto made = driver(odd);
    QUERN_TRY(made->start());
    return made->open(0, options);
  }
  static Result<std::shared_ptr<Device>> opened(const char* odd, const driver::OpenOptions& options = {}) {
    QUERN_TRY_ASSIGN(auto device, native(odd, options));
    return Device::adopt(std::move(device));
  }
  static void runs(const char* odd, const driver::OpenOptions& options = {}) {
    auto device = opened(odd, options);
    ASSERT_TRUE(device.ok()) << device.error().to_string();
    auto result = run_scenario(*device);
    ASSERT_TRUE(result.ok()) << result.error().to_string();
    EXPECT_EQ(*result, scenario_result());
  }
  // Worker threads release a command buffer shortly after it has completed.
  static int live_objects(int expected = -1) {
    void* const library = ::dlopen(QUERN_METAL_DEVICE, RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) return -1;
    auto* const count = reinterpret_cast<int (*)()>(::dlsym(library, "quern_metal_live_objects"));
    for (int i = 0; i < 500 && expected >= 0 && count() != expected; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return count();
  }

  // k(a, b, c) for matrices of 16x16: a and b are all 1.
  static std::vector<float> product_of_ones(driver::Device& d, const driver::Code& code) {
    const auto module = d.load(code);
    if (!module.ok()) throw std::runtime_error(module.error().to_string());
    const auto kernel = d.kernel(**module, "k");
    if (!kernel.ok()) throw std::runtime_error(kernel.error().to_string());
    const auto stream = std::move(*d.create_stream({}));
    const auto a = std::move(*d.allocate(512, MemoryKind::device)),
               c = std::move(*d.allocate(1024, MemoryKind::device));
    constexpr uint64_t kHalfOne = 0x3c00;
    EXPECT_TRUE(d.fill(*stream, {a.get(), 0}, kHalfOne, 2, 512).ok());
    const driver::Argument arguments[] = {{{a.get(), 0}}, {{a.get(), 0}}, {{c.get(), 0}}};
    driver::Launch launch;
    launch.grid = {1, 1, 1};
    launch.block = {32, 1, 1};
    launch.arguments = arguments;
    EXPECT_TRUE(d.launch(*stream, **kernel, launch).ok());
    std::vector<float> out(256);
    EXPECT_TRUE(d.download(*stream, out.data(), {c.get(), 0}, 1024).ok());
    EXPECT_TRUE(d.synchronize(*stream).ok());
    return out;
  }

  base::TemporaryFolder cache_;
};

TEST_F(Metal, RunsAsItIs) { runs(""); }
TEST_F(Metal, RunsWithItsOwnMemory) { runs("discrete"); }
TEST_F(Metal, RunsOnMacOs12) { runs("old"); }
TEST_F(Metal, RunsWithWarpsThroughSharedMemory) { runs("", {{"warps", "memory"}}); }

TEST_F(Metal, KeepsTheRulesOfTheInterface) {
  auto device = native("discrete");
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  const auto violations = std::make_shared<checked::Violations>();
  {
    auto wrapped = Device::adopt(checked::wrap(std::move(*device), violations));
    ASSERT_TRUE(wrapped.ok()) << wrapped.error().to_string();
    auto result = run_scenario(*wrapped);
    ASSERT_TRUE(result.ok()) << result.error().to_string();
    EXPECT_EQ(*result, scenario_result());
  }
  for (const std::string& sentence : violations->sentences()) ADD_FAILURE() << sentence;
}

TEST_F(Metal, ReleasesEverything) {
  for (const char* const odd : {"", "discrete", "old"}) {
    runs(odd);
    EXPECT_EQ(live_objects(0), 0) << odd;
  }
}

TEST_F(Metal, DescribesTheDevice) {
  const auto info = first("");
  ASSERT_TRUE(info.ok()) << info.error().to_string();
  EXPECT_EQ(info->name, "Metal test device");
  EXPECT_EQ(info->kind, driver::DeviceKind::integrated);
  EXPECT_EQ(info->code_version, "3.2");
  EXPECT_EQ(info->driver_version, "macOS 15.1.2");
  EXPECT_EQ(info->memory_bytes, uint64_t{8} << 30);
  EXPECT_EQ(info->limits.buffer_bytes, uint64_t{4} << 30);
  EXPECT_EQ(info->limits.shared_bytes, uint64_t{32} << 10);
  EXPECT_EQ(info->limits.block, (driver::Dim3{1024, 1024, 64}));  // of MTLSize, returned in memory
  EXPECT_TRUE(info->features.has(Feature::addresses));
  EXPECT_TRUE(info->native.has(Feature::warps));
  EXPECT_TRUE(info->features.has(Feature::fp64)) << "in software";
  EXPECT_EQ(first("discrete")->kind, driver::DeviceKind::discrete);
  const auto old = first("old");
  EXPECT_EQ(old->code_version, "2.4");
  EXPECT_FALSE(old->features.has(Feature::addresses));
  EXPECT_FALSE(old->native.has(Feature::warps));
}

TEST_F(Metal, MemoryOfEveryKind) {
  for (const char* const odd : {"", "discrete"}) {
    auto device = native(odd);
    ASSERT_TRUE(device.ok()) << device.error().to_string();
    for (const MemoryKind kind :
         {MemoryKind::device, MemoryKind::pinned, MemoryKind::shared, MemoryKind::mapped}) {
      const auto buffer = (*device)->allocate(1000, kind);
      ASSERT_TRUE(buffer.ok()) << buffer.error().to_string();
      EXPECT_NE((*buffer)->address, 0u);
      EXPECT_EQ((*buffer)->host != nullptr, kind != MemoryKind::device);
    }
    EXPECT_TRUE((*device)->allocate(0, MemoryKind::device).ok());
    const auto large = (*device)->allocate(uint64_t{5} << 30, MemoryKind::device);
    ASSERT_FALSE(large.ok());
    EXPECT_EQ(
        large.error().to_string(),
        "out of memory: allocating 5.0 GiB failed: the largest buffer of Metal test device has 4.0 GiB\n"
        "  hint: split the work");
  }
}

// Offsets and sizes that blits do not support, between those that they do.
TEST_F(Metal, CopiesAndFillsOfAnySize) {
  for (const char* const odd : {"", "discrete"}) {
    auto device = native(odd);
    ASSERT_TRUE(device.ok()) << device.error().to_string();
    driver::Device& d = **device;
    const auto stream = std::move(*d.create_stream({}));
    const auto a = std::move(*d.allocate(256, MemoryKind::device)),
               b = std::move(*d.allocate(256, MemoryKind::device));
    std::vector<uint8_t> in(256), out(256);
    for (const uint64_t offset : {0u, 1u, 4u, 7u, 16u}) {
      for (const uint64_t bytes : {1u, 3u, 4u, 8u, 24u, 101u}) {
        std::iota(in.begin(), in.end(), static_cast<uint8_t>(offset));
        ASSERT_TRUE(d.upload(*stream, {a.get(), 0}, in.data(), 256).ok());
        ASSERT_TRUE(d.fill(*stream, {b.get(), 0}, 0xab, 1, 256).ok());
        ASSERT_TRUE(d.copy(*stream, {b.get(), offset}, {a.get(), 2 * offset}, bytes).ok());
        ASSERT_TRUE(d.upload(*stream, {b.get(), 200 + offset % 4}, &bytes, 3).ok());
        ASSERT_TRUE(d.fill(*stream, {b.get(), 240}, 0x1122334455667788, 8, 16).ok());
        std::vector<uint8_t> expected(256, 0xab);
        std::copy_n(in.begin() + static_cast<ptrdiff_t>(2 * offset), bytes,
                    expected.begin() + static_cast<ptrdiff_t>(offset));
        for (uint64_t i = 0; i < 3; ++i)
          expected[200 + offset % 4 + i] = i == 0 ? static_cast<uint8_t>(bytes) : 0;
        for (uint64_t i = 0; i < 16; ++i)
          expected[240 + i] = static_cast<uint8_t>(uint64_t{0x1122334455667788} >> i % 8 * 8);
        ASSERT_TRUE(d.download(*stream, out.data(), {b.get(), 0}, 256).ok());
        ASSERT_TRUE(d.synchronize(*stream).ok());
        ASSERT_EQ(out, expected) << odd << " offset " << offset << ", " << bytes << " bytes";
      }
    }
  }
}

TEST_F(Metal, TimesOfEventsAreTheHosts) {
  auto device = native("");
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  driver::Device& d = **device;
  const auto stream = std::move(*d.create_stream({}));
  const auto event = std::move(*d.create_event());
  const uint64_t before = driver::host_nanoseconds();
  ASSERT_TRUE(d.record(*stream, *event).ok());
  ASSERT_TRUE(d.wait(*event).ok());
  const uint64_t after = driver::host_nanoseconds();
  const auto time = d.time(*event);
  ASSERT_TRUE(time.ok()) << time.error().to_string();
  constexpr uint64_t kInexact = 50'000'000;  // of both clocks' alignment, on a busy machine
  EXPECT_GE(*time + kInexact, before);
  EXPECT_LE(*time, after + kInexact);
  auto other = native("no-clock");
  ASSERT_TRUE(other.ok()) << other.error().to_string();
  EXPECT_FALSE((*other)->info().features.has(Feature::timestamps));
}

TEST_F(Metal, AnEventMayBeRecordedAgainWhileOthersWait) {
  auto device = native("");
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  const auto done = record_anew(**device);
  EXPECT_TRUE(done.ok()) << done.error().to_string();
}

// The pools of threads that end, and events between streams.
TEST_F(Metal, StreamsOfSeveralThreads) {
  {
    auto device = native("discrete");
    ASSERT_TRUE(device.ok()) << device.error().to_string();
    driver::Device& d = **device;
    const auto memory = std::move(*d.allocate(4096, MemoryKind::device));
    std::vector<std::thread> threads;
    for (uint64_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        const auto one = std::move(*d.create_stream({})), two = std::move(*d.create_stream({}));
        const auto event = std::move(*d.create_event());
        for (uint64_t i = 0; i < 200; ++i) {
          uint64_t out = 0;
          EXPECT_TRUE(d.fill(*one, {memory.get(), t * 8}, i, 8, 8).ok());
          EXPECT_TRUE(d.record(*one, *event).ok());
          EXPECT_TRUE(d.wait(*two, *event).ok());
          EXPECT_TRUE(d.download(*two, &out, {memory.get(), t * 8}, 8).ok());
          EXPECT_TRUE(d.synchronize(*two).ok());
          EXPECT_EQ(out, i);
        }
      });
    }
    for (std::thread& t : threads) t.join();
  }
  EXPECT_EQ(live_objects(0), 0);
}

TEST_F(Metal, ALossIsReportedAndStays) {
  auto device = native("");
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  driver::Device& d = **device;
  const auto stream = std::move(*d.create_stream({}));
  const auto memory = std::move(*d.allocate(64, MemoryKind::device));
  be("lost");
  (void)d.fill(*stream, {memory.get(), 0}, 5, 4, 64).ok();
  const auto lost = d.synchronize(*stream);
  be("");
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.error().to_string(),
            "device lost: Metal test device was lost: a command buffer failed on Metal test device: Device "
            "Removed (MTLCommandBufferErrorDomain 11)");
  EXPECT_EQ(d.create_event().error().kind(), ErrorKind::device_lost);
  EXPECT_EQ(d.allocate(16, MemoryKind::device).error().kind(), ErrorKind::device_lost);
  runs("");  // a device that is opened again works
}

// A command buffer without memory fails alone.
TEST_F(Metal, ACommandBufferMayLackMemory) {
  auto device = native("");
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  driver::Device& d = **device;
  const auto stream = std::move(*d.create_stream({}));
  const auto memory = std::move(*d.allocate(64, MemoryKind::device));
  be("fails=8");
  // fill() reports the failure if the command buffer has ended before it returns.
  const auto filled = d.fill(*stream, {memory.get(), 0}, 0, 4, 64);
  const auto failed = filled.ok() ? d.synchronize(*stream) : filled;
  be("");
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().kind(), ErrorKind::out_of_memory) << failed.error().to_string();
  EXPECT_TRUE(d.fill(*stream, {memory.get(), 0}, 0, 4, 64).ok());
  EXPECT_TRUE(d.synchronize(*stream).ok());
}

TEST_F(Metal, WhatIsMissingIsOneSentence) {
  EXPECT_EQ(first("no-device").error().to_string(),
            "not found: Metal finds no device\n  hint: check with 'system_profiler SPDisplaysDataType' that "
            "the GPU supports Metal");
  EXPECT_EQ(driver("two")->start().ok(), true);
  ::setenv("QUERN_METAL_LIBRARY", "/nowhere/Metal", 1);
  const auto absent = metal::make_driver()->start();
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().to_string(),
            "not found: '/nowhere/Metal' is not found\n  hint: use macOS 12 or later: Metal is part of it "
            "and does not exist elsewhere");
  ::setenv("QUERN_METAL_LIBRARY", "libm.so.6", 1);  // a library without the functions
  const auto other = metal::make_driver()->start();
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().message().find("'libm.so.6' has no function 'objc_getClass'"), std::string::npos)
      << other.error().to_string();
  EXPECT_EQ(opened("", {{"colour", "red"}}).error().kind(), ErrorKind::invalid_use);
}

TEST_F(Metal, ErrorsHaveTheTextOfNsError) {
  auto device = native("");
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  driver::Code code;
  code.kind = driver::CodeKind::kMsl;
  code.name = "odd.cu";
  code.bytes = "#include <metal_stdlib>\nthis is no text at all\n";
  const auto loaded = (*device)->load(code);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().kind(), ErrorKind::compile);
  EXPECT_EQ(loaded.error().message().find("compiling odd.cu failed on Metal test device: "), 0u)
      << loaded.error().to_string();
  EXPECT_NE(loaded.error().message().find("expected unqualified-id"), std::string::npos)
      << loaded.error().to_string();
  EXPECT_NE(loaded.error().message().find("(MTLLibraryErrorDomain 3)"), std::string::npos)
      << loaded.error().to_string();
  code.is_raw = true;
  EXPECT_EQ((*device)->load(code).error().kind(), ErrorKind::unsupported);
  code.kind = driver::CodeKind::kPtx;
  EXPECT_EQ((*device)->load(code).error().kind(), ErrorKind::unsupported);
}

// A kernel's pipeline from the archive that an earlier device left, and without one that Metal accepts.
TEST_F(Metal, PipelinesAreKeptInBinaryArchives) {
  const auto found = [] {
    void* const library = ::dlopen(QUERN_METAL_DEVICE, RTLD_NOW);
    const auto count = reinterpret_cast<int (*)()>(::dlsym(library, "quern_metal_pipelines_from_files"))();
    ::dlclose(library);
    return count;
  };
  runs("");
  const int at_first = found();
  runs("");
  const int afterwards = found();
  EXPECT_GT(afterwards, at_first);
  for (const char* const odd : {"stale", "serializeToURL:error:", "newBinaryArchiveWithDescriptor:error:",
                                "newComputePipelineStateWithDescriptor:options:reflection:error:"}) {
    runs(odd);
    EXPECT_EQ(live_objects(0), 0) << odd;
  }
  EXPECT_EQ(std::filesystem::exists(cache_.path() + "/metal") &&
                !std::filesystem::is_empty(cache_.path() + "/metal"),
            false)
      << "files are left";
  const base::Store store(cache_.path());
  const auto entries = store.list();
  ASSERT_TRUE(entries.ok()) << entries.error().to_string();
  EXPECT_TRUE(std::any_of(entries->begin(), entries->end(),
                          [](const auto& e) { return e.label.starts_with("pipeline of '"); }));
}

TEST_F(Metal, MatricesAreSimdgroupMatrices) {
  EXPECT_FALSE(first("")->matrices.empty());
  EXPECT_TRUE(first("old")->matrices.empty());
  constexpr const char* kProduct =
      "#include <mma.h>\nusing namespace nvcuda;\n"
      "__global__ void k(const __half* a, const __half* b, float* c) {\n"
      "  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;\n"
      "  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;\n"
      "  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;\n"
      "  wmma::fill_fragment(fc, 1.0f);\n"
      "  wmma::load_matrix_sync(fa, a, 16);\n"
      "  wmma::load_matrix_sync(fb, b, 16);\n"
      "  wmma::mma_sync(fc, fa, fb, fc);\n"
      "  for (int i = 0; i < fc.num_elements; ++i) fc.x[i] *= 2;\n"
      "  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);\n}\n";
  for (const driver::OpenOptions& options :
       {driver::OpenOptions{}, driver::OpenOptions{{"warps", "memory"}}}) {
    const auto device = native("", options);
    ASSERT_TRUE(device.ok()) << device.error().to_string();
    lang::Compilation compiled = lang::compile("test.cu", kProduct);
    ASSERT_TRUE(compiled.ok);
    const auto module = std::make_shared<const ir::Module>(std::move(compiled.module));
    const auto code = target::compile_for((*device)->info(), std::make_shared<target::PortableProgram>(
                                                                 target::PortableProgram{"test.cu", module}));
    ASSERT_TRUE(code.ok()) << code.error().to_string();
    const bool has_objects = code->bytes.find("simdgroup_multiply_accumulate") != std::string::npos;
    EXPECT_EQ(has_objects, options.empty());
    EXPECT_EQ(product_of_ones(**device, *code), std::vector<float>(256, 34));
  }
}

TEST_F(Metal, WarpsNeedSimdGroupsOf32) {
  const auto device = opened("wide");
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  const auto program = Module::load(
      *device, source("__global__ void k(int* a) { a[threadIdx.x] = __shfl_sync(~0u, a[threadIdx.x], 0); }"));
  ASSERT_TRUE(program.ok()) << program.error().to_string();
  const auto kernel = (*program)->kernel("k");
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().to_string(),
            "unsupported: loading kernel 'k' failed: it does warp operations, and Metal test device runs it "
            "in SIMD-groups of 64 "
            "threads\n  hint: open the device with the option warps=memory");
}

// Whatever message fails: an error or the right result, and nothing stays behind.
TEST_F(Metal, AnyMessageMayFail) {
  runs("");
  EXPECT_EQ(live_objects(0), 0);
  int failures = 0, passes = 0;
  for (int call = 1; call < 2000 && passes < 3; call += call < 60 ? 1 : 7) {
    const std::string odd = (call % 2 == 0 ? "discrete,call " : "call ") + std::to_string(call);
    const auto device = opened(odd.c_str());
    if (!device.ok()) {
      ++failures;
      continue;
    }
    const auto result = run_scenario(*device);
    if (result.ok()) {
      EXPECT_EQ(*result, scenario_result()) << odd;
      ++passes;
    } else {
      ++failures;
      passes = 0;
      EXPECT_FALSE(result.error().message().empty());
    }
  }
  EXPECT_GT(failures, 30);
  be("");
  EXPECT_EQ(live_objects(0), 0);
}

}  // namespace
}  // namespace quern::runtime
