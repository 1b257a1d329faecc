#include "target/cstyle/names.hpp"

#include <algorithm>
#include <cctype>

#include "target/short_name.hpp"

namespace quern::target::cstyle {

namespace {

// Sorted. Keywords of C, C++ and the six languages, and the functions that emitted text calls.
constexpr std::string_view kReserved[] = {
    "NULL",          "abs",       "acos",         "acosh",
    "active",        "alignas",   "alignof",      "all",
    "and",           "and_eq",    "any",          "as_double",
    "as_float",      "as_int",    "as_long",      "as_type",
    "as_uint",       "as_ulong",  "asin",         "asinh",
    "asm",           "assert",    "atan",         "atan2",
    "atanh",         "atomic",    "attribute",    "auto",
    "barrier",       "bitand",    "bitor",        "blockDim",
    "blockIdx",      "bool",      "break",        "buffer",
    "case",          "catch",     "cbrt",         "ceil",
    "centroid",      "char",      "clamp",        "class",
    "clock64",       "clz",       "coherent",     "common",
    "compl",         "complex",   "concept",      "const",
    "const_cast",    "consteval", "constexpr",    "constinit",
    "constant",      "continue",  "copysign",     "cos",
    "cosh",          "cospi",     "cross",        "ctz",
    "decltype",      "default",   "delete",       "depth",
    "device",        "discard",   "distance",     "do",
    "dot",           "double",    "dynamic_cast", "else",
    "enum",          "erf",       "erfc",         "event_t",
    "exp",           "exp10",     "exp2",         "explicit",
    "expm1",         "export",    "extern",       "external",
    "fabs",          "false",     "fdim",         "filter",
    "fixed",         "flat",      "float",        "floor",
    "fma",           "fmax",      "fmin",         "fmod",
    "for",           "fract",     "fragment",     "friend",
    "generic",       "global",    "goto",         "gridDim",
    "half",          "highp",     "hypot",        "if",
    "image",         "image1d_t", "image2d_t",    "image3d_t",
    "imageSize",     "in",        "inline",       "inout",
    "input",         "int",       "interface",    "invariant",
    "inverse",       "isfinite",  "isinf",        "isnan",
    "kernel",        "layout",    "ldexp",        "length",
    "lgamma",        "local",     "log",          "log10",
    "log1p",         "log2",      "long",         "lowp",
    "mad",           "main",      "matrix",       "max",
    "mediump",       "mem_fence", "metal",        "min",
    "mix",           "mod",       "mutable",      "namespace",
    "new",           "noexcept",  "noinline",     "noise",
    "noperspective", "normalize", "not",          "not_eq",
    "nullptr",       "object",    "operator",     "or",
    "or_eq",         "out",       "output",       "packed",
    "partition",     "patch",     "pipe",         "popcount",
    "pow",           "precise",   "precision",    "printf",
    "private",       "protected", "ptrdiff_t",    "public",
    "quad",          "queue_t",   "read_only",    "read_write",
    "readonly",      "reflect",   "register",     "reinterpret_cast",
    "remainder",     "requires",  "resource",     "restrict",
    "return",        "rint",      "rotate",       "round",
    "rsqrt",         "sample",    "sampler",      "sampler_t",
    "select",        "shared",    "short",        "sign",
    "signbit",       "signed",    "sin",          "sincos",
    "sinh",          "sinpi",     "size_t",       "sizeof",
    "smooth",        "sqrt",      "static",       "static_assert",
    "static_cast",   "step",      "struct",       "subroutine",
    "superp",        "switch",    "tan",          "tanh",
    "template",      "texture",   "tgamma",       "this",
    "thread",        "threadIdx", "thread_local", "threadgroup",
    "throw",         "transpose", "true",         "trunc",
    "try",           "typedef",   "typeid",       "typename",
    "uchar",         "uint",      "uintptr_t",    "ulong",
    "unify",         "uniform",   "union",        "unsigned",
    "ushort",        "using",     "varying",      "vec_step",
    "vertex",        "virtual",   "void",         "volatile",
    "warpSize",      "wchar_t",   "while",        "write_only",
    "writeonly",     "xor",       "xor_eq",
};

// float4, uchar16, dim3, vec2: types of one of the languages.
bool is_vector(std::string_view word) {
  constexpr std::string_view kElements[] = {"bool",  "char",   "uchar", "short",    "ushort",    "int",
                                            "uint",  "long",   "ulong", "longlong", "ulonglong", "half",
                                            "float", "double", "dim",   "vec",      "mat"};
  const size_t digits = word.find_first_of("0123456789");
  if (digits == std::string_view::npos ||
      word.find_first_not_of("0123456789", digits) != std::string_view::npos)
    return false;
  return std::find(std::begin(kElements), std::end(kElements), word.substr(0, digits)) != std::end(kElements);
}

// Reserved names: ours and GLSL's.
bool has_reserved_prefix(std::string_view word) {
  return word.substr(0, 6) == "quern_" || word.substr(0, 3) == "gl_";
}

}  // namespace

bool is_reserved(std::string_view word) {
  static const std::unordered_set<std::string_view> kWords(std::begin(kReserved), std::end(kReserved));
  return kWords.count(word) != 0 || is_vector(word) || has_reserved_prefix(word);
}

std::string legal_word(std::string_view name) {
  std::string word;
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (plain) {
      word += c;
    } else if (!word.empty() && word.back() != '_') {
      word += '_';  // never two in a row: some languages reserve those
    }
  }
  while (!word.empty() && word.back() == '_') word.pop_back();
  if (word.empty() || std::isdigit(static_cast<unsigned char>(word[0])) != 0) word = "v" + word;
  return short_name(word);
}

std::string Names::make(std::string_view wanted, std::initializer_list<std::string_view> endings) {
  std::string word = legal_word(wanted);
  if (has_reserved_prefix(word)) word = "my_" + word;  // a numeric suffix would not help
  std::string name = word;
  int& next = next_[word];
  const auto is_free = [&] {
    const auto free = [&](std::string_view ending) { return !is_taken(name + std::string(ending)); };
    return free("") && !is_reserved(name) && std::all_of(endings.begin(), endings.end(), free);
  };
  while (!is_free()) name = word + "_" + std::to_string(++next);
  taken_.insert(name);
  for (const std::string_view ending : endings) taken_.insert(name + std::string(ending));
  return name;
}

}  // namespace quern::target::cstyle
