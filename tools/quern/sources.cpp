#include "sources.hpp"

#include <algorithm>
#include <set>

#include "base/file.hpp"
#include "base/text.hpp"
#include "runtime/source.hpp"

namespace quern::tool {

namespace {

struct Included {
  std::string name;
  bool is_angled = false;
};

// The names in #include lines. Comments and conditions are ignored: too many names are harmless here.
std::vector<Included> included_names(std::string_view text) {
  std::vector<Included> names;
  for (std::string_view line : base::split_lines(text)) {
    line = base::trim(line);
    if (line.empty() || line[0] != '#') continue;
    line = base::trim(line.substr(1));
    if (line.substr(0, 7) != "include") continue;
    line = base::trim(line.substr(7));
    if (line.size() < 3 || (line[0] != '"' && line[0] != '<')) continue;
    const size_t close = line.find(line[0] == '"' ? '"' : '>', 1);
    if (close != std::string_view::npos)
      names.push_back({std::string(line.substr(1, close - 1)), line[0] == '<'});
  }
  return names;
}

}  // namespace

KernelPath split_kernel_path(const std::string& text) {
  // The last single colon outside angle brackets; `ns::kernel` keeps its double ones.
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>') --depth;
    if (text[i] != ':' || depth != 0) continue;
    if (i + 1 < text.size() && text[i + 1] == ':') {
      ++i;
      continue;
    }
    return {text.substr(0, i), text.substr(i + 1)};
  }
  return {text, ""};
}

lang::CompileOptions compile_options(const Arguments& arguments) {
  lang::CompileOptions options;
  options.include_dirs = arguments.values("-I");
  for (const std::string& define : arguments.values("-D")) {
    const size_t equals = define.find('=');
    options.defines.emplace_back(define.substr(0, equals),
                                 equals == std::string::npos ? "1" : define.substr(equals + 1));
  }
  if (!arguments.has("--no-include")) options.read_file = runtime::read_header;
  return options;
}

base::Result<lang::Compilation> compile_file(const std::string& path, const lang::CompileOptions& options) {
  QUERN_TRY_ASSIGN(std::string text, base::read_file(path, runtime::kLargestSource));
  return lang::compile(path, std::move(text), options);
}

void HeaderSearch::add_file(const std::string& path) { paths_.push_back(path); }

std::vector<std::string> HeaderSearch::folders_for(const std::string& file) const {
  std::set<std::string> seen;
  std::vector<std::string> queue{file}, folders;
  while (!queue.empty() && seen.size() < 500) {
    const std::string path = queue.back();
    queue.pop_back();
    if (!seen.insert(path).second) continue;
    const auto text = runtime::read_header(path);
    if (!text.ok()) continue;
    for (const auto& [name, is_angled] : included_names(*text)) {
      const std::string here(base::path_folder(path));
      const std::string beside = base::join_path(here, name);
      if (base::file_exists(beside)) {
        queue.push_back(beside);
        // <file> is searched for along -I only: the program is compiled with -I.
        const bool is_new = std::find(folders.begin(), folders.end(), here) == folders.end();
        if (is_angled && is_new) folders.push_back(here);
        continue;
      }
      // The candidate whose path shares most with the including file.
      const std::string* best = nullptr;
      size_t best_shared = 0;
      const std::string tail =
          "/" + std::string(name.substr(
                    name.find_first_not_of("./") == std::string::npos ? 0 : name.find_first_not_of("./")));
      for (const std::string& candidate : paths_) {
        if (candidate.size() <= tail.size() ||
            candidate.compare(candidate.size() - tail.size(), tail.size(), tail) != 0)
          continue;
        size_t shared = 0;
        while (shared < candidate.size() && shared < file.size() && candidate[shared] == file[shared])
          ++shared;
        if (best == nullptr || shared > best_shared) best = &candidate, best_shared = shared;
      }
      if (best == nullptr) continue;
      const std::string folder = best->substr(0, best->size() - tail.size());
      if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
      queue.push_back(*best);
    }
  }
  return folders;
}

}  // namespace quern::tool
