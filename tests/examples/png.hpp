// A strict reader of PNG files of 8-bit RGB with stored data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace quern::test {

struct Png {
  std::string wrong;  // empty: the file is valid
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

Png read_png(const std::string& bytes);

}  // namespace quern::test
