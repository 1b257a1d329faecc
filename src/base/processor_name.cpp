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

bool is_misnamed_processor() {
  constexpr unsigned long kSve = 1 << 22;
  if ((::getauxval(AT_HWCAP) & kSve) != 0) return false;
  // The program tells LLVM another name.
  if (::dlsym(RTLD_DEFAULT, "_ZN4llvm3sys14getHostCPUNameEv") != nullptr) return false;
  // Neoverse V1, V2 and N2, Cortex A510, A710 and X2: LLVM takes SVE for granted.
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
