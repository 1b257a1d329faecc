#include "target/cstyle/msl_check.hpp"

#include <algorithm>

#include "lang/expand/expand.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"
#include "target/basic_real.hpp"
#include "target/messages.hpp"

namespace quern::target::cstyle {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::TypeKind;

namespace {

std::optional<base::MessageText> reason_against(const Inst& i) {
  if (i.is(Op::kGridBarrier)) return message::kGridBarrierMissing("Metal");
  if (i.is(Op::kClusterBarrier) || i.is(Op::kClusterDim) || i.is(Op::kMapShared))
    return message::kClustersMissing("Metal");
  return {};
}

}  // namespace

std::optional<Refusal> refused_by_metal(const ir::Function& kernel) {
  std::optional<Refusal> out;
  pass::traverse(kernel.body, [&](const Inst* i) {
    if (out) return;
    if (const auto reason = reason_against(*i)) out = Refusal{i->pos, *reason};
  });
  return out;
}

const Inst* first_fence(const ir::Function& kernel, bool has_warps) {
  const Inst* found = nullptr;
  std::optional<pass::Uniformity> uniformity;
  pass::traverse(kernel.body, [&](const Inst* i) {
    if (found != nullptr) return;
    if (i->is(Op::kFence)) found = i;
    if (!i->is(Op::kWarpBarrier) || !has_warps) return;
    if (!uniformity) uniformity.emplace(kernel);
    if (!uniformity->is_converged(i)) found = i;
  });
  return found;
}

const Inst* divergent_barrier(const ir::Function& kernel) {
  const Inst* found = nullptr;
  std::optional<pass::Uniformity> uniformity;
  pass::traverse(kernel.body, [&](const Inst* i) {
    const bool is_wide =
        i->is(Op::kBarrier) || i->is(Op::kBarrierCount) || i->is(Op::kBarrierAnd) || i->is(Op::kBarrierOr);
    if (found != nullptr || !is_wide) return;
    if (!uniformity) uniformity.emplace(kernel);
    if (!uniformity->is_converged(i)) found = i;
  });
  return found;
}

bool has_device_fence(const ir::Function& kernel) {
  bool found = false;
  pass::traverse(kernel.body, [&](const Inst* i) {
    found = found || (i->is(Op::kFence) && i->attr().scope != ir::Scope::kBlock);
  });
  return found;
}

bool is_native_in_metal(const Inst& i, bool fast_math) {
  const Type* t = i.operand(0)->type;
  if (is_double(i)) return expand::is_soft_operation(i);
  if (i.is(Op::kConvertR)) return i.type->is_int();
  if (!t->is_float()) return true;
  if (ir::has(i.op, ir::kBasic)) return true;
  switch (i.op) {
    case Op::kDiv:
    case Op::kMin:
    case Op::kMax:
    case Op::kIlogb:
    case Op::kLogb:
    case Op::kRsqrt: return true;
    default: return !math_function(msl_dialect(), i.op, TypeKind::kF32, fast_math || i.attr().fast).empty();
  }
}

}  // namespace quern::target::cstyle
