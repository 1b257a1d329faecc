// Presents a field: colors, an image for a terminal, and plain characters.
#pragma once

#include <string>
#include <vector>

#include "field.hpp"
#include "png.hpp"

namespace wave {

Image colour(const std::vector<float>& field, Size size);

struct Cursor {
  int x = -1, y = -1;  // -1: none
};
// Two vertically adjacent cells form one character, in 24-bit color.
std::string half_blocks(const Image& image, Cursor cursor);
// Without color: at most `columns` wide.
std::string characters(const std::vector<float>& field, Size size, int columns);

}  // namespace wave
