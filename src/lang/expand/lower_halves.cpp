#include "lang/expand/expand.hpp"
#include "lang/expand/messages.hpp"
#include "lang/expand/rewriter.hpp"

namespace quern::expand {

namespace {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::TypeKind;
using ir::Value;

bool is_half(const Type* t) { return t->kind == TypeKind::kF16 || t->kind == TypeKind::kBF16; }

// Whether it computes with halves instead of only moving them.
bool concerns(const Inst& i) {
  if (i.is(Op::kBitcast) || i.is(Op::kSelect) || i.is(Op::kExtract) || i.is(Op::kInsert) ||
      i.is(Op::kConstruct) || !pass::has_property(i.op, ir::kPure))
    return false;
  if (i.is(Op::kConvert) && i.type->is_bool()) return false;
  bool any = is_half(i.type);
  for (const Value* v : i.operands) any = any || is_half(v->type);
  return any;
}

class HalfLowering {
 public:
  HalfLowering(ir::Module& module, ir::Function& function, Library& library, const NativeHalves& native,
               std::vector<Unlowered>& problems)
      : r_(module, function),
        b_(r_.b),
        function_(function),
        library_(library),
        native_(native),
        problems_(problems) {}

  void run() {
    const auto is_wanted = [&](const Inst& i) {
      return concerns(i) && !(native_.is_native && native_.is_native(i));
    };
    for (Inst* i : r_.find(is_wanted)) {
      r_.before(i);
      Value* made = lower(i);
      if (made != nullptr) r_.replace(i, made);
    }
    r_.finish();
  }

 private:
  const Type* u16() { return r_.type(TypeKind::kU16); }
  const Type* f32() { return r_.type(TypeKind::kF32); }
  Value* operand(const Inst* i, size_t k) { return r_.now(i->operand(k)); }
  Value* bits(Value* v) { return b_.bitcast(v, u16()); }

  // A library function that takes halves as their bits.
  Value* call(const std::string& name, std::vector<Value*> arguments, const Type* result) {
    std::vector<const Type*> types;
    for (Value*& v : arguments) {
      if (is_half(v->type)) v = bits(v);
      types.push_back(v->type);
    }
    Value* made = r_.call(library_.use(name, types, is_half(result) ? u16() : result), arguments);
    return is_half(result) ? b_.bitcast(made, result) : made;
  }

  Value* widened(Value* v) {
    if (!is_half(v->type)) return v;
    if (native_.converts) return b_.convert(v, f32());
    return call(v->type->kind == TypeKind::kF16 ? "f32_of_f16" : "f32_of_bf16", {v}, f32());
  }
  Value* narrowed(Value* v, const Type* to) {
    if (native_.converts) return b_.convert(v, to);
    return call(to->kind == TypeKind::kF16 ? "f16_of_f32" : "bf16_of_f32", {v}, to);
  }

  Value* refuse(const Inst* i, const base::MessageText& reason) {
    problems_.push_back({&function_, i->pos, reason.str()});
    return b_.module().undef(i->type);
  }

  Value* convert(const Type* to, Value* v) {
    const Type* from = v->type;
    if (is_half(from)) {
      v = widened(v);
      return is_half(to) ? narrowed(v, to) : b_.convert(v, to);
    }
    if (from->kind == TypeKind::kF32) return narrowed(v, to);
    if (from->is_bool()) v = b_.convert(v, r_.type(TypeKind::kI32));
    const bool is_f16 = to->kind == TypeKind::kF16;
    if (from->kind == TypeKind::kF64) return call(is_f16 ? "f16_of_f64" : "bf16_of_f64", {v}, to);
    // Integers beyond the 24 bits of a float are infinite as half: rounding them first changes nothing.
    if (is_f16 || v->type->size < 4 || from->is_bool()) return narrowed(b_.convert(v, f32()), to);
    return call("bf16_of_" + std::string(ir::name(from->kind)), {v}, to);
  }

  Value* convert_rounded(const Inst* i, Value* v) {
    if (is_half(v->type)) v = widened(v);
    const ir::Rounding mode = i->attr().round;
    if (!is_half(i->type)) {
      Inst* made = b_.emit(Op::kConvertR, i->type, {v});
      made->mutable_attr().round = mode;
      return made;
    }
    if (mode == ir::Rounding::kNearest) return convert(i->type, v);
    // Integers that a float rounds are infinite, or the largest number, as half.
    const bool is_f16 = i->type->kind == TypeKind::kF16;
    const bool is_float_enough =
        v->type->kind == TypeKind::kF32 || v->type->size < 4 || (is_f16 && v->type->is_int());
    if (!is_float_enough && v->type->size == 8 && v->type->is_int())
      return refuse(i, message::kRoundsHalfConversion());
    v = b_.convert(v, is_float_enough ? f32() : r_.type(TypeKind::kF64));
    return call(std::string(ir::name(i->type->kind)) + "_" + std::string(ir::name(mode)) +
                    (is_float_enough ? "_of_f32" : "_of_f64"),
                {v}, i->type);
  }

  Value* lower(Inst* i) {
    const Type* t = i->operand(0)->type;
    const std::string kind(ir::name(t->kind));
    const auto mask = [&](uint64_t n) { return r_.number(TypeKind::kU16, n); };
    Value* a = operand(i, 0);
    switch (i->op) {
      case Op::kConvert: return convert(i->type, a);
      case Op::kConvertR: return convert_rounded(i, a);
      case Op::kNeg: return b_.bitcast(b_.binary(Op::kXor, bits(a), mask(0x8000)), t);
      case Op::kAbs: return b_.bitcast(b_.binary(Op::kAnd, bits(a), mask(0x7fff)), t);
      case Op::kCopysign: {
        Value* sign = b_.binary(Op::kAnd, bits(operand(i, 1)), mask(0x8000));
        return b_.bitcast(b_.binary(Op::kOr, b_.binary(Op::kAnd, bits(a), mask(0x7fff)), sign), t);
      }
      case Op::kFma: return call("fma_" + kind, {a, operand(i, 1), operand(i, 2)}, t);
      case Op::kNextafter: return call("nextafter_" + kind, {a, operand(i, 1)}, t);
      case Op::kAddR:
      case Op::kMulR:
      case Op::kDivR:
      case Op::kFmaR:
      case Op::kSqrtR: return refuse(i, message::kRoundsHalfArithmetic());
      default: break;
    }
    std::vector<Value*> in;
    for (size_t k = 0; k < i->operands.size(); ++k) in.push_back(widened(operand(i, k)));
    const bool gives_half = is_half(i->type);
    Value* made = b_.op(i->op, gives_half ? f32() : i->type, in, i->attr());
    return gives_half ? narrowed(made, i->type) : made;
  }

  Rewriter r_;
  ir::Builder& b_;
  const ir::Function& function_;
  Library& library_;
  const NativeHalves& native_;
  std::vector<Unlowered>& problems_;
};

}  // namespace

std::vector<Unlowered> lower_halves(ir::Module& module, Library& library, const NativeHalves& native) {
  std::vector<Unlowered> problems;
  const std::vector<ir::Function*> functions = module.functions;  // the library adds functions to it
  for (ir::Function* f : functions) {
    if (f->is_kernel) HalfLowering(module, *f, library, native, problems).run();
  }
  return problems;
}

}  // namespace quern::expand
