#include "png.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace wave {
namespace {

void add_big(std::string& to, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) to += static_cast<char>(value >> shift & 255u);
}

std::uint32_t crc32(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t n = 0; n < 256; ++n) {
      std::uint32_t c = n;
      for (int k = 0; k < 8; ++k) c = (c & 1u) != 0 ? 0xedb88320u ^ c >> 1 : c >> 1;
      t[n] = c;
    }
    return t;
  }();
  std::uint32_t crc = ~0u;
  for (const char c : bytes) crc = table[(crc ^ static_cast<std::uint8_t>(c)) & 255u] ^ crc >> 8;
  return ~crc;
}

std::uint32_t adler32(std::string_view bytes) {
  std::uint32_t a = 1, b = 0;
  for (const char c : bytes) {
    a = (a + static_cast<std::uint8_t>(c)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

void add_chunk(std::string& to, std::string_view type, std::string_view data) {
  add_big(to, static_cast<std::uint32_t>(data.size()));
  const std::string body = std::string(type) + std::string(data);
  to += body;
  add_big(to, crc32(body));
}

// zlib's format with stored blocks: at most 65,535 bytes each, with their length and its complement.
std::string stored(std::string_view bytes) {
  std::string out = {'\x78', '\x01'};
  std::size_t at = 0;
  do {
    const std::size_t n = std::min<std::size_t>(bytes.size() - at, 65535);
    out += static_cast<char>(at + n == bytes.size() ? 1 : 0);
    for (const std::size_t v : {n, ~n}) {
      out += static_cast<char>(v & 255u);
      out += static_cast<char>(v >> 8 & 255u);
    }
    out += bytes.substr(at, n);
    at += n;
  } while (at < bytes.size());
  add_big(out, adler32(bytes));
  return out;
}

}  // namespace

std::string to_png(const Image& image) {
  std::string out = "\x89PNG\r\n\x1a\n";
  std::string header;
  add_big(header, image.width);
  add_big(header, image.height);
  header += std::string("\x08\x02\x00\x00\x00", 5);  // 8 bits, RGB, no interlacing
  add_chunk(out, "IHDR", header);
  std::string rows;
  const std::size_t row = std::size_t{image.width} * 3;
  for (std::size_t y = 0; y < image.height; ++y) {
    rows += '\0';  // no filter
    for (std::size_t i = 0; i < row; ++i) rows += static_cast<char>(image.rgb[y * row + i]);
  }
  add_chunk(out, "IDAT", stored(rows));
  add_chunk(out, "IEND", "");
  return out;
}

}  // namespace wave
