#include <sstream>

#include "api/api_case.hpp"
#include "base/log.hpp"

namespace quern::test {
namespace {

using MemoryOf = OnDevice;
QUERN_ON_DEVICES(MemoryOf);

TEST_P(MemoryOf, IsCounted) {
  const MemoryStatistics before = device.memory();
  {
    auto a = device.allocate<char>(1000, MemoryKind::device, "a"), b = device.allocate<char>(5000);
    const MemoryStatistics now = device.memory();
    EXPECT_EQ(now.in_use - before.in_use, 6000u);
    EXPECT_EQ(now.buffers - before.buffers, 2u);
    EXPECT_GE(now.reserved, now.in_use);
    const auto all = device.buffers();
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].bytes, 5000u);
    EXPECT_EQ(all[1].label, "a");
  }
  device.trim();
  const MemoryStatistics after = device.memory();
  EXPECT_EQ(after.in_use, 0u);
  EXPECT_EQ(after.peak, 6000u);
  EXPECT_EQ(after.allocations, 2u);
  EXPECT_EQ(after.reserved, 0u);
}

TEST_P(MemoryOf, HasLimitLogAndCount) {
  std::ostringstream text;
  const MemoryCount count(device);
  {
    const MemoryLimit limit(device, 1 << 20);
    const MemoryLog log(device, text);
    auto a = device.allocate<char>(100, MemoryKind::device, "small");
    const Error error = error_of([&] { (void)device.allocate<char>(2 << 20, MemoryKind::device, "large"); });
    EXPECT_EQ(error.kind(), ErrorKind::out_of_memory);
    EXPECT_EQ(error.message().find("allocating 'large' (2.0 MiB) on " + device.name() + " (" +
                                   device.driver() + ") failed: "),
              0u)
        << error.message();
    EXPECT_TRUE(error.message().ends_with("are left of the limit of 1.0 MiB")) << error.message();
  }
  EXPECT_NO_THROW((void)device.allocate<char>(2 << 20));
  EXPECT_EQ(text.str().find("allocate,"), 0u) << text.str();
  EXPECT_NE(text.str().find(",100,small\nfree,"), std::string::npos) << text.str();
  EXPECT_EQ(count.in_use(), 0);
  EXPECT_EQ(count.peak(), 2 << 20);
  EXPECT_EQ(count.total(), (2u << 20) + 100u);
  EXPECT_EQ(count.buffers(), 2u);
}

TEST_P(MemoryOf, BuffersThatOutliveTheDeviceAreReportedWithLabels) {
  std::vector<std::string> said;
  base::set_log_level(base::LogLevel::kInfo);
  Device other = open(GetParam());
  auto leaked = other.allocate<int>(256, MemoryKind::device, "weights");
  base::set_log_sink([&](base::LogLevel, std::string_view line) { said.emplace_back(line); });
  const std::string label = other.name() + " (" + other.driver() + ")";
  other = {};
  base::set_log_sink(nullptr);
  base::set_log_level(base::LogLevel::kWarning);
  EXPECT_EQ(said, std::vector<std::string>{label +
                                           " was closed with 1 buffer still allocated: 'weights' (1.0 KiB)"});
}

// ---- bad input

TEST_P(MemoryOf, ASliceOfABufferThatIsGoneIsRefused) {
  Slice<int> slice;
  {
    auto buffer = device.allocate<int>(8);
    slice = buffer;
  }
  const char* const text = "using a slice failed: its Buffer was destroyed";
  std::vector<int> host(8);
  EXPECT_EQ(message_of([&] { slice.download(host); }), text);
  EXPECT_EQ(message_of([&] { slice.upload(host); }), text);
  EXPECT_EQ(message_of([&] { slice.fill(1); }), text);
  EXPECT_EQ(message_of([&] { (void)slice.host(); }), text);
  EXPECT_EQ(message_of([&] { slice.slice(2).download(std::span<int>(host).first(6)); }), text);
  EXPECT_EQ(message_of([&] { device.stream().fill(slice, 1); }), text);
  auto next = device.allocate<int>(8);  // at the same address
  EXPECT_EQ(message_of([&] { next.copy_from(slice); }), text);
  auto owner = device.allocate<int>(8);
  const Slice<int> part = owner;
  Buffer<int> mover = std::move(owner);
  EXPECT_NO_THROW(part.fill(3));  // it belongs to another buffer now, and is valid
}

TEST_P(MemoryOf, WaitingTwiceIsFine) {
  auto data = device.allocate<int>(8);
  data.fill(1);
  const Event event = device.stream().record();
  event.wait();
  event.wait();
  EXPECT_TRUE(event.reached());
  device.stream().wait(event);
  device.stream().wait(event);
  device.synchronize();
  device.synchronize();
}

TEST_P(MemoryOf, FunctionsMayThrow) {
  device.stream().call([] { throw std::runtime_error("no paper"); });
  const Error error = error_of([&] { device.synchronize(); });
  EXPECT_EQ(error.message(), "a host function on a stream of " + device.name() + " (" + device.driver() +
                                 ") threw an exception: no paper");
  EXPECT_EQ(error.kind(), ErrorKind::invalid_use);
  device.synchronize();  // reported once
  device.stream().call([] { throw 7; });
  EXPECT_TRUE(message_of([&] {
                device.stream().synchronize();
              }).ends_with("its type is not derived from std::exception"));
  const auto refuse = [](const DeviceInfo&) -> bool { throw std::runtime_error("undecided"); };
  EXPECT_THROW((void)open("", refuse), std::runtime_error);
  EXPECT_THROW((void)device.record([](const Stream&) { throw std::runtime_error("not now"); }),
               std::runtime_error);
  const auto watch = device.watch_memory([](const MemoryEvent&) { throw 7; });
  base::set_log_sink([](base::LogLevel, std::string_view) {});
  EXPECT_NO_THROW((void)device.allocate<int>(4));
  base::set_log_sink(nullptr);
}

TEST_P(MemoryOf, ADeviceMayGoWithWorkInFlight) {
  for (int i = 0; i < 20; ++i) {
    Device other = open(GetParam());
    auto data = other.allocate<int>(100000);
    const Stream stream = other.create_stream();
    stream.fill(data, i);
    other.stream().fill(data.slice(0, 10), 7);
    if (i % 2 == 0) data = {};
    other = {};
  }
}

}  // namespace
}  // namespace quern::test
