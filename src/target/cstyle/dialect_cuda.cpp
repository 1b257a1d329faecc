// CUDA C++ and HIP C++, which are nearly the same language.
#include "target/cstyle/dialect.hpp"

namespace quern::target::cstyle {

namespace {

constexpr Word kWords[] = {
    {"f32_bits", "__float_as_uint"},
    {"bits_f32", "__uint_as_float"},
    {"f64_bits", "(unsigned long long)__double_as_longlong"},
    {"bits_f64", "__longlong_as_double"},
    {"popc32", "__popc"},
    {"popc64", "__popcll"},
    {"clz32", "__clz"},
    {"clz64", "__clzll"},
    {"mulhi32", "__umulhi"},
    {"mulhi64", "__umul64hi"},
    {"d", ""},
    {"address", "unsigned long long"},
    {"shared", ""},
    {"volatile", ""},
    {"shared_add", "atomicAdd"},
    {"barrier", "__syncthreads()"},
    {"cas32", "atomicCAS"},
    {"cas64", "atomicCAS"},
};

constexpr Dialect make(Language language, std::string_view name) {
  return {
      .language = language,
      .name = name,
      .types = {"void", "bool", "signed char", "unsigned char", "short", "unsigned short", "int",
                "unsigned int", "long long", "unsigned long long", "unsigned short", "unsigned short",
                "float", "double"},
      .pointer_space = {"", "", "", "", ""},
      .shared_variable = "__shared__ ",
      .constant_variable = "__constant__ ",
      .function = "static __device__ __forceinline__",
      .index = {{"threadIdx.x", "threadIdx.y", "threadIdx.z"},
                {"blockIdx.x", "blockIdx.y", "blockIdx.z"},
                {"blockDim.x", "blockDim.y", "blockDim.z"},
                {"gridDim.x", "gridDim.y", "gridDim.z"}},
      .long_suffix = "LL",
      .unsigned_long_suffix = "ULL",
      .double_suffix = "",
      .words = kWords,
      .pointers_are_typed_by_space = false,
      .pointer_in_memory = true,
      .is_cpp = true,
      .threads_run_on = true,
      .native_warps = true,
      .native_rounding = language == Language::kCuda,
      .native_print = true,
  };
}

constexpr Dialect kCuda = make(Language::kCuda, "CUDA C++");
constexpr Dialect kHip = make(Language::kHip, "HIP C++");

}  // namespace

const Dialect& cuda_dialect() { return kCuda; }
const Dialect& hip_dialect() { return kHip; }

}  // namespace quern::target::cstyle
