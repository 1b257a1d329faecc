// Whole files in and out, and the few questions about paths that tools ask. Errors are one sentence that
// names the path. Paths are UTF-8 text with '/' between parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace quern::base {

// Refuses folders, and files larger than `limit` bytes before reading them.
inline constexpr std::uint64_t kNoFileLimit = ~std::uint64_t{0};
Result<std::string> read_file(const std::string& path, std::uint64_t limit = kNoFileLimit);

/// As read_file, from an open descriptor; `path` is its name in errors.
Result<std::string> read_descriptor(int file, const std::string& path, std::uint64_t limit);

/// As read_file, for regular files only: a pipe or a device is an error, and opening one never waits.
Result<std::string> read_regular_file(const std::string& path, std::uint64_t limit = kNoFileLimit);

/// Readers see the old contents or the new, never a part: a temporary file in the same folder is renamed over
/// the target. An existing file of this user keeps its permissions. A link is followed only when the link and
/// its folder belong to this user or to root. Pipes and devices are written in place; a pipe without a reader
/// is an error.
Result<void> write_file(const std::string& path, std::string_view contents);

bool file_exists(const std::string& path);
// Its size and the time of its last change: another text when it is replaced. Empty: it is not there.
std::string file_stamp(const std::string& path);
bool is_folder(const std::string& path);

// Creates the folder and its parents; an existing folder is a success.
Result<void> make_folders(const std::string& path);

// Regular files below a folder (which may also be one file), sorted by path. Symbolic links to folders are
// not followed, and neither are folders whose name starts with a dot.
Result<std::vector<std::string>> list_files(const std::string& path);

// Purely on the text of the path.
std::string_view path_extension(std::string_view path);  // ".cu"; empty when there is none
std::string_view path_name(std::string_view path);       // the part after the last '/'
std::string_view path_folder(std::string_view path);     // the part before it; "." when there is none
std::string join_path(std::string_view folder, std::string_view name);  // an absolute `name` stands alone

}  // namespace quern::base
