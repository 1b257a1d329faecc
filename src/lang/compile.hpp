// The front end's door: CUDA C++ text in, IR out.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lang/ir/ir.hpp"
#include "lang/text/diagnostic.hpp"
#include "lang/text/source.hpp"

namespace quern::lang {

struct CompileOptions {
  std::vector<std::pair<std::string, std::string>> defines;  // -D NAME=VALUE
  std::vector<std::string> include_dirs;                     // -I
  FileReader read_file;                                      // for #include; absent: none can be included
  bool quotes_includes = true;  // false: diagnostics name places in included files without showing their text
  // Which kernels: names as the user writes them ("step", "ns::step", "scan<float, 256>"). Empty: all, with
  // template kernels as launched by the file's host code.
  std::vector<std::string> kernels;
  bool check_uninstantiated =
      false;            // try templates nobody launches with likely arguments (for `quern check`)
  bool prepare = true;  // run pass::prepare: kernels are self-contained afterwards
  size_t max_errors = 20;
};

// One kernel that was found, taken or not.
struct KernelInfo {
  std::string name;  // "scan<float, 256>"; for a template that was not instantiated "scan"
  std::string file;
  uint32_t line = 0;
  bool is_template = false;
  bool ok = false;     // it is in the module
  std::string reason;  // why not: the first error as `file:line:col: message`
};

struct Compilation {
  ir::Module module;                // kernels without errors
  std::vector<KernelInfo> kernels;  // in order of appearance
  std::vector<Diagnostic> diagnostics;
  std::string rendered;  // all diagnostics as a person reads them
  bool ok = false;       // no errors at all
  std::shared_ptr<const SourceMap> sources;
};

// Compiles one file's text. `name` is what messages call it (and what includes are relative to).
Compilation compile(std::string name, std::string text, const CompileOptions& options = {});

}  // namespace quern::lang
