#include "target/cstyle/dialect.hpp"

namespace quern::target::cstyle {

namespace {

constexpr Word kWords[] = {
    {"f32_bits", "as_uint"},
    {"bits_f32", "as_float"},
    {"f64_bits", "as_ulong"},
    {"bits_f64", "as_double"},
    {"popc32", "popcount"},
    {"popc64", "popcount"},
    {"clz32", "clz"},
    {"clz64", "clz"},
    {"mulhi32", "mul_hi"},
    {"mulhi64", "mul_hi"},
    {"d", ""},
    {"address", "uintptr_t"},
    {"shared", "__local "},
    {"volatile", "volatile"},
    {"shared_add", "atomic_add"},
    {"barrier", "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)"},
    {"cas32", "atomic_cmpxchg"},
    {"cas64", "atom_cmpxchg"},
};

constexpr Dialect kDialect = {
    .language = Language::kOpencl,
    .name = "OpenCL C",
    .types = {"void", "bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "ushort",
              "ushort", "float", "double"},
    .pointer_space = {"", "__global ", "__local ", "__private ", "__constant "},
    .shared_variable = "__local ",
    .constant_variable = "__constant ",
    .function = "static",
    .index = {{"(uint)get_local_id(0)", "(uint)get_local_id(1)", "(uint)get_local_id(2)"},
              {"(uint)get_group_id(0)", "(uint)get_group_id(1)", "(uint)get_group_id(2)"},
              {"(uint)get_local_size(0)", "(uint)get_local_size(1)", "(uint)get_local_size(2)"},
              {"(uint)get_num_groups(0)", "(uint)get_num_groups(1)", "(uint)get_num_groups(2)"}},
    .long_suffix = "L",
    .unsigned_long_suffix = "UL",
    .double_suffix = "",
    .words = kWords,
    .bool_is_byte = false,
    .variables_are_parameters = true,
};

}  // namespace

const Dialect& opencl_dialect() { return kDialect; }

}  // namespace quern::target::cstyle
