// Variables of the program that stand in the text: __device__ and __constant__ ones where the language has
// them, and constant tables.
#pragma once

#include <string>

#include "target/cstyle/unit.hpp"

namespace quern::target::cstyle {

// Names all of the module's variables and writes those that the text has.
std::string global_variables(Unit& unit);

}  // namespace quern::target::cstyle
