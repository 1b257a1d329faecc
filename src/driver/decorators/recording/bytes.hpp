// Numbers and texts in a recording: little-endian, texts after their length. Reading never passes the end:
// missing data reads as zero, and ok() returns false.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace quern::recording {

class Writer {
 public:
  template <typename T>
  requires(std::is_integral_v<T> || std::is_enum_v<T>) Writer& number(T value) {
    for (size_t i = 0; i < sizeof(T); ++i)
      bytes_ += static_cast<char>(static_cast<uint64_t>(value) >> (8 * i) & 0xFF);
    return *this;
  }
  Writer& text(std::string_view text) {
    number(uint64_t{text.size()});
    bytes_ += text;
    return *this;
  }
  Writer& raw(const void* bytes, uint64_t size) {
    return text({static_cast<const char*>(bytes), static_cast<size_t>(size)});
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  requires(std::is_integral_v<T> || std::is_enum_v<T>) T number() {
    uint64_t value = 0;
    const std::string_view part = take(sizeof(T));
    for (size_t i = 0; i < part.size(); ++i)
      value |= uint64_t{static_cast<unsigned char>(part[i])} << (8 * i);
    return static_cast<T>(value);
  }
  uint64_t u64() { return number<uint64_t>(); }
  uint32_t u32() { return number<uint32_t>(); }
  uint8_t u8() { return number<uint8_t>(); }
  bool flag() { return u8() != 0; }
  std::string_view text() { return take(u64()); }  // view of the input

  // Number of items that follow, each at least `least` bytes long; an impossible count is a failure.
  uint64_t count(uint64_t least) {
    const uint64_t n = u64();
    if (n <= rest_.size() / least) return n;
    ok_ = false;
    return 0;
  }

  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view take(uint64_t size) {
    if (!ok_ || size > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view part = rest_.substr(0, static_cast<size_t>(size));
    rest_.remove_prefix(part.size());
    return part;
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace quern::recording
