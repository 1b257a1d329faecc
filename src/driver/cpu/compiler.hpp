// LLVM IR text to a relocatable object.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "driver/cpu/processor.hpp"

namespace quern::cpu {

// Text that LLVM refuses is kInternal: we wrote it.
base::Result<std::string> compile_object(std::string_view text, const Processor& processor);

// Whether LLVM reads the text and finds it well formed; empty, or what is wrong.
base::Result<std::string> check_text(std::string_view text);

}  // namespace quern::cpu
