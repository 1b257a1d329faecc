// WebGPU through the library that QUERN_WEBGPU_LIBRARY names: bindings, copies of any bytes, events, graphs,
// threads, and errors that must not end the process.
#include <cstring>
#include <ctime>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "driver/decorators/faulty/device.hpp"
#include "driver/webgpu/driver.hpp"
#include "driver/webgpu/gpu.hpp"
#include "runtime/select.hpp"
#include "runtime/verify.hpp"
#include "support/runtime_case.hpp"

namespace quern::runtime {
namespace {

using base::ErrorKind;

class WebgpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = open({"webgpu", {}});
    if (!opened.ok()) GTEST_SKIP() << "WebGPU is not tested: " << opened.error().to_string();
    device_ = *opened;
  }

  std::shared_ptr<Kernel> kernel(const std::string& text) {
    auto module = Module::load(device_, source(text));
    EXPECT_TRUE(module.ok()) << module.error().to_string();
    auto found = (*module)->kernel("k");
    EXPECT_TRUE(found.ok()) << found.error().to_string();
    return *found;
  }
  MemoryPtr upload(const std::vector<int>& values) {
    auto memory = device_->allocate(values.size() * 4, driver::MemoryKind::device, "values");
    EXPECT_TRUE(memory.ok()) << memory.error().to_string();
    EXPECT_TRUE(stream().upload(all(**memory), values.data(), values.size() * 4).ok());
    return std::move(*memory);
  }
  std::vector<int> download(const MemoryPtr& memory) {
    std::vector<int> values(memory->bytes() / 4);
    EXPECT_TRUE(stream().download(values.data(), all(*memory), memory->bytes()).ok());
    const auto done = stream().synchronize();
    EXPECT_TRUE(done.ok()) << done.error().to_string();
    return values;
  }
  void launch(Kernel& k, LaunchConfig how, const std::vector<HostArgument>& arguments) {
    const auto launched = stream().launch(k, how, arguments);
    EXPECT_TRUE(launched.ok()) << launched.error().to_string();
  }
  Stream& stream() { return device_->default_stream(); }

  std::shared_ptr<Device> device_;
};

TEST_F(WebgpuTest, AScenarioGivesTheResultOfOtherDevices) {
  auto result = run_scenario(device_);
  ASSERT_TRUE(result.ok()) << result.error().to_string();
  EXPECT_EQ(*result, scenario_result());
}

TEST_F(WebgpuTest, TheSelfTestPasses) {
  auto verified = verify(device_);
  EXPECT_TRUE(verified.ok()) << verified.error().to_string();
}

TEST_F(WebgpuTest, AdapterLimitsAreListed) {
  const driver::DeviceInfo& info = device_->info();
  EXPECT_GE(info.limits.buffer_bytes, uint64_t{128} << 20);
  EXPECT_EQ(info.limits.buffers, 0u);  // more than the adapter binds share bindings
  const auto has = [&](std::string_view key) {
    return std::any_of(info.details.begin(), info.details.end(),
                       [&](const auto& d) { return d.first == key; });
  };
  for (const char* key : {"library", "storage buffers", "subgroups", "arguments", "shader-f16", "timestamps"})
    EXPECT_TRUE(has(key)) << key;
}

TEST_F(WebgpuTest, ArgumentsMayBeNullOrInsideOfABuffer) {
  const auto k = kernel(
      "__global__ void k(int* a, int* b, int* c) {\n"
      "  if (b == nullptr && c == nullptr) a[threadIdx.x] += blockDim.x; }");
  const MemoryPtr a = upload({1, 2, 3, 4});
  launch(*k, shape(1, 2), {arg(Slice{a.get(), 4, 12}), HostArgument{}, HostArgument{}});
  EXPECT_EQ(download(a), (std::vector<int>{1, 4, 5, 4}));
  launch(*k, shape(1, 4), {arg(a), HostArgument{}, HostArgument{}});
  EXPECT_EQ(download(a), (std::vector<int>{5, 8, 9, 8}));
}

// WebGPU rejects a written buffer that is bound twice.
TEST_F(WebgpuTest, OneBufferMayBeSeveralArguments) {
  const auto k = kernel(
      "__global__ void k(const int* a, int* b, const float* c, unsigned* d) {\n"
      "  atomicAdd(&d[0], 1u);\n  b[threadIdx.x] = a[threadIdx.x] + (int)c[0]; }");
  const MemoryPtr values = upload({1, 2, 3, 4, 0, 0, 0, 0, 0x40400000});
  const Slice tail{values.get(), 16, 16}, real{values.get(), 32, 4};
  const MemoryPtr count = upload({0});
  launch(*k, shape(1, 4), {arg(values), arg(tail), arg(real, 4, "float"), arg(count)});
  EXPECT_EQ(download(values), (std::vector<int>{1, 2, 3, 4, 4, 5, 6, 7, 0x40400000}));
  EXPECT_EQ(download(count), std::vector<int>{4});
  launch(*k, shape(1, 4), {arg(values), arg(values), arg(real, 4, "float"), arg(tail)});
  EXPECT_EQ(download(values), (std::vector<int>{4, 5, 6, 7, 8, 5, 6, 7, 0x40400000}));
}

constexpr int kMany = 40;  // pointer parameters; adapters bind 8 to 32 storage buffers

std::string many_text() {
  std::string text = "__device__ int total;\n__global__ void k(int n";
  for (int i = 0; i < kMany; ++i)
    text += ", " + std::string(i % 2 == 0 ? "const " : "") + "int* p" + std::to_string(i);
  text += ") {\n";
  for (int i = 1; i < kMany; i += 2)
    text += "  p" + std::to_string(i) + "[threadIdx.x] = p" + std::to_string(i - 1) + "[threadIdx.x] + n;\n";
  return text + "  atomicAdd(&total, 1);\n}\n";
}

TEST_F(WebgpuTest, ManyBuffersShareABinding) {
  const auto k = kernel(many_text());
  std::vector<MemoryPtr> buffers;
  std::vector<HostArgument> arguments = {arg(100)};
  for (int i = 0; i < kMany; ++i) {
    buffers.push_back(upload({i, i + 1, i + 2, i + 3}));
    arguments.push_back(arg(buffers.back()));
  }
  for (int round = 0; round < 2; ++round) launch(*k, shape(1, 4), arguments);
  for (int i = 0; i < kMany; ++i) {
    const int first = i % 2 == 0 ? i : i - 1 + 100;
    EXPECT_EQ(download(buffers[static_cast<size_t>(i)]),
              (std::vector<int>{first, first + 1, first + 2, first + 3}))
        << i;
  }
  for (HostArgument& a : arguments) {
    if (&a != &arguments[0]) a = arg(buffers[0]);  // one buffer for all of them needs one binding
  }
  launch(*k, shape(1, 4), arguments);
  EXPECT_EQ(download(buffers[0]), (std::vector<int>{2000, 2001, 2002, 2003}));
}

TEST_F(WebgpuTest, TooLargeManyBuffersAreRefusedWithBothSizes) {
  const auto k = kernel(many_text());
  const uint64_t bytes = device_->info().limits.buffer_bytes / 32 / 4 * 4;
  if (bytes > uint64_t{8} << 20) GTEST_SKIP() << "the device binds too much for this test";
  std::vector<MemoryPtr> buffers;
  std::vector<HostArgument> arguments = {arg(1)};
  for (int i = 0; i < kMany; ++i) {
    auto memory = device_->allocate(bytes, driver::MemoryKind::device, "large");
    ASSERT_TRUE(memory.ok()) << memory.error().to_string();
    buffers.push_back(std::move(*memory));
    arguments.push_back(arg(buffers.back()));
  }
  const auto launched = stream().launch(*k, shape(1, 4), arguments);
  ASSERT_FALSE(launched.ok());
  EXPECT_EQ(launched.error().kind(), ErrorKind::unsupported);
  EXPECT_NE(launched.error().message().find("it uses 40 buffers of "), std::string::npos)
      << launched.error().message();
  EXPECT_NE(launched.error().hint().find("fewer or smaller buffers"), std::string::npos);
}

// Any offset and size, although WebGPU copies whole words between different buffers.
TEST_F(WebgpuTest, CopiesOfAnyBytes) {
  constexpr size_t kBytes = 5003;
  std::vector<uint8_t> wanted(2 * kBytes);
  std::mt19937 random(7);
  for (uint8_t& b : wanted) b = static_cast<uint8_t>(random());
  auto first = device_->allocate(kBytes, driver::MemoryKind::device, "first");
  auto second = device_->allocate(kBytes, driver::MemoryKind::device, "second");
  ASSERT_TRUE(first.ok() && second.ok());
  Memory* const memories[] = {first->get(), second->get()};
  for (size_t m = 0; m < 2; ++m)
    ASSERT_TRUE(stream().upload(all(*memories[m]), wanted.data() + m * kBytes, kBytes).ok());
  for (int step = 0; step < 200; ++step) {
    const size_t bytes = 1 + random() % 70, to = random() % (kBytes - bytes),
                 from = random() % (kBytes - bytes);
    const size_t m = random() % 2, other = random() % 2;
    uint8_t* const target = wanted.data() + m * kBytes + to;
    const Slice range{memories[m], to, bytes};
    if (step % 3 == 0) {
      std::vector<uint8_t> data(bytes, static_cast<uint8_t>(step));
      auto uploaded = stream().upload(range, data.data(), bytes);
      ASSERT_TRUE(uploaded.ok()) << uploaded.error().to_string();
      ASSERT_TRUE(stream().synchronize().ok());
      std::memcpy(target, data.data(), bytes);
    } else if (step % 3 == 1) {
      ASSERT_TRUE(stream().fill(range, static_cast<uint64_t>(step), 1).ok());
      std::memset(target, step, bytes);
    } else {
      if (m == other && from < to + bytes && to < from + bytes) continue;
      const auto copied = stream().copy(range, {memories[other], from, bytes});
      ASSERT_TRUE(copied.ok()) << copied.error().to_string();
      std::memcpy(target, wanted.data() + other * kBytes + from, bytes);
    }
  }
  std::vector<uint8_t> got(2 * kBytes);
  for (size_t m = 0; m < 2; ++m) {
    ASSERT_TRUE(stream().download(got.data() + m * kBytes, {memories[m], 0, 1001}, 1001).ok());
    ASSERT_TRUE(
        stream()
            .download(got.data() + m * kBytes + 1001, {memories[m], 1001, kBytes - 1001}, kBytes - 1001)
            .ok());
  }
  const auto done = stream().synchronize();
  ASSERT_TRUE(done.ok()) << done.error().to_string();
  EXPECT_TRUE(got == wanted);
}

TEST_F(WebgpuTest, LargeCopiesGoInPieces) {
  std::vector<int> values(5 << 20);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i * 2654435761u);
  const MemoryPtr memory = upload(values);
  EXPECT_TRUE(download(memory) == values);
}

// One dispatch has at most 65,535 blocks in each dimension.
TEST_F(WebgpuTest, GridsMayBeWiderThanADispatch) {
  constexpr unsigned kWidth = 140'001, kHeight = 2;
  const auto k = kernel(
      "__device__ __noinline__ unsigned place() { return blockIdx.y * gridDim.x + blockIdx.x; }\n"
      "__global__ void k(unsigned* a, unsigned n) {\n"
      "  if (threadIdx.x == 1 && gridDim.y == 2) a[place()] += blockIdx.x * n + gridDim.x; }");
  const MemoryPtr a = upload(std::vector<int>(kWidth * kHeight));
  launch(*k, {{kWidth, kHeight, 1}, {2, 1, 1}}, {arg(a), arg(3)});
  launch(*k, {{70, kHeight, 1}, {2, 1, 1}}, {arg(a), arg(1000)});
  const std::vector<int> got = download(a);
  for (unsigned i = 0; i < got.size(); ++i)
    ASSERT_EQ(static_cast<unsigned>(got[i]), i % kWidth * 3 + kWidth + (i < 140 ? i % 70 * 1000 + 70 : 0))
        << i;
}

// Arguments in a uniform buffer, and a barrier.
TEST_F(WebgpuTest, WideGridsWithManyArguments) {
  const auto k = kernel(
      "struct Large { int v[60]; };\n"
      "__global__ void k(unsigned* total, Large l) {\n"
      "  __shared__ unsigned first;\n  if (threadIdx.x == 0) first = blockIdx.x;\n  __syncthreads();\n"
      "  if (threadIdx.x == 1 && first % 65536 == 65535) atomicAdd(total, first / 65536 + l.v[59]); }");
  struct {
    int v[60] = {};
  } large;
  large.v[59] = 7;
  HostArgument given;
  given.kind = ArgumentKind::bytes;
  given.bytes = &large;
  given.size = sizeof large;
  const MemoryPtr total = upload({0});
  launch(*k, shape(5 * 65536, 2), {arg(total), given});
  EXPECT_EQ(download(total), std::vector<int>{0 + 1 + 2 + 3 + 4 + 5 * 7});
}

TEST_F(WebgpuTest, AGridBeyondTheLimitsIsRefused) {
  const auto k = kernel("__global__ void k(int* a) { a[0] = 1; }");
  const MemoryPtr a = upload({0});
  const uint32_t most = device_->info().limits.grid.y;
  const auto launched = stream().launch(*k, {{1, most + 1, 1}, {1, 1, 1}}, std::vector{arg(a)});
  ASSERT_FALSE(launched.ok());
  EXPECT_EQ(launched.error().kind(), ErrorKind::invalid_use);
}

// More bytes than 65,535 blocks of the kernel that copies bytes handle.
TEST_F(WebgpuTest, LargeCopiesAndFillsOfAnyBytes) {
  constexpr size_t kBytes = (40 << 20) + 3;
  std::vector<uint8_t> wanted(kBytes);
  for (size_t i = 0; i < kBytes; ++i) wanted[i] = static_cast<uint8_t>(i * 2654435761u >> 13);
  auto first = device_->allocate(kBytes, driver::MemoryKind::device, "first");
  auto second = device_->allocate(kBytes, driver::MemoryKind::device, "second");
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_TRUE(stream().upload(all(**first), wanted.data(), kBytes).ok());
  ASSERT_TRUE(stream().fill(all(**second), 0, 1).ok());
  ASSERT_TRUE(stream().copy({second->get(), 2, kBytes - 6}, {first->get(), 5, kBytes - 6}).ok());
  ASSERT_TRUE(stream().fill({first->get(), 1, kBytes - 2}, 0xab, 1).ok());
  std::vector<uint8_t> copied(kBytes), filled(kBytes);
  ASSERT_TRUE(stream().download(copied.data(), all(**second), kBytes).ok());
  ASSERT_TRUE(stream().download(filled.data(), all(**first), kBytes).ok());
  const auto done = stream().synchronize();
  ASSERT_TRUE(done.ok()) << done.error().to_string();
  std::vector<uint8_t> moved(kBytes);
  std::memcpy(moved.data() + 2, wanted.data() + 5, kBytes - 6);
  EXPECT_TRUE(copied == moved);
  std::memset(wanted.data() + 1, 0xab, kBytes - 2);
  EXPECT_TRUE(filled == wanted);
}

// Blocks of arguments that are larger than immediates, and more of them than the uniform buffer holds.
TEST_F(WebgpuTest, ManyLaunchesInOneSubmission) {
  const auto k = kernel(
      "struct Large { int v[60]; };\n"
      "__global__ void k(int* a, Large l) { a[threadIdx.x] += l.v[59]; }");
  const MemoryPtr a = upload({0, 0});
  struct {
    int v[60] = {};
  } large;
  HostArgument given;
  given.kind = ArgumentKind::bytes;
  given.bytes = &large;
  given.size = sizeof large;
  for (int i = 0; i < 1500; ++i) {
    large.v[59] = i;
    launch(*k, shape(1, 2), {arg(a), given});
  }
  EXPECT_EQ(download(a), (std::vector<int>{1124250, 1124250}));
}

TEST_F(WebgpuTest, ManyThreadsShareTheDevice) {
  constexpr const char* kText = "__global__ void k(int* a) { a[threadIdx.x] += blockDim.x; }";
  auto module = Module::load(device_, source(kText));
  ASSERT_TRUE(module.ok());
  std::vector<std::thread> threads;
  std::vector<std::vector<int>> got(4);
  for (size_t t = 0; t < got.size(); ++t) {
    threads.emplace_back([&, t] {
      auto own = Stream::create(*device_, {});
      auto k = (*module)->kernel("k");
      auto memory = device_->allocate(256, driver::MemoryKind::device, "");
      std::vector<int> values(64, static_cast<int>(t));
      EXPECT_TRUE((*own)->upload(all(**memory), values.data(), 256).ok());
      for (int i = 0; i < 20; ++i)
        EXPECT_TRUE((*own)->launch(**k, shape(1, 64), std::vector{arg(*memory)}).ok());
      EXPECT_TRUE((*own)->download(values.data(), all(**memory), 256).ok());
      const auto done = (*own)->synchronize();
      EXPECT_TRUE(done.ok()) << done.error().to_string();
      got[t] = values;
    });
  }
  for (std::thread& t : threads) t.join();
  for (size_t t = 0; t < got.size(); ++t)
    EXPECT_EQ(got[t], std::vector<int>(64, static_cast<int>(t) + 20 * 64));
}

// The waiting thread sleeps in the library.
TEST_F(WebgpuTest, WaitingTakesNoProcessorTime) {
  const auto k = kernel(
      "__global__ void k(unsigned* a, unsigned n) {\n  unsigned x = threadIdx.x;\n"
      "  for (unsigned i = 0; i < n; ++i) x = x * 1664525u + 1013904223u;\n  a[threadIdx.x] = x; }");
  const MemoryPtr a = upload(std::vector<int>(64));
  launch(*k, shape(1, 64), {arg(a), arg(1)});
  ASSERT_TRUE(stream().synchronize().ok());
  const auto seconds = [](clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  };
  launch(*k, shape(8192, 64), {arg(a), arg(2000)});
  const double start = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_THREAD_CPUTIME_ID);
  ASSERT_TRUE(stream().synchronize().ok());
  const double waited = seconds(CLOCK_MONOTONIC) - start, busy = seconds(CLOCK_THREAD_CPUTIME_ID) - used;
  if (waited < 0.02) GTEST_SKIP() << "the kernel took " << waited << " s, which is too short";
  EXPECT_LT(busy, waited / 4) << "waited for " << waited << " s";
}

TEST_F(WebgpuTest, AnEventMayBeRecordedAgainWhileOthersWait) {
  const auto done = record_anew(device_->native());
  EXPECT_TRUE(done.ok()) << done.error().to_string();
}

TEST_F(WebgpuTest, AnAssertNamesItsPlace) {
  const auto k = kernel("__global__ void k(int n) {\n  assert(n > 3);\n}");
  launch(*k, shape(1, 1), {arg(2)});
  const auto done = stream().synchronize();
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().kind(), ErrorKind::kernel_fault);
  EXPECT_NE(done.error().message().find("test.cu:2"), std::string::npos) << done.error().message();
}

// Neither text nor pipelines that the library rejects may be used: wgpu-native would end the process.
TEST_F(WebgpuTest, InvalidCodeIsAnError) {
  driver::Code code;
  code.kind = driver::CodeKind::kWgsl;
  code.name = "wrong.wgsl";
  code.bytes = "fn k( {";
  const auto wrong = device_->native().load(code);
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().kind(), ErrorKind::compile);
  EXPECT_NE(wrong.error().message().find("compiling wrong.wgsl"), std::string::npos)
      << wrong.error().message();
  code.bytes = "@compute @workgroup_size(1) fn other() {}";
  code.kernels.emplace_back().name = "k";
  code.kernels.back().entry = "k";
  auto module = device_->native().load(code);
  ASSERT_TRUE(module.ok()) << module.error().to_string();
  auto k = device_->native().kernel(**module, "k");
  ASSERT_TRUE(k.ok());
  auto queue = device_->native().create_stream({});
  ASSERT_TRUE(queue.ok());
  const auto launched = device_->native().launch(**queue, **k, {});
  ASSERT_FALSE(launched.ok());
  EXPECT_EQ(launched.error().kind(), ErrorKind::compile);
  EXPECT_TRUE(device_->native().synchronize(**queue).ok());
}

TEST_F(WebgpuTest, UserTextIsRefusedWithAHint) {
  driver::Code code;
  code.kind = driver::CodeKind::kWgsl;
  code.is_raw = true;
  const auto loaded = device_->native().load(code);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().kind(), ErrorKind::unsupported);
  EXPECT_NE(loaded.error().hint().find("CUDA C++"), std::string::npos);
}

TEST_F(WebgpuTest, TooMuchMemoryIsOutOfMemory) {
  const auto memory = device_->native().allocate(uint64_t{1} << 45, driver::MemoryKind::device);
  ASSERT_FALSE(memory.ok());
  EXPECT_NE(memory.error().message().find("wgpuDeviceCreateBuffer failed: "), std::string::npos);
  EXPECT_EQ(memory.error().message().find('\n'), std::string::npos);
  const MemoryPtr a = upload({1, 2});
  EXPECT_EQ(download(a), (std::vector<int>{1, 2}));
}

TEST_F(WebgpuTest, OptionsAreRefused) {
  const auto wrong = open({"webgpu,speed=2", {}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message().find("does not accept option 'speed'"), std::string::npos)
      << wrong.error().message();
}

// The callback of the library: every later call has the same error, and waits end.
TEST_F(WebgpuTest, TheLossOfADeviceIsTheAnswerToEveryCall) {
  auto api = webgpu::Api::load();
  ASSERT_TRUE(api.ok());
  auto instance = webgpu::Instance::create(std::move(*api));
  ASSERT_TRUE(instance.ok());
  auto adapters = webgpu::find_adapters(*instance);
  ASSERT_TRUE(adapters.ok());
  auto opened = webgpu::Gpu::open(adapters->front());
  ASSERT_TRUE(opened.ok()) << opened.error().to_string();
  webgpu::Gpu& gpu = **opened;
  gpu->DeviceDestroy(gpu.device());
  gpu.poll();
  if (gpu->is_wgpu()) (void)gpu.loss()->lose("wgpu-native reports a destroyed device to nobody");
  EXPECT_EQ(gpu.loss()->alive().error().kind(), ErrorKind::device_lost);
  EXPECT_EQ(gpu.create_buffer(64, webgpu::kStorage).error().kind(), ErrorKind::device_lost);
  EXPECT_EQ(gpu.submit(nullptr).error().kind(), ErrorKind::device_lost);
  EXPECT_EQ(gpu.wait(webgpu::Signal()).error().kind(), ErrorKind::device_lost);
}

TEST(WebgpuCodes, EveryErrorIsKnown) {
  for (uint32_t type = webgpu::kValidation; type <= webgpu::kLostError; ++type)
    EXPECT_TRUE(webgpu::is_known(type)) << type;
  for (const uint32_t type : {0u, 1u, 7u}) EXPECT_FALSE(webgpu::is_known(type)) << type;
  EXPECT_EQ(webgpu::failed("wgpuCall", webgpu::kOutOfMemory, "a\n  b\n").message(),
            "wgpuCall failed: WGPUErrorType_OutOfMemory: a b");
}

}  // namespace
}  // namespace quern::runtime
