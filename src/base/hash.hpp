// A fast hash of bytes for tables, caches and receipts. Its values are the same on every platform and in
// every release of one format version, so they may be stored in files. It is not cryptographic: do not use it
// where an attacker could benefit from collisions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace quern::base {

struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  bool operator==(const Hash128&) const = default;
  auto operator<=>(const Hash128&) const = default;
  std::string to_string() const;  // 32 hexadecimal digits, high half first
};

// Adds bytes in any number of pieces: splitting does not change the result.
class Hasher {
 public:
  explicit Hasher(std::uint64_t seed = 0);

  Hasher& add(std::span<const std::byte> bytes);
  Hasher& add(std::string_view bytes);
  // As eight bytes, little-endian.
  Hasher& add(std::uint64_t value);
  // A text with its length, so that ("ab", "c") differs from ("a", "bc").
  Hasher& add_field(std::string_view text);

  // The hash of all bytes added so far; more may be added afterwards.
  Hash128 finish() const;

 private:
  void add_bytes(const unsigned char* bytes, std::size_t size);
  void mix_block(const unsigned char* block);

  std::uint64_t left_;
  std::uint64_t right_;
  std::uint64_t total_ = 0;
  unsigned char pending_[16] = {};
};

Hash128 hash128(std::string_view bytes, std::uint64_t seed = 0);
std::uint64_t hash64(std::string_view bytes, std::uint64_t seed = 0);

}  // namespace quern::base
