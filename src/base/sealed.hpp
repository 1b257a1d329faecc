// A file's contents under a first line that says what it is and a checksum, so that what is cut off, changed
// or something else is known from what was written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quern::base {

// `magic` is the first line. `salt`: what the contents belong to, which is not in the file; under another one
// they count as damaged.
std::string sealed(std::string_view magic, std::string_view contents, std::string_view salt = {});
// The contents, inside of `file`; nothing where it is damaged.
std::optional<std::string_view> unsealed(std::string_view magic, std::string_view file,
                                         std::string_view salt = {});

}  // namespace quern::base
