// The driver on the test device (device/), which can be made odd. Results of kernels are the suite's
// business.
#include "driver/level_zero/driver.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "base/store.hpp"
#include "base/store_watch.hpp"
#include "base/temporary_folder.hpp"
#include "driver/decorators/checked/device.hpp"
#include "driver/level_zero/device.hpp"
#include "support/runtime_case.hpp"

#ifndef QUERN_LEVEL_ZERO_DEVICE
#define QUERN_LEVEL_ZERO_DEVICE ""
#endif

namespace quern::runtime {
namespace {

using base::ErrorKind;
using driver::Feature;
using driver::MemoryKind;

class LevelZero : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::string_view(QUERN_LEVEL_ZERO_DEVICE).empty())
      GTEST_SKIP() << "the test device needs the drivers cpu and sim";
    ::setenv("QUERN_CACHE", cache_.path().c_str(), 1);
    const auto found = first("");
    if (!found.ok()) GTEST_SKIP() << "the test device does not start (LLVM?): " << found.error().to_string();
  }
  void TearDown() override {
    ::unsetenv("QUERN_LEVEL_ZERO_LIBRARY");
    ::unsetenv("QUERN_ODD_LEVEL_ZERO");
    ::unsetenv("QUERN_CACHE");
  }

  static void be(const char* odd) { ::setenv("QUERN_ODD_LEVEL_ZERO", odd, 1); }
  static std::unique_ptr<driver::Driver> driver(const char* odd) {
    ::setenv("QUERN_LEVEL_ZERO_LIBRARY", QUERN_LEVEL_ZERO_DEVICE, 1);
    be(odd);
    return level_zero::make_driver();
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
  static int live_objects() {
    void* const library = ::dlopen(QUERN_LEVEL_ZERO_DEVICE, RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) return -1;
    return reinterpret_cast<int (*)()>(::dlsym(library, "quern_level_zero_live_objects"))();
  }
  static std::string detail(const driver::DeviceInfo& info, std::string_view key) {
    for (const auto& [k, value] : info.details) {
      if (k == key) return value;
    }
    return {};
  }

  base::TemporaryFolder cache_;
};

TEST_F(LevelZero, RunsAsItIs) { runs(""); }
TEST_F(LevelZero, RunsWithoutACopyEngine) { runs("no-copy"); }
TEST_F(LevelZero, RunsWithHostMemoryOnly) { runs("host-only"); }
TEST_F(LevelZero, RunsWithALargeRegisterFile) { runs("", {{"registers", "large"}}); }
TEST_F(LevelZero, RunsWithAGivenSubgroupSize) { runs("", {{"subgroup", "16"}}); }

TEST_F(LevelZero, KeepsTheRulesOfTheInterface) {
  auto device = native("");
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

TEST_F(LevelZero, ReleasesEverything) {
  const int before = live_objects();
  ASSERT_GE(before, 0);
  runs("");
  EXPECT_EQ(live_objects(), before);
}

TEST_F(LevelZero, DescribesTheDevice) {
  const auto info = first("gpu");
  ASSERT_TRUE(info.ok()) << info.error().to_string();
  EXPECT_EQ(info->name, "Level Zero test device");
  EXPECT_EQ(info->vendor, "Intel");
  EXPECT_EQ(info->kind, driver::DeviceKind::discrete);
  EXPECT_EQ(info->uuid, "a0a1a2a3a4a5a6a7a8a9aaabacadae00");
  EXPECT_EQ(info->pci, "0000:03:00.0");
  EXPECT_EQ(info->memory_bytes, uint64_t{8} << 30);
  EXPECT_EQ(info->compute_units, 8u);
  EXPECT_EQ(info->clock_mhz, 1600u);
  EXPECT_EQ(info->driver_version, "1.2.3");
  EXPECT_TRUE(info->api_version.starts_with("Level Zero 1.")) << info->api_version;
  EXPECT_EQ(info->limits.block_threads, 1024u);
  EXPECT_EQ(info->limits.grid, (driver::Dim3{2147483647, 65535, 65535}));
  EXPECT_EQ(info->limits.shared_bytes, uint64_t{64} << 10);
  EXPECT_EQ(info->code, std::vector{driver::CodeKind::kSpirvKernel});
  EXPECT_EQ(detail(*info, "execution units"), "64 in 2 slices of 4 subslices, 8 threads each, SIMD16");
  EXPECT_EQ(detail(*info, "subgroup sizes"), "8, 16, 32");
  EXPECT_NE(detail(*info, "memory").find("410 GB/s"), std::string::npos) << detail(*info, "memory");
  EXPECT_EQ(detail(*info, "brand"), "Test");  // of Sysman
  for (const Feature f : {Feature::fp64, Feature::atomics64, Feature::addresses, Feature::shared_memory,
                          Feature::managed_memory, Feature::mapped_memory, Feature::system_scope,
                          Feature::timestamps, Feature::graphs})
    EXPECT_TRUE(info->features.has(f)) << driver::name(f);
  // Without the extension for it, Sysman has the address.
  EXPECT_EQ(first("")->pci, "0000:7a:00.0");
}

// A card of two tiles: as one device, and as one device each.
TEST_F(LevelZero, SubDevices) {
  EXPECT_EQ(detail(*first("gpu"), "sub-devices"), "none");
  const auto whole = first("gpu,tiles");
  ASSERT_TRUE(whole.ok()) << whole.error().to_string();
  EXPECT_EQ(detail(*whole, "sub-devices"), "2, used as one device");
  EXPECT_EQ(whole->memory_bytes, uint64_t{8} << 30);
  EXPECT_EQ(detail(*first("gpu,tiles,zeDeviceGetSubDevices=0x78000003"), "sub-devices"), "none");
  const auto flat = driver("gpu,flat");
  ASSERT_TRUE(flat->start().ok());
  const auto tiles = flat->devices();
  ASSERT_TRUE(tiles.ok()) << tiles.error().to_string();
  ASSERT_EQ(tiles->size(), 2u);
  for (uint32_t i = 0; i < 2; ++i) {
    const driver::DeviceInfo& tile = (*tiles)[i];
    EXPECT_EQ(detail(tile, "sub-devices"), "is sub-device " + std::to_string(i) + " of its card");
    EXPECT_EQ(tile.memory_bytes, uint64_t{4} << 30);
    EXPECT_EQ(tile.pci, "0000:7a:00.0");
    EXPECT_EQ(detail(tile, "brand"), "Test");  // Sysman has the card
    const auto device = flat->open(i, {});
    ASSERT_TRUE(device.ok()) << device.error().to_string();
    EXPECT_EQ((*device)->free_memory(), uint64_t{3 - i} << 30);
  }
  EXPECT_NE((*tiles)[0].uuid, (*tiles)[1].uuid);
  runs("gpu,tiles");
  runs("gpu,flat");
}

TEST_F(LevelZero, ReportsFreeMemory) {
  auto device = native("");
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  EXPECT_EQ((*device)->free_memory(), uint64_t{7} << 30);
  EXPECT_EQ((*native("zesInit=0x78000001"))->free_memory(), 0u);  // no Sysman
}

TEST_F(LevelZero, MemoryOfEveryKind) {
  for (const char* const odd : {"", "host-only"}) {
    auto device = native(odd);
    ASSERT_TRUE(device.ok()) << device.error().to_string();
    for (const MemoryKind kind : {MemoryKind::device, MemoryKind::pinned, MemoryKind::shared,
                                  MemoryKind::managed, MemoryKind::mapped}) {
      const auto buffer = (*device)->allocate(1000, kind);
      ASSERT_TRUE(buffer.ok()) << buffer.error().to_string();
      EXPECT_NE((*buffer)->address, 0u);
      EXPECT_EQ((*buffer)->address % 256, 0u);
      EXPECT_EQ((*buffer)->host != nullptr, kind != MemoryKind::device);
    }
    EXPECT_TRUE((*device)->allocate(0, MemoryKind::device).ok());
    const auto large = (*device)->allocate(uint64_t{9} << 30, MemoryKind::device);
    ASSERT_FALSE(large.ok());
    EXPECT_EQ(large.error().kind(), ErrorKind::out_of_memory);
  }
}

// Copies of all sizes on both sides of the limit for the copy engine, between kernels' fills.
TEST_F(LevelZero, CommandsOfBothEnginesAreInOrder) {
  auto device = native("");
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  driver::Device& d = **device;
  const auto stream = std::move(*d.create_stream({}));
  constexpr uint64_t kBytes = 1 << 20;
  const auto a = std::move(*d.allocate(kBytes, MemoryKind::device)),
             b = std::move(*d.allocate(kBytes, MemoryKind::device));
  std::vector<uint32_t> in(kBytes / 4), out(kBytes / 4);
  for (uint32_t round = 1; round <= 20; ++round) {
    for (uint32_t i = 0; i < in.size(); ++i) in[i] = i * round;
    ASSERT_TRUE(d.upload(*stream, {a.get(), 0}, in.data(), kBytes).ok());
    ASSERT_TRUE(d.fill(*stream, {a.get(), 4}, round, 4, 4).ok());
    ASSERT_TRUE(d.copy(*stream, {b.get(), 0}, {a.get(), 0}, kBytes).ok());
    ASSERT_TRUE(d.fill(*stream, {a.get(), 0}, 0, 8, kBytes).ok());
    ASSERT_TRUE(d.upload(*stream, {b.get(), 8}, &round, 4).ok());
    ASSERT_TRUE(d.download(*stream, out.data(), {b.get(), 0}, kBytes).ok());
    ASSERT_TRUE(d.synchronize(*stream).ok());
    in[1] = in[2] = round;
    ASSERT_EQ(in, out) << round;
  }
}

TEST_F(LevelZero, TimesOfEventsAreTheHosts) {
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
  constexpr uint64_t kInexact = 5'000'000;  // of both clocks' alignment, on a busy machine
  EXPECT_GE(*time + kInexact, before);
  EXPECT_LE(*time, after + kInexact);
  auto other = native("no-clock");
  ASSERT_TRUE(other.ok()) << other.error().to_string();
  EXPECT_FALSE((*other)->info().features.has(Feature::timestamps));
  EXPECT_EQ((*other)->time(*std::move(*(*other)->create_event())).error().kind(), ErrorKind::unsupported);
}

TEST_F(LevelZero, AnEventMayBeRecordedAgainWhileOthersWait) {
  auto device = native("");
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  const auto done = record_anew(**device);
  EXPECT_TRUE(done.ok()) << done.error().to_string();
}

// More marks than a pool has, events that are destroyed before they are reached, and waits for them.
TEST_F(LevelZero, EventsAreReused) {
  auto device = native("");
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  driver::Device& d = **device;
  const auto one = std::move(*d.create_stream({})), two = std::move(*d.create_stream({}));
  const auto memory = std::move(*d.allocate(64, MemoryKind::device));
  const int before = live_objects();
  for (int i = 0; i < 2000; ++i) {
    const auto event = std::move(*d.create_event());
    ASSERT_TRUE(d.fill(*one, {memory.get(), 0}, static_cast<uint64_t>(i), 4, 64).ok());
    ASSERT_TRUE(d.record(*one, *event).ok());
    ASSERT_TRUE(d.wait(*two, *event).ok());
    if (i % 500 != 499) continue;
    ASSERT_TRUE(d.synchronize(*two).ok());
  }
  ASSERT_TRUE(d.synchronize(*one).ok());
  EXPECT_LT(live_objects() - before, 2600);
}

Result<std::vector<int>> run_graphs(const std::shared_ptr<Device>& device) {
  constexpr const char* kText = "__global__ void twice(int* a) { a[threadIdx.x] = 2 * a[threadIdx.x] + 1; }";
  QUERN_TRY_ASSIGN(auto program, Module::load(device, source(kText)));
  QUERN_TRY_ASSIGN(auto kernel, program->kernel("twice"));
  driver::Device& d = device->native();
  QUERN_TRY_ASSIGN(const auto stream, d.create_stream({}));
  QUERN_TRY_ASSIGN(const auto memory, d.allocate(32, MemoryKind::device));
  QUERN_TRY_ASSIGN(const auto other, d.allocate(32, MemoryKind::device));
  std::vector<int> out(8);
  const driver::Argument argument{{memory.get(), 0}, nullptr, 0};
  using Kind = driver::Command::Kind;
  std::vector<driver::Command> commands(3);
  commands[0].kernel = &kernel->native();
  commands[0].launch.block = {8, 1, 1};
  commands[0].launch.arguments = {&argument, 1};
  commands[1].kind = Kind::kCopy;
  commands[1].to = {other.get(), 0};
  commands[1].from = {memory.get(), 0};
  commands[1].bytes = 32;
  commands[2].kind = Kind::kFill;
  commands[2].to = {other.get(), 0};
  commands[2].width = 4;
  commands[2].bytes = 4;
  QUERN_TRY(d.fill(*stream, {memory.get(), 0}, 0, 4, 32));
  QUERN_TRY_ASSIGN(const auto graph, d.make_graph(commands));
  EXPECT_TRUE(graph->is_native);
  for (int i = 0; i < 3; ++i) QUERN_TRY(d.run_graph(*stream, *graph));
  commands[2].value = 5;  // while the old one may be in flight
  QUERN_TRY(d.update_graph(*graph));
  QUERN_TRY(d.run_graph(*stream, *graph));
  for (int i = 0; i < 300; ++i) QUERN_TRY(d.launch(*stream, kernel->native(), commands[0].launch));
  for (int i = 0; i < 300; ++i) QUERN_TRY(d.fill(*stream, {memory.get(), 0}, 1, 4, 32));
  for (int i = 0; i < 600; ++i) QUERN_TRY(d.run_graph(*stream, *graph));
  QUERN_TRY(d.download(*stream, out.data(), {other.get(), 0}, 32));
  QUERN_TRY(d.synchronize(*stream));
  return out;
}

TEST_F(LevelZero, GraphsAreClosedLists) {
  auto device = opened("");
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  const auto out = run_graphs(*device);
  ASSERT_TRUE(out.ok()) << out.error().to_string();
  EXPECT_EQ(*out, (std::vector<int>{5, -1, -1, -1, -1, -1, -1, -1}));  // 600 shifts to the left of ones
}

TEST_F(LevelZero, KeepsNativeBinaries) {
  static std::atomic<int> found{0}, kept{0};
  base::store_watch = [](std::string_view what, std::string_view key) {
    if (!key.starts_with("level_zero-")) return;
    if (what == "found") ++found;
    if (what == "kept") ++kept;
  };
  runs("");
  const int first_kept = kept;
  EXPECT_GE(first_kept, 1);
  found = kept = 0;
  runs("");
  EXPECT_GE(found, first_kept);
  EXPECT_EQ(kept, 0);
  // Binaries that the device does not accept any more are made again.
  const base::Store store;
  const auto all = store.list();
  ASSERT_TRUE(all.ok());
  for (const base::Store::Entry& e : *all) {
    if (e.key.starts_with("level_zero-")) store.put(e.key, e.label, "from another driver");
  }
  found = kept = 0;
  runs("");
  EXPECT_EQ(kept, first_kept);
  base::store_watch = nullptr;
}

// What the kernel was compiled for, as its preferred block size says.
TEST_F(LevelZero, ChoosesTheSubgroupSizeByNeed) {
  const auto multiple = [](const char* odd, const driver::OpenOptions& options) -> Result<uint32_t> {
    QUERN_TRY_ASSIGN(auto device, opened(odd, options));
    QUERN_TRY_ASSIGN(auto program, Module::load(device, source("__global__ void k(int* a) { *a = 1; }")));
    QUERN_TRY_ASSIGN(auto kernel, program->kernel("k"));
    return static_cast<level_zero::Kernel&>(kernel->native()).preferred_multiple;
  };
  EXPECT_EQ(multiple("", {}).value(), 32u);
  EXPECT_EQ(multiple("", {{"subgroup", "16"}}).value(), 16u);
  ::setenv("QUERN_CACHE", "off", 1);  // the binary of the first is not that of the next
  EXPECT_EQ(multiple("spills", {}).value(), 8u);
  const auto none = multiple("", {{"subgroup", "64"}});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().to_string(),
            "unsupported: opening Level Zero test device failed: it has no subgroups of 64 threads\n  hint: "
            "use one of 8, 16, 32");
  EXPECT_EQ(opened("", {{"colour", "red"}}).error().kind(), ErrorKind::invalid_use);
}

TEST_F(LevelZero, DevicesCopyFromEachOther) {
  for (const char* const odd : {"two", "strangers"}) {
    const auto made = driver(odd);
    ASSERT_TRUE(made->start().ok());
    ASSERT_EQ(made->devices()->size(), 2u);
    const auto one = std::move(*made->open(0, {})), two = std::move(*made->open(1, {}));
    const auto stream = std::move(*one->create_stream({})), other = std::move(*two->create_stream({}));
    const auto from = std::move(*one->allocate(64, MemoryKind::device)),
               to = std::move(*two->allocate(64, MemoryKind::device));
    ASSERT_TRUE(one->fill(*stream, {from.get(), 0}, 5, 4, 64).ok());
    ASSERT_TRUE(one->synchronize(*stream).ok());
    ASSERT_TRUE(two->fill(*other, {to.get(), 0}, 1, 4, 64).ok());
    const auto copied = two->copy_from(*other, {to.get(), 8}, *one, {from.get(), 16}, 8);
    if (std::string_view(odd) == "strangers") {
      EXPECT_EQ(copied.error().kind(), ErrorKind::unsupported);
      ASSERT_TRUE(two->synchronize(*other).ok());
      continue;
    }
    ASSERT_TRUE(copied.ok()) << copied.error().to_string();
    int32_t out[5] = {};
    ASSERT_TRUE(two->download(*other, out, {to.get(), 0}, 20).ok());
    ASSERT_TRUE(two->synchronize(*other).ok());
    EXPECT_EQ((std::vector<int32_t>(out, out + 5)), (std::vector<int32_t>{1, 1, 5, 5, 1}));
  }
}

TEST_F(LevelZero, ALossIsReportedAndStays) {
  auto device = native("");
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  driver::Device& d = **device;
  const auto stream = std::move(*d.create_stream({}));
  const auto memory = std::move(*d.allocate(64, MemoryKind::device));
  be("lost");
  ASSERT_TRUE(d.fill(*stream, {memory.get(), 0}, 5, 4, 64).ok());
  const auto lost = d.synchronize(*stream);
  be("");
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.error().kind(), ErrorKind::device_lost) << lost.error().to_string();
  EXPECT_EQ(d.create_event().error().kind(), ErrorKind::device_lost);
  EXPECT_EQ(d.allocate(16, MemoryKind::device).error().kind(), ErrorKind::device_lost);
  runs("");  // a device that is opened again works
}

TEST_F(LevelZero, WhatIsMissingIsOneSentence) {
  const auto says = [](const char* odd) { return driver(odd)->start().error().to_string(); };
  EXPECT_EQ(says("no-driver"),
            "not found: the Level Zero loader found no driver\n  hint: install the GPU's Level Zero driver "
            "(intel-level-zero-gpu or libze-intel-gpu1)");
  EXPECT_EQ(says("denied").find("unsupported: starting Level Zero failed: no permission for "), 0u);
  EXPECT_NE(says("denied").find("hint: add the user to the group 'render'"), std::string::npos);
  EXPECT_EQ(
      says("zeInit=0x70020000"),
      "unsupported: zeInit failed with ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE\n  hint: install the libraries "
      "that the GPU's driver needs: the compiler (libigc) and libigdgmm");
  EXPECT_EQ(
      first("no-device").error().to_string(),
      "not found: the Level Zero driver found no device\n  hint: check with 'lspci' that the GPU is present, "
      "and update its driver");
  EXPECT_EQ(
      first("npu").error().to_string(),
      "unsupported: Level Zero test device is not a GPU and cannot run kernels\n  hint: use another device: "
      "'quern devices' lists them");
  ::setenv("QUERN_LEVEL_ZERO_LIBRARY", "/nowhere/libze_loader.so.1", 1);
  const auto absent = level_zero::make_driver()->start();
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().kind(), ErrorKind::not_found);
  EXPECT_NE(absent.error().hint().find("libze1"), std::string::npos) << absent.error().to_string();
  ::setenv("QUERN_LEVEL_ZERO_LIBRARY", "libm.so.6", 1);  // a library without the functions
  const auto other = level_zero::make_driver()->start();
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().message().find("zeInit"), std::string::npos) << other.error().to_string();
}

TEST_F(LevelZero, CompilerErrorsAreComplete) {
  auto device = native("");
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  driver::Code code;
  code.kind = driver::CodeKind::kSpirvKernel;
  code.name = "odd.cu";
  code.bytes = "this is no SPIR-V at all";
  const auto loaded = (*device)->load(code);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().kind(), ErrorKind::compile);
  EXPECT_EQ(loaded.error().message().find("compiling odd.cu for Level Zero test device failed: \n"), 0u)
      << loaded.error().to_string();
  code.is_raw = true;
  EXPECT_EQ((*device)->load(code).error().kind(), ErrorKind::unsupported);
  code.kind = driver::CodeKind::kPtx;
  EXPECT_EQ((*device)->load(code).error().kind(), ErrorKind::unsupported);
}

// OpenCL has the same target.
TEST_F(LevelZero, RefusalsNameLevelZero) {
  auto device = opened("");
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  const auto loaded = Module::load(
      *device, source("__global__ void k(int* a) { while (atomicCAS(a, 0, 1) != 0) {} *a = 2; }"));
  ASSERT_TRUE(loaded.ok()) << loaded.error().to_string();
  const auto kernel = (*loaded)->kernel("k");
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().kind(), ErrorKind::unsupported);
  EXPECT_NE(kernel.error().message().find("Level Zero does not guarantee forward progress"),
            std::string::npos)
      << kernel.error().to_string();
}

// Whatever call fails: an error or the right result, and nothing stays behind.
TEST_F(LevelZero, AnyCallMayFail) {
  runs("");
  const int before = live_objects();
  int failures = 0, passes = 0;
  for (int call = 1; call < 6000 && passes < 3; call += call < 60 ? 1 : 7) {
    const std::string odd = "call " + std::to_string(call) + "=0x7ffffffe";
    const auto device = opened(odd.c_str());
    if (!device.ok()) {
      ++failures;
      continue;
    }
    const auto result = run_scenario(*device);
    if (result.ok()) {
      EXPECT_EQ(*result, scenario_result()) << odd;
      passes = call >= 600 ? passes + 1 : 0;
    } else {
      ++failures;
      EXPECT_FALSE(result.error().message().empty());
    }
  }
  EXPECT_GT(failures, 50);
  be("");
  EXPECT_EQ(live_objects(), before);
}

TEST_F(LevelZero, SubgroupSizeIsInTheModule) {
  const std::vector<uint32_t> module = {0x07230203,    0x00010000, 0, 10,  0,  // header
                                        2u << 16 | 17, 6,                      // OpCapability Kernel
                                        3u << 16 | 14, 2,          2,          // OpMemoryModel
                                        5u << 16 | 15, 6,          1, 'k', 0,  // OpEntryPoint %1
                                        3u << 16 | 16, 1,          31};        // OpExecutionMode %1
  const std::string bytes(reinterpret_cast<const char*>(module.data()), module.size() * 4);
  const std::string sized = level_zero::with_subgroup_size(bytes, 16);
  std::vector<uint32_t> words(sized.size() / 4);
  std::memcpy(words.data(), sized.data(), sized.size());
  const std::vector<uint32_t> expected = {0x07230203,
                                          0x00010000,
                                          0,
                                          10,
                                          0,
                                          2u << 16 | 17,
                                          58,
                                          2u << 16 | 17,
                                          6,
                                          3u << 16 | 14,
                                          2,
                                          2,
                                          5u << 16 | 15,
                                          6,
                                          1,
                                          'k',
                                          0,
                                          4u << 16 | 16,
                                          1,
                                          35,
                                          16,
                                          3u << 16 | 16,
                                          1,
                                          31};
  EXPECT_EQ(words, expected);
  EXPECT_EQ(level_zero::with_subgroup_size("no", 16), "no");
}

}  // namespace
}  // namespace quern::runtime
