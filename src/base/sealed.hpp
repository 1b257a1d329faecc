// File contents after a first line that identifies the format and a checksum, so that truncated, modified or
// foreign files are detected.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quern::base {

// `magic` is the first line. `salt` identifies what the contents belong to and is not in the file; with
// another salt the file counts as corrupted.
std::string sealed(std::string_view magic, std::string_view contents, std::string_view salt = {});
// Returns the contents, a view of `file`; nothing if it is corrupted.
std::optional<std::string_view> unsealed(std::string_view magic, std::string_view file,
                                         std::string_view salt = {});

}  // namespace quern::base
