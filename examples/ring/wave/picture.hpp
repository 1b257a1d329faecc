// A field as something to see: colours, a picture for a terminal, and plain characters.
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
// Two cells above each other are one character, in 24-bit colour.
std::string half_blocks(const Image& image, Cursor cursor);
// Without colour: at most `columns` wide.
std::string characters(const std::vector<float>& field, Size size, int columns);

}  // namespace wave
