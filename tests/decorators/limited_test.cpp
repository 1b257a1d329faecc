// A device that exceeded its time limit keeps running. Its copies must not access memory of the program,
// which gets the timeout error and may free its memory.
#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "driver/cpu/driver.hpp"
#include "driver/decorators/limited/device.hpp"
#include "driver/decorators/limited/guard.hpp"
#include "driver/support/waiting_clock.hpp"

namespace quern::limited {
namespace {

using base::ErrorKind;
using Bytes = std::vector<unsigned char>;

constexpr uint64_t kBytes = 4096;
constexpr double kLimit = 0.1;

// A stream that is blocked until the gate opens.
class GivenUp : public ::testing::Test {
 public:
  void SetUp() override {
    auto driver = cpu::make_driver();
    if (!driver->start().ok()) GTEST_SKIP() << "there is no cpu device";
    auto opened = driver->open(0, {});
    ASSERT_TRUE(opened.ok()) << opened.error().to_string();
    device = wrap(std::move(*opened), kLimit);
    stream = std::move(*device->create_stream({}));
    buffer = std::move(*device->allocate(kBytes, driver::MemoryKind::device));
    memory = reinterpret_cast<unsigned char*>(buffer->host);
    ASSERT_NE(memory, nullptr);
    std::fill_n(memory, kBytes, static_cast<unsigned char>(1));
    ASSERT_TRUE(device->call(*stream, [this] { gate.wait(false); }).ok());
  }
  void TearDown() override {
    open_gate();
    stream.reset();
    buffer.reset();
    device.reset();
  }

  // The program gets the error; then the device runs to the end.
  void run_into_the_limit() {
    ASSERT_TRUE(device
                    ->call(*stream,
                           [this] {
                             passed = true;
                             passed.notify_all();
                           })
                    .ok());
    const auto told = device->synchronize(*stream);
    ASSERT_FALSE(told.ok());
    EXPECT_EQ(told.error().kind(), ErrorKind::timeout);
    EXPECT_EQ(told.error().message(),
              device->info().name + " exceeded its time limit of 100 ms and is marked lost");
    EXPECT_FALSE(passed);
  }
  void let_it_end() {
    open_gate();
    passed.wait(false);
  }
  void open_gate() {
    gate = true;
    gate.notify_all();
  }

  std::unique_ptr<driver::Device> device;
  std::unique_ptr<driver::Stream> stream;
  std::unique_ptr<driver::Buffer> buffer;
  unsigned char* memory = nullptr;
  std::atomic<bool> gate{false}, passed{false};
};

TEST_F(GivenUp, WritesNothingToTheProgram) {
  Bytes to(kBytes, 2);
  ASSERT_TRUE(device->download(*stream, to.data(), {buffer.get(), 0}, kBytes).ok());
  run_into_the_limit();
  let_it_end();
  EXPECT_EQ(to, Bytes(kBytes, 2));
}

TEST_F(GivenUp, ReadsNothingOfTheProgram) {
  Bytes from(kBytes, 3);
  ASSERT_TRUE(device->upload(*stream, {buffer.get(), 0}, from.data(), kBytes).ok());
  run_into_the_limit();
  std::fill(from.begin(), from.end(), static_cast<unsigned char>(4));  // as the next owner would
  let_it_end();
  EXPECT_EQ(Bytes(memory, memory + kBytes), Bytes(kBytes, 3));
}

TEST_F(GivenUp, AnswersEveryLaterCall) {
  run_into_the_limit();
  const std::string sentence =
      device->info().name + " is marked lost: a call exceeded its time limit of 100 ms";
  const auto is_told = [&](const auto& result) {
    return !result.ok() && result.error().kind() == ErrorKind::device_lost &&
           result.error().message() == sentence;
  };
  Bytes host(kBytes);
  EXPECT_TRUE(is_told(device->allocate(16, driver::MemoryKind::device)));
  EXPECT_TRUE(is_told(device->create_stream({})));
  EXPECT_TRUE(is_told(device->create_event()));
  EXPECT_TRUE(is_told(device->download(*stream, host.data(), {buffer.get(), 0}, kBytes)));
  EXPECT_TRUE(is_told(device->fill(*stream, {buffer.get(), 0}, 0, 1, kBytes)));
  EXPECT_TRUE(is_told(device->synchronize(*stream)));
  EXPECT_EQ(device->free_memory(), 0u);
  let_it_end();
}

// Within the limit nothing changes.
TEST_F(GivenUp, IsNotWhoIsDoneInTime) {
  open_gate();
  Bytes from(kBytes, 5), to(kBytes, 0);
  ASSERT_TRUE(device->upload(*stream, {buffer.get(), 0}, from.data(), kBytes).ok());
  ASSERT_TRUE(device->download(*stream, to.data(), {buffer.get(), 0}, kBytes).ok());
  ASSERT_TRUE(device->synchronize(*stream).ok());
  EXPECT_EQ(to, from);
}

// The first launch compiles the kernel, which may take longer than any launch should.
TEST(Guard, PausesDuringCompilation) {
  Guard guard(0.25);
  EXPECT_TRUE(guard.run([] {
    const driver::Preparation now;
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }));
  EXPECT_FALSE(guard.run([] { std::this_thread::sleep_for(std::chrono::seconds(2)); }));
}

// This process is stopped for twice the limit, as by a debugger.
void stop_for_a_second() {
  const pid_t self = ::getpid();
  if (::fork() != 0) return;
  ::usleep(50'000);
  ::kill(self, SIGSTOP);
  ::usleep(1'000'000);
  ::kill(self, SIGCONT);
  ::_exit(0);
}

[[noreturn]] void be_stopped_meanwhile() {
  Guard guard(0.5);
  stop_for_a_second();
  const bool is_over = guard.run([] {
    for (int i = 0; i < 20; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  });
  ::_exit(is_over ? 0 : 1);
}

TEST(Guard, PausesWhileTheProcessIsStopped) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(be_stopped_meanwhile(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace quern::limited
