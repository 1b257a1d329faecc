// Compilers that validate emitted text, if they are installed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/interface/info.hpp"

namespace quern::test {

class Validator {
 public:
  virtual ~Validator() = default;
  // Nothing: it compiles. Otherwise the compiler's messages.
  virtual std::optional<std::string> validate(const std::string& text) = 0;
};

// The validator of a target (target::Descriptor::validator), if it is NVRTC, hiprtc or clang. `options`:
// instead of the descriptor's. Null: not available on this machine.
std::unique_ptr<Validator> validator_of(driver::CodeKind kind, std::string_view options = {});

// The messages of glslangValidator for texts, all in one process; `names` are used in its messages.
struct NamedText {
  std::string name, text;
};
bool has_glsl_validator();
std::string validate_glsl(const std::vector<NamedText>& texts);  // empty: all are accepted

}  // namespace quern::test
