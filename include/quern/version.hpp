/// @file
/// The version of the library. CMake reads the project's version from these macros.
#pragma once

#include <string_view>

#include "quern/export.hpp"

/// The major version of the headers.
#define QUERN_VERSION_MAJOR 0
/// The minor version of the headers.
#define QUERN_VERSION_MINOR 1
/// The patch version of the headers.
#define QUERN_VERSION_PATCH 0

namespace quern {

/// The version of the library that the program runs with: "0.1.0". The macros QUERN_VERSION_MAJOR,
/// QUERN_VERSION_MINOR and QUERN_VERSION_PATCH are the version of the headers that it was compiled with.
/// Thread-safe.
QUERN_API std::string_view version();

}  // namespace quern
