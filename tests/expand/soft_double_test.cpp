// Double precision from integers: each function of soft_double.cuh, compiled by the host's compiler, against
// the processor, bit for bit; and kernels with lowered doubles against the same kernels on the simulator.
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

#include <gtest/gtest.h>

#include "driver/sim/sim.hpp"
#include "lang/compile.hpp"
#include "lang/expand/expand.hpp"
#include "lang/ir/verify.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"

// The library as C++.
namespace quern::expand::soft {
namespace {

[[maybe_unused]] int __quern_clz(unsigned x) { return std::countl_zero(x); }
[[maybe_unused]] int __quern_clz(unsigned long long x) { return std::countl_zero(x); }
template <typename To, typename From>
To __quern_bitcast(From from) {
  return std::bit_cast<To>(from);
}
#define __device__ [[maybe_unused]]
#include "lang/expand/library/soft_double.cuh"
#undef __device__

}  // namespace
}  // namespace quern::expand::soft

namespace quern::expand {
namespace {

using Bits = unsigned long long;

constexpr Bits kSpecial[] = {
    0,                      // zero
    1,                      // the smallest number
    0x000fffffffffffffull,  // the largest subnormal number
    0x0010000000000000ull,  // the smallest normal number
    0x0010000000000001ull,
    0x3ff0000000000000ull,
    0x3ff0000000000001ull,
    0x3fefffffffffffffull,
    0x4000000000000000ull,
    0x3fe0000000000000ull,
    0x3fe0000000000001ull,
    0x3ff8000000000000ull,
    0x7fefffffffffffffull,  // the largest number
    0x7ff0000000000000ull,  // infinity
    0x7ff8000000000000ull,  // NaN
    0x7ff0000000000001ull,  // a signaling NaN
    0x4330000000000000ull,  // 2^52
    0x4330000000000001ull,
    0x43e0000000000000ull,
    0x43f0000000000000ull,
    0x41e0000000000000ull,
    0x41dfffffffc00000ull,
    0x41efffffffe00000ull,
    0x47efffffe0000000ull,  // the largest float
    0x47effffff0000000ull,  // rounds to infinity as a float
    0x3690000000000000ull,  // half of the smallest float
    0x36a0000000000000ull,  // the smallest float
    0x380fffffffffffffull,
};

class Numbers {
 public:
  Bits random() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545f4914f6cdd1dull;
  }

  // Of different kinds: special, any bits, near 1, subnormal, whole, long runs of ones, few bits.
  Bits next() {
    constexpr Bits kSign = 1ull << 63, kFraction = (1ull << 52) - 1;
    const Bits kind = random(), sign = random() & kSign;
    const auto exponent = [&](Bits range) { return (0x3ff - range / 2 + (kind >> 8) % range) << 52; };
    switch (kind % 8) {
      case 0: return kSpecial[(kind >> 8) % std::size(kSpecial)] | sign;
      case 1: return random();
      case 2: return sign | (random() & kFraction) | exponent(60);
      case 3: return sign | random() >> (12 + (kind >> 8) % 50);
      case 4: return sign | std::bit_cast<Bits>(static_cast<double>(random() >> (kind >> 8) % 64) * 0.5);
      case 5: return exponent(6) | (kFraction - (random() & 7));
      case 6: return sign | exponent(6) | (random() & 0xf8000000000ull) | ((kind >> 30) & 3);
      default: return sign | exponent(120) | (random() & 0xffffffffull);
    }
  }

 private:
  Bits state_ = 88172645463325252ull;
};

double real(Bits bits) { return std::bit_cast<double>(bits); }

// A NaN result is the positive quiet NaN.
Bits bits_of(double x) { return x != x ? 0x7ff8000000000000ull : std::bit_cast<Bits>(x); }
unsigned bits_of(float x) { return x != x ? 0x7fc00000u : std::bit_cast<unsigned>(x); }

template <typename T>
T saturated(double x) {
  if (x != x) return 0;
  x = std::trunc(x);
  if (x <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  if (x >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  return static_cast<T>(x);
}

// For each function; QUERN_TEST_OPERANDS sets another number.
int operand_count() {
  const char* const text = std::getenv("QUERN_TEST_OPERANDS");
  return text != nullptr ? std::atoi(text) : 1'000'000;
}

// Stops at the first operands whose results differ.
template <typename Soft, typename Hard>
void compare(const char* name, Soft&& soft, Hard&& hard) {
  Numbers numbers;
  const int count = operand_count();
  for (int i = 0; i < count; ++i) {
    const Bits a = numbers.next();
    Bits b = numbers.next();
    if (i % 4 == 0) b = (b & 0x800fffffffffffffull) | (a & 0x7ff0000000000000ull);  // of about the same size
    const auto got = soft(a, b), wanted = hard(a, b);
    if (got == wanted) continue;
    FAIL() << name << std::hex << " of 0x" << a << " and 0x" << b << ": 0x" << got << " instead of 0x"
           << wanted;
  }
}

TEST(SoftDouble, SumsAndProductsAreTheProcessors) {
  compare("add", soft::soft_add, [](Bits a, Bits b) { return bits_of(real(a) + real(b)); });
  compare("mul", soft::soft_mul, [](Bits a, Bits b) { return bits_of(real(a) * real(b)); });
}

TEST(SoftDouble, QuotientsAndRootsAreTheProcessors) {
  compare("div", soft::soft_div, [](Bits a, Bits b) { return bits_of(real(a) / real(b)); });
  compare(
      "sqrt", [](Bits a, Bits) { return soft::soft_sqrt(a); },
      [](Bits a, Bits) { return bits_of(std::sqrt(real(a))); });
}

// The third operand is often close to the negative product: only an exact one leaves the right rest.
TEST(SoftDouble, FmaIsTheProcessors) {
  Numbers more;
  Bits c = 0;
  compare(
      "fma",
      [&](Bits a, Bits b) {
        const Bits product = std::bit_cast<Bits>(-(real(a) * real(b)));
        c = more.random() % 3 == 0 ? product + more.random() % 5 - 2 : more.next();
        return soft::soft_fma(a, b, c);
      },
      [&](Bits a, Bits b) { return bits_of(std::fma(real(a), real(b), real(c))); });
}

TEST(SoftDouble, ComparisonsAreTheProcessors) {
  compare("eq", soft::soft_eq, [](Bits a, Bits b) { return real(a) == real(b); });
  compare("lt", soft::soft_lt, [](Bits a, Bits b) { return real(a) < real(b); });
  compare("le", soft::soft_le, [](Bits a, Bits b) { return real(a) <= real(b); });
  const auto chosen = [](Bits a, Bits b, bool wants_less) {
    const double x = real(a), y = real(b);
    if (x != x) return y != y ? bits_of(y) : b;
    if (y != y) return a;
    const bool is_less = x < y || (x == y && std::signbit(x));
    return is_less == wants_less ? a : b;
  };
  compare("min", soft::soft_min, [&](Bits a, Bits b) { return chosen(a, b, true); });
  compare("max", soft::soft_max, [&](Bits a, Bits b) { return chosen(a, b, false); });
}

TEST(SoftDouble, WholeNumbersAreTheProcessors) {
  const auto one = [](const char* name, auto soft, double (*hard)(double)) {
    compare(
        name, [&](Bits a, Bits) { return soft(a); }, [&](Bits a, Bits) { return bits_of(hard(real(a))); });
  };
  one("trunc", soft::soft_trunc, [](double x) { return std::trunc(x); });
  one("floor", soft::soft_floor, [](double x) { return std::floor(x); });
  one("ceil", soft::soft_ceil, [](double x) { return std::ceil(x); });
  one("rint", soft::soft_rint, [](double x) { return std::rint(x); });
}

TEST(SoftDouble, ConversionsAreTheProcessors) {
  const auto to = [](const char* name, auto soft, auto hard) {
    compare(
        name, [&](Bits a, Bits) { return soft(a); }, [&](Bits a, Bits) { return hard(real(a)); });
  };
  to(
      "f32 of f64", [](Bits a) { return bits_of(soft::convert_f32_soft(a)); },
      [](double x) { return bits_of(static_cast<float>(x)); });
  to("i32 of f64", soft::convert_i32_soft, saturated<int>);
  to("u32 of f64", soft::convert_u32_soft, saturated<unsigned>);
  to("i64 of f64", soft::convert_i64_soft, saturated<long long>);
  to("u64 of f64", soft::convert_u64_soft, saturated<unsigned long long>);
  const auto from = [](const char* name, auto cut, auto soft) {
    compare(
        name, [&](Bits a, Bits b) { return soft(cut(b, static_cast<int>(a % 64))); },
        [&](Bits a, Bits b) { return bits_of(static_cast<double>(cut(b, static_cast<int>(a % 64)))); });
  };
  from(
      "f64 of u64", [](Bits n, int by) { return n >> by; }, soft::convert_soft_u64);
  from(
      "f64 of i64", [](Bits n, int by) { return static_cast<long long>(n) >> by; }, soft::convert_soft_i64);
  from(
      "f64 of u32", [](Bits n, int by) { return static_cast<unsigned>(n) >> by % 32; },
      soft::convert_soft_u32);
  from(
      "f64 of i32", [](Bits n, int by) { return static_cast<int>(n) >> by % 32; }, soft::convert_soft_i32);
  compare(
      "f64 of f32",
      [](Bits, Bits b) { return soft::convert_soft_f32(std::bit_cast<float>(static_cast<unsigned>(b))); },
      [](Bits, Bits b) {
        return bits_of(static_cast<double>(std::bit_cast<float>(static_cast<unsigned>(b))));
      });
}

// --- kernels ---

std::shared_ptr<ir::Module> compiled(const std::string& text) {
  lang::Compilation c = lang::compile("test.cu", text);
  EXPECT_TRUE(c.ok) << c.rendered;
  return std::make_shared<ir::Module>(std::move(c.module));
}

void expect_no_doubles(const ir::Module& module) {
  for (const ir::Function* f : module.functions) {
    pass::traverse(f->body, [&](const ir::Inst* i) {
      EXPECT_NE(i->type->kind, ir::TypeKind::kF64) << ir::info(i->op).name;
      for (const ir::Value* v : i->operands) EXPECT_NE(v->type->kind, ir::TypeKind::kF64);
    });
  }
}

// Outside of blocks that other instructions split, a function that saves much is called once.
void expect_shared_calls(const ir::Module& module) {
  for (const ir::Function* f : module.functions) {
    std::map<const ir::Function*, int> calls;
    bool has_barrier = false;
    size_t count = 0;
    pass::traverse(f->body, [&](const ir::Inst* i) {
      if (i->is(ir::Op::kCall)) ++calls[i->attr().callee];
      has_barrier = has_barrier || i->is(ir::Op::kBarrier);
      ++count;
    });
    for (const auto& [callee, n] : calls) {
      if (!has_barrier && count > 300) {
        EXPECT_EQ(n, 1) << f->name << " calls " << callee->name;
      }
    }
  }
}

void lower(ir::Module& module, bool shares) {
  Library library(module);
  const auto is_native = [](const ir::Inst& i) {
    const bool is_double =
        i.type->kind == ir::TypeKind::kF64 || i.operand(0)->type->kind == ir::TypeKind::kF64;
    return !is_double || is_soft_operation(i);
  };
  for (const Unlowered& u : lower_operations(module, library, is_native, false)) ADD_FAILURE() << u.reason;
  ASSERT_EQ(library.link(), "");
  auto left = lower_doubles(module);
  ASSERT_TRUE(left.ok()) << left.error().to_string();
  for (const Unlowered& u : *left) ADD_FAILURE() << u.reason;
  ASSERT_EQ(ir::verify(module), "");
  expect_no_doubles(module);
  if (shares) {
    share_calls(module);
    ASSERT_EQ(ir::verify(module), "");
    expect_shared_calls(module);
  }
  ASSERT_EQ(pass::inline_calls(module), "");
}

// One thread for each pair of numbers; each writes `per_thread` results.
std::vector<uint64_t> run(const std::shared_ptr<ir::Module>& module, const std::vector<uint64_t>& a,
                          const std::vector<uint64_t>& b, uint32_t per_thread) {
  sim::Device device;
  auto program = device.load(module);
  EXPECT_TRUE(program.ok());
  const auto count = static_cast<uint32_t>(a.size());
  const sim::Address x = *device.upload_new(std::span<const uint64_t>(a), "a");
  const sim::Address y = *device.upload_new(std::span<const uint64_t>(b), "b");
  const std::vector<uint64_t> zeros(size_t{count} * per_thread);
  const sim::Address to = *device.upload_new(std::span<const uint64_t>(zeros), "out");
  sim::LaunchConfig config;
  config.grid = {count, 1, 1};
  config.block = {1, 1, 1};
  config.args = {sim::Arg(x), sim::Arg(y), sim::Arg(to)};
  auto launched = device.launch(**program, "k", config);
  EXPECT_TRUE(launched.ok()) << launched.error().to_string();
  if (!launched.ok()) return {};
  for (const sim::Report& report : launched->reports) ADD_FAILURE() << sim::render(report, *module);
  return *device.download_as<uint64_t>(to, zeros.size());
}

// `body` writes doubles to out[0] … and reads x and y. With functions that are not exact, only the forms of
// the lowered kernel are compared with each other.
void same_with_and_without(const std::string& body, uint32_t per_thread, bool is_exact = true) {
  const std::string text =
      "struct Pair { double first; float second; double third[2]; };\n"
      "__device__ double twice(double x) { return x + x; }\n"
      "__global__ void k(const double* a, const double* b, double* to) {\n"
      "  double x = a[blockIdx.x], y = b[blockIdx.x];\n"
      "  double* out = to + blockIdx.x * " +
      std::to_string(per_thread) + ";\n" + body + "\n}\n";
  std::vector<uint64_t> a, b;
  Numbers numbers;
  for (int i = 0; i < (is_exact ? 400 : 40); ++i) {
    a.push_back(numbers.next());
    b.push_back(numbers.next());
  }
  const auto plain = compiled(text);
  if (!is_exact) lower(*plain, false);
  const std::vector<uint64_t> wanted = run(plain, a, b, per_thread);
  for (const bool shares : {false, true}) {
    const auto lowered = compiled(text);
    lower(*lowered, shares);
    if (::testing::Test::HasFatalFailure()) return;
    const std::vector<uint64_t> got = run(lowered, a, b, per_thread);
    ASSERT_EQ(wanted.size(), got.size());
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(bits_of(real(got[i])), bits_of(real(wanted[i])))
          << (shares ? "shared calls: " : "") << "result " << i % per_thread << " of "
          << real(a[i / per_thread]) << " and " << real(b[i / per_thread]);
    }
  }
}

TEST(SoftDouble, KernelsComputeTheSame) {
  same_with_and_without(
      "out[0] = x + y; out[1] = x - y; out[2] = x * y; out[3] = x / y; out[4] = sqrt(x); out[5] = fma(x, y, "
      "x);\n"
      "out[6] = fmin(x, y); out[7] = fmax(x, y); out[8] = -x; out[9] = fabs(x); out[10] = copysign(x, y);\n"
      "out[11] = floor(x); out[12] = ceil(x); out[13] = trunc(x); out[14] = rint(x); out[15] = round(x);\n"
      "out[16] = (x < y) + 2 * (x <= y) + 4 * (x > y) + 8 * (x >= y) + 16 * (x == y) + 32 * (x != y);\n"
      "out[17] = isnan(x) + 2 * isinf(x) + 4 * signbit(x) + 8 * (x ? 1 : 0);",
      18);
}

TEST(SoftDouble, ConversionsInKernelsAreTheSame) {
  same_with_and_without(
      "out[0] = (float)x; out[1] = (int)x; out[2] = (unsigned)x; out[3] = (long long)x;\n"
      "out[4] = (unsigned long long)x; out[5] = (signed char)x; out[6] = (unsigned char)x; out[7] = "
      "(short)x;\n"
      "out[8] = (unsigned short)x; out[9] = __double2int_rn(x); out[10] = __double2float_ru(x);\n"
      "out[11] = __longlong_as_double(__double_as_longlong(x) ^ 1); out[12] = (bool)x;\n"
      "out[13] = __ll2double_rd(__double_as_longlong(x)); out[14] = __dadd_ru(x, y); out[15] = __ddiv_rd(x, "
      "y);",
      16);
}

TEST(SoftDouble, VariablesHoldTheSame) {
  same_with_and_without(
      "Pair p{x, (float)y, {y, x}}; Pair q = p; q.third[threadIdx.x] = twice(q.first);\n"
      "double list[4] = {x, y, x * 2, y * 3}; int at = __double2loint(x) & 3;\n"
      "out[0] = q.first; out[1] = q.second; out[2] = q.third[0]; out[3] = q.third[1]; out[4] = list[at];\n"
      "double2 v = make_double2(x, y); out[5] = v.x; out[6] = v.y; out[7] = x < y ? x : y;",
      8);
}

TEST(SoftDouble, MathFunctionsAreTheSame) {
  same_with_and_without(
      "out[0] = fmod(x, y); out[1] = remainder(x, y); out[2] = ldexp(x, 3); out[3] = logb(x);\n"
      "out[4] = nextafter(x, y); out[5] = fdim(x, y); out[6] = ilogb(x);",
      7);
}

TEST(SoftDouble, FunctionsWithSharedCallsAreTheSame) {
  same_with_and_without(
      "out[0] = exp(x); out[1] = log(x); out[2] = sin(x) + cos(y); out[3] = pow(x, y); out[4] = atan2(x, "
      "y);\n"
      "out[5] = tgamma(x); out[6] = erfc(y); out[7] = cbrt(x) + asinh(y);",
      8, false);
}

// share_calls: jumps of all kinds between the calls, and values that later steps use.
TEST(SoftDouble, ControlFlowBetweenSharedCallsIsTheSame) {
  same_with_and_without(
      "double s = x * 0.5 + y, t = s * s - x / 3.0; int n = (int)(__double_as_longlong(x) & 7);\n"
      "for (int i = 0; i < 12; ++i) {\n"
      "  if (i == n) continue;\n"
      "  s = s * 0.25 + t;\n"
      "  if (s > 1e3) { t = t - s; if (t < -1e6) break; }\n"
      "  for (int j = 0; j < 3; ++j) { t = t + y * j; if (j > n) break; if (t > 1e200) { out[4] = t; return; "
      "} }\n"
      "}\n"
      "switch (n) { case 0: s = s + 1.0; break; case 1: s = s - 2.0; case 2: t = t * 3.0; break; default: t "
      "= t / "
      "7.0; }\n"
      "out[0] = s; out[1] = t; if (n == 5) return; out[2] = s + t; out[3] = s * t - x;\n"
      "out[4] = s - t; int k = 0; do { s = s * 1.5; ++k; } while (k < 4 && s < 100.0); out[5] = s + k;",
      6);
}

TEST(SoftDouble, SharedCallsStayBetweenBarriers) {
  same_with_and_without(
      "__shared__ double m[4]; double s = x;\n"
      "for (int i = 0; i < 3; ++i) {\n"
      "  m[i] = s * y + x / 3.0 - s * s + y * y + s / y - x * 7.0 + s * 3.0 - y * 5.0;\n"
      "  __syncthreads();\n"
      "  s = m[i] * 0.5 + x - y * s + m[0] * 2.0 - s * 4.0 + x * 9.0 + y * 8.0 - s * 0.1;\n"
      "  __syncthreads();\n"
      "}\n"
      "out[0] = s; out[1] = m[0] + m[1] * m[2];",
      2);
}

}  // namespace
}  // namespace quern::expand
