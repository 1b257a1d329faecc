#include "base/program_path.hpp"

#if defined(__APPLE__)
#include <cstdint>

#include <mach-o/dyld.h>
#else
#include <unistd.h>
#endif

namespace quern::base {

std::string program_path() {
  char path[4096];
#if defined(__APPLE__)
  uint32_t size = sizeof path;
  return ::_NSGetExecutablePath(path, &size) == 0 ? path : "";
#else
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  return length <= 0 ? std::string() : std::string(path, static_cast<size_t>(length));
#endif
}

}  // namespace quern::base
