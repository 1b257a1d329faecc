// Names and strings in the IR's text form: unquoted if they are plain identifiers, otherwise quoted.
#pragma once

#include <string>
#include <string_view>

namespace quern::ir {

// A letter or _, then letters, digits and _.
bool is_plain_name(std::string_view name);

// Appends `name`, quoted unless it is plain.
void append_name(std::string& out, std::string_view name);

// Appends `text` in double quotes; bytes that are not printable ASCII as \n, \t, \", \\ or \xHH.
void append_quoted(std::string& out, std::string_view text);

}  // namespace quern::ir
