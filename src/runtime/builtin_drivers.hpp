// The drivers that were built. QUERN_DRIVER_<NAME> are build options.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "driver/interface/driver.hpp"

namespace quern::runtime {

struct BuiltinDriver {
  std::string_view name;
  std::unique_ptr<driver::Driver> (*make)();  // null: not built
  std::string_view why_not;  // if not built: the option that enables it, or the system it requires
  bool is_foreign;           // loads a third-party library
};

std::span<const BuiltinDriver> builtin_drivers();

}  // namespace quern::runtime
