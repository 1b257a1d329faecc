// The files of the store of compiled code: one entry, and an archive of entries.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace quern::base {

/// Whether `key` is 1 to 128 letters, digits, '_' and '-'.
bool is_store_key(std::string_view key);

/// An entry's file: a first line, a checksum for the key, the label and a new line, then the contents.
std::string pack_entry(const std::string& key, std::string_view label, std::string_view contents);

struct UnpackedEntry {
  std::string_view label, contents;  // views of the file
};
/// Returns nothing if the file is corrupted or belongs to another key.
std::optional<UnpackedEntry> unpack_entry(const std::string& key, std::string_view file);

struct ArchivedEntry {
  std::string key;
  std::string_view file;  // a view of the archive; verified
};
/// The first line of an archive. For each entry a line with its key and its size in bytes follows, then its
/// file.
inline constexpr std::string_view kArchiveMagic = "quern archive 1\n";
/// `name` is the archive's path, for the error.
Result<std::vector<ArchivedEntry>> parse_archive(const std::string& name, std::string_view archive);

}  // namespace quern::base
