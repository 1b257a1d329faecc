// Compilers that judge emitted text, where they are installed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace quern::test {

class Judge {
 public:
  virtual ~Judge() = default;
  // Nothing: it compiles. Else what the compiler says.
  virtual std::optional<std::string> judge(const std::string& text) = 0;
};

// Null: not on this machine.
std::unique_ptr<Judge> nvrtc_judge(const char* architecture = "--gpu-architecture=sm_90");  // CUDA C++
std::unique_ptr<Judge> hiprtc_judge(const char* architecture);                              // HIP C++
std::unique_ptr<Judge> clang_judge();                                                       // OpenCL C 1.2
std::unique_ptr<Judge> metal_judge();  // MSL, as C++ for OpenCL

// What glslangValidator says of texts, all in one process; `names` are for its messages.
struct NamedText {
  std::string name, text;
};
bool has_glsl_judge();
std::string judge_glsl(const std::vector<NamedText>& texts);  // empty: all are taken

}  // namespace quern::test
