// The kernels of PTX text as they look from outside: for code of the user's own, which nobody has described.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/interface/code.hpp"

namespace quern::cuda {

// Parameters have types and sizes; their names are "1", "2", …. A kernel's name is the one in the source
// where the entry is a mangled one: "ns::scan<float, 256>".
std::vector<driver::KernelInfo> read_ptx(std::string_view text);

// "ns::scan<float>" for "_ZN2ns4scanIfEEvPf"; what is not mangled stays.
std::string source_name(const std::string& entry);

}  // namespace quern::cuda
