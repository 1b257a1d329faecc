// Reading and writing of whole files, and the path functions that the tools need. Errors are one sentence
// that names the path. Paths are UTF-8 text with '/' as separator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace quern::base {

// Rejects folders, and files larger than `limit` bytes before reading them.
inline constexpr std::uint64_t kNoFileLimit = ~std::uint64_t{0};
Result<std::string> read_file(const std::string& path, std::uint64_t limit = kNoFileLimit);

/// As read_file, from an open descriptor; `path` is its name in errors.
Result<std::string> read_descriptor(int file, const std::string& path, std::uint64_t limit);

/// As read_file, for regular files only: a pipe or a device is an error, and opening one never blocks.
Result<std::string> read_regular_file(const std::string& path, std::uint64_t limit = kNoFileLimit);

/// Atomic: readers see the old contents or the new ones, because a temporary file in the same folder is
/// renamed to the target. An existing file of this user keeps its permissions. A link is followed only if the
/// link and its folder belong to this user or to root. Pipes and devices are written in place; a pipe without
/// a reader is an error.
Result<void> write_file(const std::string& path, std::string_view contents);

bool file_exists(const std::string& path);
// The size and modification time of the file, as text that changes when it is replaced. Empty: no such file.
std::string file_stamp(const std::string& path);
bool is_folder(const std::string& path);

// Creates the folder and its parents; an existing folder is a success.
Result<void> make_folders(const std::string& path);

// Regular files below a folder (which may also be one file), sorted by path. Symbolic links to folders are
// not followed, and neither are folders whose name starts with a dot.
Result<std::vector<std::string>> list_files(const std::string& path);

// These only look at the text of the path.
std::string_view path_extension(std::string_view path);  // ".cu"; empty if there is none
std::string_view path_name(std::string_view path);       // the part after the last '/'
std::string_view path_folder(std::string_view path);     // the part before it; "." if there is none
std::string join_path(std::string_view folder,
                      std::string_view name);  // an absolute `name` is returned unchanged

}  // namespace quern::base
