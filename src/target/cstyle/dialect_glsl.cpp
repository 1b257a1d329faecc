// GLSL for OpenGL 4.3 and newer, and for OpenGL ES 3.1 and newer: a language without pointers. Memory is
// arrays of 32-bit words (glsl_writer.hpp); integers of 8 and 16 bits are computed in 32.
#include "target/cstyle/dialect.hpp"

namespace quern::target::cstyle {

namespace {

constexpr Word kWords[] = {
    {"f32_bits", "floatBitsToUint"},
    {"bits_f32", "uintBitsToFloat"},
    {"f64_bits", "quern_f64_bits"},
    {"bits_f64", "quern_bits_f64"},
    {"popc32", "quern_popc32"},
    {"popc64", "quern_popc64"},
    {"clz32", "quern_clz32"},
    {"clz64", "quern_clz64"},
    {"mulhi32", "quern_mulhi"},
    {"mulhi64", "quern_mulhi64"},
    {"d", "lf"},
    {"barrier", "memoryBarrierShared(); memoryBarrierBuffer(); barrier()"},
};

constexpr Dialect make(Language language, std::string_view name) {
  return {
      .language = language,
      .name = name,
      .types = {"void", "bool", "int", "uint", "int", "uint", "int", "uint", "int64_t", "uint64_t", "uint",
                "uint", "float", "double"},
      .pointer_space = {"", "", "", "", ""},
      .shared_variable = "shared ",
      .constant_variable = "const ",
      .function = "",
      .index = {{"gl_LocalInvocationID.x", "gl_LocalInvocationID.y", "gl_LocalInvocationID.z"},
                {"gl_WorkGroupID.x", "gl_WorkGroupID.y", "gl_WorkGroupID.z"},
                {"quern_size.x", "quern_size.y", "quern_size.z"},
                {"gl_NumWorkGroups.x", "gl_NumWorkGroups.y", "gl_NumWorkGroups.z"}},
      .long_suffix = "L",
      .unsigned_long_suffix = "UL",
      .double_suffix = "lf",
      .words = kWords,
      .has_pointers = false,
      .signed_wraps = true,
      .functional_casts = true,
      .line_marks = false,
      .const_values = false,
  };
}

constexpr Dialect kGlsl = make(Language::kGlsl, "GLSL");
constexpr Dialect kGlslEs = make(Language::kGlslEs, "GLSL ES");

}  // namespace

const Dialect& glsl_dialect() { return kGlsl; }
const Dialect& glsl_es_dialect() { return kGlslEs; }

}  // namespace quern::target::cstyle
