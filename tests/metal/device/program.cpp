#include "metal/device/program.hpp"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "support/command.hpp"

namespace quern::test_metal {

namespace {

using base::Error;
using base::ErrorKind;

struct Signature {
  std::string name;
  std::vector<std::string> parameters;
  uint32_t max_threads = 0;
};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// Parameters are separated by commas; all of them end with an attribute.
std::vector<std::string> split_parameters(const std::string& list) {
  std::vector<std::string> out;
  for (size_t at = 0; at < list.size();) {
    const size_t next = std::min(list.find("]], ", at), list.size());
    out.push_back(list.substr(at, next - at) + "]]");
    at = next + 4;
  }
  return out;
}

std::vector<Signature> signatures(const std::string& text) {
  constexpr std::string_view kHead = "kernel void ", kBounds = "[[max_total_threads_per_threadgroup(";
  std::vector<Signature> out;
  for (size_t at = 0; (at = text.find(kHead, at)) != std::string::npos;) {
    Signature s;
    const size_t line = text.rfind('\n', at) + 1;
    if (text.compare(line, kBounds.size(), kBounds) == 0)
      s.max_threads = static_cast<uint32_t>(std::strtoul(text.c_str() + line + kBounds.size(), nullptr, 10));
    const size_t open = text.find('(', at), end = text.find(") {", open);
    s.name = text.substr(at + kHead.size(), open - at - kHead.size());
    s.parameters = split_parameters(text.substr(open + 1, end - open - 1));
    out.push_back(std::move(s));
    at = end;
  }
  return out;
}

// The argument for a parameter, by its attribute.
std::string argument(const std::string& parameter) {
  constexpr std::string_view kBuffer = "[[buffer(";
  if (const size_t at = parameter.find(kBuffer); at != std::string::npos) {
    const std::string slot =
        "buffers[" + std::to_string(std::strtoul(parameter.c_str() + at + kBuffer.size(), nullptr, 10)) + "]";
    const size_t reference = parameter.find("& ");
    if (reference == std::string::npos) return "metal_host_pointer{" + slot + "}";
    const size_t type = parameter.rfind(' ', reference) + 1;
    return "*static_cast<const " + parameter.substr(type, reference - type) + "*>(" + slot + ")";
  }
  const std::pair<const char*, const char*> values[] = {
      {"[[threadgroup(0)]]", "static_cast<uchar*>(shared)"},
      {"[[thread_position_in_threadgroup]]", "metal_me->at"},
      {"[[threadgroup_position_in_grid]]", "metal_me->block"},
      {"[[threads_per_threadgroup]]", "metal_me->size"},
      {"[[threadgroups_per_grid]]", "metal_me->grid"},
      {"[[thread_index_in_simdgroup]]", "metal_me->number % 32u"}};
  for (const auto& [attribute, value] : values) {
    if (parameter.find(attribute) != std::string::npos) return value;
  }
  return "unknown parameter: " + parameter;  // the compiler reports it
}

// `threadgroup` variables: one for all fibers of a thread.
void make_static(std::string& text) {
  constexpr std::string_view kStart = "\n  threadgroup ", kStatic = "\n  static thread_local ";
  for (size_t at = 0; (at = text.find(kStart, at)) != std::string::npos; at += kStatic.size()) {
    const size_t end = text.find_first_of("*=;\n", at + kStart.size());
    if (end != std::string::npos && text[end] == ';') text.replace(at, kStart.size(), kStatic);
  }
}

void remove_attributes(std::string& text) {
  for (size_t at = 0; (at = text.find("[[", at)) != std::string::npos;) {
    const size_t end = text.find("]]", at);
    const bool is_one =
        end != std::string::npos && text[at + 2] >= 'a' && text[at + 2] <= 'z' &&
        text.substr(at + 2, end - at - 2).find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789()") ==
            std::string::npos;
    if (!is_one || text.compare(end - 1, 1, " ") == 0) {
      at += 2;
    } else {
      text.erase(at, end + 2 - at);
    }
  }
}

std::string translate(std::string text, const std::vector<Signature>& kernels) {
  // The same function for each address space, which is not part of a type here.
  const size_t again = text.find("static inline uint quern_cas32(volatile threadgroup");
  if (again != std::string::npos) text.erase(again, text.find("\n}\n", again) + 3 - again);
  make_static(text);
  remove_attributes(text);
  replace_all(text, "#pragma METAL", "//");
  for (const Signature& k : kernels) {
    std::vector<std::string> arguments;
    for (const std::string& p : k.parameters) arguments.push_back(argument(p));
    text += "\nextern \"C\" __attribute__((visibility(\"default\"))) void metal_thread_" + k.name +
            "(void* const* buffers, void* shared, const MetalThread* metal_me) {\n  (void)buffers, "
            "(void)shared, (void)metal_me;\n  " +
            k.name + "(" + base::join(arguments, ", ") + ");\n}\n";
  }
  return text;
}

// Without libgcc, which has the functions that other atomics call.
#if defined(__aarch64__)
constexpr const char* kProcessor = "-mno-outline-atomics ";
#else
constexpr const char* kProcessor = "";
#endif

base::Result<void*> build(const std::string& text, bool is_fast) {
  const char* const kept = std::getenv("QUERN_METAL_DEVICE_CACHE");
  base::Hasher hasher;
  hasher.add_field(text).add(is_fast ? 1u : 0u);
  const std::filesystem::path folder =
      kept != nullptr ? std::filesystem::path(kept) : std::filesystem::temp_directory_path();
  static std::atomic<uint32_t> number = 0;
  const std::string own = std::to_string(::getpid()) + "_" + std::to_string(++number);
  const std::string file =
      (folder / ("quern_metal_" + (kept != nullptr ? hasher.finish().to_string() : own) + ".so")).string();
  if (kept == nullptr || !base::file_exists(file)) {
    const std::string stem = (folder / ("quern_metal_" + own)).string();
    QUERN_TRY(base::write_file(stem + ".cpp", text));
    const bool has_lld = base::file_exists("/usr/bin/ld.lld");
    const test::CommandAnswer compiled = test::run_command(
        "clang++ -std=c++17 -O0 -w -fsigned-char -ffp-contract=off -fvisibility=hidden -fPIC -shared "
        "-nostdlib " +
        std::string(has_lld ? "-fuse-ld=lld " : "") + kProcessor + (is_fast ? "-ffast-math " : "") + "-I" +
        QUERN_SOURCE_DIR + "/tests/metal/device/include " + stem + ".cpp -o " + stem + ".tmp");
    std::error_code ignored;
    std::filesystem::remove(stem + ".cpp", ignored);
    if (compiled.code != 0) return Error(ErrorKind::compile, compiled.text);
    std::filesystem::rename(stem + ".tmp", file, ignored);
  }
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Error(ErrorKind::internal, ::dlerror());
  std::error_code ignored;
  if (kept == nullptr) std::filesystem::remove(file, ignored);
  return library;
}

}  // namespace

Program::~Program() {
  if (library_ != nullptr) ::dlclose(library_);
}

base::Result<std::shared_ptr<const Program>> Program::make(const std::string& text, bool is_fast) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, bool>, std::weak_ptr<const Program>> known;
  {
    const std::lock_guard lock(mutex);
    if (auto found = known[{text, is_fast}].lock()) return found;
    std::erase_if(known, [](const auto& k) { return k.second.expired(); });
  }
  auto program = std::make_shared<Program>();
  program->identity_ = base::Hasher().add_field(text).add(is_fast ? 1u : 0u).finish().to_string();
  const std::vector<Signature> kernels = signatures(text);
  for (const char* const word : {"threadgroup_barrier", "simd"})
    program->synchronizes_ = program->synchronizes_ || text.find(word) != std::string::npos;
  QUERN_TRY_ASSIGN(void* const library, build(translate(text, kernels), is_fast));
  program->library_ = library;
  auto** const functions = static_cast<const HostFunctions**>(::dlsym(library, "metal_host_functions"));
  if (functions == nullptr) return Error(ErrorKind::compile, "the text does not include <metal_stdlib>");
  *functions = &host_functions();
  for (const Signature& k : kernels) {
    void* const found = ::dlsym(library, ("metal_thread_" + k.name).c_str());
    if (found == nullptr) return Error(ErrorKind::internal, "a kernel is missing");
    program->kernels_[k.name] = {reinterpret_cast<ThreadFunction>(found), k.max_threads};
  }
  const std::lock_guard lock(mutex);
  known[{text, is_fast}] = program;
  return std::shared_ptr<const Program>(std::move(program));
}

}  // namespace quern::test_metal
