// The driver on this machine's OpenCL, modified in several ways (odd_opencl.cpp). The results of kernels are
// checked by the suite.
#include "driver/opencl/driver.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/store.hpp"
#include "base/store_watch.hpp"
#include "base/temporary_folder.hpp"
#include "driver/opencl/compiler_process.hpp"
#include "driver/opencl/messages.hpp"
#include "driver/support/messages.hpp"
#include "support/runtime_case.hpp"

#ifndef QUERN_ODD_OPENCL
#define QUERN_ODD_OPENCL ""
#endif

namespace quern::runtime {
namespace {

using base::ErrorKind;
using driver::CodeKind;

bool takes(const driver::DeviceInfo& info, CodeKind kind) {
  return std::find(info.code.begin(), info.code.end(), kind) != info.code.end();
}

constexpr const char* kNoSpirv = "OpenCL does not accept SPIR-V here, and llvm-spirv-15 is not installed";

class Opencl : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::string_view(QUERN_ODD_OPENCL).empty())
      GTEST_SKIP() << "libOpenCL.so.1 was not there when this was built";
    auto found = first("");
    if (!found.ok()) GTEST_SKIP() << "there is no OpenCL device: " << found.error().message();
  }
  void TearDown() override {
    ::unsetenv("QUERN_OPENCL_LIBRARY");
    ::unsetenv("QUERN_ODD_OPENCL");
  }

  static std::unique_ptr<driver::Driver> driver(const char* odd) {
    ::setenv("QUERN_OPENCL_LIBRARY", QUERN_ODD_OPENCL, 1);
    ::setenv("QUERN_ODD_OPENCL", odd, 1);
    return opencl::make_driver();
  }
  static Result<driver::DeviceInfo> first(const char* odd) {
    const auto made = driver(odd);
    QUERN_TRY(made->start());
    QUERN_TRY_ASSIGN(const auto all, made->devices());
    if (all.empty()) return base::Error(ErrorKind::not_found, "no device");
    return all.front();
  }
  static Result<std::shared_ptr<Device>> opened(const char* odd, const driver::OpenOptions& options = {}) {
    const auto made = driver(odd);
    QUERN_TRY(made->start());
    QUERN_TRY_ASSIGN(auto native, made->open(0, options));
    return Device::adopt(std::move(native));
  }
  static void runs(const char* odd) {
    auto device = opened(odd);
    ASSERT_TRUE(device.ok()) << device.error().to_string();
    auto result = run_scenario(*device);
    ASSERT_TRUE(result.ok()) << result.error().to_string();
    EXPECT_EQ(*result, scenario_result());
  }
};

TEST_F(Opencl, RunsAsItIs) { runs(""); }

std::atomic<int> codes_found{0}, codes_kept{0};

TEST_F(Opencl, KeepsWhatItCompiled) {
  const base::TemporaryFolder folder;
  ::setenv("QUERN_CACHE", folder.path().c_str(), 1);
  base::store_watch = [](std::string_view what, std::string_view key) {
    if (!key.starts_with("opencl-")) return;
    if (what == "found") ++codes_found;
    if (what == "kept") ++codes_kept;
  };
  runs("stranger");
  const int kept = codes_kept, twice = codes_found;  // the scenario compiles some texts again
  EXPECT_GE(kept, 1);
  codes_found = codes_kept = 0;
  runs("stranger");
  EXPECT_EQ(codes_found, kept + twice);
  EXPECT_EQ(codes_kept, 0);
  // Binaries that the device no longer accepts are compiled again.
  const base::Store store;
  const auto all = store.list();
  ASSERT_TRUE(all.ok());
  for (const base::Store::Entry& e : *all) {
    if (e.key.starts_with("opencl-")) store.put(e.key, e.label, "from another time");
  }
  codes_found = codes_kept = 0;
  runs("stranger");
  EXPECT_EQ(codes_kept, kept);
  codes_found = codes_kept = 0;
  runs("");  // PoCL has its own cache
  EXPECT_EQ(codes_found + codes_kept, 0);
  base::store_watch = nullptr;
  ::unsetenv("QUERN_CACHE");
}

TEST_F(Opencl, SeveralPlatformsTogether) {
  const auto made = driver("twice");
  const auto says = made->start();
  ASSERT_TRUE(says.ok()) << says.error().to_string();
  EXPECT_NE(says->find(", "), std::string::npos) << *says;
  const auto all = made->devices();
  ASSERT_TRUE(all.ok()) << all.error().to_string();
  ASSERT_GE(all->size(), 2U);
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (const uint32_t index : {0U, static_cast<uint32_t>(all->size() / 2)}) {
    auto native = made->open(index, {});
    ASSERT_TRUE(native.ok()) << native.error().to_string();
    threads.emplace_back([&, device = Device::adopt(std::move(*native))] {
      if (!device.ok()) return;
      const auto result = run_scenario(*device);
      if (result.ok() && *result == scenario_result()) ++right;
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, 2);
}

// The layer above then uses the host's clock.
TEST_F(Opencl, EventsWithoutTimesAreNoClock) {
  auto device = opened("no-clock");
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  EXPECT_FALSE((*device)->info().features.has(driver::Feature::timestamps));
  EXPECT_TRUE((*opened(""))->info().features.has(driver::Feature::timestamps));
}

TEST_F(Opencl, RunsWithBufferObjects) {
  EXPECT_FALSE(first("buffers")->features.has(driver::Feature::addresses));
  runs("buffers");
}

TEST_F(Opencl, RunsWithUnifiedSharedMemory) {
  const auto info = first("unified");
  ASSERT_TRUE(info.ok());
  const bool is_there = std::find(info->details.begin(), info->details.end(),
                                  std::pair<std::string, std::string>("memory", "unified shared memory")) !=
                        info->details.end();
  if (!is_there) GTEST_SKIP() << info->name << " has no cl_intel_unified_shared_memory";
  runs("unified");
}

TEST_F(Opencl, TakesSpirv) {
  if (!takes(*first("il"), CodeKind::kSpirvKernel)) GTEST_SKIP() << kNoSpirv;
  runs("il");
}

TEST_F(Opencl, TakesSpirvWithBufferObjects) {
  if (!takes(*first("il"), CodeKind::kSpirvKernel)) GTEST_SKIP() << kNoSpirv;
  runs("il,buffers");
}

TEST_F(Opencl, OneOfTheTwoCanBeChosen) {
  if (!takes(*first("il"), CodeKind::kSpirvKernel)) GTEST_SKIP() << kNoSpirv;
  auto text = opened("il", {{"code", "text"}});
  ASSERT_TRUE(text.ok()) << text.error().to_string();
  EXPECT_EQ((*text)->info().code.front(), CodeKind::kOpenclC);
  auto il = opened("il", {{"code", "il"}});
  ASSERT_TRUE(il.ok()) << il.error().to_string();
  EXPECT_FALSE(takes((*il)->info(), CodeKind::kOpenclC));
}

TEST_F(Opencl, OptionsThatCannotBe) {
  const std::string name = first("no-compiler")->name;
  EXPECT_EQ(opened("no-compiler", {{"code", "text"}}).error().message(),
            opencl::message::kCodeOption(name, "has no compiler for OpenCL C").text);
  EXPECT_EQ(
      opened("", {{"code", "ptx"}}).error().message(),
      driver::message::kUnknownOption("opencl", "code=ptx", "opencl", "the options code=il and code=text")
          .text);
}

TEST_F(Opencl, WithoutACompilerOnlyBinariesAreTaken) {
  for (const char* odd : {"no-compiler", "no-compiler,il"}) {  // SPIR-V needs the compiler too
    auto device = opened(odd);
    ASSERT_TRUE(device.ok()) << device.error().to_string();
    EXPECT_EQ((*device)->info().code, std::vector{CodeKind::kOpenclBinary}) << odd;
    auto program = Module::load(*device, source("__global__ void k(int* a) { *a = 1; }"));
    ASSERT_TRUE(program.ok()) << program.error().to_string();
    auto kernel = (*program)->kernel("k");
    ASSERT_FALSE(kernel.ok()) << odd;
    EXPECT_EQ(kernel.error().message(),
              "kernels cannot be compiled to opencl-binary: the device has no compiler and accepts only "
              "precompiled programs");
  }
}

// A driver's compiler that is known to abort does so in a child process, and only one kernel fails.
class AbortingCompiler : public Opencl {
 protected:
  void SetUp() override {
    Opencl::SetUp();
    if (IsSkipped()) return;
    ::setenv("QUERN_CACHE", folder_.path().c_str(), 1);
    auto device = opened("abort");
    ASSERT_TRUE(device.ok()) << device.error().to_string();
    device_ = *device;
  }
  void TearDown() override {
    ::unsetenv("QUERN_CACHE");
    Opencl::TearDown();
  }

  // Runs the kernel with one block, and checks its output.
  Result<> run(const std::string& name, uint32_t threads) {
    const std::string text = "__global__ void " + name + "(int* a) { a[threadIdx.x] = 7; }";
    QUERN_TRY_ASSIGN(auto program, Module::load(device_, source(text)));
    QUERN_TRY_ASSIGN(auto kernel, program->kernel(name));
    std::vector<int> values(threads);
    const uint64_t bytes = threads * sizeof(int);
    QUERN_TRY_ASSIGN(auto memory, device_->allocate(bytes, driver::MemoryKind::device, "a"));
    Stream& stream = device_->default_stream();
    QUERN_TRY(stream.launch(*kernel, shape(1, threads), std::vector{arg(memory)}));
    QUERN_TRY(stream.download(values.data(), all(*memory), bytes));
    QUERN_TRY(stream.synchronize());
    EXPECT_EQ(values, std::vector<int>(threads, 7));
    return {};
  }
  void expect_abort(const std::string& kernel, uint32_t threads) {
    const auto ran = run(kernel, threads);
    ASSERT_FALSE(ran.ok());
    EXPECT_EQ(ran.error().kind(), ErrorKind::unsupported);
    const std::string begin = "compiling '" + kernel + "' of test.cu failed: the compiler of ";
    EXPECT_TRUE(ran.error().message().starts_with(begin)) << ran.error().to_string();
    EXPECT_TRUE(ran.error().message().ends_with("aborted: LLVM ERROR: this compiler is odd"))
        << ran.error().to_string();
    EXPECT_NE(ran.error().hint().find("another device"), std::string::npos) << ran.error().to_string();
  }

  base::TemporaryFolder folder_;
  std::shared_ptr<Device> device_;
};

TEST_F(AbortingCompiler, FailsTheKernelAlone) {
  for (int i = 0; i < 2; ++i) {  // an abort is not cached as a success
    expect_abort("abort_in_build", 32);
    EXPECT_TRUE(run("sound", 64).ok());
  }
}

TEST_F(AbortingCompiler, FailsTheBlockSizeAlone) {
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(run("abort_for_64", 32).ok());
    expect_abort("abort_for_64", 64);
    EXPECT_TRUE(run("abort_for_64", 32).ok());
  }
}

// The child's reply counts, not its exit status: a program that ignores SIGCHLD never gets that.
TEST_F(AbortingCompiler, TheStatusOfTheChildIsNotNeeded) {
  using Kind = opencl::CompileOutcome::Kind;
  const driver::DeviceInfo& info = device_->info();
  opencl::CompileTask task;
  task.library = QUERN_ODD_OPENCL;
  task.device_name = info.name;
  task.device_version = info.api_version;
  const auto before = ::signal(SIGCHLD, SIG_IGN);
  task.code = "kernel void sound(global int* a) { a[0] = 1; }";
  EXPECT_EQ(opencl::compile_in_child(task).kind, Kind::kReturned);
  task.code = "kernel void abort_in_build(global int* a) { a[0] = 1; }";
  const opencl::CompileOutcome died = opencl::compile_in_child(task);
  EXPECT_EQ(died.kind, Kind::kDied);
  EXPECT_EQ(died.reason, "LLVM ERROR: this compiler is odd");
  task.library = "/nowhere/libOpenCL.so";
  const opencl::CompileOutcome absent = opencl::compile_in_child(task);
  EXPECT_EQ(absent.kind, Kind::kNotStarted);
  EXPECT_NE(absent.reason.find("/nowhere/libOpenCL.so"), std::string::npos) << absent.reason;
  ::signal(SIGCHLD, before);
}

TEST_F(Opencl, WithoutAPlatform) {
  const auto made = driver("no-platform");
  const auto started = made->start();
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(
      started.error().to_string(),
      "not found: the OpenCL library found no platform\n  hint: install your GPU's OpenCL driver; for the "
      "CPU: pocl-opencl-icd");
}

TEST_F(Opencl, DevicesThatDoNotServe) {
  const std::string name = first("")->name;
  EXPECT_EQ(first("old").error().to_string(), "unsupported: " + name +
                                                  " supports OpenCL 1.1 from long ago, but OpenCL 1.2 is "
                                                  "required\n  hint: update or install your GPU's OpenCL "
                                                  "driver; for the CPU: pocl-opencl-icd");
  EXPECT_EQ(
      first("no-device").error().to_string(),
      "not found: no OpenCL platform has a device\n  hint: update or install your GPU's OpenCL driver; for "
      "the CPU: pocl-opencl-icd");
}

TEST_F(Opencl, WithoutALibrary) {
  ::setenv("QUERN_OPENCL_LIBRARY", "/nowhere/libOpenCL.so", 1);
  const auto started = opencl::make_driver()->start();
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().kind(), ErrorKind::not_found);
  EXPECT_NE(started.error().to_string().find("pocl-opencl-icd"), std::string::npos)
      << started.error().to_string();
}

// Quern's kernels use 64-bit addresses.
TEST_F(Opencl, NarrowAddressesMeanBufferObjectsAndText) {
  const auto info = first("il,narrow");
  ASSERT_TRUE(info.ok());
  EXPECT_FALSE(info->features.has(driver::Feature::addresses));
  EXPECT_FALSE(takes(*info, CodeKind::kSpirvKernel));
  EXPECT_LT(info->limits.grid.x, 1U << 23);
}

// Opened twice, it is two devices; if the host can access the memory of one, the other copies from it.
TEST_F(Opencl, CopiesFromAnotherDevice) {
  auto one = opened(""), two = opened("");
  ASSERT_TRUE(one.ok() && two.ok());
  driver::Device &here = (*one)->native(), &there = (*two)->native();
  const auto queue = std::move(*here.create_stream({})), other = std::move(*there.create_stream({}));
  const auto from = std::move(*here.allocate(64, driver::MemoryKind::device)),
             to = std::move(*there.allocate(64, driver::MemoryKind::device));
  ASSERT_TRUE(here.fill(*queue, {from.get(), 0}, 5, 4, 64).ok());
  ASSERT_TRUE(here.synchronize(*queue).ok());
  ASSERT_TRUE(there.fill(*other, {to.get(), 0}, 1, 4, 64).ok());
  const auto copied = there.copy_from(*other, {to.get(), 8}, here, {from.get(), 16}, 8);
  if (!here.info().features.has(driver::Feature::shared_memory)) {
    EXPECT_EQ(copied.error().kind(), ErrorKind::unsupported);
    return;
  }
  ASSERT_TRUE(copied.ok()) << copied.error().to_string();
  int32_t out[5] = {};
  ASSERT_TRUE(there.download(*other, out, {to.get(), 0}, 20).ok());
  ASSERT_TRUE(there.synchronize(*other).ok());
  EXPECT_EQ((std::vector<int32_t>(out, out + 5)), (std::vector<int32_t>{1, 1, 5, 5, 1}));
}

// Also after a launch that used a buffer there.
TEST_F(Opencl, TakesNullPointers) {
  for (const char* const odd : {"", "buffers"}) {
    auto device = opened(odd);
    ASSERT_TRUE(device.ok()) << device.error().to_string();
    auto program = Module::load(*device, source("__global__ void k(int* a, int* to) { *to = a ? *a : 7; }"));
    ASSERT_TRUE(program.ok()) << program.error().to_string();
    const auto kernel = (*program)->kernel("k");
    ASSERT_TRUE(kernel.ok()) << kernel.error().to_string();
    driver::Device& native = (*device)->native();
    const auto queue = std::move(*native.create_stream({}));
    const auto a = std::move(*native.allocate(4, driver::MemoryKind::device)),
               to = std::move(*native.allocate(4, driver::MemoryKind::device));
    ASSERT_TRUE(native.fill(*queue, {a.get(), 0}, 3, 4, 4).ok());
    for (const bool is_null : {false, true, false, true}) {
      const driver::Argument arguments[] = {{{is_null ? nullptr : a.get(), 0}, nullptr, 0},
                                            {{to.get(), 0}, nullptr, 0}};
      int32_t seen = 0;
      ASSERT_TRUE(native.launch(*queue, (*kernel)->native(), {{}, {}, 0, arguments, false}).ok());
      ASSERT_TRUE(native.download(*queue, &seen, {to.get(), 0}, 4).ok());
      ASSERT_TRUE(native.synchronize(*queue).ok());
      EXPECT_EQ(seen, is_null ? 7 : 3) << odd;
    }
  }
}

TEST_F(Opencl, ReportsWhichBlocksFillItsLanes) {
  auto device = opened("");
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  auto program = Module::load(*device, source("__global__ void k(int* a) { *a = 1; }"));
  ASSERT_TRUE(program.ok()) << program.error().to_string();
  const auto kernel = (*program)->kernel("k");
  ASSERT_TRUE(kernel.ok()) << kernel.error().to_string();
  const driver::Occupancy found = (*device)->native().occupancy((*kernel)->native(), 64, 0);
  EXPECT_EQ(found.max_blocks_per_unit, 0U);  // not reported
  EXPECT_GT(found.best_block, 0U);
  EXPECT_LE(found.best_block, (*device)->info().limits.block_threads);
}

TEST_F(Opencl, ALossIsReportedAndPermanent) {
  auto device = opened("");
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  Stream& stream = (*device)->default_stream();
  ::setenv("QUERN_ODD_OPENCL", "lost", 1);
  const auto lost = stream.synchronize();
  ::setenv("QUERN_ODD_OPENCL", "", 1);
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.error().kind(), ErrorKind::device_lost) << lost.error().to_string();
  driver::Device& native = (*device)->native();
  EXPECT_EQ(native.create_event().error().kind(), ErrorKind::device_lost);
  EXPECT_EQ(native.allocate(16, driver::MemoryKind::device).error().kind(), ErrorKind::device_lost);
}

TEST_F(Opencl, AnEventMayBeRecordedAgainWhileOthersWait) {
  auto device = opened("");
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  const auto done = record_anew((*device)->native());
  EXPECT_TRUE(done.ok()) << done.error().to_string();
}

}  // namespace
}  // namespace quern::runtime
