// The exact functions of the library return the same bits as an NVIDIA H200: intrinsics, conversions,
// integers, SIMD in a word, half and bfloat16, and the math functions with a unique correct result. Each is
// run on the simulator over a fixed set of inputs; golden.txt in this folder has one hash per function,
// generated on a GPU.
//
// To regenerate it:  QUERN_DUMP_GOLDEN=golden.cu test_builtin --gtest_filter='*Dump*'
//                   nvcc -arch=sm_90 -fmad=false -o golden golden.cu && ./golden > tests/builtin/golden.txt
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "builtin/signature.hpp"
#include "driver/sim/sim.hpp"
#include "lang/compile.hpp"

namespace quern::lang {
namespace {

constexpr uint32_t kCases = 96;
constexpr size_t kPerKernel = 60;  // small enough for any compiler

// Parameter and result types: size in bytes, the table of its inputs, and the kind of its bits (i integer, f
// float, d double, h half, b bfloat16; twice: a pair).
struct Kind {
  std::string_view type;
  char table;
  std::string_view parts;
};
constexpr Kind kKinds[] = {
    {"bool", 'i', "i"},
    {"signed char", 'c', "i"},
    {"unsigned char", 'c', "i"},
    {"short", 's', "i"},
    {"unsigned short", 's', "i"},
    {"int", 'i', "i"},
    {"unsigned", 'i', "i"},
    {"long", 'l', "i"},
    {"unsigned long", 'l', "i"},
    {"long long", 'l', "i"},
    {"unsigned long long", 'l', "i"},
    {"float", 'f', "f"},
    {"double", 'd', "d"},
    {"__half", 'h', "h"},
    {"__nv_bfloat16", 'b', "b"},
    {"__half2", 'h', "hh"},
    {"__nv_bfloat162", 'b', "bb"},
};

const Kind* kind_of(std::string_view type) {
  for (const Kind& kind : kKinds) {
    if (kind.type == type) return &kind;
  }
  return nullptr;
}

// Inputs: edge cases, then pseudo-random numbers.
class Numbers {
 public:
  uint64_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return state_ >> 32 | state_ << 32;
  }

 private:
  uint64_t state_ = 7;
};

template <typename T>
std::vector<T> table(std::vector<T> values, Numbers& numbers, auto make) {
  while (values.size() < kCases) values.push_back(make(numbers.next()));
  return values;
}

double spread(uint64_t bits) {  // between 1e-3 and 1e3 in magnitude
  double mantissa = 1.0 + static_cast<double>(bits >> 12 & 0xffff) / 65536.0;
  double value = std::ldexp(mantissa, static_cast<int>(bits % 21) - 10);
  return (bits >> 40 & 1) != 0 ? -value : value;
}

struct Inputs {
  std::vector<uint8_t> c;
  std::vector<uint16_t> s;
  std::vector<uint32_t> i;
  std::vector<uint64_t> l;
  std::vector<uint32_t> f;
  std::vector<uint64_t> d;
  std::vector<uint16_t> h;
  std::vector<uint16_t> b;
};

Inputs make_inputs() {
  Numbers n;
  Inputs in;
  auto narrow = [](uint64_t bits) { return bits >> (bits & 3) * 8; };  // of all magnitudes
  in.i = table<uint32_t>(
      {0,          1,          2,          3,          31,         32,        33,      0xffffffff,
       0x80000000, 0x7fffffff, 0x80000001, 0xff,       0x100,      0xffff,    0x10000, 0x12345678,
       0x80808080, 0x7f7f7f7f, 0xff00ff00, 0x00800080, 0x80008000, 0x7fff7fff},
      n, [&](uint64_t x) { return static_cast<uint32_t>(narrow(x & 0xffffffff)); });
  for (uint32_t x : in.i) in.c.push_back(static_cast<uint8_t>(x));
  for (uint32_t x : in.i) in.s.push_back(static_cast<uint16_t>(x));
  in.l = table<uint64_t>(
      {0, 1, 2, 3, 63, 64, ~0ull, 1ull << 63, ~0ull >> 1, 0xffffffff, 1ull << 32, 0x8000000080000000}, n,
      [&](uint64_t x) { return narrow(x); });
  in.f =
      table<uint32_t>({0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
                       0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x3f000000,
                       0x40200000, 0xc0200000, 0x3fc00000, 0x4b000001, 0x4effffff, 0x4f000000, 0xcf000000,
                       0x4f800000, 0x5f000000, 0xdf000000, 0x5f800000, 0x3effffff, 0x42c80000, 0x41200000,
                       0x40490fdb, 0x3727c5ac, 0x77777777, 0x99999999, 0x12345678, 0xdeadbeef},
                      n, [](uint64_t x) { return std::bit_cast<uint32_t>(static_cast<float>(spread(x))); });
  in.d = table<uint64_t>(
      {0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000,
       0xfff0000000000000, 0x7ff8000000000000, 0x0000000000000001, 0x8000000000000001, 0x0010000000000000,
       0x7fefffffffffffff, 0x3fe0000000000000, 0x4004000000000000, 0xc004000000000000, 0x43e0000000000000,
       0xc3e0000000000000, 0x43f0000000000000, 0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000000000,
       0xc1e0000000200000, 0x41efffffffe00000, 0x4330000000000001, 0x36a0000000000000, 0x47efffffe0000000,
       0x7777777777777777, 0x1234567812345678, 0xdeadbeefdeadbeef},
      n, [](uint64_t x) { return std::bit_cast<uint64_t>(spread(x)); });
  in.h =
      table<uint16_t>({0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x0001, 0x8001, 0x03ff, 0x0400,
                       0x7bff, 0xfbff, 0x3800, 0x4100, 0xc100, 0x3e00, 0x6401, 0x77ff, 0x7800, 0x5640},
                      n, [](uint64_t x) { return static_cast<uint16_t>(x); });
  in.b = table<uint16_t>({0x0000, 0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0, 0x0001, 0x8001, 0x007f,
                          0x0080, 0x7f7f, 0xff7f, 0x3f00, 0x4020, 0xc020, 0x4f00, 0xcf00, 0x5f00},
                         n, [](uint64_t x) { return static_cast<uint16_t>(x); });
  return in;
}

// Functions with a unique correct result.
bool is_exact(const Signature& function) {
  static const std::set<std::string> kFast = {"__expf",   "__exp10f", "__logf",        "__log2f",
                                              "__log10f", "__sinf",   "__cosf",        "__tanf",
                                              "__tanhf",  "__powf",   "__fdividef",    "__fns",
                                              "saturate", "div",      "__builtin_ctz", "__builtin_ctzll"};
  static const std::set<std::string> kMath = {
      "sqrt",     "floor", "ceil",   "trunc",    "round",   "rint",      "nearbyint",
      "fabs",     "fmod",  "fmin",   "fmax",     "fma",     "ldexp",     "scalbn",
      "ilogb",    "lrint", "llrint", "lround",   "llround", "logb",      "fdim",
      "copysign", "isnan", "isinf",  "isfinite", "signbit", "remainder", "nextafter"};
  static const std::set<std::string> kHalfMath = {"sqrt", "floor", "ceil", "trunc", "rint"};
  if (function.name.find("__builtin") == 0 || kFast.contains(function.name)) return false;
  std::string_view file = function.file();
  if (file == "intrinsics.cuh" || file == "simd.cuh" || file == "half.cuh" || file == "bfloat16.cuh")
    return true;
  if (file == "math_int.cuh") return function.name != "div" && kind_of(function.result)->parts != "h";
  if (file == "half_math.cuh" || file == "bfloat16_math.cuh") {
    if (function.name.starts_with("__h")) return true;
    std::string name = function.name.substr(function.name.starts_with("h2") ? 2 : 1);
    return function.name.starts_with("h") && kHalfMath.contains(name);
  }
  if (file == "math_double.cuh" || file == "math_overload.cuh") return kMath.contains(function.name);
  if (file == "math_float.cuh") return kMath.contains(function.name.substr(0, function.name.size() - 1));
  return false;
}

std::string label_of(const Signature& function) {
  std::string label = function.name + "(";
  for (const std::string& type : function.types) label += (label.ends_with('(') ? "" : ",") + type;
  std::ranges::replace(label, ' ', '_');
  return label + ")";
}

// Not in CUDA 13, or ambiguous there.
bool is_in_cuda(const Signature& function) {
  static const std::set<std::string> kNot = {
      "float_as_int", "float_as_uint", "int_as_float", "uint_as_float", "mul24",  "umul24",     "mulhi",
      "mul64hi",      "isnanf",        "isinff",       "finitef",       "finite", "__signbitd", "isnormal"};
  bool is_half = !function.types.empty() && kind_of(function.types[0]) != nullptr &&
                 (function.types[0] == "__half" || function.types[0] == "__nv_bfloat16");
  bool ambiguous = is_half && (function.name == "min" || function.name == "max" || function.name == "isnan" ||
                               function.name == "isinf");
  return !kNot.contains(function.name) && !ambiguous;
}

std::vector<Signature> golden_functions() {
  std::vector<Signature> chosen;
  for (Signature& function : library_functions()) {
    if (function.types.empty() || kind_of(function.result) == nullptr) continue;
    if (!std::ranges::all_of(function.types,
                             [](const std::string& type) { return kind_of(type) != nullptr; }))
      continue;
    if (is_exact(function) && is_in_cuda(function)) chosen.push_back(std::move(function));
  }
  return chosen;
}

std::string input_of(const Kind& kind, size_t arg) {
  static constexpr std::array kStep = {"1", "5", "7", "11"};
  static constexpr std::array kStart = {"0", "17", "34", "51"};
  std::string at = std::string("(i * ") + kStep.at(arg) + " + " + kStart.at(arg) + ") % 96";
  std::string table(1, kind.table);
  std::string cell = "in." + table + "[" + at + "]";
  std::string type(kind.type);
  if (kind.parts == "i") return "(" + type + ")" + (kind.type == "bool" ? "(" + cell + " & 1)" : cell);
  if (kind.parts.size() == 1) return "as<" + type + ">(" + cell + ")";
  std::string half = kind.parts == "hh" ? "as<__half>(" : "as<__nv_bfloat16>(";
  std::string other = "in." + table + "[(" + at + " + 3) % 96]";
  return (kind.parts == "hh" ? "__halves2half2(" : "__halves2bfloat162(") + half + cell + "), " + half +
         other + "))";
}

// CUDA code for both devices: kernel g0 computes the first functions, and so on.
std::string golden_kernels(const std::vector<Signature>& functions) {
  std::string code =
      "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <string.h>\n"
      "struct In { const unsigned char* c; const unsigned short* s; const unsigned* i; const unsigned long "
      "long* l;\n"
      "            const unsigned* f; const unsigned long long* d; const unsigned short* h; const unsigned "
      "short* b; };\n"
      "template <class T, class B> __device__ T as(B bits) { T v; memcpy(&v, &bits, sizeof(T)); return v; }\n"
      "template <class T> __device__ unsigned long long bits(T v) {\n"
      "  unsigned long long r = 0; memcpy(&r, &v, sizeof(T)); return r;\n}\n";
  for (size_t first = 0; first < functions.size(); first += kPerKernel) {
    code += "__global__ void g" + std::to_string(first / kPerKernel) + "(unsigned long long* out, In in) {\n";
    code += "  int i = threadIdx.x;\n";
    for (size_t k = first; k < std::min(first + kPerKernel, functions.size()); ++k) {
      std::string args;
      for (size_t a = 0; a < functions[k].types.size(); ++a) {
        args += (a > 0 ? ", " : "") + input_of(*kind_of(functions[k].types[a]), a);
      }
      code += "  out[" + std::to_string(k - first) + " * 96 + i] = bits<" + functions[k].result + ">(" +
              functions[k].name + "(" + args + "));\n";
    }
    code += "}\n";
  }
  return code;
}

// All NaNs are equivalent.
uint64_t without_nan_bits(uint64_t bits, std::string_view parts) {
  struct Format {
    unsigned width;
    uint64_t infinity;
  };
  auto format = [](char part) -> Format {
    switch (part) {
      case 'f': return {32, 0x7f800000};
      case 'd': return {64, 0x7ff0000000000000};
      case 'h': return {16, 0x7c00};
      case 'b': return {16, 0x7f80};
      default: return {64, ~0ull};
    }
  };
  uint64_t result = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    Format f = format(parts[i]);
    uint64_t mask = f.width == 64 ? ~0ull : (1ull << f.width) - 1;
    uint64_t part = bits >> (i * f.width % 64) & mask;
    bool is_nan = parts[i] != 'i' && (part & mask >> 1) > f.infinity;
    result |= (is_nan ? f.infinity + 1 : part) << (i * f.width % 64);
  }
  return result;
}

uint64_t hash_of(std::span<const uint64_t> results, std::string_view parts) {
  uint64_t hash = 14695981039346656037u;
  for (uint64_t bits : results) {
    uint64_t clean = without_nan_bits(bits, parts);
    for (int i = 0; i < 64; i += 8) hash = (hash ^ (clean >> i & 0xff)) * 1099511628211u;
  }
  return hash;
}

template <typename T>
std::string array_text(std::string_view type, std::string_view name, const std::vector<T>& values) {
  std::string text = "static const " + std::string(type) + " " + std::string(name) + "[] = {";
  for (T value : values) text += std::to_string(value) + (sizeof(T) == 8 ? "ull," : "u,");
  return text + "};\n";
}

// The program that generates golden.txt, for a machine with an NVIDIA GPU. Only on request.
TEST(LibraryGolden, Dump) {
  const char* path = std::getenv("QUERN_DUMP_GOLDEN");
  if (path == nullptr) GTEST_SKIP() << "QUERN_DUMP_GOLDEN names no file";
  std::vector<Signature> functions = golden_functions();
  Inputs in = make_inputs();
  std::ofstream out(path);
  out << golden_kernels(functions) << "#include <stdio.h>\ntypedef unsigned long long u64;\n"
      << array_text("unsigned char", "tc", in.c) << array_text("unsigned short", "ts", in.s)
      << array_text("unsigned", "ti", in.i) << array_text("u64", "tl", in.l)
      << array_text("unsigned", "tf", in.f) << array_text("u64", "td", in.d)
      << array_text("unsigned short", "th", in.h) << array_text("unsigned short", "tb", in.b);
  out << R"(
template <class T> const T* up(const T* from) {
  T* to;
  cudaMalloc(&to, 96 * sizeof(T));
  cudaMemcpy(to, from, 96 * sizeof(T), cudaMemcpyHostToDevice);
  return to;
}
static u64 clean(u64 bits, const char* parts) {
  u64 result = 0;
  for (int i = 0; parts[i] != 0; ++i) {
    int width = parts[i] == 'f' ? 32 : parts[i] == 'h' || parts[i] == 'b' ? 16 : 64;
    u64 infinity = parts[i] == 'f' ? 0x7f800000ull : parts[i] == 'd' ? 0x7ff0000000000000ull
                 : parts[i] == 'h' ? 0x7c00ull : parts[i] == 'b' ? 0x7f80ull : ~0ull;
    u64 mask = width == 64 ? ~0ull : (1ull << width) - 1;
    u64 part = bits >> (i * width % 64) & mask;
    bool nan = parts[i] != 'i' && (part & mask >> 1) > infinity;
    result |= (nan ? infinity + 1 : part) << (i * width % 64);
  }
  return result;
}
static void show(const char* label, const u64* results, const char* parts) {
  u64 hash = 14695981039346656037ull;
  for (int k = 0; k < 96; ++k) {
    u64 bits = clean(results[k], parts);
    for (int i = 0; i < 64; i += 8) hash = (hash ^ (bits >> i & 0xff)) * 1099511628211ull;
  }
  printf("%s %016llx\n", label, hash);
}
int main() {
  In in = {up(tc), up(ts), up(ti), up(tl), up(tf), up(td), up(th), up(tb)};
  static u64 h[60 * 96]; u64* d; cudaMalloc(&d, sizeof(h));
)";
  for (size_t k = 0; k < functions.size(); ++k) {
    if (k % kPerKernel == 0) {
      out << "  g" << k / kPerKernel << "<<<1, 96>>>(d, in);\n"
          << "  if (cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;\n";
    }
    out << "  show(\"" << label_of(functions[k]) << "\", h + " << k % kPerKernel * 96 << ", \""
        << kind_of(functions[k].result)->parts << "\");\n";
  }
  out << "}\n";
}

std::map<std::string, uint64_t> read_golden() {
  std::map<std::string, uint64_t> golden;
  std::ifstream file(QUERN_SOURCE_DIR "/tests/builtin/golden.txt");
  std::string label, hash;
  while (file >> label >> hash) golden[label] = std::stoull(hash, nullptr, 16);
  return golden;
}

TEST(LibraryGolden, GivesTheBitsOfARealDevice) {
  std::vector<Signature> functions = golden_functions();
  std::map<std::string, uint64_t> golden = read_golden();
  ASSERT_GE(golden.size(), 500U);
  Compilation compiled = compile("golden.cu", golden_kernels(functions));
  ASSERT_TRUE(compiled.ok) << compiled.rendered;

  sim::Device device;
  Inputs in = make_inputs();
  auto up = [&](const auto& values) {
    return *device.upload_new(std::span<const typename std::decay_t<decltype(values)>::value_type>(values),
                              "in");
  };
  std::array<sim::Address, 8> tables = {up(in.c), up(in.s), up(in.i), up(in.l),
                                        up(in.f), up(in.d), up(in.h), up(in.b)};
  auto module = std::make_shared<ir::Module>(std::move(compiled.module));
  auto program = device.load(module);
  ASSERT_TRUE(program.ok()) << program.error().to_string();
  sim::Address out = *device.allocate(kPerKernel * kCases * 8);
  for (size_t first = 0; first < functions.size(); first += kPerKernel) {
    size_t count = std::min(kPerKernel, functions.size() - first);
    sim::LaunchConfig config;
    config.block = {kCases, 1, 1};
    config.args = {sim::Arg(out), sim::Arg(tables)};
    auto launched = device.launch(**program, "g" + std::to_string(first / kPerKernel), config);
    ASSERT_TRUE(launched.ok()) << launched.error().to_string();
    for (const sim::Report& report : launched->reports) ADD_FAILURE() << sim::render(report, *module);
    auto results = device.download_as<uint64_t>(out, count * kCases);
    for (size_t k = 0; k < count; ++k) {
      const Signature& function = functions[first + k];
      auto wanted = golden.find(label_of(function));
      if (wanted == golden.end()) {
        ADD_FAILURE() << label_of(function) << " is not in golden.txt";
        continue;
      }
      auto part = std::span<const uint64_t>(*results).subspan(k * kCases, kCases);
      EXPECT_EQ(hash_of(part, kind_of(function.result)->parts), wanted->second) << label_of(function);
    }
  }
}

}  // namespace
}  // namespace quern::lang
