#include "target/known_values.hpp"

#include <algorithm>

#include "lang/pass/walk.hpp"

namespace quern::target {

namespace {

using ir::Inst;
using ir::Op;
using ir::Value;

// The variable that a pointer points into; nullptr: other memory.
const Value* variable_of(const Value* pointer) {
  const Inst* i = ir::as_inst(pointer);
  while (i != nullptr && (i->is(Op::kOffset) || i->is(Op::kFieldPtr) || i->is(Op::kSpaceCast)))
    i = ir::as_inst(i->operand(0));
  return i != nullptr && i->is(Op::kVar) ? i : nullptr;
}

bool is_same(const Value* a, const Value* b) {
  const Inst* x = ir::as_inst(a);
  const Inst* y = ir::as_inst(b);
  if (x != nullptr && y != nullptr && x->is(Op::kLoad) && y->is(Op::kLoad))
    return variable_of(x->operand(0)) != nullptr && x->operand(0) == y->operand(0);
  return a == b;
}

}  // namespace

KnownValues::KnownValues(const ir::Function& function) {
  pass::traverse(function.body, [&](const Inst* i) {
    if (!i->is(Op::kStore)) return;
    if (const Value* variable = variable_of(i->operand(0))) stored_[variable].push_back(i->operand(1));
  });
}

bool KnownValues::may_be_zero(const Value* v) {
  const ir::Const* c = ir::as_const(v);
  if (c == nullptr) return may_be_constant(v);
  return c->type->is_float() ? ir::float_value(c) == 0 : c->bits == 0;
}

bool KnownValues::may_be_constant(const Value* v) {
  if (v->kind == ir::ValueKind::kConst || v->kind == ir::ValueKind::kUndef) return true;
  const Inst* i = ir::as_inst(v);
  if (i == nullptr) return false;
  const auto [at, is_new] = answers_.try_emplace(v, false);  // a cyclic dependency adds nothing
  if (!is_new) return at->second;
  const bool answer = is_constant_result(i);
  answers_[v] = answer;
  return answer;
}

bool KnownValues::is_constant_result(const Inst* i) {
  const auto may = [&](const Value* v) { return may_be_constant(v); };
  switch (i->op) {
    case Op::kBlockDim:
    case Op::kThreadId:  // 0 in blocks with one thread
    case Op::kLaneId: return true;
    case Op::kLoad: {
      const auto found = stored_.find(variable_of(i->operand(0)));
      return found != stored_.end() && std::any_of(found->second.begin(), found->second.end(), may);
    }
    case Op::kSelect: return may(i->operand(1)) || may(i->operand(2));
    case Op::kInsert:
    case Op::kConstruct: return std::any_of(i->operands.begin(), i->operands.end(), may);
    case Op::kSub:
    case Op::kXor:
    case Op::kRem:
      if (is_same(i->operand(0), i->operand(1))) return true;
      break;
    default: break;
  }
  return ir::has(i->op, ir::kPure) && !i->operands.empty() &&
         std::all_of(i->operands.begin(), i->operands.end(), may);
}

bool KnownValues::is_small_signed(const Value* v) {
  const Inst* i = ir::as_inst(v);
  if (i == nullptr || !i->type->is_int()) return false;
  const auto [at, is_new] = small_.try_emplace(v, false);
  if (!is_new) return at->second;
  const bool answer = is_small_result(i);
  small_[v] = answer;
  return answer;
}

bool KnownValues::is_small_result(const Inst* i) {
  const auto is_small = [&](const Value* v) { return is_small_signed(v); };
  switch (i->op) {
    case Op::kConvert: {
      const ir::Type* from = i->operand(0)->type;
      return from->is_int() && ((from->is_signed() && from->size < 4) || is_small_signed(i->operand(0)));
    }
    case Op::kShr: return i->type->is_signed() || is_small_signed(i->operand(0));
    case Op::kSelect: return is_small_signed(i->operand(1)) || is_small_signed(i->operand(2));
    case Op::kRem:
    case Op::kMin:
    case Op::kMax:
      if (i->type->is_signed()) return true;
      break;
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kNot:
    case Op::kNeg:
    case Op::kAdd:
    case Op::kSub: break;
    default: return false;
  }
  return std::any_of(i->operands.begin(), i->operands.end(), is_small);
}

}  // namespace quern::target
