// Every environment variable that is ours: what it means, what it may be, what holds when it is not set. One
// list, which `quern env` prints, so that a name that is not in it can be told to be misspelt. How values are
// read is environment.hpp.
//
// A value that is not allowed never changes which device a program gets: opening a device fails with an error
// that names the variable, its value and the allowed ones. Three variables that only tune (`is_forgiving`)
// are warned of instead, and their default is used.
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
  std::string_view otherwise;  // what holds when it is not set
  std::string_view meaning;
  std::string_view choices = {};                      // of a choice, with commas between
  bool is_forgiving = false;                          // a value that is not allowed is warned of and not used
  std::uint64_t least = 0, most = ~std::uint64_t{0};  // of a number
  std::string_view library_of = {};  // it names the library of this driver, which must work then
};

std::span<const Variable> variables();

// Its value can be understood, or it is not set.
Result<void> check(const Variable& variable);
// The first variable whose value is not allowed, without the forgiving ones.
Result<void> check_variables();

struct Misspelt {
  std::string name;     // QUERN_DEVCE
  std::string nearest;  // QUERN_DEVICE; empty: no name of ours is like it

  std::string sentence() const;
};

// What is set and begins like ours, and nobody reads.
std::vector<Misspelt> misspelt_variables();

// Once in a program, to the log: names that are nearly ours, and wrong values of forgiving ones.
void warn_of_variables();

}  // namespace quern::base
