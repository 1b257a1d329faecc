// File paths as text: what #include needs, without access to a file system.
#pragma once

#include <string>
#include <string_view>

namespace quern::lang {

// "a/./b//../c" -> "a/c"; backslashes count as slashes. "" for the current directory itself.
std::string normalise_path(std::string_view path);
std::string_view parent_path(std::string_view path);  // "a/b.cu" -> "a", "b.cu" -> "", "/b.cu" -> "/"
std::string join_path(std::string_view directory,
                      std::string_view path);  // normalised; an absolute path stays

}  // namespace quern::lang
