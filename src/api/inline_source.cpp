#include "api/inline_source.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>

#include "api/original_text.hpp"
#include "api/stepper.hpp"
#include "base/file.hpp"
#include "base/program_path.hpp"

namespace quern::detail {

namespace {

constexpr std::string_view kPrologueName = "/quern/inline.cuh";  // not an existing file
constexpr std::string_view kPrologue =
    "#define QUERN_KERNEL(NAME, PARAMETERS, ...) __global__ void NAME PARAMETERS __VA_ARGS__\n"
    "#define QUERN_LIST_(...) __VA_ARGS__\n"
    "#define QUERN_TEMPLATE_KERNEL(NAME, TEMPLATE, PARAMETERS, ...) \\\n"
    "  template <QUERN_LIST_ TEMPLATE> __global__ void NAME PARAMETERS __VA_ARGS__\n"
    "#define QUERN_CODE(...) __VA_ARGS__\n"
    "#define QUERN_DYNAMIC_SHARED(TYPE, NAME) extern __shared__ TYPE NAME[]\n"
    "#define QUERN_UNROLL(...) __quern_unroll__(__VA_ARGS__)\n"
    // Expansions of INFINITY and similar macros of host headers.
    "#define __builtin_inff() INFINITY\n"
    "#define __builtin_huge_valf() INFINITY\n"
    "#define __builtin_inf() HUGE_VAL\n"
    "#define __builtin_huge_val() HUGE_VAL\n"
    "#define __builtin_nanf(text) NAN\n"
    "#define __builtin_nan(text) double(NAN)\n"
    "#define __builtin_offsetof(type, member) offsetof(type, member)\n"
    "#define __null nullptr\n";

struct AllCode {
  std::mutex mutex;
  std::deque<CodeText> list;
  static AllCode& instance() {
    static AllCode* const kAll = new AllCode();  // code may be registered while the process ends
    return *kAll;
  }
};

// The content of one file of the program: pieces of shared code and possibly the kernel.
struct FilePart {
  std::string file;
  std::vector<const CodeText*> code;
};

bool is_header(const std::string& file) {
  return file.ends_with(".h") || file.ends_with(".hpp") || file.ends_with(".cuh") || file.ends_with(".hh");
}

// A header's code is registered by each file that includes it, and used once.
void add(std::vector<FilePart>& parts, const CodeText& code) {
  auto part =
      std::find_if(parts.begin(), parts.end(), [&](const FilePart& p) { return p.file == code.file; });
  if (part == parts.end()) part = parts.insert(parts.end(), FilePart{code.file, {}});
  const bool known = std::any_of(part->code.begin(), part->code.end(),
                                 [&](const CodeText* c) { return c->line == code.line; });
  if (!known) part->code.push_back(&code);
}

std::string line_mark(const std::string& file, int line) {
  return "#line " + std::to_string(line) + " \"" + file + "\"\n";
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// The pieces as the compiler stringized them, one line each.
std::string in_one_line(const FilePart& part, const KernelText* kernel) {
  std::string out;
  for (const CodeText* c : part.code)
    out += line_mark(c->file, c->line) + with_macros(c->written, c->expanded) + "\n";
  if (kernel != nullptr) {
    out += line_mark(kernel->file, kernel->line) + kernel->macro + "(" +
           with_macros(kernel->written, kernel->expanded) + ")\n";
  }
  return out;
}

// Reads a file of the program by the name that its compiler used. Relative names start at the build folder,
// which is probably the current folder or near the program.
std::optional<std::string> read_program_file(const std::string& file) {
  const std::filesystem::path program = std::filesystem::path(base::program_path()).parent_path();
  for (const std::filesystem::path& folder : {std::filesystem::path(), program, program.parent_path()}) {
    auto text = base::read_file((folder / file).string());
    if (text.ok()) return std::move(*text);
  }
  return std::nullopt;
}

// The pieces at their locations in the file; absent if the file cannot be read or has changed.
std::optional<std::string> as_written(const FilePart& part, const KernelText* kernel) {
  const auto text = read_program_file(part.file);
  if (!text) return std::nullopt;
  std::vector<std::pair<std::string, std::string_view>> wanted;  // as written, without white space; expanded
  for (const CodeText* c : part.code) wanted.emplace_back(condensed(c->written), c->expanded);
  if (kernel != nullptr) wanted.emplace_back(condensed(kernel->written), kernel->expanded);
  std::vector<MacroUse> uses;
  for (MacroUse& use : find_macro_uses(*text)) {
    const auto match = std::find_if(wanted.begin(), wanted.end(),
                                    [&](const auto& piece) { return piece.first == use.arguments; });
    if (match == wanted.end()) continue;
    const auto inside = std::string_view(*text).substr(use.inside, use.end - 1 - use.inside);
    use.expanded = with_macros(inside, match->second);
    wanted.erase(match);
    uses.push_back(std::move(use));
  }
  const bool first_line_is_free = uses.empty() || text->find('\n') < uses[0].begin;
  if (!wanted.empty() || !first_line_is_free) return std::nullopt;
  return only(*text, uses);
}

}  // namespace

bool register_code(const CodeText& code) {
  AllCode& all = AllCode::instance();
  const std::lock_guard lock(all.mutex);
  all.list.push_back(code);
  return true;
}

std::string shared_code(std::string_view file) {
  AllCode& all = AllCode::instance();
  const std::lock_guard lock(all.mutex);
  std::vector<FilePart> parts;
  for (const CodeText& c : all.list) {
    if (c.file != file && is_header(c.file)) add(parts, c);
  }
  for (const CodeText& c : all.list) {
    if (c.file == file) add(parts, c);
  }
  std::string out;
  for (const FilePart& p : parts) out += in_one_line(p, nullptr);
  return out;
}

std::string instance_name(const KernelText& kernel) {
  constexpr std::string_view kBody = "quern_kernel_<";
  const std::size_t list = kernel.type.find(kBody);
  if (list == std::string_view::npos) return kernel.name;
  std::string types(kernel.type.substr(list + kBody.size() - 1));
  replace_all(types, "(anonymous namespace)::", "");
  replace_all(types, "{anonymous}::", "");
  std::string out = kernel.name;
  std::size_t qualified = 0;  // start of the current name, with its qualifiers
  Stepper step(types);
  for (auto kind = step.next(); kind != Stepper::Kind::kEnd; kind = step.next()) {
    if (step.piece() == ":") {  // the device's text has no namespaces
      out.resize(qualified);
      continue;
    }
    out += step.piece();
    if (kind != Stepper::Kind::kName) qualified = out.size();
  }
  replace_all(out, "SmallFloat<10, 5>", "__half");
  replace_all(out, "SmallFloat<7, 8>", "__nv_bfloat16");
  return out;
}

runtime::Source inline_source(const KernelText& kernel) {
  AllCode& all = AllCode::instance();
  const std::lock_guard lock(all.mutex);
  std::vector<FilePart> headers;
  FilePart own{kernel.file, {}};
  for (const CodeText& c : all.list) {
    if (c.file == own.file) {
      own.code.push_back(&c);
    } else if (is_header(c.file)) {
      add(headers, c);
    }
  }

  runtime::Source source;
  source.name = kernel.file;
  source.host = driver::HostFunction{kernel.run};
  std::string prologue(kPrologue);
  for (const FilePart& part : headers) {
    if (auto text = as_written(part, nullptr)) {
      std::string path = std::filesystem::absolute(part.file).lexically_normal();
      prologue += "#include \"" + path + "\"\n";
      source.files.emplace_back(std::move(path), std::move(*text));
    } else {
      prologue += in_one_line(part, nullptr);
    }
  }
  // The kernel's own file keeps its line numbers: the rest is included in its first line, which is blank.
  const std::string include = "#include \"" + std::string(kPrologueName) + "\"";
  if (auto text = as_written(own, &kernel)) {
    source.text = include + *text;
  } else {
    source.text = include + "\n" + in_one_line(own, &kernel);
  }
  source.files.emplace_back(kPrologueName, std::move(prologue));
  return source;
}

}  // namespace quern::detail
