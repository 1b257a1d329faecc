// The driver's guarantees: order, events, time, faults, variables, many queues and threads.
#include "driver/decorators/checked/device.hpp"

#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "base/store.hpp"
#include "driver/decorators/faulty/device.hpp"
#include "driver/support/staging_copier.hpp"
#include "support/runtime_case.hpp"
#include "vulkan/shaders.hpp"
#include "vulkan/vulkan_device.hpp"

namespace quern::vulkan {
namespace {

using base::ErrorKind;
using driver::MemoryKind;

driver::ParamInfo number(uint32_t bytes) {
  driver::ParamInfo p;
  p.bytes = p.align = bytes;
  p.type = ir::TypeKind::kI32;
  return p;
}

driver::ParamInfo pointer() {
  driver::ParamInfo p = number(8);
  p.type = ir::TypeKind::kPtr;
  p.is_pointer = true;
  return p;
}

driver::Argument place(const std::unique_ptr<driver::Buffer>& b, uint64_t offset = 0) {
  return {{b.get(), offset}, nullptr, 0};
}

template <typename T>
driver::Argument value(const T& v) {
  return {{}, &v, sizeof(v)};
}

driver::Code code(const std::string& glsl, std::vector<driver::ParamInfo> params, uint32_t block_bytes) {
  driver::Code code;
  code.kind = driver::CodeKind::kSpirv;
  code.bytes = compile(kHead + glsl, "work");
  code.name = "test.comp";
  driver::KernelInfo k;
  k.name = "k";
  k.entry = "work";
  k.params = std::move(params);
  k.block_bytes = block_bytes;
  k.block_by_address = block_bytes > 128;
  code.kernels.push_back(std::move(k));
  return code;
}

driver::Code step_code() { return code(kStep, {pointer(), number(4)}, 16); }

class VulkanTest : public testing::Test {
 protected:
  void SetUp() override {
    device_ = shared_device();
    if (device_ == nullptr) GTEST_SKIP() << "there is no Vulkan device";
    if (compile(std::string(kHead) + kStep, "work").empty()) GTEST_SKIP() << "there is no glslangValidator";
    if (!device_->info().features.has(driver::Feature::addresses)) GTEST_SKIP() << "it has no addresses";
    stream_ = std::move(*device_->create_stream({}));
  }
  // The validation layer reports nothing.
  void TearDown() override {
    if (stream_ == nullptr) return;
    const auto silent = device_->synchronize(*stream_);
    EXPECT_TRUE(silent.ok()) << silent.error().to_string();
  }

  void load(const driver::Code& code, const char* name = "k") {
    auto program = device_->load(code);
    ASSERT_TRUE(program.ok()) << program.error().to_string();
    program_ = std::move(*program);
    auto kernel = device_->kernel(*program_, name);
    ASSERT_TRUE(kernel.ok()) << kernel.error().to_string();
    kernel_ = std::move(*kernel);
  }
  std::unique_ptr<driver::Buffer> ints(size_t n, int32_t first = 0, MemoryKind kind = MemoryKind::device) {
    auto b = std::move(*device_->allocate(n * 4, kind));
    const std::vector<int32_t> values(n, first);
    EXPECT_TRUE(device_->upload(*stream_, {b.get(), 0}, values.data(), n * 4).ok());
    EXPECT_TRUE(device_->synchronize(*stream_).ok());
    return b;
  }
  std::vector<int32_t> read(const std::unique_ptr<driver::Buffer>& b) {
    std::vector<int32_t> out(b->bytes / 4);
    EXPECT_TRUE(device_->download(*stream_, out.data(), {b.get(), 0}, b->bytes).ok());
    const auto done = device_->synchronize(*stream_);
    EXPECT_TRUE(done.ok()) << done.error().to_string();
    return out;
  }
  base::Result<> start(driver::Dim3 grid, driver::Dim3 block, const std::vector<driver::Argument>& arguments,
                       uint64_t shared = 0) {
    return device_->launch(*stream_, *kernel_, {grid, block, shared, arguments, false});
  }
  void run(driver::Dim3 grid, driver::Dim3 block, const std::vector<driver::Argument>& arguments,
           uint64_t shared = 0) {
    const auto launched = start(grid, block, arguments, shared);
    ASSERT_TRUE(launched.ok()) << launched.error().to_string();
    const auto done = device_->synchronize(*stream_);
    ASSERT_TRUE(done.ok()) << done.error().to_string();
  }

  driver::Device* device_ = nullptr;
  std::unique_ptr<driver::Module> program_;
  std::unique_ptr<driver::Kernel> kernel_;
  std::unique_ptr<driver::Stream> stream_;
};

int32_t stepped(int32_t x, int times) {
  auto u = static_cast<uint32_t>(x);
  for (int i = 0; i < times; ++i) u = u * 3 + 1;
  return static_cast<int32_t>(u);
}

TEST_F(VulkanTest, DescribesItself) {
  const driver::DeviceInfo& info = device_->info();
  EXPECT_EQ(info.id(), "vulkan:0");
  EXPECT_FALSE(info.name.empty());
  EXPECT_EQ(info.uuid.size(), 32u);
  EXPECT_GE(info.limits.shared_bytes, 16384u);
  EXPECT_GT(info.limits.buffer_bytes, 0u);
  EXPECT_GT(info.memory_bytes, 0u);
  EXPECT_EQ(info.code[0], driver::CodeKind::kSpirv);
}

TEST_F(VulkanTest, ArgumentsArePushed) {
  load(code(kSaxpy, {number(4), number(4), pointer(), pointer()}, 24));
  std::vector<float> x(1000), y(1000), out(1000);
  for (int i = 0; i < 1000; ++i) x[i] = static_cast<float>(i), y[i] = 1;
  const auto a = std::move(*device_->allocate(4000, MemoryKind::device)),
             b = std::move(*device_->allocate(4000, MemoryKind::device));
  ASSERT_TRUE(device_->upload(*stream_, {a.get(), 0}, x.data(), 4000).ok());
  ASSERT_TRUE(device_->upload(*stream_, {b.get(), 0}, y.data(), 4000).ok());
  const int n = 1000;
  const float factor = 3;
  ASSERT_TRUE(start({4, 1, 1}, {256, 1, 1}, {value(n), value(factor), place(a), place(b)}).ok());
  ASSERT_TRUE(device_->download(*stream_, out.data(), {b.get(), 0}, 4000).ok());
  ASSERT_TRUE(device_->synchronize(*stream_).ok());
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(out[i], 3.0f * static_cast<float>(i) + 1) << i;
}

TEST_F(VulkanTest, ALongBlockIsReadFromMemory) {
  std::vector<driver::ParamInfo> params(40, number(4));
  params.push_back(pointer());
  load(code(kLong, params, 168));
  const auto to = ints(4);
  int expected = 0, numbers[40];
  std::vector<driver::Argument> arguments;
  for (int i = 0; i < 40; ++i) {
    numbers[i] = i * i - 7;
    expected += numbers[i] * (i + 1);
    arguments.push_back(value(numbers[i]));
  }
  arguments.push_back(place(to, 4));
  run({}, {2, 1, 1}, arguments);
  EXPECT_EQ(read(to), (std::vector<int32_t>{0, expected, expected, 0}));
}

TEST_F(VulkanTest, OffsetsCountAndNothingElseIsTouched) {
  load(step_code());
  const auto x = ints(64, 5), other = ints(64, 5);
  const int n = 7;
  run({}, {32, 1, 1}, {place(x, 12), value(n)});
  const auto out = read(x);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(out[i], i >= 3 && i < 10 ? 16 : 5) << i;
  EXPECT_EQ(read(other), std::vector<int32_t>(64, 5));
}

TEST_F(VulkanTest, WorkOfAQueueIsInOrder) {
  load(step_code());
  const auto x = ints(8, 1);
  const int n = 8;
  for (int i = 0; i < 3000; ++i)  // more than may be in flight
    ASSERT_TRUE(start({}, {8, 1, 1}, {place(x), value(n)}).ok());
  EXPECT_EQ(read(x), std::vector<int32_t>(8, stepped(1, 3000)));
}

TEST_F(VulkanTest, ArgumentsAndHostMemoryAreCopiedInOrder) {
  load(step_code());
  const auto x = ints(1024, 1);
  std::vector<std::vector<int32_t>> seen(20, std::vector<int32_t>(1024));
  std::vector<std::vector<int32_t>> given;
  for (int i = 0; i < 20; ++i) given.emplace_back(1024, i);
  for (int i = 0; i < 20; ++i) {
    int n = 1024;
    ASSERT_TRUE(device_->upload(*stream_, {x.get(), 0}, given[i].data(), 4096).ok());
    ASSERT_TRUE(start({4, 1, 1}, {256, 1, 1}, {place(x), value(n)}).ok());
    n = 0;
    ASSERT_TRUE(device_->download(*stream_, seen[i].data(), {x.get(), 0}, 4096).ok());
  }
  ASSERT_TRUE(device_->synchronize(*stream_).ok());
  for (int i = 0; i < 20; ++i) EXPECT_EQ(seen[i], std::vector<int32_t>(1024, i * 3 + 1));
}

TEST_F(VulkanTest, BlocksAreSpecialised) {
  load(step_code());
  const auto x = ints(96, 1);
  const int n = 96;
  for (const uint32_t block : {1u, 3u, 32u, 96u})
    run({96 / block, 1, 1}, {block, 1, 1}, {place(x), value(n)});
  EXPECT_EQ(read(x), std::vector<int32_t>(96, stepped(1, 4)));
}

TEST_F(VulkanTest, KernelsArePreparedOnceForASize) {
  load(step_code());
  const auto first = device_->prepare(*kernel_, {32, 1, 1}, 0);
  ASSERT_TRUE(first.ok()) << first.error().to_string();
  EXPECT_TRUE(*first);
  EXPECT_FALSE(*device_->prepare(*kernel_, {32, 1, 1}, 0));
  EXPECT_FALSE(*device_->prepare(*kernel_, {32, 1, 1}, 64));  // it uses no such memory
  EXPECT_TRUE(*device_->prepare(*kernel_, {64, 1, 1}, 0));
}

TEST_F(VulkanTest, SharedMemoryIsAsLongAsAsked) {
  driver::Code c = code(kDynamic, {pointer()}, 8);
  c.kernels[0].needs.add(driver::Feature::dynamic_shared);
  load(c);
  for (const int n : {4, 64, 256}) {
    const auto x = ints(n);
    std::vector<int32_t> values(n);
    for (int i = 0; i < n; ++i) values[i] = i;
    ASSERT_TRUE(device_->upload(*stream_, {x.get(), 0}, values.data(), n * 4).ok());
    run({}, {static_cast<uint32_t>(n), 1, 1}, {place(x)}, static_cast<uint64_t>(n) * 4);
    const auto out = read(x);
    for (int i = 0; i < n; ++i) EXPECT_EQ(out[i], n - 1 - i + n * 1000);
  }
}

TEST_F(VulkanTest, VariablesAndReports) {
  driver::Code c = code(kHidden, {pointer(), number(4)}, 32);
  c.kernels[0].needs.add(driver::Feature::print);
  c.kernels[0].needs.add(driver::Feature::assert);
  driver::VariableInfo variable;
  variable.name = "count";
  variable.bytes = 8;
  variable.initial = {40, 0, 0, 0};
  c.variables.push_back(variable);
  driver::ReportSite print, check;
  print.text = "%d\n";
  print.arguments.emplace_back().type = ir::TypeKind::kI32;
  check.kind = driver::ReportKind::kAssert;
  check.kernel = "k";
  check.text = "x != 13";
  check.file = "test.comp";
  check.line = 3;
  c.sites = {print, check};
  load(c);
  const auto x = ints(2, 7);
  const int n = 1;
  run({2, 1, 1}, {}, {place(x), value(n)});
  EXPECT_EQ(device_->take_output(*stream_), "7\n7\n");
  EXPECT_TRUE(device_->take_findings(*stream_).empty());
  const int32_t bad[] = {7, 13};
  ASSERT_TRUE(device_->upload(*stream_, {x.get(), 0}, bad, 8).ok());
  ASSERT_TRUE(start({2, 1, 1}, {}, {place(x), value(n)}).ok());
  EXPECT_EQ(device_->synchronize(*stream_).error().kind(), ErrorKind::kernel_fault);
  const auto findings = device_->take_findings(*stream_);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, "assert");
  EXPECT_EQ(findings[0].line, 3u);
  EXPECT_EQ(findings[0].block, (driver::Dim3{1, 0, 0}));
  EXPECT_TRUE(device_->synchronize(*stream_).ok());
  const auto count = device_->variable(*program_, "count");
  ASSERT_TRUE(count.ok());
  int32_t values[2] = {};
  ASSERT_TRUE(device_->download(*stream_, values, *count, 8).ok());
  ASSERT_TRUE(device_->synchronize(*stream_).ok());
  EXPECT_EQ(values[0], 44);
  EXPECT_EQ(values[1], 0);
  EXPECT_EQ(device_->variable(*program_, "none").error().kind(), ErrorKind::not_found);
}

TEST_F(VulkanTest, CopiesAndFills) {
  const auto a = ints(64, 7), b = ints(64);
  const int32_t up[2] = {1, 2};
  ASSERT_TRUE(device_->upload(*stream_, {a.get(), 4}, up, sizeof(up)).ok());
  ASSERT_TRUE(device_->copy(*stream_, {b.get(), 3}, {a.get(), 3}, 11).ok());
  ASSERT_TRUE(device_->fill(*stream_, {b.get(), 16}, 0x0102, 2, 8).ok());
  ASSERT_TRUE(device_->fill(*stream_, {b.get(), 33}, 0xAB, 1, 3).ok());
  ASSERT_TRUE(device_->fill(*stream_, {b.get(), 40}, 0x1111111122222222, 8, 16).ok());
  ASSERT_TRUE(device_->fill(*stream_, {b.get(), 64}, 0x3333333333333333, 8, 8).ok());
  const auto out = read(b);
  EXPECT_EQ(out[1], 1);
  EXPECT_EQ(out[2], 2);
  EXPECT_EQ(out[4], 0x01020102);
  EXPECT_EQ(out[5], 0x01020102);
  EXPECT_EQ(static_cast<uint32_t>(out[8]), 0xABABAB00u);
  EXPECT_EQ(out[10], 0x22222222);
  EXPECT_EQ(out[13], 0x11111111);
  EXPECT_EQ(out[16], 0x33333333);
  EXPECT_EQ(out[18], 0);
  ASSERT_TRUE(device_->upload(*stream_, {b.get(), 256}, nullptr, 0).ok());
}

// After other work, through staging memory, more than one piece each.
TEST_F(VulkanTest, LargeCopiesGoInPieces) {
  constexpr uint64_t kBytes = 2 * driver::kStagedPiece + 12344;
  auto buffer = std::move(*device_->allocate(kBytes, MemoryKind::device));
  std::vector<uint32_t> from(kBytes / 4), before(kBytes / 4), after(kBytes / 4);
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<uint32_t>(i * 2654435761u);
  const driver::Place place{buffer.get(), 0};
  ASSERT_TRUE(device_->fill(*stream_, place, 7, 4, kBytes).ok());
  ASSERT_TRUE(device_->download(*stream_, before.data(), place, kBytes).ok());
  ASSERT_TRUE(device_->upload(*stream_, place, from.data(), kBytes).ok());
  ASSERT_TRUE(device_->download(*stream_, after.data(), place, kBytes).ok());
  ASSERT_TRUE(device_->synchronize(*stream_).ok());
  EXPECT_TRUE(before == std::vector<uint32_t>(kBytes / 4, 7));
  EXPECT_TRUE(after == from);
  device_->destroy(std::move(buffer));
}

// Opened twice, it is two devices; if the host can access the memory of one, the other copies from it.
TEST_F(VulkanTest, CopiesFromAnotherDevice) {
  const auto other = open_device();
  const auto stream = std::move(*other->create_stream({}));
  const auto from = ints(64, 5);
  const auto to = std::move(*other->allocate(256, MemoryKind::device));
  ASSERT_TRUE(other->fill(*stream, {to.get(), 0}, 1, 4, 256).ok());
  const auto copied = other->copy_from(*stream, {to.get(), 8}, *device_, {from.get(), 16}, 16);
  if (!copied.ok() && copied.error().kind() == ErrorKind::unsupported)
    GTEST_SKIP() << "the host cannot access it";
  ASSERT_TRUE(copied.ok()) << copied.error().to_string();
  int32_t out[8] = {};
  ASSERT_TRUE(other->download(*stream, out, {to.get(), 0}, 32).ok());
  ASSERT_TRUE(other->synchronize(*stream).ok());
  EXPECT_EQ((std::vector<int32_t>(out, out + 8)), (std::vector<int32_t>{1, 1, 5, 5, 5, 5, 1, 1}));
}

// Without addresses.
TEST_F(VulkanTest, PointersInsideOfStructsAreSeparateBuffers) {
  const Environment binds("QUERN_VULKAN_BINDINGS", "1");
  const auto bound = open_device();
  const auto got = runtime::run_struct_of_pointers(*bound);
  ASSERT_TRUE(got.ok()) << got.error().to_string();
  EXPECT_EQ(*got, runtime::struct_of_pointers_result());
}

TEST_F(VulkanTest, PinnedAndSharedMemory) {
  load(step_code());
  for (const MemoryKind kind : {MemoryKind::pinned, MemoryKind::shared}) {
    const auto host = ints(256, 3, kind), own = ints(256);
    ASSERT_NE(host->host, nullptr);
    EXPECT_NE(host->address, 0u);
    const int n = 256;
    // Copied back and forth after a kernel, without staging.
    run({8, 1, 1}, {32, 1, 1}, {place(host), value(n)});
    EXPECT_EQ(reinterpret_cast<int32_t*>(host->host)[255], 10);
    ASSERT_TRUE(start({8, 1, 1}, {32, 1, 1}, {place(own), value(n)}).ok());
    ASSERT_TRUE(device_->upload(*stream_, {own.get(), 0}, host->host, 512).ok());
    ASSERT_TRUE(start({8, 1, 1}, {32, 1, 1}, {place(own), value(n)}).ok());
    ASSERT_TRUE(device_->download(*stream_, host->host + 512, {own.get(), 0}, 512).ok());
    ASSERT_TRUE(device_->synchronize(*stream_).ok());
    EXPECT_EQ(reinterpret_cast<int32_t*>(host->host)[128], 31);
  }
}

TEST_F(VulkanTest, MemoryIsUsedAgainAndDoesNotOverlap) {
  std::vector<std::unique_ptr<driver::Buffer>> all;
  for (int round = 0; round < 3; ++round) {
    for (size_t i = 0; i < 200; ++i) all.push_back(ints(1 + (i * 7919) % 5000, static_cast<int32_t>(i)));
    for (size_t i = 0; i < all.size(); i += 2) all[i].reset();
    std::erase(all, nullptr);
    for (const auto& b : all) {
      const auto values = read(b);
      EXPECT_EQ(values, std::vector<int32_t>(values.size(), values[0]));
      EXPECT_EQ(b->address % 256, 0u);
    }
  }
}

TEST_F(VulkanTest, EventsJoinQueues) {
  load(code(kSpin, {pointer(), number(4)}, 16));
  const auto x = ints(256, 1), y = ints(256);
  const auto other = std::move(*device_->create_stream({}));
  const auto event = std::move(*device_->create_event());
  EXPECT_TRUE(*device_->reached(*event));
  EXPECT_TRUE(device_->wait(*event).ok());
  EXPECT_FALSE(device_->time(*event).ok());
  std::vector<int32_t> first(256), second(256);
  const int n = 100000;
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(start({8, 1, 1}, {32, 1, 1}, {place(x), value(n)}).ok());
    ASSERT_TRUE(device_->download(*stream_, first.data(), {x.get(), 0}, 1024).ok());
    ASSERT_TRUE(device_->record(*stream_, *event).ok());
    ASSERT_TRUE(device_->wait(*other, *event).ok());
    ASSERT_TRUE(device_->copy(*other, {y.get(), 0}, {x.get(), 0}, 1024).ok());
    ASSERT_TRUE(device_->download(*other, second.data(), {y.get(), 0}, 1024).ok());
    // A thread that has waited for the second queue knows that the first has passed its copy too.
    ASSERT_TRUE(device_->synchronize(*other).ok());
    EXPECT_EQ(first, second);
    EXPECT_NE(first[0], 1);
    EXPECT_TRUE(*device_->reached(*event));
  }
}

TEST_F(VulkanTest, AWaitWithoutWorkAfterItCountsToo) {
  load(code(kSpin, {pointer(), number(4)}, 16));
  const auto x = ints(32, 1);
  auto other = std::move(*device_->create_stream({}));
  auto event = std::move(*device_->create_event()), after = std::move(*device_->create_event());
  const int n = 3000000;
  ASSERT_TRUE(start({}, {32, 1, 1}, {place(x), value(n)}).ok());
  ASSERT_TRUE(device_->record(*stream_, *event).ok());
  EXPECT_FALSE(*device_->reached(*event));
  ASSERT_TRUE(device_->wait(*other, *event).ok());
  ASSERT_TRUE(device_->record(*other, *after).ok());
  ASSERT_TRUE(device_->wait(*after).ok());
  EXPECT_TRUE(*device_->reached(*event));
  ASSERT_TRUE(start({}, {32, 1, 1}, {place(x), value(n)}).ok());
  ASSERT_TRUE(device_->record(*stream_, *event).ok());
  ASSERT_TRUE(device_->wait(*other, *event).ok());
  ASSERT_TRUE(device_->synchronize(*other).ok());
  EXPECT_TRUE(*device_->reached(*event));
  // Events may be destroyed while others wait for them, and may outlive their queue.
  ASSERT_TRUE(start({}, {32, 1, 1}, {place(x), value(n)}).ok());
  ASSERT_TRUE(device_->record(*stream_, *event).ok());
  ASSERT_TRUE(device_->wait(*other, *event).ok());
  event.reset();
  ASSERT_TRUE(device_->synchronize(*other).ok());
  other.reset();
  EXPECT_TRUE(*device_->reached(*after));
  EXPECT_TRUE(device_->wait(*after).ok());
}

TEST_F(VulkanTest, EventsTellTheHostsTime) {
  if (!device_->info().features.has(driver::Feature::timestamps)) GTEST_SKIP() << "it has no timestamps";
  load(code(kSpin, {pointer(), number(4)}, 16));
  const auto x = ints(32, 1);
  const auto begin = std::move(*device_->create_event()), end = std::move(*device_->create_event());
  const auto now = [] {
    return static_cast<uint64_t>(
        std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
  };
  const int n = 60000;  // a driver that ends loops after 65,535 rounds takes as long as others
  run({}, {32, 1, 1}, {place(x), value(n)});  // compiled
  const uint64_t before = now();
  ASSERT_TRUE(device_->record(*stream_, *begin).ok());
  for (int i = 0; i < 20; ++i)  // long compared with the rest on a busy machine
    ASSERT_TRUE(start({}, {32, 1, 1}, {place(x), value(n)}).ok());
  ASSERT_TRUE(device_->record(*stream_, *end).ok());
  ASSERT_TRUE(device_->synchronize(*stream_).ok());
  const uint64_t after = now();
  const uint64_t first = *device_->time(*begin), second = *device_->time(*end);
  constexpr uint64_t kSlack = 2'000'000;  // clocks are aligned, not identical
  EXPECT_GT(second, first);
  EXPECT_GT(first + kSlack, before);
  EXPECT_LT(second, after + kSlack);
  EXPECT_GT(second - first, (after - before) / 4);
}

TEST_F(VulkanTest, ManyConcurrentEvents) {
  std::vector<std::unique_ptr<driver::Event>> events;
  for (int i = 0; i < 600; ++i) {  // more than one pool of queries
    events.push_back(std::move(*device_->create_event()));
    ASSERT_TRUE(device_->record(*stream_, *events.back()).ok());
    if (i % 3 == 0) {
      ASSERT_TRUE(device_->record(*stream_, *events.back()).ok());
    }
  }
  ASSERT_TRUE(device_->synchronize(*stream_).ok());
  if (!device_->info().features.has(driver::Feature::timestamps)) return;
  for (size_t i = 1; i < events.size(); ++i)
    EXPECT_GE(*device_->time(*events[i]), *device_->time(*events[i - 1])) << i;
}

TEST_F(VulkanTest, AnEventMayBeRecordedAgainWhileOthersWait) {
  const auto done = runtime::record_anew(*device_);
  EXPECT_TRUE(done.ok()) << done.error().to_string();
}

TEST_F(VulkanTest, QueuesOfManyThreads) {
  load(step_code());
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const auto stream = std::move(*device_->create_stream({}));
      for (int round = 0; round < 10; ++round) {
        const auto x = std::move(*device_->allocate(4096, MemoryKind::device));
        std::vector<int32_t> values(1024, t), out(1024);
        const int n = 1024;
        const std::vector<driver::Argument> arguments{place(x), value(n)};
        (void)device_->upload(*stream, {x.get(), 0}, values.data(), 4096).ok();
        for (int i = 0; i < 20; ++i)
          (void)device_->launch(*stream, *kernel_, {{4, 1, 1}, {256, 1, 1}, 0, arguments, false}).ok();
        (void)device_->download(*stream, out.data(), {x.get(), 0}, 4096).ok();
        if (!device_->synchronize(*stream).ok()) return;
        if (out == std::vector<int32_t>(1024, stepped(t, 20))) ++right;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, 40);
}

TEST_F(VulkanTest, RawModulesTakeBuffersAndConstants) {
  driver::Code c;
  c.kind = driver::CodeKind::kSpirv;
  c.bytes = compile(kRaw);
  c.name = "raw.comp";
  c.is_raw = true;
  c.defines = {{"height", "2"}, {"7", "0.5"}};
  load(c, "main");
  EXPECT_EQ(device_->kernel_names(*program_), std::vector<std::string>{"main"});
  const driver::KernelInfo& info = kernel_->info;
  ASSERT_EQ(info.params.size(), 3u);
  EXPECT_EQ(info.params[0].name, "from");
  EXPECT_FALSE(info.params[0].is_written);
  EXPECT_EQ(info.params[1].name, "target");
  EXPECT_TRUE(info.params[1].is_written);
  EXPECT_EQ(info.params[2].bytes, 8u);
  EXPECT_EQ(*info.block, (driver::Dim3{32, 2, 1}));
  std::vector<float> values(256), out(128);
  for (int i = 0; i < 256; ++i) values[i] = static_cast<float>(i);
  const auto from = std::move(*device_->allocate(1024, MemoryKind::device)),
             to = std::move(*device_->allocate(512, MemoryKind::device));
  ASSERT_TRUE(device_->upload(*stream_, {from.get(), 0}, values.data(), 1024).ok());
  ASSERT_TRUE(device_->fill(*stream_, {to.get(), 0}, 0, 4, 512).ok());
  struct {
    uint32_t n = 100;
    float add = 1;
  } push;
  for (int i = 0; i < 3; ++i) run({2, 1, 1}, {32, 2, 1}, {place(from, 512), place(to), value(push)});
  ASSERT_TRUE(device_->download(*stream_, out.data(), {to.get(), 0}, 512).ok());
  ASSERT_TRUE(device_->synchronize(*stream_).ok());
  for (int i = 0; i < 128; ++i) EXPECT_EQ(out[i], i < 100 ? static_cast<float>(i + 128) * 0.5f + 1 : 0) << i;
  const auto odd = start({2, 1, 1}, {32, 2, 1}, {place(from, 1), place(to), value(push)});
  EXPECT_EQ(odd.error().kind(), ErrorKind::unsupported);
  run({2, 1, 1}, {32, 2, 1}, {place(from), place(to), value(push)});  // the queue works after an error
}

// Also if the cached data is not Vulkan's.
TEST_F(VulkanTest, PipelinesAreKept) {
  const std::string folder = testing::TempDir() + "quern_pipelines";
  std::filesystem::remove_all(folder);
  const Environment cache("QUERN_CACHE", folder.c_str());
  const auto kept = [&] { return *base::Store(folder).list(); };
  for (int round = 0; round < 3; ++round) {
    const auto device = open_device();
    const auto program = std::move(*device->load(step_code()));
    const auto kernel = std::move(*device->kernel(*program, "k"));
    const auto stream = std::move(*device->create_stream({}));
    const auto x = std::move(*device->allocate(128, MemoryKind::device));
    std::vector<int32_t> values(32, 1);
    const int n = 32;
    ASSERT_TRUE(device->upload(*stream, {x.get(), 0}, values.data(), 128).ok());
    const std::vector<driver::Argument> arguments{place(x), value(n)};
    ASSERT_TRUE(device->launch(*stream, *kernel, {{}, {32, 1, 1}, 0, arguments, false}).ok());
    ASSERT_TRUE(device->download(*stream, values.data(), {x.get(), 0}, 128).ok());
    const auto done = device->synchronize(*stream);
    ASSERT_TRUE(done.ok()) << done.error().to_string();
    EXPECT_EQ(values, std::vector<int32_t>(32, 4));
    if (round == 0) continue;
    ASSERT_EQ(kept().size(), 1u);
    base::Store(folder).put(kept()[0].key, "spoilt", std::string(100, 'x'));
  }
  EXPECT_EQ(kept().size(), 1u);
}

// Work and large copies are on separate queues (here the same one, with two lanes), and in order.
TEST_F(VulkanTest, LargeCopiesHaveTheirOwnQueue) {
  const Environment apart("QUERN_VULKAN_COPIES", "1");
  const auto device = open_device();
  const auto program = std::move(*device->load(step_code()));
  const auto kernel = std::move(*device->kernel(*program, "k"));
  const auto stream = std::move(*device->create_stream({}));
  constexpr int kCount = 1 << 19;
  constexpr uint64_t kBytes = kCount * 4;
  const auto a = std::move(*device->allocate(kBytes, MemoryKind::device)),
             b = std::move(*device->allocate(kBytes, MemoryKind::device));
  std::vector<int32_t> values(kCount, 1);
  ASSERT_TRUE(device->upload(*stream, {a.get(), 0}, values.data(), kBytes).ok());
  constexpr int kRounds = 5;
  for (int round = 0; round < kRounds; ++round) {
    for (const auto* one : {&a, &b}) {
      const std::vector<driver::Argument> arguments{place(*one), value(kCount)};
      ASSERT_TRUE(
          device->launch(*stream, *kernel, {{kCount / 256, 1, 1}, {256, 1, 1}, 0, arguments, false}).ok());
      const auto& other = one == &a ? b : a;
      ASSERT_TRUE(device->copy(*stream, {other.get(), 0}, {one->get(), 0}, kBytes).ok());
    }
  }
  ASSERT_TRUE(device->download(*stream, values.data(), {a.get(), 0}, kBytes).ok());
  const auto done = device->synchronize(*stream);
  ASSERT_TRUE(done.ok()) << done.error().to_string();
  EXPECT_EQ(values, std::vector<int32_t>(kCount, stepped(1, 2 * kRounds)));
}

// All commands in one submission, with their current arguments.
TEST_F(VulkanTest, GraphsAreSubmittedAsAWhole) {
  load(step_code());
  const auto x = ints(64), y = ints(64);
  int32_t n = 64;
  const driver::Argument arguments[] = {place(x), value(n)};
  driver::Command commands[3];
  commands[0].kernel = kernel_.get();
  commands[0].launch = {{2, 1, 1}, {32, 1, 1}, 0, arguments, false};
  commands[1].kind = driver::Command::Kind::kCopy;
  commands[1].to = {y.get(), 0};
  commands[1].from = {x.get(), 0};
  commands[1].bytes = 128;
  commands[2].kind = driver::Command::Kind::kFill;
  commands[2].to = {y.get(), 128};
  commands[2].bytes = 128;
  commands[2].value = 9;
  commands[2].width = 4;
  auto graph = std::move(*device_->make_graph(commands));
  EXPECT_TRUE(graph->is_native);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(device_->run_graph(*stream_, *graph).ok());
  EXPECT_EQ(read(x), std::vector<int32_t>(64, stepped(0, 3)));
  ASSERT_TRUE(device_->run_graph(*stream_, *graph).ok());
  n = 8;
  ASSERT_TRUE(device_->update_graph(*graph).ok());
  ASSERT_TRUE(device_->run_graph(*stream_, *graph).ok());  // the previous run may still be in flight
  const std::vector<int32_t> last = read(x), copied = read(y);
  EXPECT_EQ(last[5], stepped(0, 5));
  EXPECT_EQ(last[20], stepped(0, 4));
  EXPECT_EQ(copied[20], last[20]);
  EXPECT_EQ(copied[40], 9);
}

TEST_F(VulkanTest, GraphsWithMemoryOfTheHostsOwn) {
  const auto pinned = ints(16, 5, MemoryKind::pinned), x = ints(16);
  std::vector<int32_t> plain(16, 6), seen(16);
  driver::Command commands[4];
  commands[0].kind = driver::Command::Kind::kUpload;
  commands[0].to = {x.get(), 0};
  commands[0].source = plain.data();
  commands[0].bytes = 64;
  commands[1].kind = driver::Command::Kind::kUpload;
  commands[1].to = {x.get(), 16};
  commands[1].source = pinned->host;
  commands[1].bytes = 16;
  commands[2].kind = driver::Command::Kind::kFill;  // not whole words
  commands[2].to = {x.get(), 33};
  commands[2].bytes = 3;
  commands[2].value = 1;
  commands[2].width = 1;
  commands[3].kind = driver::Command::Kind::kDownload;
  commands[3].from = {x.get(), 0};
  commands[3].target = seen.data();
  commands[3].bytes = 64;
  auto graph = std::move(*device_->make_graph(commands));
  EXPECT_TRUE(graph->is_native);
  for (const int32_t given : {6, 7}) {
    plain.assign(16, given);  // read each time the graph runs
    ASSERT_TRUE(device_->run_graph(*stream_, *graph).ok());
    ASSERT_TRUE(device_->synchronize(*stream_).ok());
    EXPECT_EQ(seen[3], given);
    EXPECT_EQ(seen[4], 5);
    EXPECT_EQ(seen[8], 0x01010100 + given);
  }
  EXPECT_FALSE((*device_->make_graph({}))->is_native);
}

// Many launches in one submission, each with its own argument memory and its own descriptors.
TEST_F(VulkanTest, LaunchesOfAGraphHaveTheirOwnArguments) {
  std::vector<driver::ParamInfo> params(40, number(4));
  params.push_back(pointer());
  load(code(kLong, params, 168));
  const auto to = ints(8);
  constexpr int kLaunches = 5;
  std::vector<int32_t> numbers(kLaunches);
  std::vector<std::vector<driver::Argument>> arguments(kLaunches);
  std::vector<driver::Command> commands(kLaunches);
  const int32_t zero = 0;
  for (int i = 0; i < kLaunches; ++i) {
    numbers[i] = i + 1;
    for (int k = 0; k < 40; ++k) arguments[i].push_back(value(k == 0 ? numbers[i] : zero));
    arguments[i].push_back(place(to, static_cast<uint64_t>(i) * 4));
    commands[i].kernel = kernel_.get();
    commands[i].launch = {{}, {1, 1, 1}, 0, arguments[i], false};
  }
  const auto graph = std::move(*device_->make_graph(commands));
  ASSERT_TRUE(device_->run_graph(*stream_, *graph).ok());
  EXPECT_EQ(read(to), (std::vector<int32_t>{1, 2, 3, 4, 5, 0, 0, 0}));
}

TEST_F(VulkanTest, MistakesAreNamed) {
  driver::Code c;
  c.kind = driver::CodeKind::kOpenclC;
  EXPECT_EQ(device_->load(c).error().message(), "loading code failed: vulkan does not accept opencl code");
  c.kind = driver::CodeKind::kSpirv;
  c.name = "some.spv";
  c.bytes = "this is no module, not at all";
  EXPECT_EQ(device_->load(c).error().message(), "loading some.spv failed: it is not a SPIR-V module");
  c.is_raw = true;
  c.bytes = compile(kRaw);
  c.bytes.resize(c.bytes.size() / 8 * 4);
  EXPECT_EQ(device_->load(c).error().kind(), ErrorKind::bad_input);
  c.bytes = compile(kRaw);
  c.defines = {{"none", "1"}};
  EXPECT_EQ(device_->load(c).error().message(), "the module has no specialisation constant 'none'");
  c.defines = {{"height", "tall"}};
  EXPECT_EQ(device_->load(c).error().message(), "specialisation constant 'height' cannot be 'tall'");
  load(step_code());
  EXPECT_EQ(device_->kernel(*program_, "none").error().message(), "there is no kernel 'none'");
  EXPECT_EQ(device_->allocate(device_->info().memory_bytes * 2, MemoryKind::device).error().kind(),
            ErrorKind::out_of_memory);
  driver::Code wrong = step_code();
  wrong.kernels[0].block_bytes = 140;
  const auto program = device_->load(wrong);
  EXPECT_EQ(device_->kernel(**program, "k").error().message(),
            "the code of kernel 'k' has too many push constants");
}

// A scenario with checks around every call, in which each call fails once.
TEST_F(VulkanTest, FaultsAreSurvived) {
  const driver::Code c = step_code();
  const auto scenario = [&](driver::Device& device) -> base::Result<int32_t> {
    QUERN_TRY_ASSIGN(const auto stream, device.create_stream({}));
    QUERN_TRY_ASSIGN(const auto event, device.create_event());
    QUERN_TRY_ASSIGN(const auto x, device.allocate(128, MemoryKind::device));
    QUERN_TRY_ASSIGN(const auto program, device.load(c));
    QUERN_TRY_ASSIGN(const auto kernel, device.kernel(*program, "k"));
    std::vector<int32_t> values(32, 1);
    const int n = 32;
    const std::vector<driver::Argument> arguments{place(x), value(n)};
    const auto work = [&]() -> base::Result<> {
      QUERN_TRY(device.upload(*stream, {x.get(), 0}, values.data(), 128));
      QUERN_TRY(device.launch(*stream, *kernel, {{}, {32, 1, 1}, 0, arguments, false}));
      QUERN_TRY(device.record(*stream, *event));
      QUERN_TRY(device.wait(*event));
      QUERN_TRY(device.download(*stream, values.data(), {x.get(), 0}, 128));
      return device.synchronize(*stream);
    };
    const auto done = work();
    (void)device.synchronize(*stream).ok();  // nothing is in flight when objects are destroyed
    QUERN_TRY(done);
    return values[31];
  };
  for (int n = 0;; ++n) {
    ASSERT_LT(n, 100);
    auto faults = *faulty::Faults::parse("any:" + std::to_string(n) + "=memory");
    auto violations = std::make_shared<checked::Violations>();
    const auto wrapped = checked::wrap(faulty::wrap(open_device(), faults), violations);
    const auto result = scenario(*wrapped);
    EXPECT_EQ(violations->count(), 0u);
    if (faults->fired() == 0) {
      ASSERT_TRUE(result.ok()) << result.error().to_string();
      EXPECT_EQ(*result, 4);
      break;
    }
  }
}

// The layer frees its data in an exit handler that each instance registers: a device older than the newest
// instance is destroyed after that. The child is a new process, not a fork of this one.
TEST(VulkanDeathTest, AStaticDeviceIsDestroyedAfterTheLayersExitHandler) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        static const std::unique_ptr<driver::Device> first = open_device();
        static const auto memory = first == nullptr ? nullptr : *first->allocate(64, MemoryKind::device);
        open_device();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace quern::vulkan
