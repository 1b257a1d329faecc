// Reading and compiling the user's files, for check, emit and run.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "command.hpp"
#include "lang/compile.hpp"

namespace quern::tool {

// Parses "file.cu:kernel". A colon in a template argument or after a drive letter does not separate.
struct KernelPath {
  std::string file;
  std::string kernel;  // empty: not given
};
KernelPath split_kernel_path(const std::string& text);

// -I and -D.
lang::CompileOptions compile_options(const Arguments& arguments);

base::Result<lang::Compilation> compile_file(const std::string& path, const lang::CompileOptions& options);

// Finds the folders below the checked roots that must be searched for headers, as a build system would pass
// them with -I.
class HeaderSearch {
 public:
  void add_file(const std::string& path);  // all files of the checked folders
  // The folders that resolve the #includes of `file` and of the files it includes.
  std::vector<std::string> folders_for(const std::string& file) const;

 private:
  std::vector<std::string> paths_;
};

}  // namespace quern::tool
