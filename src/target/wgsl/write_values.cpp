#include <bit>

#include "base/text.hpp"
#include "lang/ir/float_bits.hpp"
#include "lang/pass/walk.hpp"
#include "target/messages.hpp"
#include "target/wgsl/writer.hpp"

namespace quern::target::wgsl {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::TypeKind;
using ir::Value;
using ir::ValueKind;

namespace {

std::string_view operator_of(Op op) {
  switch (op) {
    case Op::kAdd: return "+";
    case Op::kSub: return "-";
    case Op::kMul: return "*";
    case Op::kDiv: return "/";
    case Op::kRem: return "%";
    case Op::kAnd: return "&";
    case Op::kOr: return "|";
    case Op::kXor: return "^";
    case Op::kEq: return "==";
    case Op::kNe: return "!=";
    case Op::kLt: return "<";
    case Op::kLe: return "<=";
    case Op::kGt: return ">";
    default: return ">=";
  }
}

bool is_float_sum(const Inst* i) {
  return (i->is(Op::kAdd) || i->is(Op::kSub) || i->is(Op::kMul)) && i->type->kind == TypeKind::kF32;
}

std::string real_literal(uint32_t bits) {
  std::string text = base::format_float(std::bit_cast<float>(bits));
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + "f";
}

}  // namespace

std::string_view type_name(const Type* type) {
  switch (type->kind) {
    case TypeKind::kBool: return "bool";
    case TypeKind::kI8:
    case TypeKind::kI16:
    case TypeKind::kI32: return "i32";
    case TypeKind::kF32: return "f32";
    case TypeKind::kStruct: return "vec2<u32>";  // the words of 64 bits, if a function returns them
    default: return "u32";
  }
}

Expr Writer::binary(const Expr& a, std::string_view op, const Expr& b) {
  return {a.in() + " " + std::string(op) + " " + b.in(), false};
}

Expr Writer::call(const std::string& function, const std::vector<Expr>& arguments) const {
  std::string text = function + "(";
  for (size_t k = 0; k < arguments.size(); ++k) text += (k == 0 ? "" : ", ") + arguments[k].text;
  return {text + ")"};
}

Expr Writer::helper(std::string_view name, const std::vector<Expr>& arguments) {
  if (name == "keep") unit_.uses_arguments = true;
  return call(unit_.helpers.use(name), arguments);
}

Expr Writer::value(const Value* v) {
  switch (v->kind) {
    case ValueKind::kConst: return literal(v->type, static_cast<const ir::Const*>(v)->bits);
    case ValueKind::kUndef: return literal(v->type, 0);
    case ValueKind::kParam: return is_kernel_ ? argument(v) : Expr{named_.at(v)};
    case ValueKind::kGlobal: return literal(unit_.module.types().get(TypeKind::kU32), 0);
    case ValueKind::kInst: break;
  }
  if (const auto named = named_.find(v); named != named_.end()) return {named->second};
  return render(static_cast<const Inst*>(v));
}

Expr Writer::literal(const Type* type, uint64_t bits) {
  if (type->is_struct()) return {"vec2<u32>(0u, 0u)"};
  if (type->is_bool()) return {bits != 0 ? "true" : "false"};
  if (type->kind == TypeKind::kF32) {
    const auto word = static_cast<uint32_t>(bits);
    const uint32_t exponent = word >> 23 & 0xff;
    // The largest values, as decimals, are slightly beyond what WGSL accepts.
    const bool is_plain = word == 0 || (exponent != 0 && exponent < 0xfe);
    if (!is_plain) return helper("f32", {{base::format("0x%08xu", word)}});
    return {real_literal(word), (word >> 31) == 0};
  }
  if (!type->is_signed()) return {std::to_string(bits) + "u"};
  const auto shift = static_cast<int>(64 - type->bits());
  const int64_t n = static_cast<int64_t>(bits << shift) >> shift;
  if (n == INT32_MIN) return {"i32(-2147483648)"};
  return {std::to_string(n) + "i", n >= 0};
}

// Truncates to the width of its type again.
Expr Writer::cut(const Type* type, const Expr& e) {
  if (type->size >= 4 || type->is_bool()) return e;
  const std::string bits = std::to_string(type->bits()) + "u";
  if (type->is_signed()) return call("extractBits", {e, {"0u"}, {bits}});
  return binary(e, "&", {type->size == 1 ? "255u" : "65535u"});
}

Expr Writer::integer(const Inst* i) {
  const Type* t = i->type;
  switch (i->op) {
    case Op::kNeg:
      // Negation does not exist for unsigned integers.
      return cut(t, t->is_signed() ? Expr{"-" + value(i->operand(0)).in(), false}
                                   : binary({"0u"}, "-", value(i->operand(0))));
    case Op::kNot: return cut(t, {"~" + value(i->operand(0)).in(), false});
    case Op::kShl:
    case Op::kShr: {
      const uint32_t mask = t->bits() - 1;
      Expr by;
      if (const ir::Const* c = ir::as_const(i->operand(1))) {
        by = {std::to_string(c->bits & mask) + "u"};
      } else {
        by = value(i->operand(1));
        if (i->operand(1)->type->is_signed()) by = call("u32", {by});
        by = binary(by, "&", {std::to_string(mask) + "u"});
      }
      return cut(t, binary(value(i->operand(0)), i->is(Op::kShl) ? "<<" : ">>", by));
    }
    default: return cut(t, binary(value(i->operand(0)), operator_of(i->op), value(i->operand(1))));
  }
}

Expr Writer::divide(const Inst* i) {
  const Type* t = i->type;
  const Expr a = value(i->operand(0)), b = value(i->operand(1));
  const ir::Const* by = ir::as_const(i->operand(1));
  // Of signed numbers, only quotients: Vulkan leaves the remainder of negative numbers undefined.
  const bool is_plain =
      by != nullptr && by->bits != 0 && !(t->is_signed() && (i->is(Op::kRem) || ir::int_value(by) == -1));
  if (is_plain) return binary(a, operator_of(i->op), b);
  const std::string name = std::string(i->is(Op::kDiv) ? "div_" : "rem_") + (t->is_signed() ? "i32" : "u32");
  return cut(t, helper(name, {a, b}));
}

// Whether an implementation could fuse or reorder it with its users.
bool Writer::must_keep(const Inst* i) const {
  if (!is_exact() || !is_float_sum(i)) return false;
  if (unit_.options.math == driver::Math::fused && i->is(Op::kMul)) return false;
  for (const Inst* use : folding_.uses(i)) {
    const bool ends_here = use->is(Op::kBitcast) || use->is(Op::kConvert) || use->is(Op::kIsNan) ||
                           use->is(Op::kIsInf) || ir::has(use->op, ir::kControl) ||
                           (use->is(Op::kStore) && ir::as_inst(Objects::base_of(use->operand(0))) == nullptr);
    if (!ends_here) return true;
  }
  return false;
}

// A float that implementations must not recognize as 0, wherever it is used: they may fold x * 0 and x - x to
// 0 and x + 0 to x, whatever x is.
Expr Writer::hidden(const Value* v) {
  const ir::Const* c = ir::as_const(v);
  const bool is_zero = c != nullptr && v->type->kind == TypeKind::kF32 && (c->bits << 33) == 0;
  return is_zero && is_exact() ? helper("keep", {value(v)}) : value(v);
}

namespace {

// Whether compilers may find both to be one number. A wrong yes costs one operation.
bool may_be_one(const Value* a, const Value* b, int depth = 8) {
  if (a == b) return true;
  const Inst *x = ir::as_inst(a), *y = ir::as_inst(b);
  if (x == nullptr || y == nullptr || depth == 0) return false;
  if (x->op != y->op || x->type != y->type || x->operands.size() != y->operands.size()) return false;
  for (size_t k = 0; k < x->operands.size(); ++k) {
    if (!may_be_one(x->operand(k), y->operand(k), depth - 1)) return false;
  }
  return true;
}

}  // namespace

// Of a sum or product.
Expr Writer::operand(const Inst* i, size_t k) {
  const Value* v = i->operand(k);
  const Inst* from = ir::as_inst(v);
  const bool cancels = (from != nullptr && from->is(Op::kNeg) && named_.count(from) == 0) ||
                       (k == 1 && may_be_one(v, i->operand(0)));
  const bool is_shown = is_float_sum(i) && cancels && !i->is(Op::kMul);
  return is_shown && is_exact() ? helper("keep", {value(v)}) : hidden(v);
}

Expr Writer::real(const Inst* i) {
  const Expr a = value(i->operand(0));
  switch (i->op) {
    case Op::kNeg: return {"-" + a.in(), false};
    case Op::kAbs: return call("abs", {a});
    case Op::kFloor: return call("floor", {a});
    case Op::kCeil: return call("ceil", {a});
    case Op::kTrunc: return call("trunc", {a});
    case Op::kRint: return call("round", {a});  // halves to the even one
    case Op::kSqrt: return call("sqrt", {a});
    case Op::kRsqrt: return call("inverseSqrt", {a});
    case Op::kExp: return call("exp", {a});
    case Op::kExp2: return call("exp2", {a});
    case Op::kLog: return call("log", {a});
    case Op::kLog2: return call("log2", {a});
    case Op::kSin: return call("sin", {a});
    case Op::kCos: return call("cos", {a});
    case Op::kTan: return call("tan", {a});
    case Op::kFma: return call("fma", {a, value(i->operand(1)), value(i->operand(2))});
    case Op::kIsNan: return helper("is_nan", {a});
    case Op::kIsInf: return helper("is_inf", {a});
    case Op::kSignBit: return binary(call("bitcast<u32>", {a}), ">=", {"0x80000000u"});
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kDiv: {
      const Expr e = binary(operand(i, 0), operator_of(i->op), operand(i, 1));
      return must_keep(i) ? helper("keep", {e}) : e;
    }
    default: refuse(i, message::kNoFunctionInWgsl(ir::info(i->op).name));
  }
  return a;
}

Expr Writer::compare(const Inst* i) {
  const Type* t = i->operand(0)->type;
  const Expr a = value(i->operand(0)), b = value(i->operand(1));
  if (t->is_float() && is_exact()) {
    if (i->operand(0) == i->operand(1) && i->is(Op::kNe)) return helper("is_nan", {a});
    return helper(ir::info(i->op).name, {a, b});
  }
  return binary(a, operator_of(i->op), b);
}

Expr Writer::mul_hi(const Inst* i) {
  const Type* t = i->type;
  const Expr a = value(i->operand(0)), b = value(i->operand(1));
  if (t->size == 4) return helper(t->is_signed() ? "mulhi_i32" : "mulhi_u32", {a, b});
  return cut(t, binary(binary(a, "*", b), ">>", {std::to_string(t->bits()) + "u"}));
}

Expr Writer::bitcast(const Type* to, const Type* from, const Expr& e) {
  if (type_name(to) == type_name(from)) return cut(to, e);
  return cut(to, call("bitcast<" + std::string(type_name(to)) + ">", {e}));
}

Expr Writer::convert(const Inst* i) {
  const Type *to = i->type, *from = i->operand(0)->type;
  const Expr a = value(i->operand(0));
  if (to == from) return a;
  if (to->is_bool()) {
    if (from->kind == TypeKind::kF32)
      return binary(binary(call("bitcast<u32>", {a}), "&", {"0x7fffffffu"}), "!=", {"0u"});
    const bool is_half = from->kind == TypeKind::kF16 || from->kind == TypeKind::kBF16;
    if (is_half) return binary(binary(a, "&", {"0x7fffu"}), "!=", {"0u"});
    return binary(a, "!=", literal(from, 0));
  }
  if (from->is_bool()) return call(std::string(type_name(to)), {a});
  if (to->kind == TypeKind::kF32) {
    if (from->size < 4) return call("f32", {a});
    const Expr e = helper(from->is_signed() ? "f32_of_i32" : "f32_of_u32", {a});
    return is_exact() ? helper("keep", {e}) : e;  // it may still be a 0
  }
  if (from->kind == TypeKind::kF32) {
    const Expr whole = helper(to->is_signed() ? "i32_of_f32" : "u32_of_f32", {a});
    if (to->size == 4) return whole;
    if (!to->is_signed()) return call("min", {whole, {to->size == 1 ? "255u" : "65535u"}});
    return to->size == 1 ? call("clamp", {whole, {"-128i"}, {"127i"}})
                         : call("clamp", {whole, {"-32768i"}, {"32767i"}});
  }
  const Expr same = type_name(to) == type_name(from) ? a : call(std::string(type_name(to)), {a});
  const bool fits = to->size > from->size || (to->size == from->size && to->is_signed() == from->is_signed());
  return fits && to->size <= 4 && (from->is_signed() == to->is_signed() || !from->is_signed())
             ? same
             : cut(to, same);
}

// Of a parameter, or of the two words that a function returns.
Expr Writer::member(const Inst* i) {
  const Inst* from = ir::as_inst(i->operand(0));
  if (from == nullptr || !from->is(Op::kCall)) return argument(i);
  return {value(from).text + (i->attr().index == 0 ? ".x" : ".y")};
}

Expr Writer::index_value(const Inst* i) {
  constexpr std::string_view kParts[] = {".x", ".y", ".z"};
  constexpr std::string_view kSizes[] = {"quern_block_x", "quern_block_y", "quern_block_z"};
  const std::string part(kParts[i->attr().index]);
  switch (i->op) {
    case Op::kThreadId: return {builtin("thread", &Unit::uses_thread).text + part};
    case Op::kBlockId: return {builtin("block", &Unit::uses_block).text + part};
    case Op::kGridDim: return {builtin("grid", &Unit::uses_grid).text + part};
    default:
      if (!is_kernel_) return {std::string(kSizes[i->attr().index])};
      uses_size_ = true;
      return {"quern_size" + part};
  }
}

Expr Writer::render(const Inst* i) {
  const Type* t = i->operands.empty() ? i->type : i->operand(0)->type;
  switch (i->op) {
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kNeg: return t->is_float() ? real(i) : integer(i);
    case Op::kDiv:
    case Op::kRem: return t->is_float() ? real(i) : divide(i);
    case Op::kAnd:
    case Op::kOr:
      if (t->is_bool())
        return binary(value(i->operand(0)), i->is(Op::kAnd) ? "&&" : "||", value(i->operand(1)));
      return integer(i);
    case Op::kXor:
      return t->is_bool() ? binary(value(i->operand(0)), "!=", value(i->operand(1))) : integer(i);
    case Op::kNot: return t->is_bool() ? Expr{"!" + value(i->operand(0)).in(), false} : integer(i);
    case Op::kShl:
    case Op::kShr: return integer(i);
    case Op::kMulHi: return mul_hi(i);
    case Op::kMin:
    case Op::kMax: return call(i->is(Op::kMin) ? "min" : "max", {value(i->operand(0)), value(i->operand(1))});
    case Op::kAbs:
      if (t->is_float()) return real(i);
      return t->is_signed() ? cut(t, call("abs", {value(i->operand(0))})) : value(i->operand(0));
    case Op::kSelect:
      return call("select", {hidden(i->operand(2)), hidden(i->operand(1)), value(i->operand(0))});
    case Op::kConvert: return convert(i);
    case Op::kBitcast: return bitcast(i->type, t, value(i->operand(0)));
    case Op::kPopc: return call("i32", {call("countOneBits", {value(i->operand(0))})});
    case Op::kClz: return call("i32", {call("countLeadingZeros", {value(i->operand(0))})});
    case Op::kCtz: return call("i32", {call("countTrailingZeros", {value(i->operand(0))})});
    case Op::kBrev: return call("reverseBits", {value(i->operand(0))});
    case Op::kExtract: return member(i);
    case Op::kConstruct: return call("vec2<u32>", {value(i->operand(0)), value(i->operand(1))});
    case Op::kLoad: return load(i);
    case Op::kThreadId:
    case Op::kBlockId:
    case Op::kBlockDim:
    case Op::kGridDim: return index_value(i);
    case Op::kLaneId: return binary(builtin("linear", nullptr), "&", {"31u"});
    case Op::kDynamicSharedSize: unit_.uses_dynamic = true; return {"quern_shared_words * 4u", false};
    case Op::kCall: {
      std::vector<Expr> arguments;
      for (const Value* v : i->operands) {
        const bool is_known = v->type->kind == TypeKind::kF32 && ir::as_const(v) != nullptr;
        arguments.push_back(is_known ? helper("keep", {value(v)}) : value(v));
      }
      const std::string& name = i->attr().callee->name;
      return call("quern_" + name.substr(name.rfind(':') + 1), arguments);
    }
    default: break;
  }
  switch (ir::group(i->op)) {
    case ir::OpGroup::kComparison: return compare(i);
    case ir::OpGroup::kAtomic: return atomic(i);
    case ir::OpGroup::kBlockVote: return vote(i);
    case ir::OpGroup::kWarp: return exchange(i);
    default: return real(i);
  }
}

}  // namespace quern::target::wgsl
