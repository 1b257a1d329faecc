// ptxas as the validator of PTX.
#pragma once

#include <optional>
#include <string>

namespace quern::test {

// NVIDIA's assembler; empty: it is not installed.
const std::string& assembler();
// Its errors for a text and architecture; nothing: it is accepted.
std::optional<std::string> validate_ptx(const std::string& text, const std::string& architecture);

}  // namespace quern::test
