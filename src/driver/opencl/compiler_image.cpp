// The executable of tools/opencl_compiler. QUERN_OPENCL_COMPILER is its path.
#include "driver/opencl/compiler_image.hpp"

asm(".pushsection .rodata\n"
    ".balign 16\n"
    ".global kQuernOpenclCompilerBegin\n"
    ".hidden kQuernOpenclCompilerBegin\n"
    "kQuernOpenclCompilerBegin:\n"
    ".incbin \"" QUERN_OPENCL_COMPILER
    "\"\n"
    ".global kQuernOpenclCompilerEnd\n"
    ".hidden kQuernOpenclCompilerEnd\n"
    "kQuernOpenclCompilerEnd:\n"
    ".popsection\n");

extern "C" {
[[gnu::visibility("hidden")]] extern const char kQuernOpenclCompilerBegin[];
[[gnu::visibility("hidden")]] extern const char kQuernOpenclCompilerEnd[];
}

namespace quern::opencl {

std::string_view compiler_image() {
  return {kQuernOpenclCompilerBegin,
          static_cast<size_t>(kQuernOpenclCompilerEnd - kQuernOpenclCompilerBegin)};
}

}  // namespace quern::opencl
