// printf and assert of a kernel body that runs on the host.
#pragma once

#pragma GCC system_header  // names are reserved for the implementation

#include <cstddef>
#include <cstdio>
#include <string>

#include "quern/kernel/host.hpp"

namespace quern::kernel {

// The text is added to the output of the launch.
[[gnu::format(printf, 1, 2)]] inline int printf(const char* format, ...) {
  std::string text(256, '\0');
  for (;;) {
    __builtin_va_list arguments;
    __builtin_va_start(arguments, format);
    const int size = std::vsnprintf(text.data(), text.size(), format, arguments);
    __builtin_va_end(arguments);
    if (size < 0) return size;
    if (static_cast<std::size_t>(size) < text.size()) {
      host::runner().print(text.data(), static_cast<std::size_t>(size));
      return size;
    }
    text.resize(static_cast<std::size_t>(size) + 1);
  }
}

// If the program includes <cassert>, its macro calls this function (or nothing, with NDEBUG).
[[noreturn]] inline void __assert_fail(const char* condition, const char* file, unsigned line, const char*) {
  host::runner().stop("assert", condition, file, line);
  __builtin_unreachable();  // GCC does not trust [[noreturn]] on a virtual function
}
// Otherwise assert is a function. The parentheses prevent the expansion of a macro of that name.
inline void(assert)(bool condition) {
  if (!condition) host::runner().stop("assert", "the condition is false", nullptr, 0);
}

}  // namespace quern::kernel
