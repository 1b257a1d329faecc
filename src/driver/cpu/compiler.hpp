// Compiles LLVM IR text to a relocatable object.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "driver/cpu/processor.hpp"

namespace quern::cpu {

// Optimization effort: quick code compiles fast; full code runs several times as fast.
enum class Effort : uint8_t { kQuick, kFull };

// The output: for the loader, or for people.
enum class Form : uint8_t { kAssembly, kObject };

// Returns kInternal if LLVM rejects the text, because we generated it.
base::Result<std::string> compile_object(std::string_view text, const Processor& processor, Effort effort,
                                         Form form = Form::kObject);

// Checks that LLVM accepts the text. Returns LLVM's message, or an empty string.
base::Result<std::string> check_text(std::string_view text);

}  // namespace quern::cpu
