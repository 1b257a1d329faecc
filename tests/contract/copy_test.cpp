// Copies in every direction, and fills.
#include <cstring>
#include <numeric>

#include "contract/contract.hpp"

namespace quern::contract {
namespace {

class CopyContract : public Contract {
 protected:
  static std::vector<uint8_t> bytes_from(size_t count, unsigned first) {
    std::vector<uint8_t> bytes(count);
    for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<uint8_t>(first + 31 * i + i / 256);
    return bytes;
  }
};
QUERN_CONTRACT(CopyContract);

// Odd offsets and sizes: a device that accesses whole words must not change the neighbors.
constexpr struct {
  uint64_t to, from, bytes;
} kParts[] = {{0, 0, 1}, {1, 0, 1}, {3, 5, 7}, {8, 4, 16}, {63, 1, 65}, {100, 101, 27}, {5, 200, 3}};

TEST_P(CopyContract, UploadsParts) {
  const StreamPtr s = stream();
  for (const auto& p : kParts) {
    SCOPED_TRACE("offset " + std::to_string(p.to) + ", " + std::to_string(p.bytes) + " bytes");
    std::vector<uint8_t> expected = bytes_from(256, 1);
    const std::vector<uint8_t> source = bytes_from(256, 100);
    const BufferPtr b = buffer_with(*s, expected);
    ASSERT_OK(device().upload(*s, {b.get(), p.to}, source.data() + p.from, p.bytes));
    std::memcpy(expected.data() + p.to, source.data() + p.from, p.bytes);
    EXPECT_EQ(contents<uint8_t>(*s, *b), expected);
  }
}

TEST_P(CopyContract, DownloadsParts) {
  const StreamPtr s = stream();
  const std::vector<uint8_t> source = bytes_from(256, 9);
  const BufferPtr b = buffer_with(*s, source);
  for (const auto& p : kParts) {
    SCOPED_TRACE("offset " + std::to_string(p.from) + ", " + std::to_string(p.bytes) + " bytes");
    std::vector<uint8_t> target(256, 0xee);
    std::vector<uint8_t> expected = target;
    ASSERT_OK(device().download(*s, target.data() + p.to, {b.get(), p.from}, p.bytes));
    ASSERT_OK(device().synchronize(*s));
    std::memcpy(expected.data() + p.to, source.data() + p.from, p.bytes);
    EXPECT_EQ(target, expected);
  }
}

TEST_P(CopyContract, CopiesPartsBetweenBuffers) {
  const StreamPtr s = stream();
  const std::vector<uint8_t> source = bytes_from(256, 50);
  const BufferPtr from = buffer_with(*s, source);
  for (const auto& p : kParts) {
    SCOPED_TRACE("from " + std::to_string(p.from) + " to " + std::to_string(p.to) + ", " +
                 std::to_string(p.bytes) + " bytes");
    std::vector<uint8_t> expected = bytes_from(256, 3);
    const BufferPtr to = buffer_with(*s, expected);
    ASSERT_OK(device().copy(*s, {to.get(), p.to}, {from.get(), p.from}, p.bytes));
    std::memcpy(expected.data() + p.to, source.data() + p.from, p.bytes);
    EXPECT_EQ(contents<uint8_t>(*s, *to), expected);
  }
}

TEST_P(CopyContract, CopiesAdjacentPartsOfOneBuffer) {
  const StreamPtr s = stream();
  std::vector<uint8_t> expected = bytes_from(64, 7);
  const BufferPtr b = buffer_with(*s, expected);
  ASSERT_OK(device().copy(*s, {b.get(), 16}, {b.get(), 0}, 16));
  ASSERT_OK(device().copy(*s, {b.get(), 32}, {b.get(), 48}, 16));
  std::memcpy(expected.data() + 16, expected.data(), 16);
  std::memcpy(expected.data() + 32, expected.data() + 48, 16);
  EXPECT_EQ(contents<uint8_t>(*s, *b), expected);
}

TEST_P(CopyContract, CopiesNothing) {
  const StreamPtr s = stream();
  const std::vector<uint8_t> expected = bytes_from(16, 2);
  const BufferPtr b = buffer_with(*s, expected);
  const BufferPtr empty = buffer(0);
  EXPECT_OK(device().upload(*s, {b.get(), 16}, nullptr, 0));
  EXPECT_OK(device().download(*s, nullptr, {b.get(), 0}, 0));
  EXPECT_OK(device().copy(*s, {b.get(), 3}, {empty.get(), 0}, 0));
  EXPECT_OK(device().copy(*s, {b.get(), 4}, {b.get(), 4}, 0));
  EXPECT_OK(device().fill(*s, {empty.get(), 0}, 1, 4, 0));
  EXPECT_EQ(contents<uint8_t>(*s, *b), expected);
}

TEST_P(CopyContract, CopiesInOrder) {
  const StreamPtr s = stream();
  const BufferPtr a = buffer(64);
  const BufferPtr b = buffer(64);
  std::vector<std::vector<int>> sources;
  std::vector<std::vector<int>> targets(20, std::vector<int>(16));
  for (int i = 0; i < 20; ++i) sources.emplace_back(16, i);
  for (size_t i = 0; i < 20; ++i) {  // nothing waits in between
    ASSERT_OK(device().upload(*s, {a.get(), 0}, sources[i].data(), 64));
    ASSERT_OK(device().copy(*s, {b.get(), 0}, {a.get(), 0}, 64));
    ASSERT_OK(device().download(*s, targets[i].data(), {b.get(), 0}, 64));
  }
  ASSERT_OK(device().synchronize(*s));
  EXPECT_EQ(targets, sources);
}

TEST_P(CopyContract, CopiesLargeBuffers) {
  const StreamPtr s = stream();
  const std::vector<uint8_t> source = bytes_from((3 << 20) + 1, 11);
  const BufferPtr a = buffer_with(*s, source);
  const BufferPtr b = buffer(source.size());
  ASSERT_OK(device().copy(*s, {b.get(), 0}, {a.get(), 0}, source.size()));
  EXPECT_TRUE(contents<uint8_t>(*s, *b) == source);
}

TEST_P(CopyContract, FillsParts) {
  const StreamPtr s = stream();
  const uint64_t value = 0x8877665544332211;
  for (const uint32_t width : {1u, 2u, 4u, 8u}) {
    for (const uint64_t offset : {0u, 8u, 24u}) {
      for (const uint64_t bytes : {8u, 40u}) {
        SCOPED_TRACE(std::to_string(width) + " wide, offset " + std::to_string(offset) + ", " +
                     std::to_string(bytes) + " bytes");
        std::vector<uint8_t> expected = bytes_from(72, 1);
        const BufferPtr b = buffer_with(*s, expected);
        ASSERT_OK(device().fill(*s, {b.get(), offset}, value, width, bytes));
        for (uint64_t i = 0; i < bytes; i += width) std::memcpy(expected.data() + offset + i, &value, width);
        EXPECT_EQ(contents<uint8_t>(*s, *b), expected);
      }
    }
  }
}

TEST_P(CopyContract, FillsOddParts) {
  const StreamPtr s = stream();
  std::vector<uint8_t> expected = bytes_from(64, 1);
  const BufferPtr b = buffer_with(*s, expected);
  ASSERT_OK(device().fill(*s, {b.get(), 3}, 0xab, 1, 5));
  ASSERT_OK(device().fill(*s, {b.get(), 10}, 0xcdef, 2, 6));
  std::memset(expected.data() + 3, 0xab, 5);
  const uint16_t half = 0xcdef;
  for (size_t i = 10; i < 16; i += 2) std::memcpy(expected.data() + i, &half, 2);
  EXPECT_EQ(contents<uint8_t>(*s, *b), expected);
}

TEST_P(CopyContract, CopiesFromAnotherDeviceOrSaysThatItCannot) {
  auto other = open_device(GetParam());
  ASSERT_OK(other);
  driver::Device& theirs = **other;
  const std::vector<uint8_t> source = bytes_from(128, 77);
  auto their_stream = theirs.create_stream({});
  auto from = theirs.allocate(128, MemoryKind::device);
  ASSERT_OK(their_stream);
  ASSERT_OK(from);
  ASSERT_OK(theirs.upload(**their_stream, {from->get(), 0}, source.data(), 128));
  ASSERT_OK(theirs.synchronize(**their_stream));
  auto raw = open_device(GetParam());  // both without decorators
  ASSERT_OK(raw);
  driver::Device& own = **raw;
  auto s = own.create_stream({});
  auto to = own.allocate(128, MemoryKind::device);
  ASSERT_OK(s);
  ASSERT_OK(to);
  const Result<> copied = own.copy_from(**s, {to->get(), 28}, theirs, {from->get(), 5}, 100);
  if (!copied.ok()) {
    EXPECT_EQ(copied.error().kind(), ErrorKind::unsupported) << copied.error().message();
    return;  // the layer above copies through host memory
  }
  std::vector<uint8_t> target(100);
  ASSERT_OK(own.download(**s, target.data(), {to->get(), 28}, 100));
  ASSERT_OK(own.synchronize(**s));
  EXPECT_EQ(target, std::vector<uint8_t>(source.begin() + 5, source.begin() + 105));
}

}  // namespace
}  // namespace quern::contract
