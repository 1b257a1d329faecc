#include "driver/cpu/api.hpp"

#include <array>
#include <mutex>
#include <optional>

#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/shared_library.hpp"
#include "base/text.hpp"

namespace quern::cpu {
namespace {

constexpr std::array<std::string_view, 12> kNames = {"libLLVM.so.20.1", "libLLVM-20.so.1", "libLLVM.so.19.1",
                                                     "libLLVM-19.so.1", "libLLVM.so.18.1", "libLLVM-18.so.1",
                                                     "libLLVM-18.so",   "libLLVM-17.so.1", "libLLVM-17.so",
                                                     "libLLVM-16.so.1", "libLLVM-15.so.1", "libLLVM-15.so"};
constexpr std::string_view kHintOfVariable = "correct or unset QUERN_LLVM, which names the library";
constexpr std::string_view kHint =
    "install LLVM 15 or newer (Debian and Ubuntu: libllvm19, or the newest libllvm there is)";

std::vector<std::string_view> candidates(const std::optional<std::string>& requested) {
  if (requested) return {*requested};
  return {kNames.begin(), kNames.end()};
}

base::Result<const LlvmApi*> load_api() {
  const std::optional<std::string> requested = base::env_text("QUERN_LLVM");
  QUERN_TRY_ASSIGN(const base::SharedLibrary library,
                   base::SharedLibrary::open(candidates(requested), requested ? kHintOfVariable : kHint));
  static LlvmApi api;
#define X(result, name, parameters) QUERN_TRY(library.load(#name, api.name));
  QUERN_LLVM_API(X)
#undef X
#define X(result, name, parameters) api.name = reinterpret_cast<result(*) parameters>(library.find(#name));
  QUERN_LLVM_OPTIONAL(X)
#undef X
#define X(name) \
  if (void* at = library.find(#name)) reinterpret_cast<void (*)()>(at)();
  QUERN_LLVM_TARGETS(X)
#undef X
  api.library = library.name();
  api.version = library.name();
  if (void* at = library.find("LLVMGetVersion")) {
    unsigned major = 0, minor = 0, patch = 0;
    reinterpret_cast<void (*)(unsigned*, unsigned*, unsigned*)>(at)(&major, &minor, &patch);
    api.version = base::format("%u.%u.%u", major, minor, patch);
    api.major = major;
  }
  return static_cast<const LlvmApi*>(&api);
}

}  // namespace

base::Result<const LlvmApi*> llvm_api() {
  static const base::Result<const LlvmApi*> kLoaded = load_api();
  return kLoaded;
}

std::string llvm_library_name() {
  if (const auto requested = base::env_text("QUERN_LLVM")) return *requested;
#if defined(__aarch64__)
  constexpr std::string_view kOwn = "/usr/lib/aarch64-linux-gnu";
#else
  constexpr std::string_view kOwn = "/usr/lib/x86_64-linux-gnu";
#endif
  for (std::string_view name : kNames) {
    for (std::string_view folder : {kOwn, std::string_view("/usr/lib64"), std::string_view("/usr/lib"),
                                    std::string_view("/usr/local/lib")}) {
      if (base::file_exists(base::join_path(folder, name))) return std::string(name);
    }
  }
  return {};
}

}  // namespace quern::cpu
