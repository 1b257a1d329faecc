// The entry point of the front end: CUDA C++ text in, IR out.
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
  FileReader read_file;  // for #include; if absent, nothing can be included
  bool quotes_includes =
      true;  // false: diagnostics name positions in included files but do not show their text
  // The kernels to compile: names as the user writes them ("step", "ns::step", "scan<float, 256>"). Empty:
  // all kernels, with template kernels instantiated as the file's host code launches them.
  std::vector<std::string> kernels;
  bool check_uninstantiated =
      false;  // instantiate templates that are never launched with likely arguments (for `quern check`)
  bool prepare = true;  // run pass::prepare: kernels are self-contained afterwards
  size_t max_errors = 20;
};

// A kernel of the file, whether compiled or not.
struct KernelInfo {
  std::string name;  // "scan<float, 256>"; for a template that was not instantiated "scan"
  std::string file;
  uint32_t line = 0;
  bool is_template = false;
  bool ok = false;     // whether it is in the module
  std::string reason;  // if not, the first error as `file:line:col: message`
};

struct Compilation {
  ir::Module module;                  // kernels without errors
  std::vector<KernelInfo> kernels;    // in order of appearance
  std::vector<std::string> launched;  // names of the kernels that device code launches
  std::vector<Diagnostic> diagnostics;
  std::string rendered;  // all diagnostics, rendered as text
  bool ok = false;       // there were no errors
  std::shared_ptr<const SourceMap> sources;
};

// Compiles the text of one file. `name` appears in messages; includes are relative to it.
Compilation compile(std::string name, std::string text, const CompileOptions& options = {});

}  // namespace quern::lang
