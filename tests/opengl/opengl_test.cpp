// OpenGL and OpenGL ES, if there is a driver: calls from many threads, queues that share a context, events,
// variants of a kernel, null arguments, offsets.
#include <cstring>
#include <thread>

#include <gtest/gtest.h>

#include "runtime/select.hpp"
#include "runtime/verify.hpp"
#include "support/devices.hpp"
#include "support/runtime_case.hpp"

namespace quern::runtime {
namespace {

class OpenglTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto opened = open({GetParam(), {}});
    if (!opened.ok()) GTEST_SKIP() << opened.error().to_string();
    device_ = *opened;
  }

  std::vector<int> run(const std::string& text, const char* kernel, std::vector<int> values, LaunchConfig how,
                       uint64_t first = 0) {
    auto program = Module::load(device_, source(text));
    EXPECT_TRUE(program.ok()) << program.error().to_string();
    auto found = (*program)->kernel(kernel);
    EXPECT_TRUE(found.ok()) << found.error().to_string();
    const uint64_t bytes = values.size() * 4;
    auto memory = device_->allocate(bytes, driver::MemoryKind::device, "values");
    Stream& stream = device_->default_stream();
    EXPECT_TRUE(stream.upload(all(**memory), values.data(), bytes).ok());
    const Slice part{memory->get(), first * 4, bytes - first * 4};
    auto launched = stream.launch(**found, how, std::vector{arg(part), HostArgument{}});
    EXPECT_TRUE(launched.ok()) << launched.error().to_string();
    EXPECT_TRUE(stream.download(values.data(), all(**memory), bytes).ok());
    auto done = stream.synchronize();
    EXPECT_TRUE(done.ok()) << done.error().to_string();
    return values;
  }

  std::shared_ptr<Device> device_;
};

constexpr const char* kCount =
    "__global__ void k(int* a, int* b) { if (b == nullptr) a[threadIdx.x] += blockDim.x; }";

TEST_P(OpenglTest, AProgramAsPeopleWriteThem) {
  auto result = run_scenario(device_);
  ASSERT_TRUE(result.ok()) << result.error().to_string();
  EXPECT_EQ(*result, scenario_result());
}

// With workarounds for known defects of the driver: the self test has a loop with 70,000 iterations.
TEST_P(OpenglTest, TheSelfTestPasses) {
  auto verified = verify(device_);
  EXPECT_TRUE(verified.ok()) << verified.error().to_string();
}

TEST_P(OpenglTest, EachSizeOfABlockIsAVariant) {
  EXPECT_EQ(run(kCount, "k", {1, 2, 3, 4}, shape(1, 2)), (std::vector<int>{3, 4, 3, 4}));
  EXPECT_EQ(run(kCount, "k", {1, 2, 3, 4}, shape(1, 4)), (std::vector<int>{5, 6, 7, 8}));
}

TEST_P(OpenglTest, AnArgumentMayBeginInsideOfABuffer) {
  EXPECT_EQ(run(kCount, "k", {1, 2, 3, 4}, shape(1, 2), 1), (std::vector<int>{1, 4, 5, 4}));
}

TEST_P(OpenglTest, AlignmentIsThatOfThePlaceInTheBuffer) {
  constexpr const char* text =
      "__global__ void k(int* a, int* b) { if (b == nullptr) a[0] = (int)((size_t)(a + 1) & 15); }";
  EXPECT_EQ(run(text, "k", {1, 2, 3, 4, 5}, shape(1, 1), 1), (std::vector<int>{1, 8, 3, 4, 5}));
  EXPECT_EQ(run(text, "k", {1, 2, 3, 4, 5}, shape(1, 1), 3), (std::vector<int>{1, 2, 3, 0, 5}));
}

TEST_P(OpenglTest, PointersInsideOfStructsAreSeparateBuffers) {
  const auto got = run_struct_of_pointers(device_->native());
  ASSERT_TRUE(got.ok()) << got.error().to_string();
  EXPECT_EQ(*got, struct_of_pointers_result());
}

TEST_P(OpenglTest, AStructMayHoldNullAndNoAddress) {
  struct View {
    const int* data = nullptr;
    int n = 7;
  } view;
  auto program = Module::load(device_, source("struct View { const int* data; int n; };\n"
                                              "__global__ void k(int* a, View v) {\n"
                                              "  a[0] = v.data != nullptr ? v.data[0] : v.n;\n}\n"));
  ASSERT_TRUE(program.ok()) << program.error().to_string();
  auto kernel = (*program)->kernel("k");
  ASSERT_TRUE(kernel.ok()) << kernel.error().to_string();
  auto memory = device_->allocate(4, driver::MemoryKind::device, "a");
  HostArgument given;
  given.kind = ArgumentKind::bytes;
  given.bytes = &view;
  given.size = sizeof view;
  Stream& stream = device_->default_stream();
  const auto launched = stream.launch(**kernel, shape(1, 1), std::vector{arg(*memory), given});
  ASSERT_TRUE(launched.ok()) << launched.error().to_string();
  int got = 0;
  ASSERT_TRUE(stream.download(&got, all(**memory), 4).ok());
  ASSERT_TRUE(stream.synchronize().ok());
  EXPECT_EQ(got, 7);
  view.data = &got;
  const auto refused = stream.launch(**kernel, shape(1, 1), std::vector{arg(*memory), given});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(
      refused.error().message().find("launch of kernel 'k' failed: argument 2 holds a pointer ('v_data')"),
      std::string::npos)
      << refused.error().message();
}

TEST_P(OpenglTest, ManyThreadsShareTheContext) {
  std::vector<std::thread> threads;
  std::vector<std::vector<int>> got(4);
  auto program = Module::load(device_, source(kCount));
  ASSERT_TRUE(program.ok());
  for (size_t t = 0; t < got.size(); ++t) {
    threads.emplace_back([&, t] {
      auto stream = Stream::create(*device_, {});
      auto kernel = (*program)->kernel("k");
      auto memory = device_->allocate(256, driver::MemoryKind::device, "");
      std::vector<int> values(64, static_cast<int>(t));
      (void)(*stream)->upload(all(**memory), values.data(), 256).ok();
      for (int i = 0; i < 20; ++i)
        (void)(*stream)->launch(**kernel, shape(1, 64), std::vector{arg(*memory), HostArgument{}}).ok();
      (void)(*stream)->download(values.data(), all(**memory), 256).ok();
      EXPECT_TRUE((*stream)->synchronize().ok());
      got[t] = values;
    });
  }
  for (std::thread& t : threads) t.join();
  for (size_t t = 0; t < got.size(); ++t)
    EXPECT_EQ(got[t], std::vector<int>(64, static_cast<int>(t) + 20 * 64));
}

// The work that records it is then the last to be submitted.
TEST_P(OpenglTest, AnEventMayGoBeforeItIsReached) {
  Stream& stream = device_->default_stream();
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(stream.record().ok());
  EXPECT_TRUE(stream.synchronize().ok());
}

TEST_P(OpenglTest, FillsReachTheirEndAndNoFurther) {
  constexpr uint64_t kBytes = 500'000, kBegin = 8, kFilled = 499'200;
  auto memory = device_->allocate(kBytes, driver::MemoryKind::device, "filled");
  Stream& stream = device_->default_stream();
  const uint64_t value = 0x1122334455667788;
  for (const uint32_t width : {1u, 2u, 4u, 8u}) {
    ASSERT_TRUE(stream.fill(all(**memory), 0xee, 1).ok());
    ASSERT_TRUE(stream.fill({memory->get(), kBegin, kFilled}, value, width).ok());
    std::vector<uint8_t> got(kBytes), wanted(kBytes, 0xee);
    for (uint64_t i = 0; i < kFilled; i += width) std::memcpy(wanted.data() + kBegin + i, &value, width);
    ASSERT_TRUE(stream.download(got.data(), all(**memory), kBytes).ok());
    const auto done = stream.synchronize();
    ASSERT_TRUE(done.ok()) << done.error().to_string();
    EXPECT_TRUE(got == wanted) << width;
  }
}

TEST_P(OpenglTest, AnEventMayBeRecordedAgainWhileOthersWait) {
  const auto done = record_anew(device_->native());
  EXPECT_TRUE(done.ok()) << done.error().to_string();
}

constexpr const char* kLong = R"(__global__ void k(int* a, int n) {
  int x = a[threadIdx.x];
  for (int i = 0; i < n; ++i) x = (x * 1664525 + 1013904223) ^ (x >> 7);
  a[threadIdx.x] = x;
})";

TEST_P(OpenglTest, ManyShortLaunchesMayTakeLongerThanPatience) {
  auto opened = open({std::string(GetParam()) + ",patience=1", {}});
  ASSERT_TRUE(opened.ok()) << opened.error().to_string();
  auto program = Module::load(*opened, source(kLong));
  ASSERT_TRUE(program.ok()) << program.error().to_string();
  auto kernel = (*program)->kernel("k");
  auto memory = (*opened)->allocate(256, driver::MemoryKind::device, "values");
  Stream& stream = (*opened)->default_stream();
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(stream.launch(**kernel, shape(2, 64), std::vector{arg(*memory), arg(20'000)}).ok());
  int value = 0;
  ASSERT_TRUE(stream.download(&value, Slice{memory->get(), 0, 4}, 4).ok());
  const auto done = stream.synchronize();
  EXPECT_TRUE(done.ok()) << done.error().to_string();
}

TEST_P(OpenglTest, OnlyPatienceIsAnOption) {
  const auto wrong = open({std::string(GetParam()) + ",speed=2", {}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message().find("does not accept option 'speed'"), std::string::npos)
      << wrong.error().message();
  EXPECT_FALSE(open({std::string(GetParam()) + ",patience=-1", {}}).ok());
}

// Twenty variables in the program, of which each kernel uses a few.
TEST_P(OpenglTest, OnlyTheVariablesThatAKernelUsesAreBound) {
  std::string text;
  for (int i = 0; i < 20; ++i)
    text += "__device__ int v" + std::to_string(i) + " = " + std::to_string(i) + ";\n";
  text += "__global__ void k(int* a, int* b) { if (b == nullptr) a[threadIdx.x] = v17 + v3; }\n";
  text += "__global__ void all(int* a) { *a = v0";
  for (int i = 1; i < 20; ++i) text += " + v" + std::to_string(i);
  text += "; }\n";
  EXPECT_EQ(run(text, "k", {0, 0}, shape(1, 2)), (std::vector<int>{20, 20}));
  auto program = Module::load(device_, source(text));
  ASSERT_TRUE(program.ok()) << program.error().to_string();
  const auto kernel = (*program)->kernel("all");
  const uint32_t limit = device_->info().limits.buffers;
  if (limit >= 21) {
    EXPECT_TRUE(kernel.ok());
    return;
  }
  ASSERT_FALSE(kernel.ok());
  EXPECT_NE(kernel.error().message().find("needs 21 buffers including its variables, but " +
                                          device_->info().name + " binds at most " + std::to_string(limit)),
            std::string::npos)
      << kernel.error().message();
}

TEST(Webgl, SaysWhyItIsNone) {
  const auto opened = open({"webgl2", {}});
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().to_string().find("WebGL 2 has no compute shaders"), std::string::npos)
      << opened.error().to_string();
}

TEST_P(OpenglTest, AnAssertNamesItsPlace) {
  auto program = Module::load(device_, source("__global__ void k(int n) {\n  assert(n > 3);\n}"));
  ASSERT_TRUE(program.ok());
  auto kernel = (*program)->kernel("k");
  ASSERT_TRUE(kernel.ok()) << kernel.error().to_string();
  Stream& stream = device_->default_stream();
  ASSERT_TRUE(stream.launch(**kernel, shape(1, 1), std::vector{arg(2)}).ok());
  const auto done = stream.synchronize();
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().kind(), base::ErrorKind::kernel_fault);
  EXPECT_NE(done.error().message().find("test.cu:2"), std::string::npos) << done.error().message();
}

// Last, because an endless kernel keeps the processor busy for a while.
TEST_P(OpenglTest, ALaunchThatDoesNotEndLosesTheDevice) {
  auto opened = open({std::string(GetParam()) + ",patience=0.2", {}});
  ASSERT_TRUE(opened.ok()) << opened.error().to_string();
  const std::shared_ptr<Device> device = *opened;
  auto program = Module::load(device, source(kLong));
  ASSERT_TRUE(program.ok()) << program.error().to_string();
  auto kernel = (*program)->kernel("k");
  auto memory = device->allocate(256, driver::MemoryKind::device, "values");
  Stream& stream = device->default_stream();
  std::vector<int> back(64, -1);
  ASSERT_TRUE(stream.fill(all(**memory), 0, 4).ok());
  ASSERT_TRUE(stream.launch(**kernel, shape(200, 64), std::vector{arg(*memory), arg(60'000)}).ok());
  for (int i = 0; i < 15; ++i) ASSERT_TRUE(stream.download(back.data(), all(**memory), 256).ok());
  const auto done = stream.synchronize();
  if (done.ok()) GTEST_SKIP() << "the device is faster than this test";
  EXPECT_EQ(done.error().kind(), base::ErrorKind::device_lost);
  EXPECT_NE(done.error().message().find("no work has finished for 0.2 seconds"), std::string::npos)
      << done.error().message();
  const auto after = device->allocate(256, driver::MemoryKind::device, "more");
  ASSERT_FALSE(after.ok());
  EXPECT_EQ(after.error().kind(), base::ErrorKind::device_lost);
  // After the loss the caller may have freed the memory that a copy was to write.
  std::this_thread::sleep_for(std::chrono::seconds(3));
  EXPECT_EQ(back, std::vector<int>(64, -1));
}

INSTANTIATE_TEST_SUITE_P(All, OpenglTest, ::testing::ValuesIn(test::drivers_of("opengl")), test::device_name);

}  // namespace
}  // namespace quern::runtime
