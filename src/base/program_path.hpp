#pragma once

#include <string>

namespace quern::base {

// The file of this program; empty if the system does not report it.
std::string program_path();

}  // namespace quern::base
