#pragma once

#include <string_view>

namespace quern::opencl {

/// The executable file of tools/opencl_compiler.
std::string_view compiler_image();

}  // namespace quern::opencl
