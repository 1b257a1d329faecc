// ptxas as the validate of PTX.
#pragma once

#include <optional>
#include <string>

namespace quern::test {

// NVIDIA's assembler; empty: it is not installed.
const std::string& assembler();
// What it says against a text for that architecture; nothing: it takes it.
std::optional<std::string> validate_ptx(const std::string& text, const std::string& architecture);

}  // namespace quern::test
