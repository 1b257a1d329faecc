// Macros that are defined before the first line: CUDA's and the C headers' constants. Looked up when an
// identifier is first met, so that they cost nothing until used.
#pragma once

#include <span>
#include <string_view>

namespace quern::lang {

struct PredefinedMacro {
  std::string_view name;
  std::string_view params;  // "(x, y)" or empty: object-like
  std::string_view body;
};

const PredefinedMacro* find_predefined_macro(std::string_view name);  // nullptr if there is none
std::span<const PredefinedMacro> predefined_macros();                 // sorted by name

// __device__ and its kind: words of the language here, macros of CUDA's headers, so that programs ask
// `#ifndef __device__` before they define it away for other compilers.
bool is_macro_in_cuda(std::string_view name);

}  // namespace quern::lang
