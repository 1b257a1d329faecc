// Suballocation (driver/support/chunks.hpp), on host memory.
#include "driver/support/chunks.hpp"

#include <gtest/gtest.h>

namespace quern::driver {
namespace {

struct HostChunk final : Chunk {
  std::vector<std::byte> memory;
};

class ChunksTest : public testing::Test {
 protected:
  static constexpr uint64_t kMost = uint64_t{64} << 20;

  int made_ = 0;
  Chunks chunks_{kMost, [this](uint64_t bytes) -> base::Result<std::unique_ptr<Chunk>> {
                   auto chunk = std::make_unique<HostChunk>();
                   chunk->memory.resize(bytes);
                   chunk->host = chunk->memory.data();
                   chunk->address = 0x1000;
                   ++made_;
                   return std::unique_ptr<Chunk>(std::move(chunk));
                 }};
};

TEST_F(ChunksTest, PiecesShareAChunkAndAreMergedWhenFreed) {
  std::vector<Piece> pieces;
  for (int i = 0; i < 100; ++i) pieces.push_back(*chunks_.take(1000));
  EXPECT_EQ(made_, 1);
  for (const Piece& p : pieces) {
    EXPECT_EQ(p.offset % 256, 0u);
    EXPECT_EQ(p.bytes, 1024u);
    EXPECT_EQ(p.address(), 0x1000 + p.offset);
  }
  for (size_t i = 0; i < pieces.size(); i += 2) chunks_.give(pieces[i]);
  for (size_t i = 1; i < pieces.size(); i += 2) chunks_.give(pieces[i]);
  EXPECT_EQ(pieces[0].chunk->holes.size(), 1u);
  EXPECT_EQ(chunks_.take(50'000)->offset, 0u);
  EXPECT_EQ(made_, 1);
}

TEST_F(ChunksTest, LargePiecesHaveTheirOwn) {
  const Piece small = *chunks_.take(1), large = *chunks_.take(kMost / 2);
  EXPECT_NE(small.chunk, large.chunk);
  EXPECT_EQ(large.bytes, kMost / 2);
  chunks_.give(large);
  EXPECT_EQ(chunks_.find(small.host(), 1).chunk, small.chunk);
  EXPECT_EQ(chunks_.take(kMost + 1).error().message(),
            "cannot allocate 64.0 MiB: the device's limit is 64.0 MiB");
}

TEST_F(ChunksTest, OnlyItsOwnMemoryIsFound) {
  const Piece piece = *chunks_.take(512);
  const Piece found = chunks_.find(piece.host() + 16, 32);
  EXPECT_EQ(found.chunk, piece.chunk);
  EXPECT_EQ(found.offset, piece.offset + 16);
  const int other = 0;
  EXPECT_EQ(chunks_.find(&other, sizeof other).chunk, nullptr);
  EXPECT_EQ(chunks_.find(piece.host(), piece.chunk->bytes + 1).chunk, nullptr);
}

}  // namespace
}  // namespace quern::driver
