#include "examples/png.hpp"

namespace quern::test {
namespace {

std::uint32_t big(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<std::uint8_t>(bytes[at + i]);
  return value;
}

std::uint32_t crc_of(const std::string& bytes) {
  std::uint32_t crc = ~0u;
  for (const char c : bytes) {
    crc ^= static_cast<std::uint8_t>(c);
    for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ ((crc & 1u) != 0 ? 0xedb88320u : 0u);
  }
  return ~crc;
}

std::string inflate_stored(const std::string& data, std::string& wrong) {
  std::string out;
  std::size_t at = 2;
  if (data.size() < 6 ||
      (static_cast<std::uint8_t>(data[0]) * 256u + static_cast<std::uint8_t>(data[1])) % 31 != 0)
    wrong = "zlib's header";
  for (bool is_last = false; !is_last && wrong.empty();) {
    if (at + 5 > data.size()) return wrong = "a block is cut", out;
    const auto byte = [&](std::size_t i) {
      return static_cast<std::uint32_t>(static_cast<std::uint8_t>(data[at + i]));
    };
    is_last = byte(0) == 1;
    const std::uint32_t n = byte(1) | byte(2) << 8, complement = byte(3) | byte(4) << 8;
    if (byte(0) > 1 || (n ^ complement) != 0xffffu || at + 5 + n > data.size())
      return wrong = "a block's length", out;
    out += data.substr(at + 5, n);
    at += 5 + n;
  }
  std::uint32_t a = 1, b = 0;
  for (const char c : out) {
    a = (a + static_cast<std::uint8_t>(c)) % 65521;
    b = (b + a) % 65521;
  }
  if (wrong.empty() && (at + 4 != data.size() || big(data, at) != (b << 16 | a))) wrong = "zlib's checksum";
  return out;
}

}  // namespace

Png read_png(const std::string& bytes) {
  Png png;
  if (bytes.substr(0, 8) != "\x89PNG\r\n\x1a\n") return png.wrong = "the signature", png;
  std::string data, types;
  for (std::size_t at = 8; at < bytes.size();) {
    if (at + 12 > bytes.size()) return png.wrong = "a chunk is cut", png;
    const std::size_t n = big(bytes, at);
    if (at + 12 + n > bytes.size()) return png.wrong = "a chunk is cut", png;
    const std::string type = bytes.substr(at + 4, 4), body = bytes.substr(at + 8, n);
    if (crc_of(type + body) != big(bytes, at + 8 + n)) return png.wrong = "the checksum of " + type, png;
    if (type == "IHDR" && n == 13) {
      png.width = big(body, 0);
      png.height = big(body, 4);
    }
    if (type == "IDAT") data += body;
    types += type;
    at += 12 + n;
  }
  if (types != "IHDRIDATIEND") return png.wrong = "the chunks are " + types, png;
  const std::string rows = inflate_stored(data, png.wrong);
  const std::size_t row = std::size_t{png.width} * 3 + 1;
  if (png.wrong.empty() && rows.size() != row * png.height) png.wrong = "the size of the data";
  for (std::size_t i = 0; png.wrong.empty() && i < rows.size(); ++i) {
    if (i % row != 0) png.rgb.push_back(static_cast<std::uint8_t>(rows[i]));
  }
  return png;
}

}  // namespace quern::test
