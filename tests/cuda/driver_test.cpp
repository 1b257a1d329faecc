// The driver's host code on a fake libcuda: calls and arguments, and every error path. Nothing is computed.
#include "driver/cuda/driver.hpp"

#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "cuda/cuda_case.hpp"
#include "driver/cuda/messages.hpp"
#include "driver/cuda/ptx.hpp"
#include "driver/support/messages.hpp"

namespace quern::test {

namespace {

using base::ErrorKind;
using driver::CodeKind;
using driver::Feature;
using driver::MemoryKind;
template <typename T = void>
using Result = base::Result<T>;

std::string detail(const driver::DeviceInfo& info, std::string_view name) {
  for (const auto& [key, value] : info.details) {
    if (key == name) return value;
  }
  return "?";
}

TEST_F(CudaDriver, DescribesTheDevice) {
  fake->set_devices(2);
  const auto all = start()->devices();
  ASSERT_TRUE(all.ok());
  ASSERT_EQ(all->size(), 2u);
  const driver::DeviceInfo& d = (*all)[1];
  EXPECT_EQ(d.id(), "cuda:1");
  EXPECT_EQ(d.api_version, "CUDA 13.0");
  EXPECT_EQ(d.uuid, "22222222222222222222222222222222");
  EXPECT_EQ(d.pci, "0000:1c:00.0");
  EXPECT_EQ(d.compute_units, 132u);
  EXPECT_EQ(d.clock_mhz, 1980u);
  EXPECT_EQ(d.limits.shared_bytes, 232448u);
  EXPECT_EQ(d.limits.warp_size, 32u);
  EXPECT_EQ(d.compute_capability, 90u);
  EXPECT_EQ(detail(d, "compute capability"), "9.0");
  EXPECT_EQ(detail(d, "memory bandwidth"), "4917 GB/s");
  EXPECT_EQ(detail(d, "ECC"), "on");
  EXPECT_TRUE(d.features.has(Feature::grid_barrier));
  EXPECT_FALSE(d.features.has(Feature::graphs));
  EXPECT_EQ(fake->count("cuDevicePrimaryCtxRetain"), 0u);  // enumerating creates no context
}

TEST_F(CudaDriver, SaysWhyItDoesNotStart) {
  const auto why = [](const char* library) {
    ::setenv("QUERN_CUDA_LIBRARY", library, 1);
    return cuda::make_driver()->start().error();
  };
  EXPECT_EQ(why("/nowhere/libcuda.so.1").kind(), ErrorKind::not_found);
  fake->set_devices(0);
  EXPECT_EQ(why(QUERN_FAKE_CUDA).message(), "NVIDIA's driver found no device");
  EXPECT_EQ(why(QUERN_FAKE_CUDA).kind(), ErrorKind::not_found);
  fake->set_devices(1);
  fake->hide("cuStreamWaitEvent");
  EXPECT_EQ(why(QUERN_FAKE_CUDA).message(),
            cuda::message::kTooOld("NVIDIA", QUERN_FAKE_CUDA, "cuStreamWaitEvent", "").text);
  fake->reset();
  fake->fail("cuInit", 0, 803);
  EXPECT_EQ(why(QUERN_FAKE_CUDA).message(),
            "cuInit failed: the library and the kernel module have different versions (error 803)");
}

TEST_F(CudaDriver, AsksADeviceOnceWhatItIs) {
  auto driver = start();
  ASSERT_TRUE(driver->devices().ok());
  const uint64_t asked = fake->count("cuDeviceGetName");
  ASSERT_TRUE(driver->open(0, {}).ok());
  ASSERT_TRUE(driver->devices().ok());
  EXPECT_EQ(fake->count("cuDeviceGetName"), asked);
}

TEST_F(CudaDriver, SaysWhyADeviceDoesNotOpen) {
  auto driver = start();
  EXPECT_EQ(driver->open(3, {}).error().message(),
            driver::message::kUnknownIndex("cuda", "3", "1 device").text);
  EXPECT_EQ(driver->open(0, {{"seed", "7"}}).error().message(),
            driver::message::kUnknownOption("cuda", "seed", "cuda", "no options").text);
  fake->set_attribute(20, 2);
  EXPECT_EQ(driver->open(0, {}).error().message(),
            cuda::message::kProhibited("stand-in, computes nothing").text);
  fake->set_attribute(20, 3);
  fake->fail("cuDevicePrimaryCtxRetain", 0, 46);
  EXPECT_EQ(driver->open(0, {}).error().message(),
            "cuDevicePrimaryCtxRetain failed: the device is busy or reserved for another process (error 46)");
  EXPECT_EQ(fake->alive(), 0u);
}

TEST_F(CudaDriver, LaunchesWithArgumentsInPlace) {
  auto device = open();
  auto program = device->load(ptx());
  ASSERT_TRUE(program.ok()) << program.error().to_string();
  EXPECT_EQ(device->kernel_names(**program), std::vector<std::string>{"scale"});
  auto kernel = device->kernel(**program, "scale");
  ASSERT_TRUE(kernel.ok());
  ASSERT_EQ((*kernel)->info.params.size(), 4u);
  EXPECT_TRUE((*kernel)->info.params[2].is_pointer);
  EXPECT_FALSE((*kernel)->info.params[3].is_pointer);
  auto buffer = device->allocate(1000, MemoryKind::device);
  auto stream = device->create_stream({});
  const int n = 7;
  const float a = 1.5f;
  const uint64_t big = 1234567890123;
  const driver::Argument arguments[] = {
      {{}, &n, 4}, {{}, &a, 4}, {{buffer->get(), 16}, nullptr, 0}, {{}, &big, 8}};
  driver::Launch launch{{2, 3, 4}, {32, 2, 1}, 100, arguments, false};
  ASSERT_TRUE(device->launch(**stream, **kernel, launch).ok());
  launch.cooperative = true;
  ASSERT_TRUE(device->launch(**stream, **kernel, launch).ok());
  ASSERT_EQ(fake->launches().size(), 2u);
  const FakeLaunch& l = fake->launches()[0];
  EXPECT_EQ(l.kernel, "_Z5scaleifPfy");
  EXPECT_EQ(l.grid[2], 4u);
  EXPECT_EQ(l.block[0], 32u);
  EXPECT_EQ(l.shared, 100u);
  EXPECT_EQ(l.arguments, (std::vector<uint64_t>{7, 0x3fc00000, (*buffer)->address + 16, big}));
  EXPECT_FALSE(l.is_cooperative);
  EXPECT_TRUE(fake->launches()[1].is_cooperative);
  EXPECT_EQ(fake->count("cuFuncSetAttribute"), 1u);  // dynamic shared memory, once
  launch.grid.x = 1000;
  const auto too_many = device->launch(**stream, **kernel, launch);
  EXPECT_EQ(too_many.error().message(),
            cuda::message::kTooManyBlocks("scale", "12000", "stand-in, computes nothing", "264").text);
  EXPECT_EQ(device->kernel(**program, "missing").error().kind(), ErrorKind::not_found);
}

TEST(Ptx, FindsTheKernelsOfAUserText) {
  const auto kernels = cuda::read_ptx(
      ".visible .entry _ZN2ns4scanIfLi256EEEvPKT_PS1_4Pairy(.param .u64 p0,\n\t.param .u64 p1,\n.param "
      ".align 4 .b8 "
      "p2[8],\n.param .u64 p3)\n{ ret; }\n"
      ".visible .entry plain(.param .u64 .ptr .align 4 p0, .param .f64 p1, .param .u64 p2) .maxntid 256 {}\n"
      ".entry none()\n{}");
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(kernels[0].name, "ns::scan<float, 256>");
  ASSERT_EQ(kernels[0].params.size(), 4u);
  EXPECT_TRUE(kernels[0].params[0].is_pointer && kernels[0].params[1].is_pointer);
  EXPECT_FALSE(kernels[0].params[2].is_pointer);
  EXPECT_EQ(kernels[0].params[2].bytes, 8u);
  EXPECT_EQ(kernels[0].params[2].align, 4u);
  EXPECT_FALSE(kernels[0].params[3].is_pointer);
  EXPECT_EQ(kernels[0].params[3].spelling, "unsigned long long");
  ASSERT_EQ(kernels[1].params.size(), 3u);
  EXPECT_TRUE(kernels[1].params[0].is_pointer);
  EXPECT_EQ(kernels[1].params[1].bytes, 8u);
  EXPECT_FALSE(kernels[1].params[1].is_pointer);
  EXPECT_TRUE(kernels[1].params[2].is_pointer);  // nothing says that it is not
  EXPECT_TRUE(kernels[2].params.empty());
}

TEST_F(CudaDriver, CopiesThroughPinnedSlots) {
  auto device = open();
  constexpr size_t kBytes = (20 << 20) + 12345;  // several slots, the last one partly
  std::vector<uint8_t> from(kBytes), to(kBytes);
  for (size_t i = 0; i < kBytes; ++i) from[i] = static_cast<uint8_t>(i * 31 + i / 4099);
  auto stream = device->create_stream({});
  auto a = device->allocate(kBytes + 8, MemoryKind::device), b = device->allocate(kBytes, MemoryKind::device);
  for (int i = 0; i < 3; ++i) {  // slots are reused
    std::fill(to.begin(), to.end(), uint8_t{0});
    ASSERT_TRUE(device->upload(**stream, {a->get(), 8}, from.data(), kBytes).ok());
    ASSERT_TRUE(device->copy(**stream, {b->get(), 0}, {a->get(), 8}, kBytes).ok());
    ASSERT_TRUE(device->download(**stream, to.data(), {b->get(), 0}, kBytes).ok());
    ASSERT_TRUE(device->synchronize(**stream).ok());
    ASSERT_EQ(from, to);
  }
  EXPECT_EQ(fake->count("cuMemHostAlloc"), 4u);
  EXPECT_EQ(fake->count("cuLaunchHostFunc"), 18u);  // downloads are copied by host functions
  constexpr int32_t kNotReady = 600;
  fake->fail("cuEventQuery", 1, kNotReady);  // the second slot is in use by this copy: waits for it
  ASSERT_TRUE(device->upload(**stream, {b->get(), 0}, from.data(), kBytes).ok());
  EXPECT_EQ(fake->count("cuLaunchHostFunc"), 18u);
  fake->set_busy(true);  // earlier work uses the slots: host functions fill them
  ASSERT_TRUE(device->upload(**stream, {b->get(), 0}, from.data(), kBytes).ok());
  EXPECT_EQ(fake->count("cuLaunchHostFunc"), 22u);
  fake->set_busy(false);
  std::fill(to.begin(), to.end(), uint8_t{0});
  ASSERT_TRUE(device->download(**stream, to.data(), {b->get(), 0}, kBytes).ok());
  EXPECT_EQ(from, to);
}

TEST_F(CudaDriver, CopiesPinnedAndSmallMemoryDirectly) {
  auto device = open();
  auto stream = device->create_stream({});
  auto pinned = device->allocate(1 << 20, MemoryKind::pinned),
       a = device->allocate(1 << 20, MemoryKind::device);
  ASSERT_NE((*pinned)->host, nullptr);
  ASSERT_TRUE(device->upload(**stream, {a->get(), 0}, (*pinned)->host, 1 << 20).ok());
  int small = 5;
  ASSERT_TRUE(device->upload(**stream, {a->get(), 4}, &small, 4).ok());
  ASSERT_TRUE(device->download(**stream, &small, {a->get(), 4}, 4).ok());
  EXPECT_EQ(small, 5);
  EXPECT_EQ(fake->count("cuLaunchHostFunc"), 0u);
}

TEST_F(CudaDriver, FillsEveryWidth) {
  auto device = open();
  auto stream = device->create_stream({});
  auto a = device->allocate(64, MemoryKind::device);
  for (const uint32_t width : {1u, 2u, 4u, 8u}) {
    uint64_t value = 0x1122334455667788;
    uint8_t got[64] = {};
    ASSERT_TRUE(device->fill(**stream, {a->get(), 0}, 0, 1, 64).ok());
    ASSERT_TRUE(device->fill(**stream, {a->get(), 8}, value, width, 16).ok());
    ASSERT_TRUE(device->download(**stream, got, {a->get(), 0}, 64).ok());
    for (size_t i = 0; i < 64; ++i) {
      const uint8_t wanted = i < 8 || i >= 24 ? 0 : reinterpret_cast<const uint8_t*>(&value)[i % width];
      EXPECT_EQ(got[i], wanted) << width << " " << i;
    }
  }
  EXPECT_EQ(fake->count("cuMemsetD2D32Async"), 2u);
}

TEST_F(CudaDriver, TimesEventsOnTheHostsClock) {
  auto device = open();
  auto stream = device->create_stream({});
  auto first = device->create_event(), second = device->create_event();
  EXPECT_TRUE(*device->reached(**first));
  EXPECT_EQ(device->time(**first).error().kind(), ErrorKind::invalid_use);
  ASSERT_TRUE(device->record(**stream, **first).ok());
  for (int i = 0; i < 5000; ++i) ASSERT_TRUE(device->record(**stream, **second).ok());  // far away: 5,000 ms
  const auto t0 = device->time(**first), t1 = device->time(**second), again = device->time(**first);
  ASSERT_TRUE(t0.ok() && t1.ok() && again.ok());
  EXPECT_EQ(*t1 - *t0, 5000000000u);
  EXPECT_EQ(*again, *t0);
}

TEST_F(CudaDriver, AnyThreadMayCall) {
  auto device = open();
  auto stream = device->create_stream({});
  std::thread([&] {
    auto buffer = device->allocate(100, MemoryKind::device);
    ASSERT_TRUE(buffer.ok());
    ASSERT_TRUE(device->fill(**stream, {buffer->get(), 0}, 1, 1, 100).ok());
    ASSERT_TRUE(device->synchronize(**stream).ok());
  }).join();
}

TEST_F(CudaDriver, ALostDeviceNamesTheKernelAndStaysLost) {
  auto device = open();
  auto program = device->load(ptx());
  auto kernel = device->kernel(**program, "scale");
  auto stream = device->create_stream({});
  uint64_t zero = 0;
  const driver::Argument arguments[] = {{{}, &zero, 4}, {{}, &zero, 4}, {}, {{}, &zero, 8}};
  const driver::Launch launch{{1, 1, 1}, {1, 1, 1}, 0, arguments, false};
  ASSERT_TRUE(device->launch(**stream, **kernel, launch).ok());
  fake->fail("cuStreamSynchronize", 0, 710);
  const auto first = device->synchronize(**stream);
  EXPECT_EQ(first.error().kind(), ErrorKind::device_lost);
  EXPECT_EQ(
      first.error().message(),
      "stand-in, computes nothing was lost: an assertion in a kernel failed (CUDA_ERROR_ASSERT), in kernel "
      "'scale'");
  EXPECT_EQ(device->allocate(1, MemoryKind::device).error().kind(), ErrorKind::device_lost);
  EXPECT_EQ(device->synchronize(**stream).error().kind(), ErrorKind::device_lost);
  EXPECT_EQ(device->launch(**stream, **kernel, launch).error().message(), first.error().message());
}

TEST_F(CudaDriver, SeveralKernelsInFlightAreCounted) {
  auto device = open();
  auto program = device->load(ptx());
  auto kernel = device->kernel(**program, "scale");
  auto stream = device->create_stream({});
  uint64_t zero = 0;
  const driver::Argument arguments[] = {{{}, &zero, 4}, {{}, &zero, 4}, {}, {{}, &zero, 8}};
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(device->launch(**stream, **kernel, {{1, 1, 1}, {1, 1, 1}, 0, arguments, false}).ok());
  fake->fail("cuStreamSynchronize", 0, 700);
  EXPECT_EQ(device->synchronize(**stream).error().message(),
            "stand-in, computes nothing was lost: a kernel accessed an invalid address "
            "(CUDA_ERROR_ILLEGAL_ADDRESS), in one of the 3 kernels since the last synchronization, the last "
            "of which is "
            "'scale'");
}

TEST_F(CudaDriver, QuernSyncWaitsForEachLaunch) {
  ::setenv("QUERN_SYNC", "1", 1);
  auto device = open();
  auto program = device->load(ptx());
  auto kernel = device->kernel(**program, "scale");
  auto stream = device->create_stream({});
  uint64_t zero = 0;
  const driver::Argument arguments[] = {{{}, &zero, 4}, {{}, &zero, 4}, {}, {{}, &zero, 8}};
  const uint64_t before = fake->count("cuStreamSynchronize");
  ASSERT_TRUE(device->launch(**stream, **kernel, {{1, 1, 1}, {1, 1, 1}, 0, arguments, false}).ok());
  EXPECT_EQ(fake->count("cuStreamSynchronize"), before + 1);
}

// Two launches, the second with a number argument.
class CudaGraph : public CudaDriver {
 public:
  void SetUp() override {
    CudaDriver::SetUp();
    device = open();
    program = std::move(*device->load(ptx()));
    kernel = std::move(*device->kernel(*program, "scale"));
    stream = std::move(*device->create_stream({}));
    for (driver::Command& c : commands) {
      c.kernel = kernel.get();
      c.launch = {{1, 1, 1}, {1, 1, 1}, 0, arguments, false};
    }
  }
  void TearDown() override {
    kernel.reset();
    program.reset();
    stream.reset();
    device.reset();
    CudaDriver::TearDown();
  }
  uint64_t number = 5, zero = 0;
  driver::Argument arguments[4] = {{{}, &number, 4}, {{}, &zero, 4}, {}, {{}, &zero, 8}};
  std::unique_ptr<driver::Device> device;
  std::unique_ptr<driver::Module> program;
  std::unique_ptr<driver::Kernel> kernel;
  std::unique_ptr<driver::Stream> stream;
  driver::Command commands[2];
};

TEST_F(CudaGraph, IsCapturedOnceAndRunAsAWhole) {
  auto graph = std::move(*device->make_graph(commands));
  EXPECT_TRUE(graph->is_native);
  EXPECT_TRUE(fake->launches().empty());
  const uint64_t launched = fake->count("cuLaunchKernel");
  ASSERT_TRUE(device->run_graph(*stream, *graph).ok());
  ASSERT_TRUE(device->run_graph(*stream, *graph).ok());
  EXPECT_EQ(fake->launches().size(), 4u);
  EXPECT_EQ(fake->count("cuLaunchKernel"), launched);
  EXPECT_EQ(fake->launches()[1].arguments[0], 5u);
}

TEST_F(CudaGraph, TakesOtherArguments) {
  auto graph = std::move(*device->make_graph(commands));
  number = 9;
  ASSERT_TRUE(device->update_graph(*graph).ok());
  ASSERT_TRUE(device->run_graph(*stream, *graph).ok());
  EXPECT_EQ(fake->launches().at(0).arguments[0], 9u);
  EXPECT_EQ(fake->count("cuGraphInstantiateWithFlags"), 1u);
  fake->fail("cuGraphExecUpdate", 0, 910);  // the update is not supported
  number = 10;
  ASSERT_TRUE(device->update_graph(*graph).ok());
  EXPECT_EQ(fake->count("cuGraphInstantiateWithFlags"), 2u);
  ASSERT_TRUE(device->run_graph(*stream, *graph).ok());
  EXPECT_EQ(fake->launches().at(2).arguments[0], 10u);
}

TEST_F(CudaGraph, WhatCannotBeCapturedIsSubmittedOneByOne) {
  const std::vector<std::byte> large(1 << 20);
  auto memory = std::move(*device->allocate(1 << 20, MemoryKind::device));
  commands[0].kind = driver::Command::Kind::kUpload;
  commands[0].to = {memory.get(), 0};
  commands[0].source = large.data();
  commands[0].bytes = large.size();
  auto graph = std::move(*device->make_graph(commands));
  EXPECT_FALSE(graph->is_native);
  ASSERT_TRUE(device->run_graph(*stream, *graph).ok());
  EXPECT_EQ(fake->launches().size(), 1u);
}

TEST_F(CudaGraph, OccupancyIsReported) {
  const driver::Occupancy found = device->occupancy(*kernel, 128, 0);
  EXPECT_EQ(found.max_blocks_per_unit, 2u);
  EXPECT_EQ(found.best_block, 512u);
}

TEST_F(CudaGraph, WorksWithDriversThatHaveNone) {
  fake->hide("cuGraphLaunch");
  auto other = open();
  auto graph = std::move(*other->make_graph(commands));
  EXPECT_FALSE(graph->is_native);
}

TEST_F(CudaDriver, OutOfMemoryTrimsThePoolFirst) {
  auto device = open();
  fake->set_free_memory(1000);
  const auto none = device->allocate(2000, MemoryKind::device);
  EXPECT_EQ(none.error().kind(), ErrorKind::out_of_memory);
  EXPECT_EQ(fake->count("cuMemPoolTrimTo"), 1u);
  EXPECT_EQ(device->free_memory(), 3000u);  // unused memory of the pool counts
  EXPECT_TRUE(device->allocate(500, MemoryKind::device).ok());
}

TEST_F(CudaDriver, WorksWithoutPools) {
  fake->set_attribute(115, 0);
  auto device = open();
  EXPECT_TRUE(device->allocate(500, MemoryKind::device).ok());
  EXPECT_EQ(fake->count("cuMemAlloc"), 1u);
  EXPECT_EQ(fake->count("cuMemFree"), 1u);
}

TEST_F(CudaDriver, SharedMemoryIsManagedWhereBothMayUseIt) {
  auto device = open();
  auto managed = device->allocate(64, MemoryKind::shared);
  ASSERT_TRUE(managed.ok());
  EXPECT_NE((*managed)->host, nullptr);
  fake->set_attribute(89, 0);
  auto mapped = device->allocate(64, MemoryKind::shared);
  ASSERT_TRUE(mapped.ok());
  EXPECT_EQ(fake->count("cuMemAllocManaged"), 1u);
  EXPECT_EQ(fake->count("cuMemHostAlloc"), 1u);
}

TEST_F(CudaDriver, FindsVariables) {
  fake->declare_variable("total", 12);
  auto device = open();
  auto program = device->load(ptx());
  const auto place = device->variable(**program, "total");
  ASSERT_TRUE(place.ok());
  EXPECT_EQ(place->buffer->bytes, 12u);
  EXPECT_EQ(device->variable(**program, "total")->buffer, place->buffer);
  EXPECT_EQ(device->variable(**program, "none").error().kind(), ErrorKind::not_found);
}

TEST_F(CudaDriver, RefusesCodeOfOthers) {
  auto device = open();
  driver::Code code = ptx();
  code.kind = CodeKind::kOpenclC;
  EXPECT_EQ(device->load(code).error().message(),
            driver::message::kUnsupportedCode("stand-in, computes nothing", "opencl").text);
  code.kind = CodeKind::kCubin;
  code.bytes = "nonsense";
  EXPECT_EQ(device->load(code).error().kind(), ErrorKind::bad_input);
}

TEST_F(CudaDriver, SaysThatTheCompilerIsMissing) {
  ::setenv("QUERN_NVRTC", "/nowhere/libnvrtc.so", 1);
  auto device = open();
  driver::Code code = ptx();
  code.kind = CodeKind::kCudaCpp;
  const auto error = device->load(code).error();
  ::unsetenv("QUERN_NVRTC");
  EXPECT_EQ(error.kind(), ErrorKind::unsupported);
  EXPECT_EQ(error.message(), "compiling kernels failed: NVRTC was not found in 1 places");
}

TEST_F(CudaDriver, SaysThatTheCompilerIsAnotherLibrary) {
  ::setenv("QUERN_NVRTC", QUERN_FAKE_CUDA, 1);
  auto device = open();
  driver::Code code = ptx();
  code.kind = CodeKind::kCudaCpp;
  const auto error = device->load(code).error();
  ::unsetenv("QUERN_NVRTC");
  EXPECT_EQ(error.kind(), ErrorKind::unsupported);
  EXPECT_EQ(error.message(), std::string("compiling kernels failed: NVRTC cannot be loaded: '") +
                                 QUERN_FAKE_CUDA + "' has no function 'nvrtcVersion'");
}

// Kernels are then emitted as PTX for the device's architecture.
TEST_F(CudaDriver, TakesPtxWhereThereIsNoCompiler) {
  ::setenv("QUERN_NVRTC", "none", 1);
  const auto all = start()->devices();
  auto device = open();
  ::unsetenv("QUERN_NVRTC");
  ASSERT_TRUE(all.ok());
  const driver::DeviceInfo& info = all->front();
  EXPECT_EQ(info.code.front(), CodeKind::kPtx);
  EXPECT_EQ(info.code_version, "sm_90");
  EXPECT_EQ(detail(info, "compiler"), "not found: kernels are emitted as PTX, which the driver compiles");
  EXPECT_EQ(device->info().code.front(), CodeKind::kPtx);
  driver::Code code = ptx();
  code.is_raw = false;
  driver::KernelInfo kernel;
  kernel.name = "scale";
  kernel.entry = "_Z5scaleifPfy";
  kernel.shared_bytes = 100'000;
  code.kernels = {kernel};
  EXPECT_EQ(device->load(code).error().kind(), ErrorKind::unsupported);  // static shared memory
  code.kernels[0].shared_bytes = 0;
  auto program = device->load(code);
  ASSERT_TRUE(program.ok()) << program.error().to_string();
  EXPECT_TRUE(device->kernel(**program, "scale").ok());
}

// NVRTC 13 does not support architectures before Turing.
TEST_F(CudaDriver, WritesPtxForDevicesThatNvrtcHasForgotten) {
  constexpr int kMajor = 75, kMinor = 76;  // the attributes' numbers
  fake->set_attribute(kMajor, 3);
  fake->set_attribute(kMinor, 0);
  const auto all = start()->devices();
  ASSERT_TRUE(all.ok());
  const std::string says = detail(all->front(), "compiler");
  if (says.starts_with("not found")) GTEST_SKIP() << "no NVRTC";
  EXPECT_EQ(all->front().code.front(), CodeKind::kPtx);
  EXPECT_NE(says.find(", no longer compiles for sm_30: kernels are emitted as PTX"), std::string::npos)
      << says;
}

TEST_F(CudaDriver, CompilesTextWhereNvrtcIs) {
  auto device = open();
  fake->declare_kernel("_Z6doublePfi", {8, 4});
  driver::Code code = ptx();
  code.kind = CodeKind::kCudaCpp;
  code.name = "mine.cu";
  code.bytes = "__global__ void twice(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= FACTOR; }";
  code.defines = {{"FACTOR", "2"}};
  fake->declare_kernel("_Z5twicePfi", {8, 4});
  auto program = device->load(code);
  if (!program.ok() && program.error().kind() == ErrorKind::unsupported) GTEST_SKIP() << "no NVRTC";
  ASSERT_TRUE(program.ok()) << program.error().to_string();
  auto kernel = device->kernel(**program, "twice");
  ASSERT_TRUE(kernel.ok()) << kernel.error().to_string();
  ASSERT_EQ((*kernel)->info.params.size(), 2u);
  EXPECT_TRUE((*kernel)->info.params[0].is_pointer);
  EXPECT_EQ((*kernel)->info.params[1].bytes, 4u);
  const auto binary = device->binary(**program);
  ASSERT_TRUE(binary.ok());
  EXPECT_EQ(binary->kind, CodeKind::kCubin);
  EXPECT_EQ(binary->bytes.substr(1, 3), "ELF");
  EXPECT_TRUE(device->load(*binary).ok());
  code.bytes = "__global__ void twice(float* x) {\n  x[0] = nothing;\n}";
  const auto error = device->load(code).error();
  EXPECT_EQ(error.kind(), ErrorKind::compile);
  EXPECT_NE(error.message().find("mine.cu(2): error: identifier \"nothing\" is undefined"), std::string::npos)
      << error.message();
}

// The whole life of a device; each of its calls fails once.
Result<> live(std::vector<uint8_t>& big) {
  auto driver = cuda::make_driver();
  QUERN_TRY(driver->start());
  QUERN_TRY(driver->devices());
  QUERN_TRY_ASSIGN(auto device, driver->open(0, {}));
  QUERN_TRY_ASSIGN(auto stream, device->create_stream({.priority = 1}));
  QUERN_TRY_ASSIGN(auto a, device->allocate(big.size(), MemoryKind::device));
  QUERN_TRY_ASSIGN(auto b, device->allocate(64, MemoryKind::pinned));
  QUERN_TRY_ASSIGN(auto c, device->allocate(64, MemoryKind::shared));
  QUERN_TRY(device->upload(*stream, {a.get(), 0}, big.data(), big.size()));
  QUERN_TRY(device->fill(*stream, {b.get(), 0}, 0x0102030405060708, 8, 64));
  QUERN_TRY(device->copy(*stream, {c.get(), 0}, {a.get(), 0}, 64));
  driver::Code code;
  code.kind = CodeKind::kPtx;
  code.bytes = kPtx;
  code.is_raw = true;
  QUERN_TRY_ASSIGN(auto program, device->load(code));
  QUERN_TRY_ASSIGN(auto kernel, device->kernel(*program, "scale"));
  QUERN_TRY(device->variable(*program, "total"));
  const uint64_t zero = 0;
  const driver::Argument arguments[] = {
      {{}, &zero, 4}, {{}, &zero, 4}, {{a.get(), 0}, nullptr, 0}, {{}, &zero, 8}};
  QUERN_TRY(device->launch(*stream, *kernel, {{1, 1, 1}, {1, 1, 1}, 0, arguments, false}));
  QUERN_TRY(device->launch(*stream, *kernel, {{1, 1, 1}, {1, 1, 1}, 0, arguments, true}));
  driver::Command command;
  command.kernel = kernel.get();
  command.launch = {{1, 1, 1}, {1, 1, 1}, 0, arguments, false};
  QUERN_TRY_ASSIGN(auto graph, device->make_graph({&command, 1}));
  QUERN_TRY(device->run_graph(*stream, *graph));
  QUERN_TRY(device->update_graph(*graph));
  QUERN_TRY(device->run_graph(*stream, *graph));
  QUERN_TRY_ASSIGN(auto event, device->create_event());
  QUERN_TRY(device->record(*stream, *event));
  QUERN_TRY(device->wait(*stream, *event));
  QUERN_TRY(device->call(*stream, [] {}));
  QUERN_TRY(device->reached(*event));
  QUERN_TRY(device->wait(*event));
  QUERN_TRY(device->time(*event));
  QUERN_TRY(device->download(*stream, big.data(), {a.get(), 0}, big.size()));
  QUERN_TRY(device->synchronize(*stream));
  (void)device->free_memory();
  return {};
}

class EveryCall : public CudaDriver, public ::testing::WithParamInterface<int32_t> {};

TEST_P(EveryCall, MayFail) {
  std::vector<uint8_t> big(3 << 20);  // through a slot
  uint64_t failed = 0, unnoticed = 0;
  for (uint64_t n = 0;; ++n) {
    fake->reset();
    fake->declare_kernel("_Z5scaleifPfy", {4, 4, 8, 8});
    fake->declare_variable("total", 4);
    fake->fail("", n, GetParam());
    const auto result = live(big);
    if (!fake->has_failed()) {
      ASSERT_TRUE(result.ok()) << result.error().to_string();
      break;
    }
    ++(result.ok() ? unnoticed : failed);
    if (!result.ok()) {
      EXPECT_FALSE(result.error().message().empty());
    }
  }
  EXPECT_GT(failed, 50u);
  // Attributes that cannot be read count as absent; errors while closing are ignored.
  EXPECT_LT(unnoticed, 200u);
}

INSTANTIATE_TEST_SUITE_P(Codes, EveryCall, ::testing::Values(1, 2, 700));

TEST_F(CudaDriver, NothingIsLeftBehind) {
  std::vector<uint8_t> big(9 << 20);
  fake->declare_variable("total", 4);
  ASSERT_TRUE(live(big).ok());
  EXPECT_EQ(fake->alive(), 1u);  // the fake's variable
}

}  // namespace
}  // namespace quern::test
