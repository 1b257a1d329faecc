// The driver on the OpenCL that is here, made odd in several ways (odd_opencl.cpp). What kernels compute is
// the suite's business.
#include "driver/opencl/driver.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "base/store.hpp"
#include "base/store_watch.hpp"
#include "base/temporary_folder.hpp"
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
    if (all.empty()) return base::Error(ErrorKind::kNotFound, "no device");
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

bool has_translator() { return std::system("llvm-spirv-15 --version >/dev/null 2>&1") == 0; }

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
  // Binaries that the device does not take any more are made anew.
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
  runs("");  // PoCL keeps its own
  EXPECT_EQ(codes_found + codes_kept, 0);
  base::store_watch = nullptr;
  ::unsetenv("QUERN_CACHE");
}

TEST_F(Opencl, SeveralPlatformsAtOnce) {
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

// Whoever asks for the time takes the host's clock then.
TEST_F(Opencl, EventsWithoutTimesAreNoClock) {
  auto device = opened("no-clock");
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  EXPECT_FALSE((*device)->info().features.has(driver::Feature::kTimestamps));
  EXPECT_TRUE((*opened(""))->info().features.has(driver::Feature::kTimestamps));
}

TEST_F(Opencl, RunsWithBufferObjects) {
  EXPECT_FALSE(first("buffers")->features.has(driver::Feature::kAddresses));
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
  if (!has_translator()) GTEST_SKIP() << "llvm-spirv-15 is not installed";
  EXPECT_EQ(first("il")->code.front(), CodeKind::kSpirvKernel);
  runs("il");
}

TEST_F(Opencl, TakesSpirvWithBufferObjects) {
  if (!has_translator()) GTEST_SKIP() << "llvm-spirv-15 is not installed";
  runs("il,buffers");
}

TEST_F(Opencl, OneOfTheTwoCanBeChosen) {
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
            name + " has no compiler for OpenCL C; leave the option 'code' away");
  EXPECT_EQ(opened("", {{"code", "ptx"}}).error().message(),
            "opencl knows the options code=il and code=text; 'code=ptx' is given");
}

TEST_F(Opencl, WithoutACompilerOnlyBinariesAreTaken) {
  auto device = opened("no-compiler");
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  auto program = Program::load(*device, source("__global__ void k(int* a) { *a = 1; }"));
  ASSERT_TRUE(program.ok()) << program.error().to_string();
  EXPECT_EQ((*program)->kernel("k").error().message(),
            "kernels cannot be written as opencl-binary: the device has no compiler, and takes only programs "
            "that were compiled for it before");
}

TEST_F(Opencl, WithoutAPlatform) {
  const auto made = driver("no-platform");
  const auto started = made->start();
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(
      started.error().to_string(),
      "not found: the OpenCL library finds no platform\n  hint: install your GPU's OpenCL driver; for the "
      "CPU: pocl-opencl-icd");
}

TEST_F(Opencl, DevicesThatDoNotServe) {
  const std::string name = first("")->name;
  EXPECT_EQ(
      first("old").error().to_string(),
      "unsupported: " + name +
          " is OpenCL 1.1 from long ago, and 1.2 is the least\n  hint: update or install your GPU's OpenCL "
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
  EXPECT_EQ(started.error().kind(), ErrorKind::kNotFound);
  EXPECT_NE(started.error().to_string().find("pocl-opencl-icd"), std::string::npos)
      << started.error().to_string();
}

// Kernels of ours have addresses of 64 bits.
TEST_F(Opencl, NarrowAddressesMeanBufferObjectsAndText) {
  const auto info = first("il,narrow");
  ASSERT_TRUE(info.ok());
  EXPECT_FALSE(info->features.has(driver::Feature::kAddresses));
  EXPECT_FALSE(takes(*info, CodeKind::kSpirvKernel));
  EXPECT_LT(info->limits.grid.x, 1U << 23);
}

// Two openings are two devices; where the host sees the memory of one, the other copies from it.
TEST_F(Opencl, CopiesFromAnotherDevice) {
  auto one = opened(""), two = opened("");
  ASSERT_TRUE(one.ok() && two.ok());
  driver::Device &here = (*one)->native(), &there = (*two)->native();
  const auto queue = std::move(*here.create_queue({})), other = std::move(*there.create_queue({}));
  const auto from = std::move(*here.allocate(64, driver::MemoryKind::kDevice)),
             to = std::move(*there.allocate(64, driver::MemoryKind::kDevice));
  ASSERT_TRUE(here.fill(*queue, {from.get(), 0}, 5, 4, 64).ok());
  ASSERT_TRUE(here.synchronize(*queue).ok());
  ASSERT_TRUE(there.fill(*other, {to.get(), 0}, 1, 4, 64).ok());
  const auto copied = there.copy_from(*other, {to.get(), 8}, here, {from.get(), 16}, 8);
  if (!here.info().features.has(driver::Feature::kSharedMemory)) {
    EXPECT_EQ(copied.error().kind(), ErrorKind::kUnsupported);
    return;
  }
  ASSERT_TRUE(copied.ok()) << copied.error().to_string();
  int32_t out[5] = {};
  ASSERT_TRUE(there.download(*other, out, {to.get(), 0}, 20).ok());
  ASSERT_TRUE(there.synchronize(*other).ok());
  EXPECT_EQ((std::vector<int32_t>(out, out + 5)), (std::vector<int32_t>{1, 1, 5, 5, 1}));
}

// Also behind a launch that had a buffer there.
TEST_F(Opencl, TakesNullPointers) {
  for (const char* const odd : {"", "buffers"}) {
    auto device = opened(odd);
    ASSERT_TRUE(device.ok()) << device.error().to_string();
    auto program = Program::load(*device, source("__global__ void k(int* a, int* to) { *to = a ? *a : 7; }"));
    ASSERT_TRUE(program.ok()) << program.error().to_string();
    const auto kernel = (*program)->kernel("k");
    ASSERT_TRUE(kernel.ok()) << kernel.error().to_string();
    driver::Device& native = (*device)->native();
    const auto queue = std::move(*native.create_queue({}));
    const auto a = std::move(*native.allocate(4, driver::MemoryKind::kDevice)),
               to = std::move(*native.allocate(4, driver::MemoryKind::kDevice));
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

TEST_F(Opencl, TellsWhichBlocksFillItsLanes) {
  auto device = opened("");
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  auto program = Program::load(*device, source("__global__ void k(int* a) { *a = 1; }"));
  ASSERT_TRUE(program.ok()) << program.error().to_string();
  const auto kernel = (*program)->kernel("k");
  ASSERT_TRUE(kernel.ok()) << kernel.error().to_string();
  const driver::Occupancy found = (*device)->native().occupancy((*kernel)->native(), 64, 0);
  EXPECT_EQ(found.unit_blocks, 0U);  // it does not say
  EXPECT_GT(found.best_block, 0U);
  EXPECT_LE(found.best_block, (*device)->info().limits.block_threads);
}

TEST_F(Opencl, ALossIsToldAsOneAndStays) {
  auto device = opened("");
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  Stream& stream = (*device)->default_stream();
  ::setenv("QUERN_ODD_OPENCL", "lost", 1);
  const auto lost = stream.synchronize();
  ::setenv("QUERN_ODD_OPENCL", "", 1);
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.error().kind(), ErrorKind::kDeviceLost) << lost.error().to_string();
  driver::Device& native = (*device)->native();
  EXPECT_EQ(native.create_event().error().kind(), ErrorKind::kDeviceLost);
  EXPECT_EQ(native.allocate(16, driver::MemoryKind::kDevice).error().kind(), ErrorKind::kDeviceLost);
}

TEST_F(Opencl, AnEventMayBeRecordedAnewWhileOthersWait) {
  auto device = opened("");
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  const auto done = record_anew((*device)->native());
  EXPECT_TRUE(done.ok()) << done.error().to_string();
}

}  // namespace
}  // namespace quern::runtime
