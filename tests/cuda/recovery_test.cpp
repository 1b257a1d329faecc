// Error handling, several devices, clusters and options, on a fake libcuda that computes nothing.
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/store.hpp"
#include "base/temporary_folder.hpp"
#include "cuda/cuda_case.hpp"
#include "driver/cuda/api.hpp"
#include "driver/cuda/compiler.hpp"

namespace quern::test {

namespace {

using base::ErrorKind;
using driver::MemoryKind;

// The CUresult codes in CUDA's public documentation (13.0), except 0.
constexpr int32_t kErrors[] = {
    1,   2,   3,   4,   5,   6,   7,   8,   34,  36,  46,  100, 101, 102, 200, 201, 202, 205, 206, 207,
    208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226, 300,
    301, 302, 303, 304, 400, 401, 402, 500, 600, 700, 701, 702, 703, 704, 705, 708, 709, 710, 711, 712,
    713, 714, 715, 716, 717, 718, 719, 720, 721, 800, 801, 802, 803, 804, 805, 806, 807, 808, 809, 810,
    811, 812, 900, 901, 902, 903, 904, 905, 906, 907, 908, 909, 910, 911, 912, 913, 914, 915, 916, 999};

class CudaRecovery : public CudaDriver {
 protected:
  // A launch of the fake's kernel.
  driver::Launch shape() { return {{4, 1, 1}, {1, 1, 1}, 0, arguments_, false}; }

 private:
  uint64_t zero_ = 0;
  driver::Argument arguments_[4] = {{{}, &zero_, 4}, {{}, &zero_, 4}, {}, {{}, &zero_, 8}};
};

TEST_F(CudaRecovery, EveryErrorIsKnown) {
  std::set<int32_t> known;
  for (int32_t code = 1; code < 1000; ++code) {
    if (cuda::is_known(cuda::cuda_vendor(), code)) known.insert(code);
  }
  for (const int32_t code : kErrors) EXPECT_TRUE(known.contains(code)) << code;
  EXPECT_FALSE(cuda::is_known(cuda::cuda_vendor(), 0));
  EXPECT_FALSE(cuda::is_known(cuda::cuda_vendor(), 203));
  for (const int32_t code : {700, 702, 710, 714, 715, 716, 717, 718, 719})
    EXPECT_TRUE(cuda::is_sticky(cuda::cuda_vendor(), code));
  for (const int32_t code : {1, 2, 701, 720, 912}) EXPECT_FALSE(cuda::is_sticky(cuda::cuda_vendor(), code));
}

TEST_F(CudaRecovery, ALostDeviceIsOpenedAgain) {
  auto driver = start();
  auto device = std::move(*driver->open(0, {}));
  auto program = std::move(*device->load(ptx()));
  auto kernel = std::move(*device->kernel(*program, "scale"));
  auto stream = std::move(*device->create_stream({}));
  auto memory = std::move(*device->allocate(64, MemoryKind::device));
  ASSERT_TRUE(device->launch(*stream, *kernel, shape()).ok());
  fake->fail("cuStreamSynchronize", 0, 700);
  EXPECT_EQ(device->synchronize(*stream).error().kind(), ErrorKind::device_lost);

  auto again = driver->open(0, {});
  ASSERT_TRUE(again.ok()) << again.error().to_string();
  EXPECT_EQ(fake->count("cuDevicePrimaryCtxReset"), 1u);
  auto other = std::move(*(*again)->allocate(64, MemoryKind::device));
  // The old device stays lost, and destroying its objects does not affect the new one.
  EXPECT_EQ(device->allocate(64, MemoryKind::device).error().kind(), ErrorKind::device_lost);
  const uint64_t alive = fake->alive();
  memory.reset();
  stream.reset();
  kernel.reset();
  program.reset();
  device.reset();
  EXPECT_EQ(fake->alive(), alive);
  auto fresh = std::move(*(*again)->create_stream({}));
  const int value = 7;
  int got = 0;
  ASSERT_TRUE((*again)->upload(*fresh, {other.get(), 0}, &value, 4).ok());
  ASSERT_TRUE((*again)->download(*fresh, &got, {other.get(), 0}, 4).ok());
  EXPECT_EQ(got, 7);
}

TEST_F(CudaRecovery, ALossThatNobodyCanEndIsSaid) {
  auto driver = start();
  auto device = std::move(*driver->open(0, {}));
  fake->hide("cuDevicePrimaryCtxReset");
  auto old = start();
  auto stream = std::move(*device->create_stream({}));
  fake->fail("cuStreamSynchronize", 0, 719);
  ASSERT_FALSE(device->synchronize(*stream).ok());
  const auto none = old->open(0, {});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().kind(), ErrorKind::device_lost);
}

TEST_F(CudaRecovery, ALossNamesWhatIsInFlightOnAllQueues) {
  fake->declare_kernel("_Z5scaleifPfy", {4, 4, 8, 8});
  auto device = open();
  auto program = std::move(*device->load(ptx()));
  auto kernel = std::move(*device->kernel(*program, "scale"));
  auto a = std::move(*device->create_stream({})), b = std::move(*device->create_stream({}));
  auto event = std::move(*device->create_event());
  ASSERT_TRUE(device->launch(*a, *kernel, shape()).ok());
  ASSERT_TRUE(device->launch(*b, *kernel, shape()).ok());
  ASSERT_TRUE(device->launch(*b, *kernel, shape()).ok());
  fake->fail("cuEventSynchronize", 0, 700);
  const auto error = device->wait(*event).error();
  EXPECT_EQ(error.message(),
            "stand-in, computes nothing was lost: a kernel accessed an invalid address "
            "(CUDA_ERROR_ILLEGAL_ADDRESS), in one of the 3 kernels since the last synchronization, the last "
            "of which on "
            "each stream are 'scale', 'scale'");
  EXPECT_EQ(error.hint(), "set QUERN_SYNC=1 to wait for each launch and find the kernel");
}

TEST_F(CudaRecovery, ClustersAreAnAttributeOfTheLaunch) {
  auto device = open();
  EXPECT_TRUE(device->info().features.has(driver::Feature::clusters));
  EXPECT_EQ(device->info().limits.cluster_blocks, 8u);
  auto program = std::move(*device->load(ptx()));
  auto kernel = std::move(*device->kernel(*program, "scale"));
  auto stream = std::move(*device->create_stream({}));
  driver::Launch launch = shape();
  launch.cluster = {2, 1, 1};
  ASSERT_TRUE(device->launch(*stream, *kernel, launch).ok());
  launch.cooperative = true;
  ASSERT_TRUE(device->launch(*stream, *kernel, launch).ok());
  ASSERT_EQ(fake->launches().size(), 2u);
  EXPECT_EQ(fake->count("cuLaunchKernelEx"), 2u);
  EXPECT_EQ(fake->launches()[0].cluster[0], 2u);
  EXPECT_FALSE(fake->launches()[0].is_cooperative);
  EXPECT_TRUE(fake->launches()[1].is_cooperative);
  fake->fail("cuLaunchKernelEx", 0, 912);
  const auto error = device->launch(*stream, *kernel, launch).error();
  EXPECT_EQ(error.kind(), ErrorKind::invalid_use);
  EXPECT_EQ(error.message(),
            "cuLaunchKernelEx failed: the kernel does not support this cluster size (error 912)");
}

TEST_F(CudaRecovery, DevicesWithoutClustersSaySo) {
  fake->set_attribute(120, 0);
  auto device = open();
  EXPECT_FALSE(device->info().features.has(driver::Feature::clusters));
  EXPECT_EQ(device->info().limits.cluster_blocks, 0u);
}

TEST_F(CudaRecovery, DevicesOfOneDriverCopyFromEachOther) {
  fake->set_devices(2);
  auto driver = start();
  auto first = std::move(*driver->open(0, {})), second = std::move(*driver->open(1, {}));
  auto from = std::move(*first->allocate(64, MemoryKind::device)),
       to = std::move(*second->allocate(64, MemoryKind::device));
  auto stream = std::move(*first->create_stream({})), other = std::move(*second->create_stream({}));
  const int value = 41;
  int got = 0;
  ASSERT_TRUE(first->upload(*stream, {from.get(), 8}, &value, 4).ok());
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(second->copy_from(*other, {to.get(), 4}, *first, {from.get(), 8}, 4).ok());
  ASSERT_TRUE(second->download(*other, &got, {to.get(), 4}, 4).ok());
  EXPECT_EQ(got, 41);
  EXPECT_EQ(fake->count("cuMemcpyPeerAsync"), 2u);
  EXPECT_EQ(fake->count("cuCtxEnablePeerAccess"), 1u);
  EXPECT_EQ(fake->count("cuMemPoolSetAccess"), 1u);
  // Devices of another driver are not peers, even with the same library.
  auto stranger = std::move(*start()->open(0, {}));
  EXPECT_EQ(second->copy_from(*other, {to.get(), 4}, *stranger, {from.get(), 8}, 4).error().kind(),
            ErrorKind::unsupported);
}

TEST_F(CudaRecovery, CopiesGoTheShortWayWhereNothingIsToWaitFor) {
  auto device = open();
  auto stream = std::move(*device->create_stream({}));
  auto memory = std::move(*device->allocate(4 << 20, MemoryKind::device));
  std::vector<uint8_t> data(3 << 20, 5);
  ASSERT_TRUE(device->upload(*stream, {memory.get(), 0}, data.data(), 512 << 10).ok());
  EXPECT_EQ(fake->count("cuMemcpyHtoDAsync"),
            1u);  // of the queue: a blocking copy may return before it is complete
  EXPECT_EQ(fake->count("cuMemHostAlloc"), 1u);  // through a slot
  ASSERT_TRUE(device->download(*stream, data.data(), {memory.get(), 0}, 512 << 10).ok());
  EXPECT_EQ(fake->count("cuMemHostAlloc"), 1u);  // by the driver's own copy
  ASSERT_TRUE(device->upload(*stream, {memory.get(), 0}, data.data(), 3 << 20).ok());
  EXPECT_EQ(fake->count("cuMemHostAlloc"), 4u);     // a MiB in each
  EXPECT_EQ(fake->count("cuStreamWaitEvent"), 0u);  // no transfer runs concurrently with the queue
  fake->set_busy(true);
  ASSERT_TRUE(device->download(*stream, data.data(), {memory.get(), 0}, 512 << 10).ok());
  EXPECT_EQ(fake->count("cuLaunchHostFunc"), 1u);  // the call does not wait for the queue
}

TEST_F(CudaRecovery, ManagedAndMappedMemoryAreWhatTheySay) {
  auto device = open();
  EXPECT_TRUE(device->info().features.has(driver::Feature::managed_memory));
  EXPECT_TRUE(device->info().features.has(driver::Feature::mapped_memory));
  auto managed = std::move(*device->allocate(64, MemoryKind::managed));
  EXPECT_EQ(fake->count("cuMemAllocManaged"), 1u);
  EXPECT_NE(managed->host, nullptr);
  auto mapped = std::move(*device->allocate(64, MemoryKind::mapped));
  EXPECT_EQ(fake->count("cuMemHostGetDevicePointer"), 1u);
  EXPECT_NE(mapped->host, nullptr);
  EXPECT_NE(mapped->address, 0u);
}

TEST_F(CudaRecovery, WhatNvrtcMadeIsKept) {
  const std::string folder = std::filesystem::temp_directory_path() / "quern_cuda_kept";
  std::filesystem::remove_all(folder);
  ::setenv("QUERN_CACHE", folder.c_str(), 1);
  auto device = open();
  ::unsetenv("QUERN_CACHE");
  if (device->info().code.front() != driver::CodeKind::kCudaCpp) GTEST_SKIP() << "NVRTC is not installed";
  fake->declare_kernel("_Z5twicePfi", {8, 4});
  driver::Code code;
  code.kind = driver::CodeKind::kCudaCpp;
  code.bytes = "__global__ void twice(float* x, int n) { x[n] *= 2; }";
  code.name = "mine.cu";
  code.is_raw = true;
  const base::Store store(folder);
  for (int round = 0; round < 3; ++round) {
    auto program = device->load(code);
    ASSERT_TRUE(program.ok()) << program.error().to_string();
    auto kernel = device->kernel(**program, "twice");
    ASSERT_TRUE(kernel.ok()) << kernel.error().to_string();
    EXPECT_EQ((*kernel)->info.params.size(), 2u);  // described by the PTX, which is cached too
    EXPECT_EQ(device->binary(**program)->bytes.substr(1, 3), "ELF");
    if (round == 1) code.max_registers = 32;               // another one
    EXPECT_EQ(store.list()->size(), round < 2 ? 2u : 3u);  // and the location of NVRTC
  }
  code.bytes = "#include <cuda_fp16.h>\n" + code.bytes;  // may change: never cached
  (void)device->load(code);
  EXPECT_EQ(store.list()->size(), 3u);
  std::filesystem::remove_all(folder);
}

TEST(CudaCompiler, WhereItIsIsRememberedUntilItChanges) {
  const auto real = cuda::Compiler::find(cuda::cuda_vendor(), 99000);
  if (!real.ok()) GTEST_SKIP() << "NVRTC is not installed";
  const base::TemporaryFolder folder;
  const std::string library = folder.path() + "/libnvrtc.so";
  std::filesystem::create_symlink(std::filesystem::canonical((*real)->library()), library);
  ::setenv("QUERN_CACHE", folder.path().c_str(), 1);
  ::setenv("QUERN_NVRTC", library.c_str(), 1);
  for (int round = 0; round < 2; ++round) {
    const auto found = cuda::Compiler::find(cuda::cuda_vendor(), 99000);
    ASSERT_TRUE(found.ok()) << found.error().to_string();
    EXPECT_EQ((*found)->version(), (*real)->version());
    const auto made = (*found)->compile("a.cu", "__global__ void k(int* a) { *a = 1; }", 90, {});
    EXPECT_TRUE(made.ok()) << made.error().to_string();
  }
  const auto remembers = [&](const std::string& stamp) {
    const base::Store store(folder.path());
    return store.find(store.list()->front().key)->find("\n" + stamp + "\n") != std::string::npos;
  };
  const std::string before = base::file_stamp(library);
  EXPECT_TRUE(remembers(before));
  std::filesystem::remove(library);
  folder.write("libnvrtc.so", "another");  // this process has loaded the first one under the same name
  EXPECT_TRUE(cuda::Compiler::find(cuda::cuda_vendor(), 99000).ok());
  EXPECT_NE(base::file_stamp(library), before);
  EXPECT_TRUE(remembers(base::file_stamp(library)));
  ::unsetenv("QUERN_CACHE");
  ::unsetenv("QUERN_NVRTC");
}

TEST_F(CudaRecovery, RegistersAndDebuggingAreOptionsOfTheLoader) {
  auto device = open();
  driver::Code code = ptx();
  code.max_registers = 32;
  code.debug = true;
  ASSERT_TRUE(device->load(code).ok());
  EXPECT_EQ(fake->load_options(), (std::vector<std::pair<int, uint64_t>>{{11, 1}, {0, 32}}));
}

}  // namespace
}  // namespace quern::test
