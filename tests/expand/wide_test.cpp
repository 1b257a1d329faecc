// 64-bit integers as two words: every operation on edge cases and random numbers, run on the simulator with
// and without lowering. Both must return the same bits.
#include <random>

#include <gtest/gtest.h>

#include "driver/sim/sim.hpp"
#include "lang/compile.hpp"
#include "lang/expand/expand.hpp"
#include "lang/ir/verify.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"

namespace quern::expand {
namespace {

using Bits = std::vector<uint64_t>;

std::shared_ptr<ir::Module> compiled(const std::string& text) {
  lang::Compilation c = lang::compile("test.cu", text);
  EXPECT_TRUE(c.ok) << c.rendered;
  return std::make_shared<ir::Module>(std::move(c.module));
}

void lower(ir::Module& module) {
  auto left = lower_wide_integers(module);
  ASSERT_TRUE(left.ok()) << left.error().to_string();
  for (const Unlowered& u : *left) ADD_FAILURE() << u.reason;
  ASSERT_EQ(ir::verify(module), "");
  ASSERT_EQ(pass::inline_calls(module), "");
}

// One thread for each pair of numbers; each writes `per_thread` results.
Bits run(const std::shared_ptr<ir::Module>& module, const Bits& a, const Bits& b, uint32_t per_thread) {
  sim::Device device;
  auto program = device.load(module);
  EXPECT_TRUE(program.ok());
  const auto count = static_cast<uint32_t>(a.size());
  const sim::Address x = *device.upload_new(std::span<const uint64_t>(a), "a");
  const sim::Address y = *device.upload_new(std::span<const uint64_t>(b), "b");
  const sim::Address to = *device.upload_new(std::span<const uint64_t>(Bits(count * per_thread)), "out");
  sim::LaunchConfig config;
  config.grid = {count, 1, 1};
  config.block = {1, 1, 1};
  config.args = {sim::Arg(x), sim::Arg(y), sim::Arg(to)};
  config.options.checks &= ~static_cast<uint32_t>(sim::kCheckDivision);
  auto launched = device.launch(**program, "k", config);
  EXPECT_TRUE(launched.ok()) << launched.error().to_string();
  if (!launched.ok()) return {};
  for (const sim::Report& report : launched->reports) ADD_FAILURE() << sim::render(report, *module);
  return *device.download_as<uint64_t>(to, count * per_thread);
}

std::vector<uint64_t> numbers() {
  std::vector<uint64_t> out = {0, 1, 2, 3, 7, 10, 255, 65535, 65536, 65537, 1000003};
  for (const int shift : {23, 24, 31, 32, 33, 52, 53, 54, 62, 63}) {
    const uint64_t power = uint64_t{1} << shift;
    for (const uint64_t n : {power - 1, power, power + 1}) out.push_back(n);
  }
  const size_t small = out.size();
  for (size_t i = 0; i < small; ++i) out.push_back(0 - out[i]);
  std::mt19937_64 random(7);
  for (int i = 0; i < 60; ++i) out.push_back(random() >> (random() % 64));
  return out;
}

void expect_same(const std::string& declared, const std::vector<std::string>& expressions, const Bits& a,
                 const Bits& b) {
  std::string text =
      "__global__ void k(const unsigned long long* a, const unsigned long long* b, unsigned long "
      "long* out) {\n  unsigned i = blockIdx.x;\n" +
      declared;
  const size_t n = expressions.size();
  for (size_t k = 0; k < n; ++k) {
    text += "  out[i * " + std::to_string(n) + "u + " + std::to_string(k) + "u] = (unsigned long long)(" +
            expressions[k] + ");\n";
  }
  const auto plain = compiled(text + "}\n");
  const Bits want = run(plain, a, b, static_cast<uint32_t>(n));
  const auto lowered = std::make_shared<ir::Module>(plain->clone());
  ASSERT_NO_FATAL_FAILURE(lower(*lowered));
  const Bits got = run(lowered, a, b, static_cast<uint32_t>(n));
  ASSERT_EQ(want.size(), got.size());
  int shown = 0;
  for (size_t i = 0; i < want.size() && shown < 10; ++i) {
    if (want[i] == got[i]) continue;
    ADD_FAILURE() << expressions[i % n] << " of 0x" << std::hex << a[i / n] << " and 0x" << b[i / n] << ": 0x"
                  << got[i] << ", not 0x" << want[i];
    ++shown;
  }
}

void all_pairs(Bits& a, Bits& b) {
  const std::vector<uint64_t> all = numbers();
  for (const uint64_t x : all) {
    for (const uint64_t y : all) {
      a.push_back(x);
      b.push_back(y);
    }
  }
}

TEST(WideIntegers, Arithmetic) {
  Bits a, b;
  all_pairs(a, b);
  expect_same("  unsigned long long x = a[i], y = b[i];\n  long long s = (long long)x, t = (long long)y;\n",
              {"x + y",
               "x - y",
               "x * y",
               "x / y",
               "x % y",
               "s / t",
               "s % t",
               "-s",
               "~x",
               "x & y",
               "x | y",
               "x ^ y",
               "x << (y & 63)",
               "x >> (y & 63)",
               "s >> (y & 63)",
               "x << 5",
               "x >> 40",
               "s >> 32",
               "x / 1024u",
               "x % 1024u",
               "x / 10u",
               "s % 7",
               "s * 3"},
              a, b);
}

TEST(WideIntegers, ComparisonsAndBits) {
  Bits a, b;
  all_pairs(a, b);
  expect_same("  unsigned long long x = a[i], y = b[i];\n  long long s = (long long)x, t = (long long)y;\n",
              {"x < y",         "x <= y",           "x > y",
               "x >= y",        "x == y",           "x != y",
               "s < t",         "s <= t",           "s > t",
               "s >= t",        "min(x, y)",        "max(x, y)",
               "min(s, t)",     "max(s, t)",        "llabs(s)",
               "__clzll(s)",    "__popcll(x)",      "__ffsll(s)",
               "__brevll(x)",   "__umul64hi(x, y)", "__mul64hi(s, t)",
               "x < y ? x : y", "(bool)x",          "(int)x",
               "(short)s",      "(unsigned char)x", "(long long)(int)x",
               "(unsigned)y"},
              a, b);
}

TEST(WideIntegers, Conversions) {
  Bits a = numbers(), b;
  for (const uint64_t x : a) b.push_back(x * 0x9e3779b97f4a7c15u);
  expect_same(
      "  unsigned long long x = a[i], y = b[i];\n  long long s = (long long)x;\n"
      "  float f = __uint_as_float((unsigned)y), g = (float)y;\n"
      "  double d = __longlong_as_double((long long)y), e = (double)s;\n",
      {"__float_as_uint((float)x)", "__float_as_uint((float)s)", "__double_as_longlong((double)x)",
       "__double_as_longlong((double)s)", "(unsigned long long)f", "(long long)f", "(unsigned long long)g",
       "(long long)-g", "(unsigned long long)d", "(long long)d", "(long long)e", "(long long)(e * 1.5)",
       "__double_as_longlong(d + 1.0)", "__float_as_uint(__ull2float_ru(x))",
       "__float_as_uint(__ll2float_rd(s))", "__double_as_longlong(__ll2double_rz(s))", "__float2ll_rn(g)",
       "__double2ll_ru(e * 0.3)", "__float_as_uint((float)__half2float(__ll2half_rn(s)))"},
      a, b);
}

TEST(WideIntegers, StructsSwitchesAndVariables) {
  Bits a = numbers(), b(a.rbegin(), a.rend());
  expect_same(R"(  struct Part { int n; unsigned long long wide; short s; };
  Part parts[3];
  for (int k = 0; k < 3; ++k) parts[k] = Part{k, a[i] + (unsigned long long)k, (short)k};
  Part one = parts[(unsigned)b[i] % 3u];
  long long sum = 0;
  for (long long k = (long long)(a[i] & 7u); k < 20; k += 3) sum += k * (long long)b[i];
  long long chosen = 0;
  switch (a[i]) {
    case 0: chosen = 5; break;
    case 0x100000000ull:
    case 7: chosen = 6; break;
    case 0xffffffffffffffffull: chosen = -8; break;
    default: chosen = 9;
  }
)",
              {"one.wide", "one.wide + one.n", "sum", "chosen", "parts[1].wide ^ sum"}, a, b);
}

// An index needs one word: code that only computes the other one is removed.
TEST(WideIntegers, IndicesAreNarrow) {
  const auto module = compiled(
      "__global__ void k(const float* x, float* y, unsigned long long n) {\n"
      "  unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;\n"
      "  y[i * 4 + 1] = x[i];\n}\n");
  pass::lower_pointers(*module, {.wide = false});
  ASSERT_NO_FATAL_FAILURE(lower(*module));
  pass::traverse(module->find_function("k")->body, [](const ir::Inst* i) {
    EXPECT_FALSE(i->is(ir::Op::kMulHi) || i->is(ir::Op::kLt)) << ir::info(i->op).name;
  });
}

bool can_split(const std::string& body) {
  const auto module = compiled("__global__ void k(unsigned long long* p, long long n) {" + body + "}");
  const bool can = can_split_wide_atomics(*module->find_function("k"));
  split_wide_atomics(*module);
  EXPECT_EQ(ir::verify(*module), "");
  const pass::Needs needs = pass::needs(*module, *module->find_function("k"));
  EXPECT_NE(needs.atomics_int64 || needs.atomics_float64, can) << body;
  return can;
}

// The halves may be combined in any order; a used result or another operation needs all 64 bits.
TEST(WideAtomics, CommutingOnesWithoutResultAreSplit) {
  EXPECT_TRUE(can_split("atomicAdd(p, 1ull); atomicAdd(p + 1, (unsigned long long)n);"));
  EXPECT_TRUE(can_split("atomicOr(p, 1ull << n);"));
  EXPECT_FALSE(can_split("p[1] = atomicAdd(p, 1ull);"));
  EXPECT_FALSE(can_split("atomicAdd(p, 1ull); atomicOr(p, 1ull << n);"));
  EXPECT_FALSE(can_split("atomicAnd(p, 1ull); atomicXor(p, 1ull << n);"));
  EXPECT_FALSE(can_split("atomicMax(p, 1ull);"));
  EXPECT_FALSE(can_split("atomicExch(p, 1ull);"));
  EXPECT_FALSE(can_split("atomicCAS(p, 1ull, 2ull);"));
  EXPECT_FALSE(can_split("atomicAdd((double*)p, 1.0);"));
}

TEST(WideAtomics, SplitSumsCarry) {
  const std::string text =
      "__global__ void k(const unsigned long long* a, const unsigned long long* b, unsigned long long* out) "
      "{\n"
      "  unsigned i = blockIdx.x; atomicAdd(out + i, a[i]); atomicAdd(out + i, b[i]);\n"
      "  atomicAdd(out, 0ull - a[i]); }";
  const auto plain = compiled(text), split = compiled(text);
  split_wide_atomics(*split);
  const Bits a = numbers();
  const Bits b(a.rbegin(), a.rend());
  EXPECT_EQ(run(split, a, b, 1), run(plain, a, b, 1));
}

}  // namespace
}  // namespace quern::expand
