#include "base/hash.hpp"

#include <bit>
#include <random>
#include <set>
#include <string>
#include <unordered_set>

#include <gtest/gtest.h>

namespace quern::base {
namespace {

// Stored hashes must stay readable: if this fails, the hash has changed and every cache is stale.
TEST(Hash, ValuesAreFixed) {
  std::string bytes(1000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7);
  EXPECT_EQ(hash128("").to_string(), "1f2921d9f4cc94eae2fdc57a52924841");
  EXPECT_EQ(hash128("quern").to_string(), "b0ed4bbedddfc184d5403e27cd9a4ec6");
  EXPECT_EQ(hash128(bytes).to_string(), "156316c38b8765d31e945a3395e92fbf");
  EXPECT_EQ(hash128(bytes, 42).to_string(), "99c4c1c4d0a9ef0d86bdde7235bf6bf7");
  EXPECT_EQ(hash64("quern"), hash128("quern").low);
}

TEST(Hash, TextIsHighHalfFirst) {
  EXPECT_EQ((Hash128{0x1, 0xabcdef0000000000}.to_string()), "abcdef00000000000000000000000001");
}

TEST(Hash, PiecesDoNotMatter) {
  std::mt19937 random(3);
  std::string bytes(300, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  for (int round = 0; round < 500; ++round) {
    Hasher hasher;
    std::string_view rest = bytes;
    while (!rest.empty()) {
      const std::size_t piece = std::min<std::size_t>(random() % 40, rest.size());
      hasher.add(rest.substr(0, piece));
      static_cast<void>(hasher.finish());
      rest.remove_prefix(piece);
    }
    ASSERT_EQ(hasher.finish(), hash128(bytes));
  }
  EXPECT_EQ(Hasher().add(std::uint64_t{0x0807060504030201}).finish(),
            hash128("\x01\x02\x03\x04\x05\x06\x07\x08"));
}

TEST(Hash, FieldsKeepTheirBorders) {
  EXPECT_NE(Hasher().add_field("ab").add_field("c").finish(),
            Hasher().add_field("a").add_field("bc").finish());
  EXPECT_EQ(Hasher().add("ab").add("c").finish(), Hasher().add("a").add("bc").finish());
}

TEST(Hash, LengthOfZerosMatters) {
  std::set<std::uint64_t> seen;
  for (std::size_t length = 0; length < 200; ++length) seen.insert(hash64(std::string(length, '\0')));
  EXPECT_EQ(seen.size(), 200u);
}

TEST(Hash, ShortInputsDoNotCollide) {
  std::unordered_set<std::uint64_t> seen;
  for (int i = 0; i < 300'000; ++i) seen.insert(hash64("kernel_" + std::to_string(i)));
  EXPECT_EQ(seen.size(), 300'000u);
}

// Flipping any one bit of the input flips each bit of the output about half of the time.
TEST(Hash, EveryBitReachesEveryBit) {
  std::mt19937_64 random(5);
  for (const std::size_t length : {1u, 8u, 16u, 33u, 100u}) {
    constexpr int kRounds = 200;
    for (std::size_t bit = 0; bit < length * 8; bit += 3) {
      int flips_low = 0;
      int flips_high = 0;
      for (int round = 0; round < kRounds; ++round) {
        std::string bytes(length, '\0');
        for (char& byte : bytes) byte = static_cast<char>(random());
        const Hash128 before = hash128(bytes);
        bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
        const Hash128 after = hash128(bytes);
        flips_low += std::popcount(before.low ^ after.low);
        flips_high += std::popcount(before.high ^ after.high);
      }
      EXPECT_NEAR(flips_low / static_cast<double>(kRounds), 32, 2) << length << " bytes, bit " << bit;
      EXPECT_NEAR(flips_high / static_cast<double>(kRounds), 32, 2) << length << " bytes, bit " << bit;
    }
  }
}

}  // namespace
}  // namespace quern::base
