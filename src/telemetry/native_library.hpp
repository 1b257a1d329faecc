// Loading of a vendor's library.
#pragma once

#include <span>
#include <string_view>

#include "base/result.hpp"

namespace quern::telemetry {

// A function of a library, and the pointer to it that is set; null if the library lacks it.
struct Symbol {
  const char* name;
  void* pointer;  // to a function pointer
  bool is_required;
};

// Opens the library that the environment variable names, else the first of `names` that exists, and sets the
// pointers. Fails if it lacks a required function.
base::Result<> load_library(const char* variable, std::span<const std::string_view> names,
                            std::string_view hint, std::span<const Symbol> symbols);

}  // namespace quern::telemetry
