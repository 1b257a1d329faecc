#include "driver/cpu/helpers.hpp"

#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>
#include <unordered_map>

#include "driver/cpu/fibers.hpp"
#include "driver/cpu/task.hpp"
#include "driver/support/clock_pair.hpp"
#include "lang/ir/eval.hpp"
#include "lang/ir/float_bits.hpp"
#include "lang/ir/format_printf.hpp"
#include "target/llvm/types.hpp"

namespace quern::cpu {
namespace {

using ir::Op;
using ir::TypeKind;
using quern::llvm::BlockContext;

double qn_math(int32_t op, double a, double b) {
  if (static_cast<Op>(op) == Op::kRem) return std::fmod(a, b);
  double r = 0;
  ir::evaluate_math(static_cast<Op>(op), a, b, r);
  return r;
}

uint64_t qn_eval(uint64_t what, uint64_t a, uint64_t b, uint64_t c) {
  const auto op = static_cast<Op>(what & 255);
  const ir::Type* result = llvm::scalar(static_cast<TypeKind>(what >> 8 & 255));
  const ir::Type* first = llvm::scalar(static_cast<TypeKind>(what >> 16 & 255));
  const ir::Type* second = llvm::scalar(static_cast<TypeKind>(what >> 24 & 255));
  const ir::Type* types[] = {first, second, first};
  const uint64_t bits[] = {a, b, c};
  const auto count = static_cast<size_t>(ir::info(op).arity);
  ir::Attr attr;
  attr.round = static_cast<ir::Rounding>(what >> 32 & 255);
  uint64_t r = 0;
  ir::evaluate(op, result, std::span(types, count), std::span(bits, count), attr, r);
  return r;
}

uint64_t combine(ir::Rmw rmw, const ir::Type* type, uint64_t old, uint64_t value) {
  const ir::Type* types[] = {type, type};
  const uint64_t bits[] = {old, value};
  const auto compute = [&](Op op) {
    uint64_t r = 0;
    ir::evaluate(op, type, types, bits, {}, r);
    return r;
  };
  switch (rmw) {
    case ir::Rmw::kAdd: return compute(Op::kAdd);
    case ir::Rmw::kSub: return compute(Op::kSub);
    case ir::Rmw::kMin: return compute(Op::kMin);
    case ir::Rmw::kMax: return compute(Op::kMax);
    case ir::Rmw::kAnd: return old & value;
    case ir::Rmw::kOr: return old | value;
    case ir::Rmw::kXor: return old ^ value;
    case ir::Rmw::kExchange: return value;
    case ir::Rmw::kInc: return old >= value ? 0 : old + 1;
    case ir::Rmw::kDec: return old == 0 || old > value ? value : old - 1;
  }
  return old;
}

template <typename T>
uint64_t atomic_update(void* at, uint64_t value, ir::Rmw rmw, const ir::Type* type) {
  std::atomic_ref<T> place(*static_cast<T*>(at));
  T old = place.load(std::memory_order_relaxed);
  while (!place.compare_exchange_weak(old, static_cast<T>(combine(rmw, type, old, value)),
                                      std::memory_order_relaxed)) {
  }
  return old;
}

uint64_t qn_atomic(void* at, uint64_t value, uint32_t what) {
  const ir::Type* type = llvm::scalar(static_cast<TypeKind>(what & 255));
  const auto rmw = static_cast<ir::Rmw>(what >> 8);
  switch (type->size) {
    case 1: return atomic_update<uint8_t>(at, value, rmw, type);
    case 2: return atomic_update<uint16_t>(at, value, rmw, type);
    case 4: return atomic_update<uint32_t>(at, value, rmw, type);
    default: return atomic_update<uint64_t>(at, value, rmw, type);
  }
}

constexpr size_t kMostString = 1 << 16;

void qn_print(BlockContext* context, uint32_t site, uint32_t thread, const uint64_t* bits) {
  (void)thread;
  Task& task = *static_cast<Task*>(context->launch);
  const ir::Inst* inst = task.facts->sites[site];
  std::vector<ir::PrintArgument> arguments;
  for (size_t k = 0; k < inst->operands.size(); ++k) arguments.push_back({bits[k], inst->operand(k)->type});
  const std::string text = ir::format_printf(inst->attr().text, arguments, [](uint64_t address) {
    const char* from = reinterpret_cast<const char*>(address);
    return address != 0 ? std::string(from, ::strnlen(from, kMostString)) : std::string("(null)");
  });
  const std::lock_guard<std::mutex> lock(task.messages->mutex);
  task.messages->output.append(text);
}

void qn_fault(BlockContext* context, uint32_t site, uint32_t thread) {
  static_cast<Task*>(context->launch)->fault(site, thread, *context);
  if (context->fiber != nullptr) leave_fiber(context);
}

uint64_t qn_timer() { return driver::host_nanoseconds(); }
uint64_t qn_clock() { return qn_timer(); }
void qn_sleep(uint32_t nanoseconds) {
  constexpr uint32_t kShortest = 20'000;  // shorter sleeps take longer than requested
  constexpr uint32_t kNothing = 100;      // on a busy machine a yield may take milliseconds
  if (nanoseconds < kNothing) return;
  if (nanoseconds < kShortest) return std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::nanoseconds(nanoseconds));
}

uint32_t qn_match(const uint64_t* values, uint32_t group, uint32_t wants_all, uint64_t value) {
  uint32_t same = 0;
  for (uint32_t l = 0; l < 32; ++l) {
    if ((group >> l & 1) != 0 && values[l] == value) same |= 1u << l;
  }
  return wants_all == 0 || same == group ? same : 0;
}

#if defined(__x86_64__)

// Half precision conversions for processors without F16C. The calling convention passes a half in the low
// bits of a float register, here as a float.
float carrier_of(uint16_t half) { return std::bit_cast<float>(uint32_t{half}); }
float extend_half(float carrier) {
  return ir::f16_to_f32(static_cast<uint16_t>(std::bit_cast<uint32_t>(carrier)));
}
float truncate_float(float x) { return carrier_of(ir::f32_to_f16(x)); }
float truncate_double(double x) { return carrier_of(ir::f64_to_f16(x)); }

#endif

using Table = std::unordered_map<std::string_view, const void*>;

// Functions that LLVM calls if the processor lacks an instruction.
void add_library(Table& table) {
  const auto add = [&](std::string_view name, auto* function) {
    table[name] = reinterpret_cast<const void*>(function);
  };
  add("memcpy", &std::memcpy);
  add("memmove", &std::memmove);
  add("memset", &std::memset);
#define QUERN_LIBM(name)                                \
  add(#name, static_cast<double (*)(double)>(&::name)); \
  add(#name "f", static_cast<float (*)(float)>(&::name##f))
  QUERN_LIBM(floor);
  QUERN_LIBM(ceil);
  QUERN_LIBM(trunc);
  QUERN_LIBM(round);
  QUERN_LIBM(rint);
  QUERN_LIBM(sqrt);
#undef QUERN_LIBM
  add("fma", static_cast<double (*)(double, double, double)>(&::fma));
  add("fmaf", static_cast<float (*)(float, float, float)>(&::fmaf));
  add("fmod", static_cast<double (*)(double, double)>(&::fmod));
  add("fmodf", static_cast<float (*)(float, float)>(&::fmodf));
#if defined(__x86_64__)
  add("__extendhfsf2", &extend_half);
  add("__truncsfhf2", &truncate_float);
  add("__truncdfhf2", &truncate_double);
#endif
}

}  // namespace

const void* helper_address(std::string_view name) {
  static const Table kTable = [] {
    Table table;
#define X(name, type) table[#name] = reinterpret_cast<const void*>(&name);
    QUERN_LLVM_HELPERS(X)
#undef X
    add_library(table);
    return table;
  }();
  const auto at = kTable.find(name);
  return at != kTable.end() ? at->second : nullptr;
}

}  // namespace quern::cpu
