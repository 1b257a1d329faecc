// Preloaded into Chromium's GPU process on virtual machines whose processor's name implies instructions (SVE) that they
// do not offer: SwiftShader compiles for the name in /proc/cpuinfo. QUERN_CPUINFO names the file that it reads instead.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char* file_for(const char* path) {
  const char* const other = getenv("QUERN_CPUINFO");
  return path != 0 && other != 0 && strcmp(path, "/proc/cpuinfo") == 0 ? other : path;
}

#define OPEN(name)                                                                 \
  int name(const char* path, int flags, ...) {                                     \
    static int (*real)(const char*, int, ...);                                     \
    if (real == 0) real = (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, #name); \
    va_list rest;                                                                  \
    va_start(rest, flags);                                                         \
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;         \
    va_end(rest);                                                                  \
    return real(file_for(path), flags, mode);                                      \
  }

OPEN(open)
OPEN(open64)
