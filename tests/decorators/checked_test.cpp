#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "driver/decorators/checked/device.hpp"
#include "driver/decorators/faulty/device.hpp"
#include "driver/decorators/forward/device.hpp"
#include "driver/decorators/messages.hpp"
#include "driver/sim/driver.hpp"
#include "support/runtime_case.hpp"

namespace quern::checked {
namespace {

namespace message = decorators::message;

using base::ErrorKind;
using driver::Place;

constexpr const char* kText = R"(
__device__ int total;
__global__ void __launch_bounds__(64) add(int* values, int n) {
  int i = threadIdx.x;
  if (i < n) atomicAdd(&total, values[i]);
}
)";

template <typename T>
T take(driver::Result<T> result) {
  EXPECT_TRUE(result.ok()) << result.error().to_string();
  return std::move(result).value();
}

template <typename T>
std::string refusal(const driver::Result<T>& result) {
  EXPECT_FALSE(result.ok());
  if (result.ok()) return "";
  EXPECT_EQ(result.error().kind(), ErrorKind::invalid_use);
  return result.error().message();
}

// A device with one valid object of each kind.
class Checked : public ::testing::Test {
 protected:
  explicit Checked(std::unique_ptr<driver::Device> inner = runtime::open_sim())
      : device(wrap(std::move(inner), violations)) {
    stream = take(device->create_stream({}));
    buffer = take(device->allocate(64, driver::MemoryKind::device));
    other = take(device->allocate(64, driver::MemoryKind::device));
    event = take(device->create_event());
    program = take(device->load(runtime::code_of(kText)));
    kernel = take(device->kernel(*program, "add"));
    EXPECT_TRUE(device->fill(*stream, {buffer.get(), 0}, 1, 4, 64).ok());
    EXPECT_TRUE(device->synchronize(*stream).ok());
  }
  ~Checked() override { close(); }

  void close() {
    if (device == nullptr) return;
    if (stream != nullptr) (void)device->synchronize(*stream);
    if (kernel != nullptr) device->destroy(std::move(kernel));
    if (program != nullptr) device->destroy(std::move(program));
    if (buffer != nullptr) device->destroy(std::move(buffer));
    if (other != nullptr) device->destroy(std::move(other));
    if (event != nullptr) device->destroy(std::move(event));
    if (stream != nullptr) device->destroy(std::move(stream));
    device.reset();
  }

  driver::Result<> launch(driver::Dim3 grid, driver::Dim3 block, std::vector<driver::Argument> arguments,
                          uint64_t shared = 0) {
    driver::Launch l;
    l.grid = grid;
    l.block = block;
    l.shared_bytes = shared;
    l.arguments = arguments;
    return device->launch(*stream, *kernel, l);
  }
  std::vector<driver::Argument> good() { return {{{buffer.get(), 0}, nullptr, 0}, {{}, &n, 4}}; }

  // The violations that no call returned.
  std::string told() {
    std::string text;
    for (const std::string& s : violations->sentences()) text += (text.empty() ? "" : "; ") + s;
    return text;
  }

  std::shared_ptr<Violations> violations = std::make_shared<Violations>();
  std::unique_ptr<driver::Device> device;
  std::unique_ptr<driver::Stream> stream;
  std::unique_ptr<driver::Buffer> buffer, other;
  std::unique_ptr<driver::Event> event;
  std::unique_ptr<driver::Module> program;
  std::unique_ptr<driver::Kernel> kernel;
  int n = 16;
  char host[64] = {};
};

TEST_F(Checked, GoodUseBreaksNothing) {
  EXPECT_TRUE(launch({1, 1, 1}, {32, 1, 1}, good()).ok());
  EXPECT_TRUE(device->copy(*stream, {other.get(), 0}, {buffer.get(), 32}, 32).ok());
  EXPECT_TRUE(device->copy(*stream, {buffer.get(), 0}, {buffer.get(), 32}, 32).ok());
  EXPECT_TRUE(device->download(*stream, host, {other.get(), 0}, 32).ok());
  EXPECT_TRUE(take(device->reached(*event)));
  EXPECT_TRUE(device->record(*stream, *event).ok());
  EXPECT_TRUE(device->wait(*event).ok());
  EXPECT_TRUE(device->time(*event).ok());
  const Place total = take(device->variable(*program, "total"));
  EXPECT_EQ(take(device->variable(*program, "total")).buffer, total.buffer);
  int sum = 0;
  EXPECT_TRUE(device->download(*stream, &sum, total, 4).ok());
  EXPECT_EQ(sum, 16);
  close();
  EXPECT_EQ(told(), "");
}

TEST_F(Checked, PlacesAreInRange) {
  EXPECT_EQ(refusal(device->upload(*stream, {buffer.get(), 60}, host, 8)),
            message::kOutOfBuffer("upload", "8", "60", "64").text);
  EXPECT_EQ(refusal(device->download(*stream, host, {buffer.get(), 65}, 0)),
            message::kOutOfBuffer("download", "0", "65", "64").text);
  EXPECT_EQ(refusal(device->copy(*stream, {buffer.get(), 0}, {other.get(), 0}, ~uint64_t{0})),
            message::kOutOfBuffer("copy", "18446744073709551615", "0", "64").text);
  EXPECT_EQ(refusal(device->fill(*stream, {buffer.get(), 8}, 0, 4, 60)),
            message::kOutOfBuffer("fill", "60", "8", "64").text);
  const Place total = take(device->variable(*program, "total"));
  EXPECT_EQ(refusal(device->upload(*stream, total, host, 8)),
            message::kOutOfBuffer("upload", "8", "0", "4").text);
  EXPECT_EQ(violations->count(), 5u);
}

TEST_F(Checked, HostMemoryIsThere) {
  EXPECT_EQ(refusal(device->upload(*stream, {buffer.get(), 0}, nullptr, 8)),
            message::kNoHostMemory("upload").text);
  EXPECT_EQ(refusal(device->download(*stream, nullptr, {buffer.get(), 0}, 8)),
            message::kNoHostMemory("download").text);
  EXPECT_TRUE(device->upload(*stream, {buffer.get(), 0}, nullptr, 0).ok());
  EXPECT_EQ(refusal(device->call(*stream, nullptr)), message::kNoFunctionToCall().text);
}

TEST_F(Checked, CopiesDoNotOverlapAndFillsFit) {
  EXPECT_EQ(refusal(device->copy(*stream, {buffer.get(), 8}, {buffer.get(), 0}, 9)),
            message::kCopyOverlaps().text);
  EXPECT_EQ(refusal(device->fill(*stream, {buffer.get(), 0}, 0, 3, 9)), message::kFillWidth("3").str());
  EXPECT_EQ(refusal(device->fill(*stream, {buffer.get(), 0}, 0, 4, 10)), message::kFillSize("10", "4").text);
}

TEST_F(Checked, AllocationsKeepToTheLimit) {
  EXPECT_EQ(refusal(device->allocate(device->info().limits.buffer_bytes + 1, driver::MemoryKind::device)),
            message::kAllocationExceedsLimit("8.0 GiB", "8.0 GiB").text);
}

TEST_F(Checked, UseAfterDestroyIsFound) {
  driver::Buffer* gone = buffer.get();
  driver::Event* gone_event = event.get();
  driver::Kernel* gone_kernel = kernel.get();
  driver::Module* gone_program = program.get();
  driver::Stream* gone_stream = stream.get();
  const Place total = take(device->variable(*program, "total"));
  device->destroy(std::move(buffer));
  device->destroy(std::move(event));
  device->destroy(std::move(kernel));
  device->destroy(std::move(program));
  EXPECT_EQ(told(), "");
  for (int i = 0; i < 10; ++i) {  // addresses are not reused immediately
    auto fresh = take(device->allocate(64, driver::MemoryKind::device));
    EXPECT_NE(fresh.get(), gone);
    device->destroy(std::move(fresh));
  }
  EXPECT_EQ(refusal(device->upload(*stream, {gone, 0}, host, 8)),
            message::kObjectWasDestroyed("upload", "a buffer").text);
  EXPECT_EQ(refusal(device->upload(*stream, total, host, 4)),
            message::kObjectWasDestroyed("upload", "a buffer").text);
  EXPECT_EQ(refusal(device->record(*stream, *gone_event)),
            message::kObjectWasDestroyed("record", "an event").text);
  EXPECT_EQ(refusal(device->launch(*stream, *gone_kernel, {})),
            message::kObjectWasDestroyed("launch", "a kernel").text);
  EXPECT_EQ(refusal(device->kernel(*gone_program, "add")),
            message::kObjectWasDestroyed("kernel", "a module").text);
  device->destroy(std::move(stream));
  EXPECT_EQ(refusal(device->synchronize(*gone_stream)),
            message::kObjectWasDestroyed("synchronize", "a stream").text);
  EXPECT_EQ(device->take_output(*gone_stream), "");
  EXPECT_EQ(violations->count(), 7u);
}

TEST_F(Checked, ObjectsThatDeleteThemselvesAreFoundToo) {
  driver::Buffer* gone = buffer.get();
  buffer.reset();
  EXPECT_EQ(refusal(device->upload(*stream, {gone, 0}, host, 8)),
            message::kObjectWasDestroyed("upload", "a buffer").text);
}

TEST_F(Checked, ObjectsOfOtherDevicesAreFound) {
  auto second = wrap(runtime::open_sim(), violations);
  auto foreign = take(second->allocate(64, driver::MemoryKind::device));
  auto foreign_event = take(second->create_event());
  EXPECT_EQ(refusal(device->upload(*stream, {foreign.get(), 0}, host, 8)),
            message::kObjectIsForeign("upload", "a buffer").text);
  EXPECT_EQ(refusal(device->wait(*stream, *foreign_event)),
            message::kObjectIsForeign("stream_wait", "an event").text);
  EXPECT_EQ(refusal(device->upload(*stream, {nullptr, 0}, host, 8)),
            message::kObjectIsNull("upload", "a buffer").text);
  EXPECT_EQ(refusal(launch({1, 1, 1}, {1, 1, 1}, {{{foreign.get(), 0}, nullptr, 0}, {{}, &n, 4}})),
            message::kObjectIsForeign("launch", "a buffer").text);
  EXPECT_EQ(violations->count(), 4u);
  device->destroy(std::move(foreign_event));
  EXPECT_EQ(violations->sentences().back(), message::kDestroysForeign().text);
  second->destroy(std::move(foreign));
}

TEST_F(Checked, LaunchesKeepToTheLimits) {
  const std::string start = "driver call launch runs kernel 'add' with ";
  EXPECT_EQ(refusal(launch({0, 1, 1}, {1, 1, 1}, good())),
            start + "grid (0,1,1), outside (1,1,1) to (2147483647,65535,65535)");
  EXPECT_EQ(refusal(launch({1, 65536, 1}, {1, 1, 1}, good())),
            start + "grid (1,65536,1), outside (1,1,1) to (2147483647,65535,65535)");
  EXPECT_EQ(refusal(launch({1, 1, 1}, {1, 1, 65}, good())),
            start + "block (1,1,65), outside (1,1,1) to (1024,1024,64)");
  EXPECT_EQ(refusal(launch({1, 1, 1}, {65, 1, 1}, good())),
            start + "65 threads per block, but the limit is 64");
  EXPECT_EQ(refusal(launch({1, 1, 1}, {1, 1, 1}, good(), (1 << 24) + 1)),
            start + "16777217 bytes of dynamic and 0 of static shared memory, but a block has 16777216");
}

TEST_F(Checked, ArgumentsMatchParameters) {
  const std::string start = "driver call launch runs kernel 'add' with ";
  auto few = good();
  few.pop_back();
  EXPECT_EQ(refusal(launch({1, 1, 1}, {1, 1, 1}, few)), start + "1 arguments, but it takes 2");
  auto value = good();
  value[0] = {{}, &n, 4};
  EXPECT_EQ(refusal(launch({1, 1, 1}, {1, 1, 1}, value)),
            start + "parameter 'values' (int*) set to a value, not a place");
  auto place = good();
  place[1] = place[0];
  EXPECT_EQ(refusal(launch({1, 1, 1}, {1, 1, 1}, place)),
            start + "parameter 'n' (int) set to a place, not a value");
  auto wide = good();
  wide[1].bytes = 8;
  EXPECT_EQ(refusal(launch({1, 1, 1}, {1, 1, 1}, wide)),
            start + "parameter 'n' (int) set to 8 bytes, but its size is 4");
  auto none = good();
  none[1].value = nullptr;
  EXPECT_EQ(refusal(launch({1, 1, 1}, {1, 1, 1}, none)), start + "parameter 'n' (int) set to no value");
  auto behind = good();
  behind[0].place.offset = 65;
  EXPECT_EQ(refusal(launch({1, 1, 1}, {1, 1, 1}, behind)),
            message::kOutOfBuffer("launch", "0", "65", "64").text);
}

TEST_F(Checked, CodeIsWhatTheDeviceTakes) {
  driver::Code ptx;
  ptx.kind = driver::CodeKind::kPtx;
  EXPECT_EQ(refusal(device->load(ptx)), message::kLoadOfKind("ptx", "sim:0").text);
  EXPECT_EQ(refusal(device->load({})), message::kLoadWithoutModule("ir").text);
  driver::Code code = runtime::code_of(kText);
  code.kernels.push_back(code.kernels[0]);
  EXPECT_EQ(refusal(device->load(code)), message::kLoadTwoKernels("ir", "add").text);
  code.kernels.pop_back();
  code.kernels[0].needs.add(driver::Feature::persistent);
  EXPECT_EQ(refusal(device->load(code)),
            message::kLoadNeedsFeature("ir", "add", "persistent kernels", "sim:0").text);
}

TEST_F(Checked, TimeNeedsARecord) {
  EXPECT_EQ(refusal(device->time(*event)), message::kEventNotRecorded().text);
}

TEST_F(Checked, BuffersInFlightStay) {
  EXPECT_TRUE(device->upload(*stream, {buffer.get(), 0}, host, 8).ok());
  device->destroy(std::move(buffer));
  EXPECT_EQ(told(), message::kObjectBusy("a buffer of 64 B").text);
}

TEST_F(Checked, KernelsAndProgramsInFlightStay) {
  EXPECT_TRUE(launch({1, 1, 1}, {32, 1, 1}, good()).ok());
  device->destroy(std::move(kernel));
  device->destroy(std::move(program));
  EXPECT_EQ(told(), message::kObjectBusy("a kernel").text + "; " + message::kObjectBusy("a module").text);
}

TEST_F(Checked, AnEventProvesTheWorkBeforeIt) {
  EXPECT_TRUE(device->upload(*stream, {buffer.get(), 0}, host, 8).ok());
  EXPECT_TRUE(device->record(*stream, *event).ok());
  EXPECT_TRUE(device->upload(*stream, {other.get(), 0}, host, 8).ok());
  EXPECT_TRUE(take(device->reached(*event)));
  device->destroy(std::move(buffer));
  EXPECT_EQ(told(), "");
  device->destroy(std::move(other));
  EXPECT_EQ(told(), message::kObjectBusy("a buffer of 64 B").text);
}

TEST_F(Checked, AQueueThatWaitedProvesTheWorkOfTheOther) {
  auto second = take(device->create_stream({}));
  EXPECT_TRUE(device->upload(*stream, {buffer.get(), 0}, host, 8).ok());
  EXPECT_TRUE(device->record(*stream, *event).ok());
  EXPECT_TRUE(device->wait(*second, *event).ok());
  EXPECT_TRUE(device->synchronize(*second).ok());
  device->destroy(std::move(buffer));
  device->destroy(std::move(second));
  EXPECT_EQ(told(), "");
}

TEST_F(Checked, BusyQueuesStay) {
  EXPECT_TRUE(device->upload(*stream, {buffer.get(), 0}, host, 8).ok());
  device->destroy(std::move(stream));
  EXPECT_EQ(told(), message::kStreamBusy().text);
}

TEST_F(Checked, AProgramOutlivesItsKernels) {
  device->destroy(std::move(program));
  EXPECT_EQ(told(), message::kModuleBeforeKernel().text);
  EXPECT_EQ(refusal(launch({1, 1, 1}, {1, 1, 1}, good())), message::kModuleDestroyed().text);
}

// The wrapped device is checked too, and must see no violation.
class CheckedTwice : public ::testing::Test {
 protected:
  std::string below() const {
    const auto sentences = inner->sentences();
    return sentences.empty() ? "" : sentences.front();
  }
  std::shared_ptr<Violations> inner = std::make_shared<Violations>(), outer = std::make_shared<Violations>();
  std::unique_ptr<driver::Device> device = wrap(wrap(runtime::open_sim(), inner), outer);
};

TEST_F(CheckedTwice, DestructionWaitsForTheWorkThatUsesTheObject) {
  auto stream = take(device->create_stream({}));
  auto second = take(device->create_stream({}));
  auto buffer = take(device->allocate(64, driver::MemoryKind::device));
  auto program = take(device->load(runtime::code_of(kText)));
  auto kernel = take(device->kernel(*program, "add"));
  const int n = 0;
  const driver::Argument arguments[] = {{{buffer.get(), 0}, nullptr, 0}, {{}, &n, sizeof n}};
  driver::Launch launch;
  launch.arguments = arguments;
  EXPECT_TRUE(device->launch(*stream, *kernel, launch).ok());
  EXPECT_TRUE(device->fill(*second, {buffer.get(), 0}, 1, 4, 64).ok());
  device->destroy(std::move(program));
  device->destroy(std::move(buffer));
  device->destroy(std::move(kernel));
  device->destroy(std::move(second));  // waits for it
  EXPECT_TRUE(device->synchronize(*stream).ok());
  device->destroy(std::move(stream));
  EXPECT_EQ(outer->count(), 5u);
  device.reset();
  EXPECT_EQ(below(), "");
}

TEST_F(CheckedTwice, WorkIsWaitedForWhenTheDeviceCloses) {
  auto stream = take(device->create_stream({}));
  auto buffer = take(device->allocate(64, driver::MemoryKind::device));
  auto second = take(device->allocate(64, driver::MemoryKind::device));
  EXPECT_TRUE(device->fill(*stream, {buffer.get(), 0}, 1, 4, 64).ok());
  EXPECT_TRUE(device->fill(*stream, {second.get(), 0}, 1, 4, 64).ok());
  buffer.reset();  // without calling the device
  device.reset();
  EXPECT_EQ(below(), "");
  EXPECT_EQ(outer->count(), 2u);
}

TEST_F(Checked, WhatIsLeftAtTheEndIsCounted) {
  auto left = std::move(other);
  auto left_stream = take(device->create_stream({}));
  auto left_event = take(device->create_event());
  auto second_event = take(device->create_event());
  close();
  EXPECT_EQ(told(), message::kObjectsAlive("1 buffer, 1 stream, 2 events").text);
  left.reset();  // late, and harmless
}

TEST_F(Checked, ViolationsThatNobodyReturnsAreReported) {
  std::vector<std::string> logged;
  auto loud = std::make_shared<Violations>([&logged](const std::string& s) { logged.push_back(s); });
  auto noisy = wrap(runtime::open_sim(), loud);
  (void)refusal(noisy->load({}));
  EXPECT_TRUE(logged.empty());
  auto left = take(noisy->create_event());
  noisy.reset();
  EXPECT_EQ(logged,
            std::vector<std::string>{"the device was closed while objects were still alive: 1 event"});
  EXPECT_EQ(loud->count(), 2u);
}

// A driver whose results a test chooses.
class Odd final : public forward::Device {
 public:
  using forward::Device::Device;
  driver::Result<std::unique_ptr<driver::Buffer>> allocate(uint64_t bytes, driver::MemoryKind kind) override {
    return forward::Device::allocate(bytes / 2, kind);
  }
  driver::Result<> synchronize(driver::Stream& stream) override {
    if (hold != nullptr) {
      started = true;
      while (*hold) std::this_thread::yield();
    }
    return forward::Device::synchronize(stream);
  }
  driver::Result<bool> reached(driver::Event&) override { return false; }
  driver::Result<std::unique_ptr<driver::Event>> create_event() override {
    if (lose) return base::Error(ErrorKind::device_lost, "gone");
    return forward::Device::create_event();
  }
  std::atomic<bool>* hold = nullptr;
  std::atomic<bool> started{false};
  bool lose = false;
};

TEST(CheckedDriver, WhatTheDriverBreaksIsInternal) {
  auto violations = std::make_shared<Violations>();
  auto odd = std::make_unique<Odd>(runtime::open_sim());
  Odd* inner = odd.get();
  auto device = wrap(std::move(odd), violations);
  auto half = device->allocate(64, driver::MemoryKind::device);
  ASSERT_FALSE(half.ok());
  EXPECT_EQ(half.error().to_string(),
            "internal error: driver sim allocated a buffer of another size or kind than requested");
  auto event = take(device->create_event());
  auto reached = device->reached(*event);
  ASSERT_FALSE(reached.ok());
  EXPECT_EQ(reached.error().message(), message::kEventNotReached("sim").text);
  inner->lose = true;
  EXPECT_FALSE(device->create_event().ok());
  auto stream = device->create_stream({});
  ASSERT_FALSE(stream.ok());
  EXPECT_EQ(stream.error().message(), message::kSucceededAfterLoss("sim", "create_stream").text);
  EXPECT_EQ(violations->count(), 3u);
  device->destroy(std::move(event));
}

TEST(CheckedDriver, CallsOnOneQueueDoNotOverlap) {
  auto violations = std::make_shared<Violations>();
  auto odd = std::make_unique<Odd>(runtime::open_sim());
  Odd* inner = odd.get();
  auto device = wrap(std::move(odd), violations);
  auto stream = take(device->create_stream({}));
  auto second = take(device->create_stream({}));
  std::atomic<bool> hold{true};
  inner->hold = &hold;
  std::thread waiting([&] { EXPECT_TRUE(device->synchronize(*stream).ok()); });
  while (!inner->started) std::this_thread::yield();
  EXPECT_EQ(refusal(device->call(*stream, [] {})), message::kStreamOverlap("call").text);
  hold = false;
  waiting.join();
  EXPECT_TRUE(device->call(*second, [] {}).ok());
  EXPECT_TRUE(device->call(*stream, [] {}).ok());
  EXPECT_EQ(violations->count(), 1u);
  EXPECT_TRUE(device->synchronize(*stream).ok());
  EXPECT_TRUE(device->synchronize(*second).ok());
  device->destroy(std::move(stream));
  device->destroy(std::move(second));
}

TEST(CheckedDriver, StartComesFirst) {
  auto violations = std::make_shared<Violations>();
  auto driver = wrap(sim::make_driver(), violations);
  EXPECT_EQ(refusal(driver->devices()), message::kBeforeStart("devices").text);
  EXPECT_EQ(refusal(driver->open(0, {})), message::kBeforeStart("open").text);
  EXPECT_TRUE(driver->start().ok());
  EXPECT_TRUE(driver->devices().ok());
  EXPECT_TRUE(driver->open(0, {}).ok());
  EXPECT_EQ(violations->count(), 2u);
}

TEST(CheckedRuntime, TheScenarioKeepsTheRules) {
  auto violations = std::make_shared<Violations>();
  {
    auto device = runtime::Device::adopt(wrap(runtime::open_sim(), violations));
    ASSERT_TRUE(device.ok());
    auto result = runtime::run_scenario(*device);
    ASSERT_TRUE(result.ok()) << result.error().to_string();
    EXPECT_EQ(*result, runtime::scenario_result());
  }
  for (const std::string& sentence : violations->sentences()) ADD_FAILURE() << sentence;
}

TEST(CheckedRuntime, ThreadsThatShareEverythingKeepTheRules) {
  auto violations = std::make_shared<Violations>();
  {
    auto device = take(runtime::Device::adopt(wrap(runtime::open_sim(), violations)));
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&device] {
        for (int i = 0; i < 3; ++i) {
          auto result = runtime::run_scenario(device);
          EXPECT_TRUE(result.ok()) << result.error().to_string();
        }
      });
    }
    for (std::thread& t : threads) t.join();
  }
  for (const std::string& sentence : violations->sentences()) ADD_FAILURE() << sentence;
}

// Destroys events and streams in every order.
TEST(CheckedRuntime, StreamsAndEventsMayEndInAnyOrder) {
  auto violations = std::make_shared<Violations>();
  {
    auto device = take(runtime::Device::adopt(wrap(runtime::open_sim(), violations)));
    auto memory = take(device->allocate(64, driver::MemoryKind::device, ""));
    auto a = take(runtime::Stream::create(*device, {}));
    auto b = take(runtime::Stream::create(*device, {}));
    EXPECT_TRUE(a->fill(runtime::all(*memory), 1, 4).ok());
    auto event = take(a->record());
    EXPECT_TRUE(b->wait(*event).ok());
    auto dropped = take(b->record());
    dropped.reset();
    a.reset();
    memory.reset();
    EXPECT_TRUE(event->wait().ok());  // its stream was destroyed
    b.reset();
  }
  for (const std::string& sentence : violations->sentences()) ADD_FAILURE() << sentence;
}

}  // namespace
}  // namespace quern::checked
