// The drivers that were built. QUERN_DRIVER_<NAME> are build options.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "driver/interface/driver.hpp"

namespace quern::runtime {

struct BuiltinDriver {
  std::string_view name;
  std::string_view folder;                              // below src/driver; drivers may share one
  std::unique_ptr<driver::Driver> (*make)() = nullptr;  // null: not built
  std::string_view why_not = {};                        // if it is not built: how to build it
  bool is_foreign = false;                              // loads a third-party library
  bool changes_environment = false;                     // that library calls setenv() while it starts
};

std::span<const BuiltinDriver> builtin_drivers();

}  // namespace quern::runtime
