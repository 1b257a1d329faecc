// Kernels as SPIR-V, and the tool that validates them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "target/target.hpp"

namespace quern::test {

target::Options spirv_options();
target::Options kernel_options();  // the Kernel model

// All kernels of a CUDA program as one module.
base::Result<driver::Code> emit_spirv(std::string_view program,
                                      const target::Options& options = spirv_options());

// All kernels of tests/cases, each separately: the module, or the reason why there is none.
struct EmittedModule {
  std::string name;  // "atomics.cu:histogram"
  std::string bytes;
  std::string refused;
};
std::vector<EmittedModule> emit_cases_as_spirv(const target::Options& options = spirv_options());

bool has_validator();
// The errors of spirv-val for a module; nothing: it is valid.
std::optional<std::string> validate(const std::string& bytes, const std::string& environment = "vulkan1.2");
bool has_translator();
// The errors of llvm-spirv for a module of the Kernel model, which it translates to LLVM bitcode.
std::optional<std::string> translate(const std::string& bytes);
// The listing of spirv-dis.
std::string disassembled(const std::string& bytes);

}  // namespace quern::test
