#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "driver/decorators/checked/device.hpp"
#include "driver/decorators/faulty/device.hpp"
#include "driver/decorators/forward/device.hpp"
#include "driver/sim/driver.hpp"
#include "support/runtime_case.hpp"

namespace quern::checked {
namespace {

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
  EXPECT_EQ(result.error().kind(), ErrorKind::kInvalidUse);
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
            "driver call upload touches 8 bytes at offset 60 of a buffer of 64 bytes");
  EXPECT_EQ(refusal(device->download(*stream, host, {buffer.get(), 65}, 0)),
            "driver call download touches 0 bytes at offset 65 of a buffer of 64 bytes");
  EXPECT_EQ(refusal(device->copy(*stream, {buffer.get(), 0}, {other.get(), 0}, ~uint64_t{0})),
            "driver call copy touches 18446744073709551615 bytes at offset 0 of a buffer of 64 bytes");
  EXPECT_EQ(refusal(device->fill(*stream, {buffer.get(), 8}, 0, 4, 60)),
            "driver call fill touches 60 bytes at offset 8 of a buffer of 64 bytes");
  const Place total = take(device->variable(*program, "total"));
  EXPECT_EQ(refusal(device->upload(*stream, total, host, 8)),
            "driver call upload touches 8 bytes at offset 0 of a buffer of 4 bytes");
  EXPECT_EQ(violations->count(), 5u);
}

TEST_F(Checked, HostMemoryIsThere) {
  EXPECT_EQ(refusal(device->upload(*stream, {buffer.get(), 0}, nullptr, 8)),
            "driver call upload has no host memory");
  EXPECT_EQ(refusal(device->download(*stream, nullptr, {buffer.get(), 0}, 8)),
            "driver call download has no host memory");
  EXPECT_TRUE(device->upload(*stream, {buffer.get(), 0}, nullptr, 0).ok());
  EXPECT_EQ(refusal(device->call(*stream, nullptr)), "driver call call has no function to call");
}

TEST_F(Checked, CopiesDoNotOverlapAndFillsFit) {
  EXPECT_EQ(refusal(device->copy(*stream, {buffer.get(), 8}, {buffer.get(), 0}, 9)),
            "driver call copy copies between overlapping parts of a buffer");
  EXPECT_EQ(refusal(device->fill(*stream, {buffer.get(), 0}, 0, 3, 9)),
            "driver call fill repeats 3 bytes; 1, 2, 4 and 8 are allowed");
  EXPECT_EQ(refusal(device->fill(*stream, {buffer.get(), 0}, 0, 4, 10)),
            "driver call fill sets 10 bytes with a value of 4 bytes");
}

TEST_F(Checked, AllocationsKeepToTheLimit) {
  EXPECT_EQ(refusal(device->allocate(device->info().limits.buffer_bytes + 1, driver::MemoryKind::device)),
            "driver call allocate requests 8.0 GiB, but the limit is 8.0 GiB");
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
            "driver call upload names a buffer that was destroyed");
  EXPECT_EQ(refusal(device->upload(*stream, total, host, 4)),
            "driver call upload names a buffer that was destroyed");
  EXPECT_EQ(refusal(device->record(*stream, *gone_event)),
            "driver call record names an event that was destroyed");
  EXPECT_EQ(refusal(device->launch(*stream, *gone_kernel, {})),
            "driver call launch names a kernel that was destroyed");
  EXPECT_EQ(refusal(device->kernel(*gone_program, "add")),
            "driver call kernel names a module that was destroyed");
  device->destroy(std::move(stream));
  EXPECT_EQ(refusal(device->synchronize(*gone_stream)),
            "driver call synchronize names a stream that was destroyed");
  EXPECT_EQ(device->take_output(*gone_stream), "");
  EXPECT_EQ(violations->count(), 7u);
}

TEST_F(Checked, ObjectsThatDeleteThemselvesAreFoundToo) {
  driver::Buffer* gone = buffer.get();
  buffer.reset();
  EXPECT_EQ(refusal(device->upload(*stream, {gone, 0}, host, 8)),
            "driver call upload names a buffer that was destroyed");
}

TEST_F(Checked, ObjectsOfOtherDevicesAreFound) {
  auto second = wrap(runtime::open_sim(), violations);
  auto foreign = take(second->allocate(64, driver::MemoryKind::device));
  auto foreign_event = take(second->create_event());
  EXPECT_EQ(refusal(device->upload(*stream, {foreign.get(), 0}, host, 8)),
            "driver call upload names a buffer that does not belong to this device");
  EXPECT_EQ(refusal(device->wait(*stream, *foreign_event)),
            "driver call stream_wait names an event that does not belong to this device");
  EXPECT_EQ(refusal(device->upload(*stream, {nullptr, 0}, host, 8)),
            "driver call upload names a buffer that is null");
  EXPECT_EQ(refusal(launch({1, 1, 1}, {1, 1, 1}, {{{foreign.get(), 0}, nullptr, 0}, {{}, &n, 4}})),
            "driver call launch names a buffer that does not belong to this device");
  EXPECT_EQ(violations->count(), 4u);
  device->destroy(std::move(foreign_event));
  EXPECT_EQ(violations->sentences().back(),
            "driver call destroy got an object that does not belong to this device");
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
            "driver call launch touches 0 bytes at offset 65 of a buffer of 64 bytes");
}

TEST_F(Checked, CodeIsWhatTheDeviceTakes) {
  driver::Code ptx;
  ptx.kind = driver::CodeKind::kPtx;
  EXPECT_EQ(refusal(device->load(ptx)),
            "driver call load gives ptx code to sim:0, which does not support it");
  EXPECT_EQ(refusal(device->load({})), "driver call load gives ir code without its module");
  driver::Code code = runtime::code_of(kText);
  code.kernels.push_back(code.kernels[0]);
  EXPECT_EQ(refusal(device->load(code)), "driver call load gives ir code with two kernels 'add'");
  code.kernels.pop_back();
  code.kernels[0].needs.add(driver::Feature::persistent);
  EXPECT_EQ(refusal(device->load(code)),
            "driver call load gives ir code with kernel 'add', which needs persistent kernels, to "
            "sim:0, which does not support it");
}

TEST_F(Checked, TimeNeedsARecord) {
  EXPECT_EQ(refusal(device->time(*event)), "driver call time uses an event that was never recorded");
}

TEST_F(Checked, BuffersInFlightStay) {
  EXPECT_TRUE(device->upload(*stream, {buffer.get(), 0}, host, 8).ok());
  device->destroy(std::move(buffer));
  EXPECT_EQ(told(), "a buffer of 64 B is destroyed while work in flight may use it");
}

TEST_F(Checked, KernelsAndProgramsInFlightStay) {
  EXPECT_TRUE(launch({1, 1, 1}, {32, 1, 1}, good()).ok());
  device->destroy(std::move(kernel));
  device->destroy(std::move(program));
  EXPECT_EQ(
      told(),
      "a kernel is destroyed while work in flight may use it; a module is destroyed while work in flight "
      "may use it");
}

TEST_F(Checked, AnEventProvesTheWorkBeforeIt) {
  EXPECT_TRUE(device->upload(*stream, {buffer.get(), 0}, host, 8).ok());
  EXPECT_TRUE(device->record(*stream, *event).ok());
  EXPECT_TRUE(device->upload(*stream, {other.get(), 0}, host, 8).ok());
  EXPECT_TRUE(take(device->reached(*event)));
  device->destroy(std::move(buffer));
  EXPECT_EQ(told(), "");
  device->destroy(std::move(other));
  EXPECT_EQ(told(), "a buffer of 64 B is destroyed while work in flight may use it");
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
  EXPECT_EQ(told(), "a stream is destroyed before its work is known to be done");
}

TEST_F(Checked, AProgramOutlivesItsKernels) {
  device->destroy(std::move(program));
  EXPECT_EQ(told(), "a module is destroyed before its kernel");
  EXPECT_EQ(refusal(launch({1, 1, 1}, {1, 1, 1}, good())),
            "driver call launch runs a kernel whose module was destroyed");
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
  EXPECT_EQ(told(), "the device was closed while objects were still alive: 1 buffer, 1 stream, 2 events");
  left.reset();  // late, and harmless
}

TEST_F(Checked, ViolationsThatNobodyReturnsAreTold) {
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
    if (lose) return base::Error(ErrorKind::kDeviceLost, "gone");
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
  EXPECT_EQ(reached.error().message(), "driver sim reports an event that was never recorded as not reached");
  inner->lose = true;
  EXPECT_FALSE(device->create_event().ok());
  auto stream = device->create_stream({});
  ASSERT_FALSE(stream.ok());
  EXPECT_EQ(stream.error().message(), "driver sim lost the device, but create_stream succeeded afterwards");
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
  EXPECT_EQ(refusal(device->call(*stream, [] {})),
            "driver call call overlaps another call on the same stream");
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
  EXPECT_EQ(refusal(driver->devices()), "driver call devices was made before start succeeded");
  EXPECT_EQ(refusal(driver->open(0, {})), "driver call open was made before start succeeded");
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
