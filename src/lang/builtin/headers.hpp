// The headers we carry ourselves, written in the kernel language: what CUDA's and the standard library's
// headers give to device code. Each is found under every name that programs use to include it.
#pragma once

#include <span>
#include <string_view>

namespace quern::lang {

struct BuiltinHeader {
  std::string_view name;  // "cooperative_groups.h", "type_traits", …
  std::string_view text;  // empty for known headers that need nothing (e.g. "cuda_runtime.h")
};

// nullptr when we carry no such header.
const BuiltinHeader* find_builtin_header(std::string_view name);
std::span<const BuiltinHeader> builtin_headers();  // sorted by name

// Why we do not carry a header of CUDA's that device code includes, as a sentence without its full stop ("cub
// is not carried; …"). Empty for all others. Including it is no error; using what it declares is, and then
// this explains it.
std::string_view find_unsupported_header(std::string_view name);

}  // namespace quern::lang
