#include "target_cstyle/metal_program.hpp"

#include <cstdlib>
#include <filesystem>
#include <regex>

#include <dlfcn.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "support/command.hpp"

namespace quern::test {

namespace {

using base::Error;
using base::ErrorKind;

// The replacement of a parameter, by its attribute.
std::string argument(const std::string& parameter) {
  std::smatch found;
  if (std::regex_search(parameter, found, std::regex(R"(\[\[buffer\((\d+)\)\]\])"))) {
    const std::string slot = "buffers[" + found[1].str() + "]";
    std::smatch type;
    if (std::regex_search(parameter, type, std::regex(R"((\w+)& )")))
      return "*static_cast<const " + type[1].str() + "*>(" + slot + ")";
    return "metal_host_pointer{" + slot + "}";
  }
  if (parameter.find("[[threadgroup(0)]]") != std::string::npos) return "static_cast<uchar*>(shared)";
  if (parameter.find("thread_position_in_threadgroup") != std::string::npos)
    return "metal_host::running->current->at";
  if (parameter.find("threadgroup_position_in_grid") != std::string::npos) return "metal_host::running->at";
  if (parameter.find("threads_per_threadgroup") != std::string::npos) return "metal_host::running->size";
  if (parameter.find("threadgroups_per_grid") != std::string::npos) return "metal_host::running->grid";
  return "metal_host::running->number() % 32u";
}

// The text in its own namespace, and a function that launches its kernel.
std::string unit(const MetalProgram::Kernel& kernel, size_t number) {
  const std::string head = "kernel void " + kernel.entry + "(";
  const size_t begin = kernel.text.find(head) + head.size();
  const size_t end = kernel.text.find(") {", begin);
  std::string arguments;
  const std::string list = kernel.text.substr(begin, end - begin);
  for (size_t at = 0; at < list.size();) {
    const size_t next = std::min(list.find("]], ", at), list.size());
    arguments += (arguments.empty() ? "" : ", ") + argument(list.substr(at, next - at) + "]]");
    at = next + 4;
  }
  std::string text = kernel.text;
  // The same function for each address space, which is not part of the type here.
  const size_t again = text.find("static inline uint quern_cas32(volatile threadgroup");
  if (again != std::string::npos) text.erase(again, text.find("\n}\n", again) + 3 - again);
  // Shared variables: one for all fibers.
  text = std::regex_replace(text, std::regex("\n  threadgroup ([^*=;\n]*;)"), "\n  static $1");
  text = std::regex_replace(text, std::regex(R"(\[\[[a-z_]+(\(\d+\))?\]\])"), "");
  const std::string name = "metal_case_" + std::to_string(number);
  return "namespace " + name + " {\n" + text + "}\nextern \"C\" void " + name +
         "_launch(void* const* buffers, const unsigned* grid, const unsigned* block, void* shared) {\n"
         "  using namespace " +
         name + ";\n  (void)buffers, (void)shared;\n  metal_host::run(grid, block, [&] { " + name +
         "::" + kernel.entry + "(" + arguments + "); });\n}\n";
}

}  // namespace

MetalProgram::~MetalProgram() {
  if (library_ != nullptr) ::dlclose(library_);
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

bool MetalProgram::has_compiler() { return run_command("clang++ --version").code == 0; }

base::Result<std::unique_ptr<MetalProgram>> MetalProgram::make(const std::vector<Kernel>& kernels) {
  auto program = std::make_unique<MetalProgram>();
  const std::string stem =
      (std::filesystem::temp_directory_path() / ("quern_metal_" + std::to_string(::getpid()))).string();
  program->file_ = stem + ".so";
  std::string text =
      "#include <metal_stdlib>\n"
      "struct metal_host_pointer {\n"
      "  void* at;\n"
      "  template <typename T>\n"
      "  operator T*() const {\n"
      "    return static_cast<T*>(at);\n"
      "  }\n"
      "};\n";
  for (size_t i = 0; i < kernels.size(); ++i) text += unit(kernels[i], i);
  QUERN_TRY(base::write_file(stem + ".cpp", text));
  const CommandAnswer compiled =
      run_command("clang++ -std=c++17 -O0 -w -fsigned-char -fPIC -shared -I" + std::string(QUERN_SOURCE_DIR) +
                  "/tests/target_cstyle/metal_host " + stem + ".cpp -o " + program->file_);
  if (compiled.code != 0) return Error(ErrorKind::compile, compiled.text);
  std::filesystem::remove(stem + ".cpp");
  program->library_ = ::dlopen(program->file_.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (program->library_ == nullptr) return Error(ErrorKind::internal, ::dlerror());
  for (size_t i = 0; i < kernels.size(); ++i) {
    void* found = ::dlsym(program->library_, ("metal_case_" + std::to_string(i) + "_launch").c_str());
    if (found == nullptr) return Error(ErrorKind::internal, "a launch function is missing");
    program->launches_.push_back(reinterpret_cast<Launch>(found));
  }
  return program;
}

}  // namespace quern::test
