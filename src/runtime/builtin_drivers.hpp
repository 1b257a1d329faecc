// Which drivers the build took in. QUERN_DRIVER_<NAME> are the build's options.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "driver/interface/driver.hpp"

namespace quern::runtime {

struct BuiltinDriver {
  std::string_view name;
  std::unique_ptr<driver::Driver> (*make)();  // null: not built
  std::string_view why_not;  // when it is not: the option that brings it, or the system it needs
  bool is_foreign;           // loads a library that we did not write
};

std::span<const BuiltinDriver> builtin_drivers();

}  // namespace quern::runtime
