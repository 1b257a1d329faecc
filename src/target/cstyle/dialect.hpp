// The C-like languages as tables: how each spells types, address spaces, indices and functions, and what it
// lacks. Everything else is common to them and is implemented once in the emitter.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "driver/interface/info.hpp"
#include "lang/ir/ir.hpp"

namespace quern::target::cstyle {

enum class Language : uint8_t { kOpencl, kCuda, kHip, kMsl, kGlsl, kGlslEs };

// A word of the helper texts and its spelling in the language.
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
  bool pointers_are_typed_by_space = true;  // the address space is part of a pointer type
  bool signed_wraps = false;                // signed overflow is defined
  bool bool_is_byte = true;                 // a bool may be stored in memory
  bool pointer_in_memory = false;  // a pointer may be stored in memory as such; otherwise as an integer
  bool is_cpp = false;
  bool functional_casts = false;  // uint(x), not (uint)x
  bool line_marks = true;
  bool const_values = true;  // a value that is known only at run time may be const
  bool variables_are_parameters =
      false;                    // __device__ and __constant__ variables: kernels get pointers to them
  bool threads_run_on = false;  // forward progress while another thread waits for it in a loop
  bool native_warps = false;
  bool native_rounding = false;
  bool native_print = false;
};

const Dialect& opencl_dialect();
const Dialect& cuda_dialect();
const Dialect& hip_dialect();
// `is_coherent`: writes of one block to device memory are visible to others after a fence.
const Dialect& msl_dialect(bool is_coherent = false);
const Dialect& glsl_dialect();
const Dialect& glsl_es_dialect();

inline bool is_cuda(const Dialect& dialect) {  // or HIP, which is spelled alike
  return dialect.language == Language::kCuda || dialect.language == Language::kHip;
}
inline bool is_glsl(const Dialect& dialect) {
  return dialect.language == Language::kGlsl || dialect.language == Language::kGlslEs;
}

// Null: the code kind is not one of these languages.
const Dialect* find_dialect(driver::CodeKind kind);

// The name of a float function for operands of that type, or empty if the language has none.
std::string math_function(const Dialect& dialect, ir::Op op, ir::TypeKind type, bool fast);
// Functions that CUDA and HIP have but OpenCL C does not: functions of the device library replace them.
bool is_in_library(ir::Op op);

}  // namespace quern::target::cstyle
