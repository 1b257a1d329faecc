// The device library: CUDA C++ and the parts of std that kernels use, written in the kernel language on top
// of the `__quern_…` intrinsics. Declarations are indexed once per process by qualified name. A compilation
// receives only those that it uses, so a large library costs a small kernel nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace quern::lang {

// The texts (library/*.cuh, embedded at build time).
struct LibraryFile {
  std::string_view name;
  std::string_view text;
};
std::span<const LibraryFile> library_files();

// The declarations of one qualified name ("sinf", "std::min", "cooperative_groups::thread_block"), in source
// order.
struct LibraryDecl {
  uint32_t file = 0;   // index into library_files()
  uint32_t begin = 0;  // byte range of the whole declaration in that file's text
  uint32_t end = 0;
};
std::span<const LibraryDecl> find_library_decls(std::string_view qualified_name);
std::span<const LibraryDecl> library_decls();                // all declarations, grouped by name
bool is_library_namespace(std::string_view qualified_name);  // "std", "cooperative_groups", …

// Candidate names for "did you mean" suggestions.
std::span<const std::string_view> library_names();

}  // namespace quern::lang
