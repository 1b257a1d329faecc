#include "runtime/texture_text.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "runtime/messages.hpp"

namespace quern::runtime {

namespace {

using base::Error;
using base::ErrorKind;
using ir::TypeKind;

constexpr std::string_view kTexture = "texture(", kSurface = "surface(";

Error bad_texture(std::string_view text, const base::MessageText& why) {
  return Error(ErrorKind::invalid_use, message::kTextureText(text, why.text));
}

bool format_of(const HostBuffer& b, TexelFormat& out) {
  out.channels = b.lanes;
  switch (b.type) {
    case TypeKind::kI8: out = {ChannelKind::signed_integer, 8, b.lanes}; return true;
    case TypeKind::kU8: out = {ChannelKind::unsigned_integer, 8, b.lanes}; return true;
    case TypeKind::kI16: out = {ChannelKind::signed_integer, 16, b.lanes}; return true;
    case TypeKind::kU16: out = {ChannelKind::unsigned_integer, 16, b.lanes}; return true;
    case TypeKind::kI32: out = {ChannelKind::signed_integer, 32, b.lanes}; return true;
    case TypeKind::kU32: out = {ChannelKind::unsigned_integer, 32, b.lanes}; return true;
    case TypeKind::kF16: out = {ChannelKind::real, 16, b.lanes}; return true;
    case TypeKind::kF32: out = {ChannelKind::real, 32, b.lanes}; return true;
    default: return false;
  }
}

struct TextureOptions {
  Sampler sampler;
  bool is_layered = false;
};

bool parse_option(std::string_view word, TextureOptions& out) {
  constexpr std::pair<std::string_view, AddressMode> kModes[] = {{"wrap", AddressMode::wrap},
                                                                 {"clamp", AddressMode::clamp},
                                                                 {"mirror", AddressMode::mirror},
                                                                 {"border", AddressMode::border}};
  const size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  for (const auto& [mode_name, mode] : kModes) {
    if (name == mode_name) out.sampler.address.fill(mode);
  }
  if (name == "border" && equals != std::string_view::npos) {
    const auto value = base::parse_double(word.substr(equals + 1));
    if (value) out.sampler.border.fill(static_cast<float>(*value));
    return value.has_value();
  }
  if (name == "linear") out.sampler.filter = FilterMode::linear;
  if (name == "normalized") out.sampler.normalized_coordinates = true;
  if (name == "values") out.sampler.normalized_values = true;
  if (name == "layered") out.is_layered = true;
  constexpr std::string_view kNames[] = {"wrap",   "clamp",  "mirror",  "border",    "point",
                                         "linear", "values", "layered", "normalized"};
  return equals == std::string_view::npos &&
         std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

bool extent_of(const HostBuffer& b, bool is_layered, TextureExtent& out) {
  std::vector<size_t> shape = b.shape;
  if (b.lanes > 1) shape.pop_back();
  std::reverse(shape.begin(), shape.end());
  if (is_layered) {
    if (shape.size() < 2) return false;
    out.layers = static_cast<uint32_t>(shape.back());
    shape.pop_back();
  }
  if (shape.empty() || shape.size() > 3) return false;
  out.width = static_cast<uint32_t>(shape[0]);
  if (shape.size() > 1) out.height = static_cast<uint32_t>(shape[1]);
  if (shape.size() > 2) out.depth = static_cast<uint32_t>(shape[2]);
  return true;
}

}  // namespace

bool is_texture_text(std::string_view text) {
  return text.starts_with(kTexture) || text.starts_with(kSurface);
}

base::Result<HostTexture> parse_texture(std::string_view text) {
  HostTexture out;
  if (!is_texture_text(text) || !text.ends_with(')')) return bad_texture(text, message::kTextureBrackets());
  out.is_surface = text.starts_with(kSurface);
  const std::string_view inner = text.substr(kTexture.size(), text.size() - kTexture.size() - 1);
  std::vector<std::string_view> words;
  for (const std::string_view word : base::split(inner, ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  if (words.empty()) return bad_texture(text, message::kTextureBrackets());
  QUERN_TRY_ASSIGN(out.texels, parse_buffer(words[0]));
  TextureOptions options;
  for (const std::string_view word : std::span(words).subspan(1)) {
    if (!parse_option(word, options)) return bad_texture(text, message::kTextureOption(word));
  }
  TextureLayout layout;
  if (!format_of(out.texels, layout.format) || !extent_of(out.texels, options.is_layered, layout.extent))
    return bad_texture(text, message::kTextureTexels());
  std::optional<Sampler> sampler;
  if (!out.is_surface) sampler = options.sampler;
  QUERN_TRY_ASSIGN(out.descriptor, describe_texture(layout, sampler));
  return out;
}

}  // namespace quern::runtime
