// The Metal Shading Language: C++14 with address spaces in pointer types. It has no double, and only
// constants at file scope.
#include "target/cstyle/dialect.hpp"

namespace quern::target::cstyle {

namespace {

constexpr Word kWords[] = {
    {"f32_bits", "as_type<uint>"},
    {"bits_f32", "as_type<float>"},
    {"popc32", "popcount"},
    {"popc64", "quern_popc64"},
    {"clz32", "clz"},
    {"clz64", "quern_clz64"},
    {"mulhi32", "mulhi"},
    {"mulhi64", "quern_mulhi64"},
    {"d", ""},
    {"address", "ulong"},
    {"global", "device "},
    {"shared", "threadgroup "},
    {"volatile", "volatile"},
    {"barrier", "threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup)"},
    {"cas32", "quern_cas32"},
    {"atomic_word", "atomic_uint"},
};

constexpr size_t kWordCount = sizeof kWords / sizeof kWords[0];

struct Words {
  Word all[kWordCount];
};

constexpr Words words_for(std::string_view global) {
  Words out{};
  for (size_t i = 0; i < kWordCount; ++i)
    out.all[i] = {kWords[i].word, kWords[i].word == "global" ? global : kWords[i].text};
  return out;
}

constexpr std::string_view kDevice = "device ", kCoherent = "coherent(device) device ";
constexpr Words kPlainWords = words_for(kDevice), kCoherentWords = words_for(kCoherent);

constexpr Dialect make(std::string_view global, std::span<const Word> words) {
  return {
      .language = Language::kMsl,
      .name = "Metal",
      .types = {"void", "bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "ushort",
                "ushort", "float", "double"},
      .pointer_space = {"", global, "threadgroup ", "thread ", "constant "},
      .shared_variable = "threadgroup ",
      .constant_variable = "constant ",
      .function = "static inline",
      .index = {{"threadIdx.x", "threadIdx.y", "threadIdx.z"},
                {"blockIdx.x", "blockIdx.y", "blockIdx.z"},
                {"blockDim.x", "blockDim.y", "blockDim.z"},
                {"gridDim.x", "gridDim.y", "gridDim.z"}},
      .long_suffix = "L",
      .unsigned_long_suffix = "UL",
      .double_suffix = "",
      .words = words,
      .variables_are_parameters = true,
  };
}

constexpr Dialect kPlainDialect = make(kDevice, kPlainWords.all);
constexpr Dialect kCoherentDialect = make(kCoherent, kCoherentWords.all);

}  // namespace

const Dialect& msl_dialect(bool is_coherent) { return is_coherent ? kCoherentDialect : kPlainDialect; }

}  // namespace quern::target::cstyle
