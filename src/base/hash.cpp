#include "base/hash.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace quern::base {
namespace {

// Odd, with about half of their bits set, and without visible structure (fractions of the golden ratio, e, pi
// and the square root of 2). Changing any of them changes every stored hash.
constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
constexpr std::uint64_t kEuler = 0xb7e151628aed2a6b;
constexpr std::uint64_t kPi = 0x243f6a8885a308d3;
constexpr std::uint64_t kRoot2 = 0x6a09e667f3bcc909;

std::uint64_t load_little_endian(const unsigned char* bytes) {
  std::uint64_t value;
  std::memcpy(&value, bytes, sizeof value);
  if constexpr (std::endian::native == std::endian::big) {
    std::uint64_t swapped = 0;
    for (int i = 0; i < 8; ++i) swapped |= (value >> (8 * i) & 0xff) << (56 - 8 * i);
    value = swapped;
  }
  return value;
}

// A bijection in which every input bit reaches every output bit.
std::uint64_t avalanche(std::uint64_t value) {
  value ^= value >> 32;
  value *= kGolden;
  value ^= value >> 29;
  value *= kEuler;
  value ^= value >> 32;
  return value;
}

}  // namespace

Hasher::Hasher(std::uint64_t seed)
    : left_(avalanche(seed + kPi)), right_(avalanche(seed ^ kRoot2) + kGolden) {}

// For a fixed block this is a bijection of the state, and for a fixed state a bijection of the block: two
// inputs that differ in one block cannot collide before a later block differs too.
void Hasher::mix_block(const unsigned char* block) {
  std::uint64_t first = load_little_endian(block) * kGolden;
  std::uint64_t second = load_little_endian(block + 8) * kEuler;
  first = std::rotl(first, 31) * kPi;
  second = std::rotl(second, 33) * kRoot2;
  left_ = std::rotl(left_ ^ first, 27) + right_;
  right_ = std::rotl(right_ ^ second, 31) + left_;
  left_ = left_ * 5 + kPi;
  right_ = right_ * 9 + kRoot2;
}

void Hasher::add_bytes(const unsigned char* bytes, std::size_t size) {
  const std::size_t held = total_ % sizeof pending_;
  total_ += size;
  if (held != 0) {
    const std::size_t taken = std::min(size, sizeof pending_ - held);
    std::memcpy(pending_ + held, bytes, taken);
    if (held + taken < sizeof pending_) return;
    mix_block(pending_);
    bytes += taken;
    size -= taken;
  }
  for (; size >= sizeof pending_; bytes += sizeof pending_, size -= sizeof pending_) mix_block(bytes);
  if (size != 0) std::memcpy(pending_, bytes, size);
}

Hasher& Hasher::add(std::span<const std::byte> bytes) {
  if (!bytes.empty()) add_bytes(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  return *this;
}

Hasher& Hasher::add(std::string_view bytes) {
  return add(std::as_bytes(std::span<const char>(bytes.data(), bytes.size())));
}

Hasher& Hasher::add(std::uint64_t value) {
  unsigned char bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<unsigned char>(value >> (8 * i));
  add_bytes(bytes, sizeof bytes);
  return *this;
}

Hasher& Hasher::add_field(std::string_view text) {
  return add(static_cast<std::uint64_t>(text.size())).add(text);
}

Hash128 Hasher::finish() const {
  Hasher last = *this;
  if (const std::size_t held = total_ % sizeof pending_; held != 0) {
    std::memset(last.pending_ + held, 0, sizeof pending_ - held);
    last.mix_block(last.pending_);
  }
  // The length separates inputs that differ only in trailing zeros.
  std::uint64_t left = avalanche(last.left_ ^ total_ * kRoot2);
  std::uint64_t right = avalanche(last.right_ + std::rotl(left, 23));
  left = avalanche(left + right);
  right = avalanche(right ^ std::rotl(left, 41));
  return {left, right};
}

std::string Hash128::to_string() const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(32, '0');
  for (std::size_t i = 0; i < 16; ++i) {
    text[i] = kDigits[high >> (60 - 4 * i) & 15];
    text[16 + i] = kDigits[low >> (60 - 4 * i) & 15];
  }
  return text;
}

Hash128 hash128(std::string_view bytes, std::uint64_t seed) { return Hasher(seed).add(bytes).finish(); }

std::uint64_t hash64(std::string_view bytes, std::uint64_t seed) { return hash128(bytes, seed).low; }

}  // namespace quern::base
