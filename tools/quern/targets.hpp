// The targets that users can name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "driver/interface/info.hpp"
#include "lang/ir/ir.hpp"
#include "target/target.hpp"

namespace quern::tool {

std::span<const driver::CodeKind> all_targets();

// Parses "opencl", "ir,cuda", "all". An unknown name is kInvalidUse; `others` are additional targets of the
// command.
base::Result<std::vector<driver::CodeKind>> parse_targets(std::string_view list, std::string_view others);

// Options for a device with all features of the language; `version` of the language, or its default.
target::Options usual_options(driver::CodeKind kind, const std::string& version = {});

// Emits one kernel of a prepared module for such a device, or another.
base::Result<driver::Code> emit_kernel(const ir::Module& module, const ir::Function& kernel,
                                       const std::string& file, const target::Options& options);
base::Result<driver::Code> emit_kernel(const ir::Module& module, const ir::Function& kernel,
                                       const std::string& file, driver::CodeKind kind, bool line_marks);

// "exact", "fused", "fast". Another name is kInvalidUse.
// Whether --arch accepts this value for the kind of code.
bool takes_architecture(driver::CodeKind kind, std::string_view name);
base::Result<driver::Math> parse_math(std::string_view text);

}  // namespace quern::tool
