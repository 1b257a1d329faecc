// The built-in headers, written in the kernel language: the parts of CUDA's headers and of the standard
// library that device code uses. Each is found under every name that programs use to include it.
#pragma once

#include <span>
#include <string_view>

namespace quern::lang {

struct BuiltinHeader {
  std::string_view name;  // "cooperative_groups.h", "type_traits", …
  std::string_view text;  // empty for known headers that need nothing (e.g. "cuda_runtime.h")
};

// nullptr if there is no such built-in header.
const BuiltinHeader* find_builtin_header(std::string_view name);
std::span<const BuiltinHeader> builtin_headers();  // sorted by name

// Why a CUDA header that device code includes is not available, as a sentence without its full stop ("cub is
// not supported; …"). Empty for all other headers. Including such a header is not an error; using one of its
// declarations is, and the error then quotes this reason.
std::string_view find_unsupported_header(std::string_view name);

}  // namespace quern::lang
