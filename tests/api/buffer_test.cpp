#include <array>
#include <chrono>
#include <thread>

#include "api/api_case.hpp"
#include "driver/support/messages.hpp"

namespace quern::test {
namespace {

using Buffers = OnDevice;
QUERN_ON_DEVICES(Buffers);

TEST_P(Buffers, CarryDataThereAndBack) {
  auto buffer = device.upload(std::vector<int>{1, 2, 3, 4, 5});
  EXPECT_EQ(buffer.size(), 5u);
  EXPECT_EQ(buffer.size_bytes(), 20u);
  EXPECT_FALSE(buffer.empty());
  EXPECT_EQ(buffer.download(), (std::vector<int>{1, 2, 3, 4, 5}));
  std::array<int, 3> part{};
  buffer.download(part);
  EXPECT_EQ(part, (std::array<int, 3>{1, 2, 3}));
  buffer.upload(std::array<int, 2>{8, 9});
  EXPECT_EQ(buffer.download(), (std::vector<int>{8, 9, 3, 4, 5}));
}

TEST_P(Buffers, OfNothingAreFine) {
  auto none = device.upload(std::vector<float>());
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(none);
  EXPECT_TRUE(none.download().empty());
  none.fill(3);
}

TEST_P(Buffers, AreFilledByElementsOfAnySize) {
  struct Triple {
    int a, b, c;
    bool operator==(const Triple&) const = default;
  };
  auto bytes = device.allocate<char>(5);
  bytes.fill('x');
  EXPECT_EQ(bytes.download(), std::vector<char>(5, 'x'));
  auto doubles = device.allocate<double>(3);
  doubles.fill(0.5);
  EXPECT_EQ(doubles.download(), std::vector<double>(3, 0.5));
  auto triples = device.allocate<Triple>(4);
  triples.fill({1, 2, 3});
  EXPECT_EQ(triples.download(), std::vector<Triple>(4, Triple{1, 2, 3}));
}

TEST_P(Buffers, FillsAndCopiesAreOverWhenTheyReturn) {
  auto a = device.allocate<int>(1000), b = device.allocate<int>(1000);
  const Stream stream = device.stream();
  const auto be_busy = [&] {
    stream.call([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
  };
  be_busy();
  a.fill(7);
  EXPECT_TRUE(stream.idle());
  be_busy();
  b.copy_from(a);
  EXPECT_TRUE(stream.idle());
  EXPECT_EQ(b.download(), std::vector<int>(1000, 7));
}

TEST_P(Buffers, SlicesArePartsOfThem) {
  auto buffer = device.upload(std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
  const Slice<int> middle = buffer.slice(2, 4);
  EXPECT_EQ(middle.download(), (std::vector<int>{2, 3, 4, 5}));
  EXPECT_EQ(middle.slice(1, 2).download(), (std::vector<int>{3, 4}));
  EXPECT_EQ(buffer.slice(6).download(), (std::vector<int>{6, 7}));
  EXPECT_TRUE(buffer.slice(8).empty());
  middle.fill(9);
  EXPECT_EQ(buffer.download(), (std::vector<int>{0, 1, 9, 9, 9, 9, 6, 7}));
  const Slice<const int> fixed = middle;
  buffer.slice(0, 2).copy_from(fixed.slice(0, 2));
  EXPECT_EQ(buffer.download(), (std::vector<int>{9, 9, 9, 9, 9, 9, 6, 7}));
}

TEST_P(Buffers, WrongSizesAreRefused) {
  auto buffer = device.allocate<int>(4);
  const std::vector<int> five(5);
  EXPECT_EQ(message_of([&] { buffer.upload(five); }), "upload failed: 5 elements given, the buffer has 4");
  std::vector<int> to(5);
  EXPECT_EQ(message_of([&] { buffer.download(to); }), "download failed: 5 elements given, the buffer has 4");
  EXPECT_EQ(message_of([&] { (void)buffer.slice(2, 3); }),
            "slice failed: elements 2 to 5 are outside the buffer of 4 elements");
  EXPECT_EQ(message_of([&] { (void)buffer.slice(5); }),
            "slice failed: elements 5 to 5 are outside the buffer of 4 elements");
  EXPECT_EQ(message_of([&] { (void)buffer.slice(1, SIZE_MAX); }),
            "slice failed: 18446744073709551615 elements from element 1 exceed the buffer of 4 elements");
  EXPECT_EQ(message_of([&] { buffer.slice(0, 2).copy_from(buffer.slice(2, 1)); }),
            "copy failed: the source has 4 B, the destination 8 B");
  EXPECT_EQ(message_of([&] { buffer.slice(0, 2).copy_from(buffer.slice(1, 2)); }),
            "copy failed: source and destination overlap");
}

TEST_P(Buffers, MovedFromAndNeverMadeAreRefused) {
  auto first = device.upload(std::vector<int>{1, 2});
  Buffer<int> second = std::move(first);
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): that is the question
  EXPECT_TRUE(first.empty());
  EXPECT_EQ(second.download(), (std::vector<int>{1, 2}));
  std::vector<int> to(1);
  const char* const text = "using a buffer failed: it holds no memory (never allocated, or moved from)";
  EXPECT_EQ(message_of([&] { first.download(to); }), text);
  EXPECT_EQ(message_of([&] { first.upload(to); }), text);
  EXPECT_EQ(message_of([&] { Buffer<int>().upload(to); }), text);
  EXPECT_EQ(message_of([&] { second.copy_from(first); }),
            "copy failed: the source holds no memory (never allocated, or moved from)");
}

TEST_P(Buffers, TooLargeOnesAreRefused) {
  const Error error = error_of([&] { (void)device.allocate<double>(SIZE_MAX / 2); });
  EXPECT_EQ(error.kind(), ErrorKind::out_of_memory);
  EXPECT_EQ(error.message(),
            "allocating a buffer failed: 9223372036854775807 elements of 8 bytes exceed the address space");
  EXPECT_EQ(error.device(), device.name() + " (" + device.driver() + ")");
  const Error large =
      error_of([&] { (void)device.allocate<char>(std::size_t{1} << 60, MemoryKind::device, "sky"); });
  EXPECT_EQ(large.kind(), ErrorKind::out_of_memory);
  EXPECT_EQ(large.message().find("allocating 'sky' (1.0 EiB) failed: "), 0u) << large.message();
}

TEST_P(Buffers, FromAnyThread) {
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        auto buffer = device.upload(std::vector<int>(100, t));
        right += buffer.download() == std::vector<int>(100, t) ? 1 : 0;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, 160);
}

TEST(SharedBuffers, AreSeenInPlace) {
  const Device device = open("native");
  auto buffer = device.allocate<int>(3, MemoryKind::shared);
  buffer.fill(4);
  ASSERT_EQ(buffer.host().size(), 3u);
  EXPECT_EQ(buffer.host()[1], 4);
  EXPECT_EQ(buffer.slice(1).host().data(), buffer.host().data() + 1);
  EXPECT_TRUE(open("sim").allocate<int>(3).host().empty());
  EXPECT_EQ(message_of([] { (void)open("sim").allocate<int>(3, MemoryKind::shared); }),
            driver::message::kNoSharedMemory("simulator").text);
}

TEST(SeveralDevices, CopyThroughTheHost) {
  const Device sim = open("sim"), native = open("native");
  auto there = sim.upload(std::vector<int>{1, 2, 3});
  auto here = native.allocate<int>(3);
  here.copy_from(there);
  EXPECT_EQ(here.download(), (std::vector<int>{1, 2, 3}));
}

}  // namespace
}  // namespace quern::test
