#include "picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace wave {
namespace {

std::uint8_t shade(float from, float to, float share) {
  return static_cast<std::uint8_t>(from + (to - from) * share);
}

}  // namespace

// Dark blue at rest; crests go to gold, troughs to light blue.
Image colour(const std::vector<float>& field, Size size) {
  Image image{static_cast<std::uint32_t>(size.width), static_cast<std::uint32_t>(size.height), {}};
  image.rgb.reserve(field.size() * 3);
  for (const float v : field) {
    const float share = std::min(1.0f, std::sqrt(std::min(1.0f, std::fabs(v))));
    const bool is_crest = v > 0;
    image.rgb.push_back(shade(8, is_crest ? 255 : 90, share));
    image.rgb.push_back(shade(12, is_crest ? 200 : 190, share));
    image.rgb.push_back(shade(40, is_crest ? 60 : 255, share));
  }
  return image;
}

std::string half_blocks(const Image& image, Cursor cursor) {
  std::string out;
  const auto add = [&](char ground, std::uint32_t x, std::uint32_t y) {
    const std::uint8_t* c = image.rgb.data() + (std::size_t{y} * image.width + x) * 3;
    const bool is_cursor = static_cast<int>(x) == cursor.x && static_cast<int>(y) == cursor.y;
    char text[40];
    std::snprintf(text, sizeof text, "\033[%c8;2;%d;%d;%dm", ground, is_cursor ? 255 : c[0],
                  is_cursor ? 40 : c[1], is_cursor ? 40 : c[2]);
    out += text;
  };
  for (std::uint32_t y = 0; y + 1 < image.height; y += 2) {
    for (std::uint32_t x = 0; x < image.width; ++x) {
      add('3', x, y);
      add('4', x, y + 1);
      out += "▀";
    }
    out += "\033[0m\r\n";
  }
  return out;
}

std::string characters(const std::vector<float>& field, Size size, int columns) {
  constexpr const char* kMarks = " .:-=+*#%@";
  const int step = std::max(1, (size.width + columns - 1) / columns);
  std::string out;
  for (int y = 0; y < size.height; y += 2 * step) {
    for (int x = 0; x < size.width; x += step) {
      const float v = std::fabs(field[static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) +
                                      static_cast<std::size_t>(x)]);
      out += kMarks[std::min(9, static_cast<int>(std::sqrt(std::min(v, 1.0f)) * 10.0f))];
    }
    while (!out.empty() && out.back() == ' ') out.pop_back();
    out += '\n';
  }
  return out;
}

}  // namespace wave
