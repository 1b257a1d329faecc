// Textures and surfaces as text, for the command line and tests:
//   texture(u8x4[16,8]=iota linear wrap normalized values border=1)   the options in any order
//   texture(f32[8,4,2]=rand layered)                                  the last extent counts layers
//   surface(f32[16,8])
// Extents are given from the slowest to the fastest dimension, as in the shape of a C array: [rows,columns].
#pragma once

#include <string_view>

#include "runtime/argument_text.hpp"
#include "runtime/texture.hpp"

namespace quern::runtime {

struct HostTexture {
  bool is_surface = false;
  HostBuffer texels;
  TextureDescriptor descriptor;
  uint64_t bytes() const { return texels.count * texels.element_bytes(); }
};

bool is_texture_text(std::string_view text);
base::Result<HostTexture> parse_texture(std::string_view text);

}  // namespace quern::runtime
