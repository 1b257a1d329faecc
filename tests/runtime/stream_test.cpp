#include "runtime/stream.hpp"

#include <thread>

#include <gtest/gtest.h>

#include "runtime/messages.hpp"
#include "runtime/test_driver.hpp"

namespace quern::runtime {
namespace {

using base::ErrorKind;

class StreamTest : public ::testing::Test {
 protected:
  MemoryPtr allocate(uint64_t bytes) { return take(device->allocate(bytes, driver::MemoryKind::device, "")); }
  Stream& stream() { return device->default_stream(); }

  std::shared_ptr<Device> device = take(Device::adopt(open_sim()));
  std::shared_ptr<Device> other = take(Device::adopt(open_sim()));
  MemoryPtr memory = allocate(64);
  MemoryPtr second = allocate(64);
  char host[64] = {};
};

TEST_F(StreamTest, BuffersOfOtherDevicesAreRefused) {
  auto foreign = take(other->allocate(64, driver::MemoryKind::device, ""));
  const std::string tail = " belongs to simulator (sim), the stream to simulator (sim)";
  EXPECT_EQ(refusal(stream().upload(all(*foreign), host, 8)), "upload failed: the buffer" + tail);
  EXPECT_EQ(refusal(stream().download(host, all(*foreign), 8)), "download failed: the buffer" + tail);
  EXPECT_EQ(refusal(stream().copy(all(*foreign), all(*foreign))), "copy failed: the destination" + tail);
  EXPECT_EQ(refusal(stream().fill(all(*foreign), 0, 1)), "fill failed: the buffer" + tail);
  EXPECT_EQ(stream().upload(all(*foreign), host, 8).error().hint(), "copy the buffer to this device first");
}

TEST_F(StreamTest, CopiesGoBetweenDevices) {
  auto foreign = take(other->allocate(64, driver::MemoryKind::device, ""));
  for (size_t i = 0; i < 64; ++i) host[i] = static_cast<char>(i);
  ASSERT_TRUE(stream().upload(all(*memory), host, 64).ok());
  ASSERT_TRUE(stream().copy({foreign.get(), 16, 32}, {memory.get(), 8, 32}).ok());  // to the other device
  ASSERT_TRUE(stream().fill(all(*memory), 0, 1).ok());
  ASSERT_TRUE(stream().copy({memory.get(), 0, 32}, {foreign.get(), 16, 32}).ok());  // and back
  ASSERT_TRUE(stream().download(host, all(*memory), 64).ok());
  ASSERT_TRUE(stream().synchronize().ok());
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(host[i], i < 32 ? static_cast<char>(i + 8) : 0) << i;
  EXPECT_EQ(refusal(stream().copy({foreign.get(), 40, 32}, {memory.get(), 8, 32})),
            message::kRangeOutside("copy failed: the destination", "64", "32", "40").text);
  EXPECT_EQ(refusal(stream().copy({foreign.get(), 0, 16}, {memory.get(), 8, 32})),
            message::kCopySizes("32 B", "16 B").text);
}

TEST_F(StreamTest, BuffersWithoutMemoryAreRefused) {
  EXPECT_EQ(refusal(stream().upload({}, host, 8)), message::kNoMemory("upload failed: the buffer").text);
  EXPECT_EQ(refusal(stream().copy(all(*memory), {})), message::kNoMemory("copy failed: the source").text);
}

TEST_F(StreamTest, PlacesOutOfRangeAreRefused) {
  EXPECT_EQ(refusal(stream().upload({memory.get(), 60, 4}, host, 5)),
            message::kRangeOutside("upload failed: the buffer", "64", "5", "60").text);
  EXPECT_EQ(refusal(stream().download(host, {memory.get(), 65, 0}, 0)),
            message::kRangeOutside("download failed: the buffer", "64", "0", "65").text);
  EXPECT_EQ(refusal(stream().fill({memory.get(), 8, ~uint64_t{0}}, 0, 1)),
            message::kRangeOutside("fill failed: the buffer", "64", "18446744073709551615", "8").text);
  EXPECT_TRUE(stream().upload({memory.get(), 60, 4}, host, 4).ok());
}

TEST_F(StreamTest, SizesOfNothingDoNothing) {
  EXPECT_TRUE(stream().upload(all(*memory), nullptr, 0).ok());
  EXPECT_TRUE(stream().download(nullptr, all(*memory), 0).ok());
  EXPECT_TRUE(stream().copy({memory.get(), 64, 0}, {second.get(), 0, 0}).ok());
  EXPECT_TRUE(stream().fill({memory.get(), 64, 0}, 0, 4).ok());
  auto empty = allocate(0);
  EXPECT_EQ(empty->bytes(), 0u);
  EXPECT_TRUE(stream().upload(all(*empty), nullptr, 0).ok());
}

TEST_F(StreamTest, HostPointersAreNotNull) {
  EXPECT_EQ(refusal(stream().upload(all(*memory), nullptr, 8)), message::kUploadFromNull().text);
  EXPECT_EQ(refusal(stream().download(nullptr, all(*memory), 8)), message::kDownloadToNull().text);
}

TEST_F(StreamTest, CopiesHaveOneSizeAndDoNotOverlap) {
  EXPECT_EQ(refusal(stream().copy({memory.get(), 0, 8}, {second.get(), 0, 16})),
            message::kCopySizes("16 B", "8 B").text);
  EXPECT_EQ(refusal(stream().copy({memory.get(), 8, 16}, {memory.get(), 0, 16})),
            message::kCopyOverlaps().text);
  EXPECT_TRUE(stream().fill(all(*memory), 1, 1).ok());
  EXPECT_TRUE(stream().copy({memory.get(), 16, 16}, {memory.get(), 0, 16}).ok());
}

TEST_F(StreamTest, FillsHaveAWidth) {
  EXPECT_EQ(refusal(stream().fill(all(*memory), 0, 3)), message::kFillValueSize("3").text);
  EXPECT_EQ(refusal(stream().fill({memory.get(), 0, 6}, 0, 4)), message::kFillNotMultiple("6", "4").text);
  EXPECT_TRUE(stream().fill(all(*memory), 0x0102030405060708, 8).ok());
  EXPECT_TRUE(stream().download(host, all(*memory), 64).ok());
  EXPECT_TRUE(stream().synchronize().ok());
  EXPECT_EQ(host[0], 8);
  EXPECT_EQ(host[63], 1);
}

TEST_F(StreamTest, EventsOfOtherDevicesAreWaitedForByTheHost) {
  auto event = take(other->default_stream().record());
  EXPECT_TRUE(stream().wait(*event).ok());
  EXPECT_TRUE(take(event->reached()));
  EXPECT_GT(take(event->time()), 0u);
}

TEST_F(StreamTest, FunctionsAreCalledInOrder) {
  std::string order;
  EXPECT_TRUE(stream().call([&] { order += "a"; }).ok());
  EXPECT_TRUE(stream().call([&] { order += "b"; }).ok());
  EXPECT_TRUE(stream().synchronize().ok());
  EXPECT_EQ(order, "ab");
}

TEST_F(StreamTest, AnEventOutlivesItsStream) {
  auto stream = take(Stream::create(*device, {}));
  auto event = take(stream->record());
  stream.reset();
  EXPECT_TRUE(event->wait().ok());
  EXPECT_TRUE(take(event->reached()));
}

}  // namespace
}  // namespace quern::runtime
