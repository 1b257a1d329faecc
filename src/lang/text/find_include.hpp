// Where a header that was not found could be: the hint of a later error names the -I to add.
#pragma once

#include <optional>
#include <string>

#include "lang/text/preprocessor.hpp"

namespace quern::lang {

// The directory whose -I makes `header` be found. Searches the folder of the including file, its parents, and
// their usual subfolders (include, inc, src, common, …).
std::optional<std::string> find_include_directory(const MissingInclude& header, const FileReader& read_file);

}  // namespace quern::lang
