// Kernel sources: text or a file in the kernel language, or raw code of one target.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "driver/interface/code.hpp"

namespace quern::runtime {

struct Source {
  std::string name;  // for messages; includes are relative to it
  std::string text;
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> include_dirs;
  std::vector<std::pair<std::string, std::string>> files;  // virtual headers: name and text
  std::optional<driver::HostFunction> host;  // an inline kernel: its body as compiled with the program
  std::optional<driver::Math> math;          // absent: QUERN_MATH, otherwise exact
  uint32_t max_registers = 0;                // per thread, a limit for the device's compiler; 0: its default
  bool debug = false;                        // code for a debugger
  bool check = false;                        // check accesses and asserts on the device; also QUERN_CHECK=1
  bool may_include = true;                   // false: #include finds built-in headers and `files` only
  bool quotes_includes = true;               // false: errors do not show the text of included files
  std::optional<driver::CodeKind> raw;       // absent: CUDA C++, the kernel language
};

/// The most bytes of one source or header.
inline constexpr uint64_t kLargestSource = uint64_t{64} << 20;

/// A header for #include: a regular file of at most kLargestSource bytes (lang::FileReader).
base::Result<std::string> read_header(const std::string& path);

// Reads the file; a target-specific extension (.ptx, .cl, .spv, …) makes it raw code.
base::Result<Source> read_source(const std::string& path);

}  // namespace quern::runtime
