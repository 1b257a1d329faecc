// The C-like languages as tables: how each spells types, memories, indices and functions, and what it lacks.
// Everything else about them is the same and stands once in the emitter.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "driver/interface/info.hpp"
#include "lang/ir/ir.hpp"

namespace quern::target::cstyle {

enum class Language : uint8_t { kOpencl, kCuda, kHip, kMsl, kGlsl, kGlslEs };

// A word of the helper texts and how the language says it.
struct Word {
  std::string_view word;
  std::string_view text;
};

struct Dialect {
  Language language;
  std::string_view name;  // "OpenCL C"
  // By ir::TypeKind, void to f64. Half and bfloat16 are their bits.
  std::string_view types[14];
  // Before the type in a declaration, by ir::Space; with a final space.
  std::string_view pointer_space[5];
  std::string_view shared_variable;    // "__local "
  std::string_view constant_variable;  // constant data at the outermost level
  std::string_view function;           // before a helper function
  std::string_view index[4][3];        // thread, block, block size, grid size
  std::string_view long_suffix, unsigned_long_suffix, double_suffix;
  std::span<const Word> words;  // for the helper texts, and for bits of floats
  bool has_pointers = true;
  bool pointers_are_typed_by_space = true;  // a pointer's memory is part of its type
  bool signed_wraps = false;                // signed overflow is defined
  bool bool_is_byte = true;                 // a bool may stand in memory
  bool pointer_in_memory = false;           // a pointer may stand in memory as such; else as an integer
  bool is_cpp = false;
  bool functional_casts = false;  // uint(x), not (uint)x
  bool line_marks = true;
  bool const_values = true;               // a value that is known only at run time may be const
  bool variables_are_parameters = false;  // of the program: kernels are given pointers to them
  bool threads_run_on = false;            // while another one waits for them in a loop
  bool native_warps = false;
  bool native_rounding = false;
  bool native_print = false;
};

const Dialect& opencl_dialect();
const Dialect& cuda_dialect();
const Dialect& hip_dialect();
// `is_coherent`: what one block writes to device memory, others see after a fence.
const Dialect& msl_dialect(bool is_coherent = false);
const Dialect& glsl_dialect();
const Dialect& glsl_es_dialect();

inline bool is_cuda(const Dialect& dialect) {  // or HIP, which is written alike
  return dialect.language == Language::kCuda || dialect.language == Language::kHip;
}
inline bool is_glsl(const Dialect& dialect) {
  return dialect.language == Language::kGlsl || dialect.language == Language::kGlslEs;
}

// Null: the kind is not one of these languages.
const Dialect* find_dialect(driver::CodeKind kind);

// The name of a float function for operands of that type, or empty: the language has none.
std::string math_function(const Dialect& dialect, ir::Op op, ir::TypeKind type, bool fast);
// Functions that CUDA and HIP have, and OpenCL C has not: the device library's take their place.
bool is_in_library(ir::Op op);

}  // namespace quern::target::cstyle
