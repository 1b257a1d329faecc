/// @file
/// Formats of texels, and how textures are sampled.
#pragma once

#include <array>
#include <cstdint>

namespace quern {

/// The type of a texel's channels.
enum class ChannelKind : std::uint8_t { signed_integer, unsigned_integer, real };

/// The format of a texel: 1, 2 or 4 channels of 8, 16 or 32 bits. `real` has 16 or 32 bits.
struct TexelFormat {
  /// Type of the channels.
  ChannelKind kind = ChannelKind::real;
  /// Bits per channel.
  std::uint32_t bits = 32;
  /// Number of channels.
  std::uint32_t channels = 1;

  /// Bytes per texel.
  constexpr std::uint32_t bytes() const { return bits / 8 * channels; }
  bool operator==(const TexelFormat&) const = default;
};

/// Numbers of texels. A dimension that is 0 does not exist: {256} is one-dimensional, {256, 256} has two
/// dimensions, {64, 64, 64} three. `layers` is the number of one- or two-dimensional layers, 0 for none.
struct TextureExtent {
  std::uint32_t width = 0;   ///< Texels per row.
  std::uint32_t height = 0;  ///< Rows.
  std::uint32_t depth = 0;   ///< Slices of a three-dimensional array.
  std::uint32_t layers = 0;  ///< Layers.
};

/// The texel that a coordinate outside of the texture selects. `wrap` and `mirror` need normalized
/// coordinates; without, they behave as `clamp`, as in CUDA.
enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };

/// The nearest texel, or the weighted sum of the nearest 2, 4 or 8.
enum class FilterMode : std::uint8_t { point, linear };

/// How a texture is sampled.
struct Sampler {
  /// Address modes in x, y and z.
  std::array<AddressMode, 3> address{AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
  /// `linear` needs reads that return floating-point numbers.
  FilterMode filter = FilterMode::point;
  /// Coordinates are in [0, 1) instead of [0, width).
  bool normalized_coordinates = false;
  /// Reads of 8-bit and 16-bit integers return floating-point numbers in [0, 1] or [-1, 1].
  bool normalized_values = false;
  /// The texel outside with AddressMode::border.
  std::array<float, 4> border{};
};

namespace detail {

// A texture or surface as a kernel's argument. src/lang/builtin/library/texture.cuh declares the same layout.
struct TextureDescriptor {
  std::uint64_t address = 0;  // of the texels; written by the launch
  std::uint32_t width = 0, height = 0, depth = 0;
  std::uint32_t pitch = 0;
  std::uint32_t format = 0;
  std::uint32_t modes = 0;
  float border[4] = {};
};
static_assert(sizeof(TextureDescriptor) == 48);

}  // namespace detail

}  // namespace quern
