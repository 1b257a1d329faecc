// Kernels as a user gives them: text or a file in the kernel language, or raw code of one target.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "driver/interface/code.hpp"

namespace quern::runtime {

struct Source {
  std::string name;  // what messages call it; includes are relative to it
  std::string text;
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> include_dirs;
  std::vector<std::pair<std::string, std::string>> files;  // headers that exist here only: name and text
  std::optional<driver::HostFunction> host;                // an inline kernel: its body in the program itself
  std::optional<driver::Math> math;                        // absent: as QUERN_MATH says, else exact
  uint32_t max_registers = 0;   // of a thread, as a limit for the device's compiler; 0: its own choice
  bool debug = false;           // code for a debugger
  bool check = false;           // accesses and asserts are checked on the device; also by QUERN_CHECK=1
  bool may_include = true;      // false: #include finds built-in headers and `files` only
  bool quotes_includes = true;  // false: errors do not show the text of included files
  std::optional<driver::CodeKind> raw;  // absent: CUDA C++, the kernel language
};

/// The most bytes of one source or header.
inline constexpr uint64_t kLargestSource = uint64_t{64} << 20;

/// A header for #include: a regular file of at most kLargestSource bytes. Nothing: there is none.
std::optional<std::string> read_header(const std::string& path);

// Reads the file; an extension of a target's own (.ptx, .cl, .spv, …) makes it raw.
base::Result<Source> read_source(const std::string& path);

}  // namespace quern::runtime
