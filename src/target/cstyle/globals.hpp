// Module variables that are declared in the text: __device__ and __constant__ variables if the language has
// them, and constant tables.
#pragma once

#include <string>

#include "target/cstyle/unit.hpp"

namespace quern::target::cstyle {

// Names all variables of the module and writes those that are declared in the text.
std::string global_variables(Unit& unit);

}  // namespace quern::target::cstyle
