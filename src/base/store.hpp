// Compiled code on disk, for all programs of a user and any number of processes at once. An entry is a file
// with a checksum that appears whole or not at all; what is damaged counts as missing. When the folder grows
// over its limit, what was used longest ago goes. A folder that cannot be read or written is as good as an
// empty one: finding and keeping never fail. The code is executed, so the folder must belong to this user and
// nobody else may write it (PrivateFolder); the checksum finds damage, not an attacker. All functions may be
// called from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/private_folder.hpp"
#include "base/result.hpp"

namespace quern::base {

class Store {
 public:
  struct Entry {
    std::string key;
    std::string label;  // for people: what it is
    std::uint64_t bytes = 0;
    std::int64_t used = 0;  // seconds since 1970
    bool is_whole = true;
  };

  // In `folder`; empty: where QUERN_CACHE says (cache_folder). `limit`: bytes; 0: what QUERN_CACHE_LIMIT
  // says.
  explicit Store(std::string folder = {}, std::uint64_t limit = 0);
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Where entries lie; empty: nothing is kept.
  const std::string& folder() const { return folder_; }
  const std::string& why_not() const { return why_not_; }  // a sentence, where nothing is
  std::uint64_t limit() const { return limit_; }

  // Keys are letters, digits, '_' and '-': the hash of all that the contents depend on.
  std::optional<std::string> find(const std::string& key) const;
  void put(const std::string& key, std::string_view label, std::string_view contents) const;

  // What is kept, or else what `make` makes. Of several that ask at once one makes it and the others wait for
  // it, but never longer than a tenth of a second: then they make it too.
  Result<std::string> get(const std::string& key, std::string_view label,
                          const std::function<Result<std::string>()>& make) const;

  // For people and `quern cache`; these say what goes wrong.
  Result<std::vector<Entry>> list() const;                // the last used first; reads every file
  Result<std::vector<Entry>> verify() const;              // takes away what is damaged, and tells
  Result<std::uint64_t> trim(std::uint64_t limit) const;  // the bytes that went
  Result<std::uint64_t> clear() const { return trim(0); }
  Result<std::size_t> write_archive(const std::string& path) const;  // the number of entries
  Result<std::size_t> read_archive(const std::string& path) const;

 private:
  std::string path(const std::string& key) const;
  std::optional<Entry> read(const std::string& key, std::string* contents) const;
  void keep_within_limit(std::uint64_t added) const;

  Result<> must_keep() const;

  std::optional<PrivateFolder> files_;  // empty: nothing is kept
  std::string folder_;
  std::string why_not_;
  std::uint64_t limit_;
  mutable std::atomic<std::uint64_t> unchecked_;  // bytes written since the folder was last measured
};

}  // namespace quern::base
