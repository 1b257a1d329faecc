// LLVM IR text to a relocatable object.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "driver/cpu/processor.hpp"

namespace quern::cpu {

// How much work goes into code: quick code is there soon, full code runs several times as fast.
enum class Effort : uint8_t { kQuick, kFull };

// What comes out: for the loader, or for people.
enum class Form : uint8_t { kAssembly, kObject };

// Text that LLVM refuses is kInternal: we wrote it.
base::Result<std::string> compile_object(std::string_view text, const Processor& processor, Effort effort,
                                         Form form = Form::kObject);

// Whether LLVM reads the text and finds it well formed; empty, or what is wrong.
base::Result<std::string> check_text(std::string_view text);

}  // namespace quern::cpu
