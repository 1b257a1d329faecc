// Predefined macros: the constants of CUDA's headers and of the C headers. They are looked up when an
// identifier is first seen, so they cost nothing until they are used.
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

// __device__ and similar specifiers are keywords here but macros in CUDA's headers. They count as defined,
// because programs test `#ifndef __device__` before they define it to nothing for other compilers.
bool is_macro_in_cuda(std::string_view name);

}  // namespace quern::lang
