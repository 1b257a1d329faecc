#include "base/processor_name.hpp"

#if defined(__aarch64__) && defined(__linux__)
#include <algorithm>
#include <string>

#include <dlfcn.h>
#include <sys/auxv.h>

#include "base/file.hpp"
#include "base/text.hpp"
#endif

namespace quern::base {

#if defined(__aarch64__) && defined(__linux__)

namespace {

// Whether the program provides LLVM's function. It may also be found in LLVM itself, if a driver has loaded
// it globally.
bool is_told_another_name() {
  const void* function = ::dlsym(RTLD_DEFAULT, "_ZN4llvm3sys14getHostCPUNameEv");
  Dl_info where{};
  if (function == nullptr || ::dladdr(function, &where) == 0 || where.dli_fname == nullptr) return false;
  return std::string_view(where.dli_fname).find("libLLVM") == std::string_view::npos;
}

}  // namespace

bool is_misnamed_processor() {
  constexpr unsigned long kSve = 1 << 22;
  if ((::getauxval(AT_HWCAP) & kSve) != 0) return false;
  if (is_told_another_name()) return false;
  // Neoverse V1, V2 and N2, Cortex A510, A710 and X2: LLVM assumes SVE.
  constexpr std::string_view kParts[] = {"0xd40", "0xd4f", "0xd49", "0xd46", "0xd47", "0xd48"};
  const auto text = base::read_file("/proc/cpuinfo");
  if (!text.ok()) return false;
  for (const std::string_view line : base::split_lines(*text)) {
    if (!line.starts_with("CPU part")) continue;
    const std::string_view part = base::trim(line.substr(line.find(':') + 1));
    if (std::find(std::begin(kParts), std::end(kParts), part) != std::end(kParts)) return true;
  }
  return false;
}

#else

bool is_misnamed_processor() { return false; }

#endif

}  // namespace quern::base
