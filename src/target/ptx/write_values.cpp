// Pure operations on integers and bools.
#include "base/text.hpp"
#include "lang/ir/float_bits.hpp"
#include "target/ptx/writer.hpp"

namespace quern::target::ptx {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::TypeKind;
using ir::Value;
using ir::ValueKind;

namespace {

// The suffix of an integer operation, for its register representation.
std::string suffix(const Type* t) {
  return std::string(t->is_signed() ? ".s" : ".u") + (t->size == 8 ? "64" : "32");
}
std::string bits_suffix(const Type* t) { return t->size == 8 ? ".b64" : ".b32"; }

std::string comparison(Op op) {
  switch (op) {
    case Op::kEq: return "eq";
    case Op::kNe: return "ne";
    case Op::kLt: return "lt";
    case Op::kLe: return "le";
    case Op::kGt: return "gt";
    default: return "ge";
  }
}

}  // namespace

// Integers in their register representation: narrow ones are extended.
Reg Writer::constant(const Type* type, uint64_t bits) {
  switch (type->kind) {
    case TypeKind::kBool: return test("setp.ne.b32", {bits != 0 ? "1" : "0", "0"});
    case TypeKind::kF16:
    case TypeKind::kBF16:
      return make(Class::kB16, "mov.b16", {base::format("0x%04x", static_cast<unsigned>(bits))});
    case TypeKind::kF32: return base::format("0f%08X", static_cast<unsigned>(bits));
    case TypeKind::kF64: return base::format("0d%016llX", static_cast<unsigned long long>(bits));
    case TypeKind::kPtr: {  // if addresses begin at 0, null is another number
      return type->space == ir::Space::kShared  ? "0xffffffff"
             : type->space == ir::Space::kLocal ? "0xffffffffffffffff"
                                                : "0";
    }
    default: break;
  }
  if (type->is_signed()) {
    const auto shift = static_cast<int>(64 - type->bits());
    const int64_t n = static_cast<int64_t>(bits << shift) >> shift;
    if (n != INT64_MIN) return std::to_string(n);
  }
  if (type->size == 8 && bits > INT64_MAX)
    return base::format("0x%016llx", static_cast<unsigned long long>(bits));
  return std::to_string(bits);
}

Regs Writer::zero(const Type* type) {
  Regs out;
  for (const Leaf& leaf : unit_.leaves.of(type)) out.push_back(constant(leaf.type, 0));
  return out;
}

Regs Writer::value(const Value* v) {
  if (v->type->is_ptr()) return {held_pointer(v)};
  const auto known = values_.find(v);
  if (known != values_.end()) return known->second;
  if (v->kind == ValueKind::kConst && !v->type->is_aggregate())
    return {constant(v->type, static_cast<const ir::Const*>(v)->bits)};
  return zero(v->type);
}

Reg Writer::in_register(Class c, const Reg& r) {
  if (r[0] == '%') return r;
  Reg d = fresh(c);
  move(c, d, r);
  return d;
}

Reg Writer::reg(const Value* v) { return in_register(class_of(v->type), operand(v)); }

Reg Writer::trimmed(const Type* type, const Reg& r) {
  switch (type->kind) {
    case TypeKind::kI8: return word("cvt.s32.s8", {in_register(Class::kB32, r)});
    case TypeKind::kI16: return word("cvt.s32.s16", {in_register(Class::kB32, r)});
    case TypeKind::kU8: return word("and.b32", {r, "255"});
    case TypeKind::kU16: return word("and.b32", {r, "65535"});
    default: return r;
  }
}

Reg Writer::selected(Class c, const Reg& condition, const Reg& yes, const Reg& no) {
  if (c != Class::kPredicate) {
    constexpr std::string_view kCodes[] = {"", "selp.b16", "selp.b32", "selp.b64"};
    return make(c, kCodes[static_cast<size_t>(c)], {yes, no, condition});
  }
  const Reg a = test("and.pred", {condition, yes});
  const Reg b = test("and.pred", {negated(condition), no});
  return test("or.pred", {a, b});
}

bool Writer::pure(const Inst* i) {
  switch (i->op) {
    case Op::kSelect: {
      const Reg condition = operand(i->operand(0));
      if (i->type->is_ptr()) {
        const Form form = form_of(i);
        const Reg yes = pointer_as(i->operand(1), form), no = pointer_as(i->operand(2), form);
        define(i, selected(form == Form::kShared ? Class::kB32 : Class::kB64, condition, yes, no));
        return true;
      }
      const Regs yes = value(i->operand(1)), no = value(i->operand(2));
      const std::vector<Leaf>& leaves = unit_.leaves.of(i->type);
      Regs out;
      for (size_t k = 0; k < leaves.size(); ++k)
        out.push_back(selected(class_of(leaves[k].type), condition, yes[k], no[k]));
      define(i, out);
      return true;
    }
    case Op::kExtract: define(i, extract(i)); return true;
    case Op::kInsert: define(i, insert(i)); return true;
    case Op::kConstruct: define(i, construct(i)); return true;
    case Op::kConvert: define(i, convert(i->type, i->operand(0)->type, operand(i->operand(0)))); return true;
    case Op::kConvertR: define(i, convert_rounded(i)); return true;
    case Op::kBitcast: define(i, bitcast(i->type, i->operand(0)->type, operand(i->operand(0)))); return true;
    case Op::kFieldPtr: return true;  // a number of the address
    case Op::kOffset: step(i); return true;
    case Op::kSpaceCast:
    case Op::kIntToPtr:
    case Op::kPtrToInt:
    case Op::kPtrDiff:
    case Op::kMapShared:
    case Op::kParamAddress:
    case Op::kSharedAddress:
    case Op::kSharedPointer:
    case Op::kIsSpace: define(i, pointer_value(i)); return true;
    default: break;
  }
  if (ir::group(i->op) == ir::OpGroup::kIndex) {
    define(i, thread_value(i));
    return true;
  }
  if (i->operands.empty()) return false;
  Reg r = scalar_op(i);
  if (r.empty()) return false;
  define(i, std::move(r));
  return true;
}

Reg Writer::scalar_op(const Inst* i) {
  const Type* t = i->operand(0)->type;
  if (ir::group(i->op) == ir::OpGroup::kComparison) return compare(i);
  if (ir::group(i->op) == ir::OpGroup::kBits) return bits_function(i);
  if (t->is_bool()) return logical(i);
  if (is_half(t)) return half(i);
  if (t->is_float()) return real(i);
  return t->is_int() ? integer(i) : Reg();
}

Reg Writer::logical(const Inst* i) {
  const Reg a = operand(i->operand(0));
  switch (i->op) {
    case Op::kNot: return negated(a);
    case Op::kAnd: return test("and.pred", {a, operand(i->operand(1))});
    case Op::kOr: return test("or.pred", {a, operand(i->operand(1))});
    case Op::kXor: return test("xor.pred", {a, operand(i->operand(1))});
    default: return {};
  }
}

Reg Writer::integer(const Inst* i) {
  const Type* t = i->type;
  const Class c = class_of(t);
  const auto both = [&](const std::string& code) {
    const Reg a = operand(i->operand(0)), b = operand(i->operand(1));
    return make(c, code, {a, b});
  };
  switch (i->op) {
    case Op::kAdd: return trimmed(t, both("add" + suffix(t)));
    case Op::kSub: return trimmed(t, both("sub" + suffix(t)));
    case Op::kMul: return trimmed(t, both("mul.lo" + suffix(t)));
    case Op::kAnd: return both("and" + bits_suffix(t));  // of extended numbers: extended
    case Op::kOr: return both("or" + bits_suffix(t));
    case Op::kXor: return both("xor" + bits_suffix(t));
    case Op::kNot: return trimmed(t, make(c, "not" + bits_suffix(t), {operand(i->operand(0))}));
    case Op::kNeg: return trimmed(t, make(c, t->size == 8 ? "neg.s64" : "neg.s32", {operand(i->operand(0))}));
    case Op::kAbs:
      if (!t->is_signed()) return operand(i->operand(0));
      return trimmed(t, make(c, "abs" + suffix(t), {operand(i->operand(0))}));
    case Op::kMin: return both("min" + suffix(t));
    case Op::kMax: return both("max" + suffix(t));
    case Op::kDiv:
    case Op::kRem: return divide(i);
    case Op::kShl:
    case Op::kShr: return shift(i);
    case Op::kMulHi: return mul_hi(i);
    default: return {};
  }
}

// x / 0 is 0 and x % 0 is x; the lowest number divided by -1 is itself. PTX divides by 0 without trapping,
// but leaves the result undefined, also for the lowest number divided by -1.
Reg Writer::divide(const Inst* i) {
  const Type* t = i->type;
  const Class c = class_of(t);
  const bool is_div = i->is(Op::kDiv);
  const Reg a = operand(i->operand(0)), b = operand(i->operand(1));
  const Reg raw = make(c, (is_div ? "div" : "rem") + suffix(t), {a, b});
  const ir::Const* known = ir::as_const(i->operand(1));
  if (known != nullptr && known->bits != 0 && !(t->is_signed() && ir::int_value(known) == -1)) return raw;
  Reg r = raw;
  if (t->is_signed()) {
    const Reg minus = test("setp.eq" + suffix(t), {b, "-1"});
    const Reg other = is_div ? make(c, t->size == 8 ? "neg.s64" : "neg.s32", {a}) : Reg("0");
    r = selected(c, minus, other, r);
    if (is_div) r = trimmed(t, r);
  }
  const Reg nothing = test("setp.eq" + suffix(t), {b, "0"});
  return selected(c, nothing, is_div ? Reg("0") : a, r);
}

// Amounts are modulo the width; those of PTX are not.
Reg Writer::shift(const Inst* i) {
  const Type* t = i->type;
  const Reg a = operand(i->operand(0));
  const std::string mask = std::to_string(t->bits() - 1);
  Reg amount;
  if (const ir::Const* known = ir::as_const(i->operand(1))) {
    amount = std::to_string(known->bits & (t->bits() - 1));
  } else {
    amount = operand(i->operand(1));
    if (i->operand(1)->type->size == 8) amount = word("cvt.u32.u64", {amount});
    amount = word("and.b32", {amount, mask});
  }
  if (i->is(Op::kShl)) return trimmed(t, make(class_of(t), "shl" + bits_suffix(t), {a, amount}));
  return make(class_of(t), "shr" + suffix(t), {a, amount});
}

Reg Writer::mul_hi(const Inst* i) {
  const Type* t = i->type;
  const Reg a = operand(i->operand(0)), b = operand(i->operand(1));
  if (!is_narrow(t)) return make(class_of(t), "mul.hi" + suffix(t), {a, b});
  return word("shr" + suffix(t), {word("mul.lo" + suffix(t), {a, b}), std::to_string(t->bits())});
}

Reg Writer::bits_function(const Inst* i) {
  const Type* t = i->operand(0)->type;
  if (is_narrow(t)) return {};
  const std::string width = bits_suffix(t);
  const Reg a = operand(i->operand(0));
  const auto second = [&] { return operand(i->operand(1)); };
  const auto third = [&] { return operand(i->operand(2)); };
  switch (i->op) {
    case Op::kPopc: return word("popc" + width, {a});
    case Op::kClz: return word("clz" + width, {a});
    case Op::kBrev: return make(class_of(t), "brev" + width, {a});
    case Op::kCtz: return word("clz" + width, {make(class_of(t), "brev" + width, {a})});
    case Op::kBytePerm: {  // the upper bit of a selector would replicate a sign
      const Reg b = second(), selector = word("and.b32", {third(), "0x7777"});
      return word("prmt.b32", {a, b, selector});
    }
    case Op::kFunnel: {
      const Reg b = second(), by = third();
      return word("shf.l.wrap.b32", {a, b, by});
    }
    default: {
      const Reg b = second(), c = third();
      return word(i->type->is_signed() ? "dp4a.s32.s32" : "dp4a.u32.u32", {a, b, c});
    }
  }
}

Reg Writer::compare(const Inst* i) {
  const Type* t = i->operand(0)->type;
  if (t->is_ptr()) return compare_pointers(i);
  const Reg a = operand(i->operand(0)), b = operand(i->operand(1));
  if (t->is_bool()) {
    switch (i->op) {
      case Op::kEq: return negated(test("xor.pred", {a, b}));
      case Op::kNe: return test("xor.pred", {a, b});
      case Op::kLt: return test("and.pred", {negated(a), b});
      case Op::kLe: return test("or.pred", {negated(a), b});
      case Op::kGt: return test("and.pred", {a, negated(b)});
      default: return test("or.pred", {a, negated(b)});
    }
  }
  if (is_half(t)) return {};
  const std::string how = comparison(i->op);
  if (t->is_float()) {  // ne is true for a NaN, all others are false
    const std::string width = t->size == 8 ? ".f64" : unit_.is_fast() ? ".ftz.f32" : ".f32";
    return test("setp." + (i->is(Op::kNe) ? "neu" : how) + width, {a, b});
  }
  return test("setp." + how + suffix(t), {a, b});
}

Reg Writer::compare_pointers(const Inst* i) {
  const Form a = form_of(i->operand(0)), b = form_of(i->operand(1));
  const Form form = a == b ? a : Form::kGeneric;
  const Reg x = pointer_as(i->operand(0), form), y = pointer_as(i->operand(1), form);
  return test("setp." + comparison(i->op) + (form == Form::kShared ? ".u32" : ".u64"), {x, y});
}

}  // namespace quern::target::ptx
