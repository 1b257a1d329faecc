#include "runtime/texture.hpp"

#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "runtime/messages.hpp"

namespace quern::runtime {

namespace {

using base::Error;
using base::ErrorKind;

// Kernels compute the position of a texel in 32 bits.
constexpr uint64_t kMostBytes = UINT32_MAX;
// Filters compute with coordinates in single precision.
constexpr uint32_t kLargestExtent = 1u << 24;
constexpr uint32_t kLongestRow = 1u << 30;  // of linear memory

// Bits of TextureDescriptor::format and ::modes (src/lang/builtin/library/texture.cuh).
constexpr uint32_t kKindShift = 4, kBitsShift = 8, kNormalizedValues = 1u << 16, kShapeShift = 20;
constexpr uint32_t kLayeredShape = 4;
constexpr uint32_t kLinear = 1u << 8, kNormalizedCoordinates = 1u << 9;

Error bad_format(const TexelFormat& f) {
  return Error(ErrorKind::invalid_use,
               message::kTexelFormat(std::to_string(f.channels), std::to_string(f.bits),
                                     f.kind == ChannelKind::real ? "floating-point" : "integer"));
}

bool is_supported(const TexelFormat& f) {
  const bool has_channels = f.channels == 1 || f.channels == 2 || f.channels == 4;
  const bool has_bits = f.bits == 16 || f.bits == 32 || (f.bits == 8 && f.kind != ChannelKind::real);
  return has_channels && has_bits;
}

uint32_t dimensions(const TextureExtent& e) { return e.depth != 0 ? 3 : e.height != 0 ? 2 : 1; }

std::string spell(const TextureExtent& e) {
  std::string out = std::to_string(e.width);
  if (e.height != 0 || e.depth != 0) out += " x " + std::to_string(e.height);
  if (e.depth != 0) out += " x " + std::to_string(e.depth);
  return e.layers == 0 ? out : out + ", " + base::format_plural(e.layers, "layer");
}

bool is_supported(const TextureExtent& e) {
  const uint32_t most = dimensions(e) == 1 && e.layers == 0 ? kLongestRow : kLargestExtent;
  if (e.width == 0 || e.width > most || e.height > most || e.depth > most || e.layers > most) return false;
  return e.depth == 0 || (e.height != 0 && e.layers == 0);
}

uint64_t row_bytes(const TextureLayout& layout) {
  return uint64_t{layout.extent.width} * layout.format.bytes();
}

}  // namespace

base::Result<uint64_t> texture_bytes(const TextureLayout& layout) {
  const TextureExtent& e = layout.extent;
  if (!is_supported(layout.format)) return bad_format(layout.format);
  if (!is_supported(e)) return Error(ErrorKind::invalid_use, message::kTextureExtent(spell(e)));
  const uint64_t row = row_bytes(layout), pitch = layout.pitch == 0 ? row : layout.pitch;
  if (layout.pitch != 0 && (pitch < row || pitch % 4 != 0))
    return Error(ErrorKind::invalid_use, message::kTexturePitch(std::to_string(pitch), std::to_string(row)));
  const uint64_t slices = std::max({1u, e.depth, e.layers}), rows = std::max(1u, e.height);
  if (pitch > kMostBytes || rows > kMostBytes / pitch || slices > kMostBytes / pitch / rows)
    return Error(ErrorKind::invalid_use, message::kTextureTooLarge(spell(e), base::format_bytes(kMostBytes)));
  return pitch * (rows * slices - 1) + row;
}

base::Result<TextureDescriptor> describe_texture(const TextureLayout& layout,
                                                 const std::optional<Sampler>& sampler) {
  QUERN_TRY(texture_bytes(layout));
  const TexelFormat& f = layout.format;
  const TextureExtent& e = layout.extent;
  TextureDescriptor out;
  out.width = e.width;
  out.height = std::max(1u, e.height);
  out.depth = std::max({1u, e.depth, e.layers});
  out.pitch = static_cast<uint32_t>(layout.pitch == 0 ? row_bytes(layout) : layout.pitch);
  out.format = f.channels | static_cast<uint32_t>(f.kind) << kKindShift | f.bits << kBitsShift |
               (dimensions(e) + (e.layers != 0 ? kLayeredShape : 0)) << kShapeShift;
  if (!sampler) return out;
  const bool is_integer = f.kind != ChannelKind::real;
  const bool is_normalized = sampler->normalized_values && is_integer;
  if (is_normalized && f.bits == 32)
    return Error(ErrorKind::invalid_use, message::kTextureNormalizedValues(std::to_string(f.bits)));
  if (sampler->filter == FilterMode::linear && is_integer && !is_normalized)
    return Error(ErrorKind::invalid_use, message::kTextureFilter());
  if (is_normalized) out.format |= kNormalizedValues;
  for (uint32_t i = 0; i < 3; ++i) out.modes |= static_cast<uint32_t>(sampler->address[i]) << 2 * i;
  if (sampler->filter == FilterMode::linear) out.modes |= kLinear;
  if (sampler->normalized_coordinates) out.modes |= kNormalizedCoordinates;
  std::copy(sampler->border.begin(), sampler->border.end(), out.border);
  return out;
}

}  // namespace quern::runtime
