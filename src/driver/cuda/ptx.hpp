// Describes the kernels of PTX text: for the user's own code, which has no other description.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/interface/code.hpp"

namespace quern::cuda {

// Parameters have types and sizes; their names are "1", "2", …. If the entry is a mangled name, the kernel
// has the demangled one: "ns::scan<float, 256>".
std::vector<driver::KernelInfo> read_ptx(std::string_view text);

// "ns::scan<float>" for "_ZN2ns4scanIfEEvPf"; other names are returned unchanged.
std::string source_name(const std::string& entry);

}  // namespace quern::cuda
