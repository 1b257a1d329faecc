// Shared code for running a case on any device: compiling it, its arguments as bytes, and comparing the
// results. Failures are gtest's.
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lang/ir/ir.hpp"
#include "lang/ir/matrix.hpp"
#include "lang/pass/pass.hpp"
#include "runtime/argument_text.hpp"
#include "runtime/texture_text.hpp"
#include "support/case_file.hpp"

namespace quern::test {

// All cases of tests/<folder>.
std::vector<Case> load_cases(const char* folder);

struct CaseProgram {
  std::shared_ptr<ir::Module> module;
  const ir::Function* kernel = nullptr;
};
void compile_case(const Case& c, CaseProgram& program, bool prepare = true);

// The first step of target::emit, for tests that use modules without it.
void legalize_case(CaseProgram& program, ir::MatrixForm form = ir::MatrixForm::kLoops,
                   const pass::Forms& forms = {.checks_library = true});

struct CaseArgument {
  const ir::Param* param = nullptr;
  std::vector<std::byte> value;  // not a pointer
  bool is_null = false;
  runtime::HostBuffer buffer;  // a pointer, or the texels of a texture
  bool is_texture = false;     // the value is a descriptor
  // Writes the address of the texels into the descriptor.
  void set_address(uint64_t address) { std::memcpy(value.data(), &address, sizeof address); }
  uint64_t bytes() const { return buffer.count * buffer.element_bytes(); }
};
void parse_case_arguments(const Case& c, const CaseProgram& program, std::vector<CaseArgument>& arguments);

// `contents`: of the buffer that the expectation names.
void expect_case_values(const Case& c, const Expectation& e, const ir::Param& param,
                        std::span<const std::byte> contents);
void expect_case_checks_something(const Case& c);

}  // namespace quern::test
