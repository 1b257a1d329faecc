// The textures that are bound to the texture references of a module.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/stream.hpp"
#include "runtime/texture.hpp"

namespace quern::runtime {

struct BoundTexture {
  TextureDescriptor descriptor;
  Slice texels;
  MemoryPtr memory;  // of the texels
};

// Thread-safe.
class TextureBindings {
 public:
  void bind(std::string reference, BoundTexture texture) {
    const std::lock_guard lock(mutex_);
    textures_.insert_or_assign(std::move(reference), std::move(texture));
  }
  std::optional<BoundTexture> find(const std::string& reference) const {
    const std::lock_guard lock(mutex_);
    const auto found = textures_.find(reference);
    return found == textures_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, BoundTexture> textures_;
};

}  // namespace quern::runtime
