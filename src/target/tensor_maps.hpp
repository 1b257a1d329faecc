// Kernels with tensor maps as parameters.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "lang/ir/ir.hpp"

namespace quern::target {

// The first compute capability with tensor copies: sm_90.
inline constexpr uint32_t kFirstWithTensorMaps = 90;

// Adds the kernels that take tensor maps to `refused`, with the reason, for targets without tensor copies.
void refuse_tensor_maps(const ir::Module& module, std::map<std::string, std::string>& refused);

}  // namespace quern::target
