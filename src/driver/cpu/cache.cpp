#include "driver/cpu/cache.hpp"

#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"

namespace quern::cpu {
namespace {

constexpr std::string_view kMagic = "quern object 1\n";
constexpr size_t kHashBytes = 32;
constexpr uint64_t kMostBytes = uint64_t{64} << 20;

}  // namespace

ObjectCache::ObjectCache(std::string folder)
    : folder_(folder.empty() ? base::cache_folder() : std::move(folder)) {
  if (!folder_.empty() && !base::make_folders(folder_).ok()) folder_.clear();
}

std::string ObjectCache::path(const std::string& key) const { return base::join_path(folder_, key + ".o"); }

std::optional<std::string> ObjectCache::find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const auto file = base::read_file(path(key), kMostBytes);
  if (!file.ok()) return std::nullopt;
  const std::string_view all = *file;
  if (all.size() < kMagic.size() + kHashBytes || all.substr(0, kMagic.size()) != kMagic) return std::nullopt;
  const std::string_view object = all.substr(kMagic.size() + kHashBytes);
  if (base::hash128(object).to_string() != all.substr(kMagic.size(), kHashBytes)) return std::nullopt;
  return std::string(object);
}

void ObjectCache::put(const std::string& key, std::string_view object) const {
  if (folder_.empty()) return;
  std::string file(kMagic);
  file += base::hash128(object).to_string();
  file += object;
  if (!base::write_file(path(key), file).ok()) return;  // next time it is compiled again
}

}  // namespace quern::cpu
