// Loading of a vendor's library.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.hpp"
#include "base/shared_library.hpp"

namespace quern::telemetry {

// The library that the environment variable names, else the first of `names` that exists.
inline base::Result<base::SharedLibrary> open_library(const char* variable,
                                                      std::span<const std::string_view> names,
                                                      std::string_view hint) {
  const std::optional<std::string> chosen = base::env_text(variable);
  if (!chosen) return base::SharedLibrary::open(names, hint);
  const std::string_view only[] = {*chosen};
  return base::SharedLibrary::open(only, "set " + std::string(variable) + " to the library, or unset it");
}

}  // namespace quern::telemetry
