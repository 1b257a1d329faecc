// Compiled objects on disk. A cache that cannot be read or written is as good as an empty one: nothing here
// fails.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quern::cpu {

class ObjectCache {
 public:
  // In `folder`; empty: $QUERN_CACHE (`off`: none), else the user's cache folder, else none.
  explicit ObjectCache(std::string folder = {});

  std::optional<std::string> find(const std::string& key) const;
  void put(const std::string& key, std::string_view object) const;
  const std::string& folder() const { return folder_; }

 private:
  std::string path(const std::string& key) const;
  std::string folder_;
};

}  // namespace quern::cpu
