/// @file
/// Textures and surfaces. A TextureArray owns texels; a Texture reads an array or a buffer through a sampler,
/// and a Surface reads and writes an array without one. Textures and surfaces are kernel arguments of the
/// types `cudaTextureObject_t` and `cudaSurfaceObject_t`.
///
///     quern::TextureArray image(gpu, quern::texel_format<float>(), {width, height});
///     image.upload<float>(pixels);
///     gpu.launch(kernel, quern::threads(width, height), quern::Texture(image, {.filter =
///     FilterMode::linear}), out);
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "quern/buffer.hpp"
#include "quern/export.hpp"
#include "quern/types/texture.hpp"

namespace quern {

/// The format of texels with `channels` channels of type T.
template <typename T>
requires std::is_arithmetic_v<T>
constexpr TexelFormat texel_format(std::uint32_t channels = 1) {
  static_assert(sizeof(T) <= 4 && !std::same_as<T, bool>, "channels have 8, 16 or 32 bits");
  const ChannelKind kind = std::is_floating_point_v<T> ? ChannelKind::real
                           : std::is_signed_v<T>       ? ChannelKind::signed_integer
                                                       : ChannelKind::unsigned_integer;
  return {kind, static_cast<std::uint32_t>(sizeof(T) * 8), channels};
}

/// Owns the texels of a texture in device memory, row by row without gaps. Move-only. Copies block. Functions
/// throw Error.
class QUERN_API TextureArray {
 public:
  /// Without texels.
  TextureArray() = default;
  /// Allocates texels with undefined values. `label` appears in error messages and in Device::buffers().
  TextureArray(const Device& device, const TexelFormat& format, const TextureExtent& extent,
               std::string_view label = {});

  /// Format of the texels.
  const TexelFormat& format() const { return format_; }
  /// Number of texels in each dimension.
  const TextureExtent& extent() const { return extent_; }
  /// Number of texels.
  std::size_t size() const { return memory_.size() / format_.bytes(); }
  /// Size of the texels in bytes.
  std::size_t size_bytes() const { return texel_bytes_; }

  /// Copies all texels from the host. `from` must have their size in bytes.
  template <detail::Plain T>
  void upload(std::span<const T> from) {
    upload_bytes(std::as_bytes(from));
  }
  /// Copies all texels to the host.
  template <detail::Plain T>
  std::vector<T> download() const {
    std::vector<T> out(size_bytes() / sizeof(T));
    download_bytes(std::as_writable_bytes(std::span(out)));
    return out;
  }

 private:
  friend class Texture;
  friend class Surface;
  void upload_bytes(std::span<const std::byte> from);
  void download_bytes(std::span<std::byte> to) const;

  Buffer<std::byte> memory_;
  std::size_t texel_bytes_ = 0;
  TexelFormat format_;
  TextureExtent extent_;
};

/// Texels that kernels read through a sampler (`cudaTextureObject_t`). Does not own them: it is valid as long
/// as its array or buffer, and a launch with it later throws Error with kind `invalid_use`.
class QUERN_API Texture {
 public:
  /// Without texels.
  Texture() = default;
  /// Reads an array. Throws Error if the sampler does not suit the format.
  explicit Texture(const TextureArray& array, const Sampler& sampler = {});
  /// Reads a buffer as one row of texels, for `tex1Dfetch`. The memory must start at a multiple of
  /// 4 bytes.
  template <typename T>
  Texture(const Slice<T>& memory, const TexelFormat& format, const Sampler& sampler = {})
      : Texture(memory.bytes(), format, {0}, 0, sampler) {}
  /// Reads a buffer as rows of texels that are `pitch` bytes apart, a multiple of 4 bytes.
  template <typename T>
  Texture(const Slice<T>& memory, const TexelFormat& format, const TextureExtent& extent, std::size_t pitch,
          const Sampler& sampler = {})
      : Texture(memory.bytes(), format, extent, pitch, sampler) {}

  /// Used by the library.
  const detail::TextureDescriptor& descriptor() const { return descriptor_; }
  /// Used by the library.
  const detail::Bytes& memory() const { return memory_; }

 private:
  Texture(const detail::Bytes& memory, const TexelFormat& format, const TextureExtent& extent,
          std::size_t pitch, const Sampler& sampler);

  detail::TextureDescriptor descriptor_;
  detail::Bytes memory_;
};

/// Texels of an array that kernels read and write in place (`cudaSurfaceObject_t`). Does not own them, as
/// Texture.
class QUERN_API Surface {
 public:
  /// Without texels.
  Surface() = default;
  /// Refers to an array.
  explicit Surface(TextureArray& array);

  /// Used by the library.
  const detail::TextureDescriptor& descriptor() const { return descriptor_; }
  /// Used by the library.
  const detail::Bytes& memory() const { return memory_; }

 private:
  detail::TextureDescriptor descriptor_;
  detail::Bytes memory_;
};

}  // namespace quern
