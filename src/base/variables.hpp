// All of Quern's environment variables: meaning, allowed values, default. `quern env` prints this list, and
// names that are not in it can be reported as misspelled. environment.hpp defines how values are read.
//
// An invalid value never changes which device a program gets: opening a device fails with an error that names
// the variable, its value and the allowed ones. For three tuning variables (`is_forgiving`) a warning is
// logged instead, and the default is used.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace quern::base {

struct Variable {
  enum class Kind : std::uint8_t { kText, kFlag, kNumber, kBytes, kChoice, kSeconds };

  const char* name;
  Kind kind;
  std::string_view otherwise;  // default, as text
  std::string_view meaning;
  std::string_view choices = {};                      // of a choice, separated by commas
  bool is_forgiving = false;                          // an invalid value is ignored with a warning
  std::uint64_t least = 0, most = ~std::uint64_t{0};  // of a number
  std::string_view library_of = {};  // it names the library of this driver, which must then work
};

std::span<const Variable> variables();

// Whether the value is valid, or the variable is not set.
Result<void> check(const Variable& variable);
// The first variable with an invalid value, except the forgiving ones.
Result<void> check_variables();

struct Misspelt {
  std::string name;     // QUERN_DEVCE
  std::string nearest;  // QUERN_DEVICE; empty: no similar name exists

  std::string sentence() const;
};

// Variables that are set and have Quern's prefix, but are unknown.
std::vector<Misspelt> misspelt_variables();

// Logs, once per process, misspelled names and invalid values of forgiving variables.
void warn_of_variables();

}  // namespace quern::base
