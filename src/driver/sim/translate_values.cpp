#include "driver/sim/messages.hpp"
#include "driver/sim/translator.hpp"

namespace quern::sim {

using ir::Inst;
using ir::Op;
using ir::TypeKind;
using ir::Value;

namespace {

// The family of instructions for a type; kOther uses ir::evaluate.
enum class Family : uint8_t { kI32, kI64, kU32, kU64, kF32, kF64, kOther };

Family family(const ir::Type* t) {
  switch (t->kind) {
    case TypeKind::kI32: return Family::kI32;
    case TypeKind::kI64: return Family::kI64;
    case TypeKind::kU32: return Family::kU32;
    case TypeKind::kU64:
    case TypeKind::kPtr: return Family::kU64;
    case TypeKind::kF32: return Family::kF32;
    case TypeKind::kF64: return Family::kF64;
    default: return Family::kOther;
  }
}

constexpr OpCode kNone = OpCode::kUnreachable;

struct Row {
  Op op;
  OpCode i32, i64, u32, u64, f32, f64;
};

constexpr Row kBinary[] = {
    {Op::kAdd, OpCode::kAdd32, OpCode::kAdd64, OpCode::kAdd32, OpCode::kAdd64, OpCode::kAddF32,
     OpCode::kAddF64},
    {Op::kSub, OpCode::kSub32, OpCode::kSub64, OpCode::kSub32, OpCode::kSub64, OpCode::kSubF32,
     OpCode::kSubF64},
    {Op::kMul, OpCode::kMul32, OpCode::kMul64, OpCode::kMul32, OpCode::kMul64, OpCode::kMulF32,
     OpCode::kMulF64},
    {Op::kDiv, OpCode::kDivI32, OpCode::kDivI64, OpCode::kDivU64, OpCode::kDivU64, OpCode::kDivF32,
     OpCode::kDivF64},
    {Op::kRem, OpCode::kRemI32, OpCode::kRemI64, OpCode::kRemU64, OpCode::kRemU64, kNone, kNone},
    {Op::kAnd, OpCode::kAnd, OpCode::kAnd, OpCode::kAnd, OpCode::kAnd, kNone, kNone},
    {Op::kOr, OpCode::kOr, OpCode::kOr, OpCode::kOr, OpCode::kOr, kNone, kNone},
    {Op::kXor, OpCode::kXor, OpCode::kXor, OpCode::kXor, OpCode::kXor, kNone, kNone},
    {Op::kShl, OpCode::kShl32, OpCode::kShl64, OpCode::kShl32, OpCode::kShl64, kNone, kNone},
    {Op::kShr, OpCode::kShrI32, OpCode::kShrI64, OpCode::kShrU32, OpCode::kShrU64, kNone, kNone},
    {Op::kMin, OpCode::kMinI32, OpCode::kMinI64, OpCode::kMinU64, OpCode::kMinU64, OpCode::kMinF32, kNone},
    {Op::kMax, OpCode::kMaxI32, OpCode::kMaxI64, OpCode::kMaxU64, OpCode::kMaxU64, OpCode::kMaxF32, kNone},
    {Op::kEq, OpCode::kEq, OpCode::kEq, OpCode::kEq, OpCode::kEq, OpCode::kEqF32, OpCode::kEqF64},
    {Op::kNe, OpCode::kNe, OpCode::kNe, OpCode::kNe, OpCode::kNe, OpCode::kNeF32, OpCode::kNeF64},
    {Op::kLt, OpCode::kLtI32, OpCode::kLtI64, OpCode::kLtU64, OpCode::kLtU64, OpCode::kLtF32, OpCode::kLtF64},
    {Op::kLe, OpCode::kLeI32, OpCode::kLeI64, OpCode::kLeU64, OpCode::kLeU64, OpCode::kLeF32, OpCode::kLeF64},
};

OpCode binary_code(Op op, const ir::Type* type) {
  for (const Row& row : kBinary) {
    if (row.op != op) continue;
    switch (family(type)) {
      case Family::kI32: return row.i32;
      case Family::kI64: return row.i64;
      case Family::kU32: return row.u32;
      case Family::kU64: return row.u64;
      case Family::kF32: return row.f32;
      case Family::kF64: return row.f64;
      case Family::kOther:
        // On zero-extended payloads these are the same for every width.
        if (op == Op::kAnd || op == Op::kOr || op == Op::kXor) return row.u64;
        if (!type->is_float() && (op == Op::kEq || op == Op::kNe)) return row.u64;
        return kNone;
    }
  }
  return kNone;
}

uint64_t float_sign(const ir::Type* t) { return uint64_t{1} << (t->size * 8 - 1); }

uint64_t member_offset(const ir::Type* aggregate, uint32_t index) {
  return aggregate->is_struct() ? aggregate->fields[index].offset : aggregate->elem->size * index;
}

}  // namespace

bool Translator::visit_value(const Inst* inst) {
  switch (inst->op) {
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kDiv:
    case Op::kRem:
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kShl:
    case Op::kShr:
    case Op::kMin:
    case Op::kMax: binary(inst); return true;
    case Op::kEq:
    case Op::kNe:
    case Op::kLt:
    case Op::kLe:
    case Op::kGt:
    case Op::kGe: compare(inst); return true;
    case Op::kNeg:
    case Op::kNot:
    case Op::kAbs: unary(inst); return true;
    case Op::kSelect: select(inst); return true;
    case Op::kConvert: convert(inst); return true;
    case Op::kBitcast:
    case Op::kSpaceCast: alias(inst, slot_of(inst->operand(0))); return true;
    case Op::kPtrToInt:
    case Op::kIntToPtr: alias(inst, use(inst->operand(0))); return true;
    case Op::kExtract: extract(inst); return true;
    case Op::kInsert: insert(inst); return true;
    case Op::kConstruct: construct(inst); return true;
    case Op::kMapShared: {
      code_->maps_shared = true;
      const uint32_t a = use(inst->operand(0)), b = use(inst->operand(1));
      emit(OpCode::kMapShared, result(inst), a, b);
      return true;
    }
    case Op::kSharedAddress: {
      const uint32_t a = use(inst->operand(0));
      emit(OpCode::kSharedAddress, result(inst), a);
      return true;
    }
    case Op::kSharedPointer: {
      const uint32_t a = use(inst->operand(0));
      emit(OpCode::kSharedPointer, result(inst), a, 0, std::max(1U, inst->attr().index));
      return true;
    }
    case Op::kOffset:
    case Op::kFieldPtr:
    case Op::kPtrDiff:
    case Op::kIsSpace: address_value(inst); return true;
    case Op::kThreadId:
    case Op::kBlockId:
    case Op::kBlockDim:
    case Op::kGridDim:
    case Op::kClusterDim:
    case Op::kLaneId:
    case Op::kDynamicSharedSize: alias(inst, fixed(inst)); return true;
    default: break;
  }
  const bool pure = ir::has(inst->op, ir::kPure);
  if (pure) evaluate(inst);
  return pure;
}

void Translator::check_arithmetic(const Inst* inst, uint32_t a, uint32_t b) {
  const ir::Type* t = inst->type;
  if ((checks_ & kCheckShifts) != 0 && (inst->is(Op::kShl) || inst->is(Op::kShr))) {
    const ir::Type* amount = inst->operand(1)->type;
    emit(OpCode::kShiftCheck, 0, a, b, amount->is_signed() ? amount->bits() : 0).sub =
        static_cast<uint16_t>(t->bits());
  }
  if ((checks_ & kCheckOverflow) == 0 || !t->is_signed() || t->size < 4) return;
  OpCode op = kNone;
  switch (inst->op) {
    case Op::kAdd: op = OpCode::kOverflowAdd; break;
    case Op::kSub: op = OpCode::kOverflowSub; break;
    case Op::kMul: op = OpCode::kOverflowMul; break;
    case Op::kNeg: op = OpCode::kOverflowNeg; break;
    case Op::kDiv:
    case Op::kRem: op = OpCode::kOverflowDiv; break;
    default: return;
  }
  emit(op, 0, a, b).sub = static_cast<uint16_t>(t->bits());
}

void Translator::binary(const Inst* inst) {
  const OpCode op = binary_code(inst->op, inst->type);
  if (op == kNone) {
    evaluate(inst);
    return;
  }
  const uint32_t a = use(inst->operand(0));
  uint32_t b = use(inst->operand(1));
  check_arithmetic(inst, a, b);
  emit(op, result(inst), a, b);
}

void Translator::compare(const Inst* inst) {
  if (fuses_with_next(inst)) return;
  const bool swap = inst->is(Op::kGt) || inst->is(Op::kGe);
  const Op base = inst->is(Op::kGt) ? Op::kLt : inst->is(Op::kGe) ? Op::kLe : inst->op;
  const OpCode op = binary_code(base, inst->operand(0)->type);
  if (op == kNone) {
    evaluate(inst);
    return;
  }
  const uint32_t a = use(inst->operand(0)), b = use(inst->operand(1));
  emit(op, result(inst), swap ? b : a, swap ? a : b);
}

void Translator::unary(const Inst* inst) {
  const ir::Type* t = inst->type;
  const Value* v = inst->operand(0);
  if (inst->is(Op::kNot) && t->is_bool()) {
    const uint32_t a = use(v);
    emit(OpCode::kXor, result(inst), a, constant(1));
  } else if (inst->is(Op::kNot) && (t->size == 4 || t->size == 8)) {
    const uint32_t a = use(v);
    emit(t->size == 4 ? OpCode::kNot32 : OpCode::kNot64, result(inst), a);
  } else if (inst->is(Op::kNeg) && t->is_float()) {
    const uint32_t a = use(v);
    emit(OpCode::kXor, result(inst), a, constant(float_sign(t)));
  } else if (inst->is(Op::kAbs) && t->is_float()) {
    const uint32_t a = use(v);
    emit(OpCode::kAnd, result(inst), a, constant(float_sign(t) - 1));
  } else if (inst->is(Op::kNeg) && (t->size == 4 || t->size == 8)) {
    const uint32_t a = use(v);
    check_arithmetic(inst, a, 0);
    emit(t->size == 4 ? OpCode::kNeg32 : OpCode::kNeg64, result(inst), a);
  } else {
    evaluate(inst);
  }
}

void Translator::evaluate(const Inst* inst) {
  const size_t n = inst->operands.size();
  if (n == 0 || n > 3) {
    fail(message::kPureForm(), inst);
    return;
  }
  uint32_t in[3] = {0, 0, 0};
  EvalInfo info{inst, {}};
  for (size_t i = 0; i < n; ++i) {
    in[i] = use(inst->operand(i));
    info.types[i] = inst->operand(i)->type;
  }
  if (inst->is(Op::kFma) && (inst->type->kind == TypeKind::kF32 || inst->type->kind == TypeKind::kF64)) {
    const OpCode op = inst->type->kind == TypeKind::kF32 ? OpCode::kFma32 : OpCode::kFma64;
    emit(op, result(inst), in[0], in[1], in[2]);
    return;
  }
  if (n == 2 && (inst->is(Op::kDiv) || inst->is(Op::kRem) || inst->is(Op::kShl) || inst->is(Op::kShr))) {
    check_arithmetic(inst, in[0], in[1]);
  }
  code_->evals.push_back(info);
  const OpCode op = n == 1 ? OpCode::kEval1 : n == 2 ? OpCode::kEval2 : OpCode::kEval3;
  emit(op, result(inst), in[0], in[1], in[2], static_cast<int32_t>(code_->evals.size() - 1));
}

bool Translator::convert_int(const Inst* inst, const ir::Type* from, const ir::Type* to) {
  const uint32_t slot = slot_of(inst->operand(0));
  if (to->is_bool()) {
    if (from->is_bool()) {
      alias(inst, slot);
    } else {
      emit(OpCode::kNe, result(inst), slot, constant(0));
    }
    return true;
  }
  const uint32_t have = from->is_bool() ? 1 : from->bits(), want = to->bits();
  if (want == have || (want > have && !from->is_signed())) {
    alias(inst, slot);
    return true;
  }
  emit(OpCode::kExtend, result(inst), slot, 0, 64 - want).sub =
      static_cast<uint16_t>(want > have ? 64 - have : 0);
  return true;
}

void Translator::convert(const Inst* inst) {
  const Value* v = inst->operand(0);
  const ir::Type* from = v->type;
  const ir::Type* to = inst->type;
  const bool whole = (from->is_int() || from->is_bool()) && (to->is_int() || to->is_bool());
  OpCode op = kNone;
  if (from == to) {
    alias(inst, slot_of(v));
  } else if (whole) {
    convert_int(inst, from, to);
  } else if (to->kind == TypeKind::kF32 && from->kind == TypeKind::kI32) {
    op = OpCode::kI32ToF32;
  } else if (to->kind == TypeKind::kF32 && from->kind == TypeKind::kU32) {
    op = OpCode::kU32ToF32;
  } else if (to->kind == TypeKind::kF64 && from->kind == TypeKind::kI32) {
    op = OpCode::kI32ToF64;
  } else if (to->kind == TypeKind::kF64 && from->kind == TypeKind::kU32) {
    op = OpCode::kU32ToF64;
  } else if (to->kind == TypeKind::kI32 && from->kind == TypeKind::kF32) {
    op = OpCode::kF32ToI32;
  } else if (to->kind == TypeKind::kI32 && from->kind == TypeKind::kF64) {
    op = OpCode::kF64ToI32;
  } else if (to->kind == TypeKind::kF64 && from->kind == TypeKind::kF32) {
    op = OpCode::kF32ToF64;
  } else if (to->kind == TypeKind::kF32 && from->kind == TypeKind::kF64) {
    op = OpCode::kF64ToF32;
  } else {
    const uint32_t slot = slot_of(v);
    code_->evals.push_back({inst, {from, nullptr, nullptr}});
    emit(OpCode::kEval1, result(inst), slot, 0, 0, static_cast<int32_t>(code_->evals.size() - 1));
  }
  if (op != kNone) {
    const uint32_t slot = slot_of(v);
    emit(op, result(inst), slot);
  }
  // Converting an undefined value gives an undefined value; only its use is an error.
  const uint32_t in = slot_of(v), out = slot_of(inst);
  if (maybe(inst) && in != out) emit(OpCode::kCopyFlags, out, in);
}

void Translator::select(const Inst* inst) {
  const uint32_t cond = use(inst->operand(0));
  const uint32_t a = slot_of(inst->operand(1)), b = slot_of(inst->operand(2));
  const uint32_t count = slots_for(inst->type);
  if (!maybe(inst) && !inst->type->is_aggregate()) {
    emit(OpCode::kSelect, result(inst), cond, a, b);
    return;
  }
  // Flags of an always defined scalar are not updated; those of aggregates are.
  const bool aggregate = inst->type->is_aggregate();
  const uint32_t flagged =
      (aggregate || maybe(inst->operand(1)) ? 1u : 0u) | (aggregate || maybe(inst->operand(2)) ? 2u : 0u);
  emit(OpCode::kSelectMaybe, result(inst), cond, a, b, static_cast<int32_t>(count)).sub =
      static_cast<uint16_t>(flagged);
}

void Translator::extract(const Inst* inst) {
  const Value* from = inst->operand(0);
  const uint64_t offset = member_offset(from->type, inst->attr().index);
  const uint32_t area = slot_of(from);
  if (inst->type->is_aggregate()) {
    emit(OpCode::kExtractBytes, result(inst), area, 0, static_cast<uint32_t>(inst->type->size),
         static_cast<int32_t>(offset));
    return;
  }
  const uint32_t check_now = maybe(from) && !maybe(inst) ? 1 : 0;
  emit(OpCode::kExtract, result(inst), area, 0, check_now, static_cast<int32_t>(offset)).sub =
      static_cast<uint16_t>(inst->type->size);
}

void Translator::put_member(uint32_t area, uint64_t offset, const Value* member) {
  const uint32_t slot = slot_of(member);
  if (member->type->is_aggregate()) {
    emit(OpCode::kInsertBytes, area, slot, 0, static_cast<uint32_t>(member->type->size),
         static_cast<int32_t>(offset));
    return;
  }
  emit(OpCode::kInsert, area, slot, 0, maybe(member) ? 1 : 0, static_cast<int32_t>(offset)).sub =
      static_cast<uint16_t>(member->type->size);
}

void Translator::insert(const Inst* inst) {
  const uint32_t from = slot_of(inst->operand(0));
  const uint32_t area = result(inst);
  emit(OpCode::kMovBytes, area, from, 0, slots_for(inst->type));
  put_member(area, member_offset(inst->type, inst->attr().index), inst->operand(1));
}

void Translator::construct(const Inst* inst) {
  const uint32_t area = result(inst);
  emit(OpCode::kZeroBytes, area, 0, 0, slots_for(inst->type));
  for (uint32_t i = 0; i < inst->operands.size() && !failed(); ++i) {
    put_member(area, member_offset(inst->type, i), inst->operand(i));
  }
}

void Translator::address_value(const Inst* inst) {
  if (inst->is(Op::kPtrDiff)) {
    const uint32_t a = use(inst->operand(0)), b = use(inst->operand(1));
    emit(OpCode::kPtrDiff, result(inst), a, b, constant(inst->attr().scale));
    return;
  }
  if (inst->is(Op::kIsSpace)) {
    const uint32_t a = use(inst->operand(0));
    emit(OpCode::kIsSpace, result(inst), a).sub = static_cast<uint16_t>(inst->attr().space);
    return;
  }
  if (facts_.is_folded(inst)) return;
  const uint32_t base = use(inst->operand(0));
  const Value* index = nullptr;
  const int64_t step = constant_step(inst, &index);
  if (index == nullptr) {
    emit(OpCode::kAdd64, result(inst), base, constant(static_cast<uint64_t>(step)));
    return;
  }
  uint32_t by = use(index);
  const bool sign = index->type->kind == TypeKind::kI32;
  if (inst->attr().scale <= 0xFFFF'FFFF) {
    Ins& ins = emit(OpCode::kOffset, result(inst), base, by, static_cast<uint32_t>(inst->attr().scale));
    ins.sub = sign ? 32 : 0;
    return;
  }
  const uint32_t wide = allocate(1);
  emit(OpCode::kExtend, wide, by).sub = sign ? 32 : 0;
  emit(OpCode::kMul64, wide, wide, constant(inst->attr().scale));
  emit(OpCode::kAdd64, result(inst), base, wide);
  release(wide);
}

}  // namespace quern::sim
