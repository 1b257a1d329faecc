// Writes a PNG file of 8-bit RGB without a compressor: the image data is stored uncompressed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wave {

struct Image {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  // row by row
};

std::string to_png(const Image& image);

}  // namespace wave
