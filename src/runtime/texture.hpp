// Textures as kernel arguments: the descriptor of texels in device memory.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.hpp"
#include "quern/types/texture.hpp"

namespace quern::runtime {

using quern::detail::TextureDescriptor;

// Texels row by row; `pitch` bytes from row to row, 0: no gaps.
struct TextureLayout {
  TexelFormat format;
  TextureExtent extent;
  uint64_t pitch = 0;
};

// Bytes of the texels. Fails if the format or the extent is not supported.
base::Result<uint64_t> texture_bytes(const TextureLayout& layout);

// Without an address: the launch sets it. Fails if the sampler does not suit the format. No sampler: of a
// surface.
base::Result<TextureDescriptor> describe_texture(const TextureLayout& layout,
                                                 const std::optional<Sampler>& sampler);

}  // namespace quern::runtime
