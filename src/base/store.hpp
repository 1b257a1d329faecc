// The cache of compiled code on disk, shared by all programs and processes of a user. An entry is a file with
// a checksum that is written atomically; a corrupted entry counts as missing. If the folder exceeds its
// limit, the least recently used entries are removed. A folder that cannot be read or written counts as
// empty: finding and storing never fail. The code is executed, so the folder must belong to this user and
// nobody else may write to it (PrivateFolder); the checksum detects damage, not an attacker. Thread-safe.
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
    std::string label;  // description for people
    std::uint64_t bytes = 0;
    std::int64_t used = 0;  // seconds since 1970
    bool is_whole = true;
  };

  // In `folder`; empty: according to QUERN_CACHE (cache_folder). `limit` in bytes; 0: according to
  // QUERN_CACHE_LIMIT.
  explicit Store(std::string folder = {}, std::uint64_t limit = 0);
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // The folder of the entries; empty: nothing is stored.
  const std::string& folder() const { return folder_; }
  const std::string& why_not() const { return why_not_; }  // why nothing is stored
  std::uint64_t limit() const { return limit_; }

  // Keys are letters, digits, '_' and '-': the hash of everything that the contents depend on.
  std::optional<std::string> find(const std::string& key) const;
  void put(const std::string& key, std::string_view label, std::string_view contents) const;

  // Returns the stored contents, or else the result of `make`. Of several concurrent callers one makes it and
  // the others wait, but at most a tenth of a second: then they make it too.
  Result<std::string> get(const std::string& key, std::string_view label,
                          const std::function<Result<std::string>()>& make) const;

  // For people and `quern cache`; these return errors.
  Result<std::vector<Entry>> list() const;                // most recently used first; reads every file
  Result<std::vector<Entry>> verify() const;              // removes corrupted entries and returns them
  Result<std::uint64_t> trim(std::uint64_t limit) const;  // returns the number of bytes removed
  Result<std::uint64_t> clear() const { return trim(0); }
  Result<std::size_t> write_archive(const std::string& path) const;  // returns the number of entries
  Result<std::size_t> read_archive(const std::string& path) const;

 private:
  std::string path(const std::string& key) const;
  std::optional<Entry> read(const std::string& key, std::string* contents) const;
  void keep_within_limit(std::uint64_t added) const;

  Result<> must_keep() const;

  std::optional<PrivateFolder> files_;  // empty: nothing is stored
  std::string folder_;
  std::string why_not_;
  std::uint64_t limit_;
  mutable std::atomic<std::uint64_t> unchecked_;  // bytes written since the folder was last measured
};

}  // namespace quern::base
