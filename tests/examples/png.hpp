// Reads a PNG file of 8-bit RGB whose data is stored, and is strict about it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace quern::test {

struct Png {
  std::string wrong;  // empty: the file is whole
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

Png read_png(const std::string& bytes);

}  // namespace quern::test
