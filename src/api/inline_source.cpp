#include "api/inline_source.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>

#include "api/original_text.hpp"
#include "base/file.hpp"

namespace quern::detail {

namespace {

constexpr std::string_view kPrologueName = "/quern/inline.cuh";  // no file of this machine
constexpr std::string_view kPrologue =
    "#define QUERN_KERNEL(NAME, PARAMETERS, ...) __global__ void NAME PARAMETERS __VA_ARGS__\n"
    "#define QUERN_CODE(...) __VA_ARGS__\n"
    "#define QUERN_DYNAMIC_SHARED(TYPE, NAME) extern __shared__ TYPE NAME[]\n";

struct AllCode {
  std::mutex mutex;
  std::deque<CodeText> list;
  static AllCode& instance() {
    static AllCode* const kAll = new AllCode();  // code may be registered while the process ends
    return *kAll;
  }
};

// What stands in one file of the program: pieces of shared code and perhaps the kernel.
struct FilePart {
  std::string file;
  std::vector<const CodeText*> code;
};

bool is_header(const std::string& file) {
  return file.ends_with(".h") || file.ends_with(".hpp") || file.ends_with(".cuh") || file.ends_with(".hh");
}

// A header's code is registered by each file that includes it, and is taken once.
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

// The pieces as the compiler gave them, each in one line.
std::string in_one_line(const FilePart& part, const KernelText* kernel) {
  std::string out;
  for (const CodeText* c : part.code) out += line_mark(c->file, c->line) + c->text + "\n";
  if (kernel != nullptr) {
    out += line_mark(kernel->file, kernel->line) + "__global__ void " + kernel->name + kernel->parameters +
           kernel->body + "\n";
  }
  return out;
}

// Reads a file of the program by the name its compiler had for it. Relative names count from the folder of
// the build, which is likely here or near the program.
std::optional<std::string> read_program_file(const std::string& file) {
  std::error_code none;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  for (const std::filesystem::path& folder : {std::filesystem::path(), program, program.parent_path()}) {
    auto text = base::read_file((folder / file).string());
    if (text.ok()) return std::move(*text);
  }
  return std::nullopt;
}

// The pieces where they stand in the file; absent when the file cannot be read or says something else by now.
std::optional<std::string> as_written(const FilePart& part, const KernelText* kernel) {
  const auto text = read_program_file(part.file);
  if (!text) return std::nullopt;
  std::vector<std::string> wanted;
  for (const CodeText* c : part.code) wanted.push_back(condensed(c->text));
  if (kernel != nullptr)
    wanted.push_back(condensed(std::string(kernel->name) + "," + kernel->parameters + "," + kernel->body));
  std::vector<MacroUse> uses;
  for (MacroUse& use : find_macro_uses(*text)) {
    const auto match = std::find(wanted.begin(), wanted.end(), use.arguments);
    if (match == wanted.end()) continue;
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
  // The kernel's own file keeps its lines: the rest is brought in by its first, which is blank.
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
