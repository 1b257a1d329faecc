// Host-side implementations of the functions that inline kernels call, for every driver that runs them.
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "lang/ir/eval.hpp"
#include "quern/kernel/host.hpp"
#include "quern/kernel/intrinsics.hpp"
#include "quern/kernel/thread.hpp"

namespace quern::kernel {

constinit thread_local uint3 threadIdx{0, 0, 0};
constinit thread_local uint3 blockIdx{0, 0, 0};
constinit thread_local dim3 blockDim;
constinit thread_local dim3 gridDim;

namespace host {

namespace {

thread_local Runner* current = nullptr;

constexpr std::string_view kOperationNames[] = {
#define X(name) #name,
    QUERN_HOST_OPERATIONS(X)
#undef X
};

ir::Op find_op(std::string_view name) {
  for (size_t i = 0; i < ir::kOpCount; ++i) {
    if (ir::info(static_cast<ir::Op>(i)).name == name) return static_cast<ir::Op>(i);
  }
  std::abort();
}

ir::Op op_of(Operation operation) {
  static const auto kOps = [] {
    std::array<ir::Op, std::size(kOperationNames)> ops{};
    for (size_t i = 0; i < ops.size(); ++i) ops[i] = find_op(kOperationNames[i]);
    return ops;
  }();
  return kOps[static_cast<size_t>(operation)];
}

const ir::Type* type_of(Number number) {
  constexpr ir::TypeKind kKinds[] = {ir::TypeKind::kF16, ir::TypeKind::kBF16, ir::TypeKind::kF32,
                                     ir::TypeKind::kF64, ir::TypeKind::kI8,   ir::TypeKind::kU8,
                                     ir::TypeKind::kI16, ir::TypeKind::kU16,  ir::TypeKind::kI32,
                                     ir::TypeKind::kU32, ir::TypeKind::kI64,  ir::TypeKind::kU64};
  static const ir::TypeTable* const kTypes = new ir::TypeTable();  // lives as long as the process
  return kTypes->get(kKinds[static_cast<size_t>(number)]);
}

}  // namespace

Runner& runner() {
  if (current == nullptr) {
    std::fputs("quern: a device function was called outside of a kernel\n", stderr);
    std::abort();
  }
  return *current;
}

Runner* set_runner(Runner* runner) { return std::exchange(current, runner); }

unsigned lane() { return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31u; }

uint64_t evaluate(Operation operation, Number result, Number type, const uint64_t* operands, unsigned count,
                  int rounding) {
  const ir::Type* const own = type_of(type);
  const ir::Type* const types[] = {own, operation == Operation::ldexp ? type_of(Number::i32) : own, own};
  ir::Attr attr;
  attr.round = static_cast<ir::Rounding>(rounding);
  uint64_t out = 0;
  if (!ir::evaluate(op_of(operation), type_of(result), {types, count}, {operands, count}, attr, out))
    std::abort();
  return out;
}

uint64_t clock() {
  return static_cast<uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

}  // namespace host
}  // namespace quern::kernel
