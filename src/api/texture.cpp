#include "quern/texture.hpp"

#include "api/messages.hpp"
#include "api/state.hpp"
#include "quern/device.hpp"
#include "runtime/texture.hpp"

namespace quern {

namespace {

void check_bytes(const char* doing, std::size_t given, std::size_t wanted) {
  if (given == wanted) return;
  detail::raise(
      base::Error(base::ErrorKind::invalid_use,
                  detail::message::kTexelBytes(doing, std::to_string(given), std::to_string(wanted))));
}

}  // namespace

TextureArray::TextureArray(const Device& device, const TexelFormat& format, const TextureExtent& extent,
                           std::string_view label)
    : texel_bytes_(detail::unwrap(runtime::texture_bytes({format, extent, 0}))),
      format_(format),
      extent_(extent) {
  memory_ = device.allocate<std::byte>(texel_bytes_, MemoryKind::device, label);
}

void TextureArray::upload_bytes(std::span<const std::byte> from) {
  check_bytes("upload to a texture array", from.size(), texel_bytes_);
  memory_.upload(from);
}

void TextureArray::download_bytes(std::span<std::byte> to) const {
  check_bytes("download of a texture array", to.size(), texel_bytes_);
  memory_.download(to);
}

Texture::Texture(const TextureArray& array, const Sampler& sampler)
    : descriptor_(detail::unwrap(runtime::describe_texture({array.format_, array.extent_, 0}, sampler))),
      memory_(array.memory_.bytes()) {}

Texture::Texture(const detail::Bytes& memory, const TexelFormat& format, const TextureExtent& extent,
                 std::size_t pitch, const Sampler& sampler)
    : memory_(memory) {
  runtime::TextureLayout layout{format, extent, pitch};
  if (extent.width == 0 && format.bytes() != 0)
    layout.extent.width = static_cast<std::uint32_t>(memory.size / format.bytes());
  const std::uint64_t bytes = detail::unwrap(runtime::texture_bytes(layout));
  if (memory.offset % 4 != 0 || bytes > memory.size) {
    detail::raise(
        base::Error(base::ErrorKind::invalid_use,
                    detail::message::kTextureMemory(std::to_string(bytes), std::to_string(memory.size),
                                                    std::to_string(memory.offset))));
  }
  descriptor_ = detail::unwrap(runtime::describe_texture(layout, sampler));
}

Surface::Surface(TextureArray& array)
    : descriptor_(detail::unwrap(runtime::describe_texture({array.format_, array.extent_, 0}, {}))),
      memory_(array.memory_.bytes()) {}

}  // namespace quern
