// OpenGL and OpenGL ES where there is a driver: calls from many threads, queues that share a context, events,
// variants of a kernel, null arguments, offsets.
#include <thread>

#include <gtest/gtest.h>

#include "runtime/select.hpp"
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

  std::vector<int> run(const std::string& text, const char* kernel, std::vector<int> values, Shape how,
                       uint64_t first = 0) {
    auto program = Program::load(device_, source(text));
    EXPECT_TRUE(program.ok()) << program.error().to_string();
    auto found = (*program)->kernel(kernel);
    EXPECT_TRUE(found.ok()) << found.error().to_string();
    const uint64_t bytes = values.size() * 4;
    auto memory = device_->allocate(bytes, driver::MemoryKind::kDevice, "values");
    Stream& stream = device_->default_stream();
    EXPECT_TRUE(stream.upload(all(**memory), values.data(), bytes).ok());
    const Range part{memory->get(), first * 4, bytes - first * 4};
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

TEST_P(OpenglTest, EachSizeOfABlockIsAVariant) {
  EXPECT_EQ(run(kCount, "k", {1, 2, 3, 4}, shape(1, 2)), (std::vector<int>{3, 4, 3, 4}));
  EXPECT_EQ(run(kCount, "k", {1, 2, 3, 4}, shape(1, 4)), (std::vector<int>{5, 6, 7, 8}));
}

TEST_P(OpenglTest, AnArgumentMayBeginInsideOfABuffer) {
  EXPECT_EQ(run(kCount, "k", {1, 2, 3, 4}, shape(1, 2), 1), (std::vector<int>{1, 4, 5, 4}));
}

TEST_P(OpenglTest, ManyThreadsShareTheContext) {
  std::vector<std::thread> threads;
  std::vector<std::vector<int>> got(4);
  auto program = Program::load(device_, source(kCount));
  ASSERT_TRUE(program.ok());
  for (size_t t = 0; t < got.size(); ++t) {
    threads.emplace_back([&, t] {
      auto stream = Stream::create(*device_, {});
      auto kernel = (*program)->kernel("k");
      auto memory = device_->allocate(256, driver::MemoryKind::kDevice, "");
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

TEST_P(OpenglTest, AnAssertNamesItsPlace) {
  auto program = Program::load(device_, source("__global__ void k(int n) {\n  assert(n > 3);\n}"));
  ASSERT_TRUE(program.ok());
  auto kernel = (*program)->kernel("k");
  ASSERT_TRUE(kernel.ok()) << kernel.error().to_string();
  Stream& stream = device_->default_stream();
  ASSERT_TRUE(stream.launch(**kernel, shape(1, 1), std::vector{arg(2)}).ok());
  const auto done = stream.synchronize();
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().kind(), base::ErrorKind::kKernelFault);
  EXPECT_NE(done.error().message().find("test.cu:2"), std::string::npos) << done.error().message();
}

INSTANTIATE_TEST_SUITE_P(Both, OpenglTest, ::testing::Values("opengl", "gles"));

}  // namespace
}  // namespace quern::runtime
