#include "lang/expand/wide_values.hpp"

#include "lang/expand/messages.hpp"

namespace quern::expand {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::TypeKind;
using ir::Value;
using ir::ValueKind;

// The kernel cannot be used then; removing the instruction keeps it well formed.
void WideValues::refuse(Inst* i, const base::MessageText& reason) {
  problems_.push_back({&function_, i->pos, reason.str()});
  if (is_wide(i->type)) return become(i, math_.undef());
  become(i, i->type->is_void() ? nullptr : module_.undef(i->type));
}

bool WideValues::has_words(const Value* v) const {
  const bool is_known = v->kind == ValueKind::kConst || v->kind == ValueKind::kUndef;
  return words_.count(v) != 0 || (is_known && is_wide(v->type));
}

Wide WideValues::words(Value* v) {
  if (const ir::Const* c = ir::as_const(v)) return math_.constant(c->bits);
  if (v->kind == ValueKind::kUndef) return math_.undef();
  return words_.at(v);
}

// Converts to a value of the struct that represents it inside of other types, and back.
Value* WideValues::packed(Wide w) {
  Value* const members[] = {w.low, w.high};
  return b_.construct(types_.pair(), members);
}

Value* WideValues::packed_operand(const Inst* i, size_t k) {
  return has_words(i->operand(k)) ? packed(operand(i, k)) : i->operand(k);
}

void WideValues::become(Inst* i, Wide w) {
  words_[i] = w;
  i->parent->remove(i);
}

void WideValues::become(Inst* i, Value* v) {
  replaced_[i] = v;
  i->parent->remove(i);
}

void WideValues::shift(Inst* i) {
  Value* by = has_words(i->operand(1)) ? operand(i, 1).low : b_.convert(i->operand(1), u32());
  if (is_wide(i->type)) return become(i, math_.shift(i->op, i->type->is_signed(), operand(i, 0), by));
  i->operands[1] = by;
}

void WideValues::divide(Inst* i) {
  const Wide a = operand(i, 0), b = operand(i, 1);
  const bool is_div = i->is(Op::kDiv);
  if (WideMath::is_small(a) && WideMath::is_small(b))
    return become(i, {b_.binary(i->op, a.low, b.low), module_.constant(u32(), 0)});
  const int power = i->type->is_signed() ? -1 : WideMath::power_of(b);
  if (power >= 0) {
    if (is_div)
      return become(i,
                    math_.shift(Op::kShr, false, a, module_.constant(u32(), static_cast<uint64_t>(power))));
    return become(i, math_.bitwise(Op::kAnd, a, math_.constant((uint64_t{1} << power) - 1)));
  }
  become(i, called(i, name_of(i)));
}

std::string WideValues::name_of(const Inst* i) {
  return std::string(ir::info(i->op).name) + "_" + std::string(ir::name(i->operand(0)->type->kind));
}

std::string WideValues::conversion(const Inst* i, const Value* from, std::string_view mode) {
  return "convert_" + (mode.empty() ? std::string() : std::string(mode) + "_") +
         std::string(ir::name(i->type->kind)) + "_" + std::string(ir::name(from->type->kind));
}

// Calls a library function with these arguments, which is declared with 64 bits and lowered like this one.
Value* WideValues::raw_call(const std::string& name, std::span<Value* const> arguments, const Type* result) {
  std::vector<const Type*> kinds;
  std::vector<Value*> flat;
  for (Value* v : arguments) {
    kinds.push_back(v->type);
    if (!has_words(v)) {
      flat.push_back(v);
      continue;
    }
    flat.push_back(words(v).low);
    flat.push_back(words(v).high);
  }
  ir::Function* callee = library_.use(name, kinds, result);
  Inst* made = b_.emit(Op::kCall, types_.of(result), flat);
  made->mutable_attr().callee = callee;
  return made;
}

Wide WideValues::called(const Inst* i, const std::string& name) {
  const std::vector<Value*> arguments = i->operands;
  return unpacked(raw_call(name, arguments, i->type));
}

void WideValues::convert(Inst* i) {
  Value* v = i->operand(0);
  if (!has_words(v)) {
    if (!v->type->is_float()) return become(i, math_.extended(v));
    Value* from = is_half(v->type) ? b_.convert(v, type(TypeKind::kF32)) : v;
    return become(i, unpacked(raw_call(conversion(i, from), {&from, 1}, i->type)));
  }
  if (is_wide(i->type)) return become(i, words(v));
  if (!i->type->is_float()) return become(i, math_.cut(words(v), i->type));
  if (i->type->kind == TypeKind::kBF16) {
    Value* bits = raw_call("bf16_of_" + std::string(ir::name(v->type->kind)), {&v, 1}, type(TypeKind::kU16));
    return become(i, b_.bitcast(bits, i->type));
  }
  if (i->type->kind == TypeKind::kF16) {  // beyond the 24 bits of a float all are infinite
    const bool is_signed = v->type->is_signed();
    Value* near = raw_call(is_signed ? "convert_f32_i64" : "convert_f32_u64", {&v, 1}, type(TypeKind::kF32));
    return become(i, b_.convert(near, i->type));
  }
  become(i, raw_call(conversion(i, v), {&v, 1}, i->type));
}

void WideValues::convert_rounded(Inst* i) {
  const ir::Rounding mode = i->attr().round;
  Value* v = i->operand(0);
  if (!has_words(v)) {
    constexpr Op kOps[] = {Op::kRint, Op::kTrunc, Op::kCeil, Op::kFloor};
    if (is_half(v->type)) v = b_.convert(v, type(TypeKind::kF32));
    if (mode != ir::Rounding::kZero) v = b_.unary(kOps[static_cast<size_t>(mode)], v);
    return become(i, unpacked(raw_call(conversion(i, v), {&v, 1}, i->type)));
  }
  if (mode == ir::Rounding::kNearest) return convert(i);
  const std::string name = conversion(i, v, ir::name(mode));
  if (!Library::has(name)) return refuse(i, message::kRoundsWideConversion());
  become(i, raw_call(name, {&v, 1}, i->type));
}

}  // namespace quern::expand
