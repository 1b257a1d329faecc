// Compilers that validate emitted text, if they are installed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace quern::test {

class Validator {
 public:
  virtual ~Validator() = default;
  // Nothing: it compiles. Otherwise the compiler's messages.
  virtual std::optional<std::string> validate(const std::string& text) = 0;
};

// Null: not available on this machine.
std::unique_ptr<Validator> nvrtc_validator(
    const char* architecture = "--gpu-architecture=sm_90");             // CUDA C++
std::unique_ptr<Validator> hiprtc_validator(const char* architecture);  // HIP C++
std::unique_ptr<Validator> clang_validator();                           // OpenCL C 1.2
std::unique_ptr<Validator> metal_validator();                           // MSL, as C++ for OpenCL

// The messages of glslangValidator for texts, all in one process; `names` are used in its messages.
struct NamedText {
  std::string name, text;
};
bool has_glsl_validator();
std::string validate_glsl(const std::vector<NamedText>& texts);  // empty: all are accepted

}  // namespace quern::test
