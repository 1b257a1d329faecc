#include <bit>

#include "base/text.hpp"
#include "lang/ir/float_bits.hpp"
#include "lang/pass/walk.hpp"
#include "target/cstyle/kernel_writer.hpp"
#include "target/messages.hpp"

namespace quern::target::cstyle {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::TypeKind;
using ir::Value;
using ir::ValueKind;

namespace {

bool is_half(const Type* t) { return t->kind == TypeKind::kF16 || t->kind == TypeKind::kBF16; }

struct Operator {
  std::string_view text;
  int level;
};

Operator operator_of(Op op) {
  switch (op) {
    case Op::kAdd: return {"+", kSum};
    case Op::kSub: return {"-", kSum};
    case Op::kMul: return {"*", kProduct};
    case Op::kDiv: return {"/", kProduct};
    case Op::kRem: return {"%", kProduct};
    case Op::kAnd: return {"&", kBitAnd};
    case Op::kOr: return {"|", kBitOr};
    case Op::kXor: return {"^", kBitXor};
    case Op::kEq: return {"==", kEquality};
    case Op::kNe: return {"!=", kEquality};
    case Op::kLt: return {"<", kRelation};
    case Op::kLe: return {"<=", kRelation};
    case Op::kGt: return {">", kRelation};
    default: return {">=", kRelation};
  }
}

bool wraps(Op op) {
  return op == Op::kAdd || op == Op::kSub || op == Op::kMul || op == Op::kNeg || op == Op::kShl;
}

std::string decimal(const Type* type, uint64_t bits) {
  std::string text = type->kind == TypeKind::kF32
                         ? base::format_float(std::bit_cast<float>(static_cast<uint32_t>(bits)))
                         : base::format_double(std::bit_cast<double>(bits));
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

// GLSL compilers parse long decimals and exponents inexactly; 0.5, 3.25 and 1024.0 are always exact.
bool is_plain_decimal(uint64_t bits) {
  const auto exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  const bool is_short = (bits & 0xffffffffff) == 0;
  return (bits << 1) == 0 || (is_short && exponent >= -8 && exponent <= 20);
}

}  // namespace

Expr KernelWriter::value(const Value* v) {
  switch (v->kind) {
    case ValueKind::kConst: return literal(v->type, static_cast<const ir::Const*>(v)->bits);
    case ValueKind::kUndef: return zero(v->type);
    case ValueKind::kGlobal: return address(place(v));
    case ValueKind::kParam:
      return v->type->is_ptr() ? address(place(v)) : loaded(v->type, {named_.at(v), kPrimary});
    case ValueKind::kInst: break;
  }
  if (const auto named = named_.find(v); named != named_.end() && !static_cast<const Inst*>(v)->is(Op::kVar))
    return {named->second, kPrimary};
  return v->type->is_ptr() ? address(place(v)) : render(static_cast<const Inst*>(v));
}

Expr KernelWriter::literal(const Type* type, uint64_t bits) {
  if (type->is_aggregate()) return zero(type);
  if (type->is_ptr()) {
    const std::string cast = "(" + unit_.types.pointer(nullptr, type->space) + ")";
    return {cast + "0", kUnary};
  }
  if (type->is_bool()) return {bits != 0 ? "true" : "false", kPrimary};
  if (is_half(type)) {
    const Expr e{base::format("0x%04xu", static_cast<unsigned>(bits)), kPrimary};
    return is_glsl(dialect_) ? e : cast(type->kind, e);
  }
  if (type->is_float()) {
    const bool is_single = type->kind == TypeKind::kF32;
    const ir::FloatFormat format = ir::format_of(type->kind);
    if (format.is_nan(bits) || format.is_inf(bits)) {
      const Type* as_int = unit_.module.types().get(is_single ? TypeKind::kU32 : TypeKind::kU64);
      return bitcast(type, as_int, literal(as_int, bits));
    }
    if (is_glsl(dialect_) && !is_single && !is_plain_decimal(bits)) {
      return {base::format("packDouble2x32(uvec2(0x%08xu, 0x%08xu))", static_cast<unsigned>(bits),
                           static_cast<unsigned>(bits >> 32)),
              kPrimary};
    }
    const std::string text = decimal(type, bits) + (is_single ? "f" : std::string(dialect_.double_suffix));
    return {text, format.is_negative(bits) ? int{kUnary} : int{kPrimary}};
  }
  if (!type->is_signed()) {
    const std::string suffix(type->size == 8 ? dialect_.unsigned_long_suffix : "u");
    const Expr e{std::to_string(bits) + suffix, kPrimary};
    return type->size < 4 && !is_glsl(dialect_) ? cast(type->kind, e) : e;
  }
  const auto shift = static_cast<int>(64 - type->bits());
  const int64_t n = static_cast<int64_t>(bits << shift) >> shift;
  const std::string suffix(type->size == 8 ? dialect_.long_suffix : "");
  const int64_t lowest = type->size == 8 ? INT64_MIN : INT32_MIN;
  if (n == lowest) return {"(" + std::to_string(n + 1) + suffix + " - 1)", kPrimary};
  const Expr e{std::to_string(n) + suffix, n < 0 ? int{kUnary} : int{kPrimary}};
  return type->size < 4 && !is_glsl(dialect_) ? cast(type->kind, e) : e;
}

Expr KernelWriter::zero(const Type* type) {
  if (!type->is_aggregate()) return literal(type, 0);
  const std::string name = unit_.types.value(type);
  return {dialect_.is_cpp ? name + "{}" : "(" + name + "){0}", dialect_.is_cpp ? int{kPrimary} : int{kUnary}};
}

// The unsigned form of an integer expression: whole trees of sums and products wrap, with one cast around
// them.
Expr KernelWriter::unsigned_value(const Value* v) {
  const TypeKind kind = unsigned_kind(v->type);
  if (const ir::Const* c = ir::as_const(v)) {
    const uint64_t bits = v->type->size >= 4 ? c->bits : static_cast<uint32_t>(ir::int_value(c));
    return literal(unit_.module.types().get(kind), bits);
  }
  const Inst* i = ir::as_inst(v);
  if (i != nullptr && named_.count(i) == 0) {
    const bool is_bits = i->is(Op::kAnd) || i->is(Op::kOr) || i->is(Op::kXor) || i->is(Op::kNot);
    if (v->type->size >= 4 && (wraps(i->op) || is_bits)) return unsigned_arithmetic(i);
    if (i->is(Op::kConvert) && i->operand(0)->type->is_int() && i->operand(0)->type->size == v->type->size)
      return unsigned_value(i->operand(0));
  }
  return v->type->kind == kind ? value(v) : cast(kind, value(v));
}

Expr KernelWriter::unsigned_arithmetic(const Inst* i) {
  switch (i->op) {
    case Op::kNeg: return unary("-", unsigned_value(i->operand(0)));
    case Op::kNot: return unary("~", unsigned_value(i->operand(0)));
    case Op::kShl: return shift(i, true);
    default: {
      const Operator o = operator_of(i->op);
      return binary(unsigned_value(i->operand(0)), o.text, unsigned_value(i->operand(1)), o.level);
    }
  }
}

Expr KernelWriter::shift(const Inst* i, bool as_unsigned) {
  const uint32_t width = i->type->bits();
  const bool left = i->is(Op::kShl);
  const Expr a = left && as_unsigned ? unsigned_value(i->operand(0)) : value(i->operand(0));
  Expr amount;
  if (const ir::Const* c = ir::as_const(i->operand(1))) {
    amount = {std::to_string(c->bits & (width - 1)), kPrimary};
  } else {
    const Expr given = unsigned_value(i->operand(1));
    const std::string mask =
        std::to_string(width - 1) +
        (i->operand(1)->type->size == 8 ? std::string(dialect_.unsigned_long_suffix) : "u");
    amount = binary(given, "&", {mask, kPrimary}, kBitAnd);
  }
  return binary(a, left ? "<<" : ">>", amount, kShift);
}

Expr KernelWriter::divide(const Inst* i) {
  const bool is_div = i->is(Op::kDiv);
  const Expr a = value(i->operand(0)), b = value(i->operand(1));
  const ir::Const* by = ir::as_const(i->operand(1));
  const bool is_signed = i->type->is_signed();
  // GLSL's remainder is undefined for negative numbers.
  const bool is_plain = !(is_glsl(dialect_) && is_signed && !is_div);
  if (is_plain && by != nullptr && by->bits != 0 && !(is_signed && ir::int_value(by) == -1)) {
    const Operator o = operator_of(i->op);
    const Expr e = binary(a, o.text, b, o.level);
    return i->type->size < 4 ? cast(i->type->kind, e) : e;
  }
  if (is_glsl(dialect_) && i->type->kind == TypeKind::kU32 && known_.is_small_signed(i->operand(0)))
    return call(unit_.helpers.use(is_div ? "quotient" : "rest"), {a, b});
  if (!is_signed) return call(unit_.helpers.use(is_div ? "udiv" : "urem", {i->type->kind}), {a, b});
  const std::string u(ir::name(unsigned_kind(i->type)));
  return call(unit_.helpers.use(is_div ? "sdiv" : "srem", {i->type->kind}, {{"u", u}}), {a, b});
}

// Whether signed arithmetic may be used directly: if signed overflow wraps in the language, or if the program
// may assume that there is none, like nvcc (which improves addresses in loops).
bool KernelWriter::is_plainly_signed(Op op) const {
  return dialect_.signed_wraps || (is_cuda(dialect_) && !unit_.is_exact() && op != Op::kShl);
}

Expr KernelWriter::integer(const Inst* i) {
  const Type* t = i->type;
  const bool is_narrow = t->size < 4;
  if (i->is(Op::kShr)) {
    const Expr e = shift(i, false);
    return is_narrow ? cast(t->kind, e) : e;
  }
  if (wraps(i->op) && (t->is_signed() || is_narrow) && (is_narrow || !is_plainly_signed(i->op)))
    return cast(t->kind, unsigned_arithmetic(i));
  Expr e;
  if (i->is(Op::kNot) || i->is(Op::kNeg)) {
    e = unary(i->is(Op::kNot) ? "~" : "-", value(i->operand(0)));
  } else if (i->is(Op::kShl)) {
    e = shift(i, !dialect_.signed_wraps);
  } else {
    const Operator o = operator_of(i->op);
    e = binary(value(i->operand(0)), o.text, value(i->operand(1)), o.level);
  }
  return is_narrow ? cast(t->kind, e) : e;
}

Expr KernelWriter::logical(const Inst* i) {
  const Expr a = value(i->operand(0));
  switch (i->op) {
    case Op::kNot: return unary("!", a);
    case Op::kAnd: return binary(a, "&&", value(i->operand(1)), kLogicalAnd);
    case Op::kOr: {
      const Expr b = value(i->operand(1));  // compilers warn about && in || without parentheses
      return {a.at(a.level == kLogicalOr ? int{kLogicalOr} : int{kBitOr}) + " || " + b.at(kBitOr),
              kLogicalOr};
    }
    default: return binary(a, "!=", value(i->operand(1)), kEquality);
  }
}

Expr KernelWriter::compare(const Inst* i) {
  const Type* t = i->operand(0)->type;
  const Operator o = operator_of(i->op);
  if (t->is_ptr()) return compare_pointers(i);
  Expr a = value(i->operand(0)), b = value(i->operand(1));
  if (is_half(t)) a = widened(t, a), b = widened(t, b);
  if (t->is_bool()) a = {a.at(kShift), kShift}, b = {b.at(kShift), kShift};
  return binary(a, o.text, b, o.level);
}

Expr KernelWriter::pointer_number(const Inst* i) {
  return cast(TypeKind::kU64, address(place(i->operand(0))));
}

Expr KernelWriter::compare_pointers(const Inst* i) {
  const Operator o = operator_of(i->op);
  const Place p = place(i->operand(0)), q = place(i->operand(1));
  const Expr a = byte_address(p), b = byte_address(q);
  if (p.space == q.space) return binary(a, o.text, b, o.level);
  return binary(cast(TypeKind::kU64, a), o.text, cast(TypeKind::kU64, b), o.level);
}

Expr KernelWriter::select(const Inst* i) {
  const Expr c = value(i->operand(0));
  const auto either = [&](const Expr& a, const Expr& b) {
    return Expr{c.at(kLogicalOr) + " ? " + a.at(kLogicalOr) + " : " + b.at(kConditional), kConditional};
  };
  const Expr e = either(value(i->operand(1)), value(i->operand(2)));
  return (i->type->is_int() && i->type->size < 4) || is_half(i->type) ? cast(i->type->kind, e) : e;
}

Expr KernelWriter::min_max(const Inst* i) {
  const std::string name = i->is(Op::kMin) ? "min" : "max";
  // Metal has none for 64 bits, and if they are nested with constants, Mesa's GLSL compiler crashes.
  if (i->type->size == 8 && (is_glsl(dialect_) || dialect_.language == Language::kMsl))
    return call(unit_.helpers.use(name, {i->type->kind}), {value(i->operand(0)), value(i->operand(1))});
  // HIP's indices are objects with conversions to numbers, which match too many overloads.
  const auto number = [&](const Value* v) {
    const Inst* in = ir::as_inst(v);
    const bool is_index = in != nullptr && in->operands.empty() && named_.count(in) == 0;
    return dialect_.language == Language::kHip && is_index ? cast(v->type->kind, value(v)) : value(v);
  };
  const Expr e = call(name, {number(i->operand(0)), number(i->operand(1))});
  return i->type->size < 4 && dialect_.language != Language::kOpencl ? cast(i->type->kind, e) : e;
}

Expr KernelWriter::mul_hi(const Inst* i) {
  const Type* t = i->type;
  const Expr a = value(i->operand(0)), b = value(i->operand(1));
  if (t->size < 4) {
    if (t->kind == TypeKind::kU16) return call(unit_.helpers.use("mulhi_u16"), {a, b});
    return call(unit_.helpers.use("mulhi_narrow", {t->kind}, {{"bits", std::to_string(t->bits())}}), {a, b});
  }
  if (dialect_.is_cpp && t->is_signed()) return call(t->size == 8 ? "__mul64hi" : "__mulhi", {a, b});
  return call(unit_.helpers.fill(t->size == 8 ? "@mulhi64" : "@mulhi32"), {a, b});
}

Expr KernelWriter::bits_function(const Inst* i) {
  const Type* t = i->operand(0)->type;
  const bool wide = t->size == 8;
  const auto word = [&](const Value* v) { return unsigned_value(v); };
  switch (i->op) {
    case Op::kPopc:
      return cast(TypeKind::kI32,
                  call(unit_.helpers.fill(wide ? "@popc64" : "@popc32"), {word(i->operand(0))}));
    case Op::kClz: {
      // CUDA's function takes signed numbers; the bits are the same.
      const Expr a = word(i->operand(0));
      const Expr in = dialect_.is_cpp ? cast(wide ? TypeKind::kI64 : TypeKind::kI32, a) : a;
      return cast(TypeKind::kI32, call(unit_.helpers.fill(wide ? "@clz64" : "@clz32"), {in}));
    }
    case Op::kCtz: return call(unit_.helpers.use(wide ? "ctz_u64" : "ctz_u32"), {word(i->operand(0))});
    case Op::kBrev: {
      const Expr e = call(unit_.helpers.use(wide ? "brev_u64" : "brev_u32"), {word(i->operand(0))});
      return t->is_signed() ? cast(t->kind, e) : e;
    }
    case Op::kDot4:
      return call(unit_.helpers.use(i->type->is_signed() ? "dot4_i32" : "dot4_u32"),
                  {value(i->operand(0)), value(i->operand(1)), value(i->operand(2))});
    default:
      return call(unit_.helpers.use(i->is(Op::kFunnel) ? "funnel" : "byte_perm"),
                  {word(i->operand(0)), word(i->operand(1)), word(i->operand(2))});
  }
}

Expr KernelWriter::extract(const Inst* i) {
  const Value* whole = i->operand(0);
  const Inst* load = ir::as_inst(whole);
  const uint32_t index = i->attr().index;
  const bool is_memory = load != nullptr && load->is(Op::kLoad) && named_.count(load) == 0;
  Place at;
  if (is_memory) {
    at = {access(place(load->operand(0)), load->type, false, load->attr().align), true, load->type,
          load->operand(0)->type->space};
  } else {
    at = {value(whole), true, whole->type, memory_of(whole)};
  }
  if (whole->type->is_array()) {
    const Expr element{at.text.at(kPrimary) + ".of[" + std::to_string(index) + "]", kPrimary};
    return loaded(i->type, element);
  }
  const Place member = field(at, whole->type, index);
  return loaded(i->type, i->type->is_array() ? access(member, i->type, false, 0) : member.text);
}

Expr KernelWriter::render(const Inst* i) {
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
    case Op::kXor:
    case Op::kNot: return t->is_bool() ? logical(i) : integer(i);
    case Op::kShl:
    case Op::kShr: return integer(i);
    case Op::kMulHi: return mul_hi(i);
    case Op::kMin:
    case Op::kMax: return t->is_float() ? real(i) : min_max(i);
    case Op::kAbs:
      if (t->is_float()) return real(i);
      if (!t->is_signed()) return value(i->operand(0));
      return call(unit_.helpers.use("iabs", {t->kind}, {{"u", std::string(ir::name(unsigned_kind(t)))}}),
                  {value(i->operand(0))});
    case Op::kSelect: return select(i);
    case Op::kConvert: return convert(i);
    case Op::kConvertR: return convert_rounded(i);
    case Op::kBitcast: return bitcast(i->type, t, value(i->operand(0)));
    case Op::kExtract: return extract(i);
    case Op::kMma: return multiplied(i);
    case Op::kMatrixRows: return rows(i);
    case Op::kCall: return called(i);
    case Op::kLoad: {
      const Inst* var = ir::as_inst(i->operand(0));
      if (var != nullptr && folding_.is_plain(var)) return {named_.at(var), kPrimary};
      return load(i);
    }
    case Op::kPtrDiff: return pointer_difference(i);
    case Op::kPtrToInt: return pointer_number(i);
    case Op::kSharedAddress:
      return {"(unsigned)__cvta_generic_to_shared(" + address(place(i->operand(0))).text + ")", kUnary};
    case Op::kIsSpace:
      if (dialect_.language == Language::kCuda && i->attr().space == ir::Space::kShared)
        return {"__isShared(" + address(place(i->operand(0))).text + ") != 0u", kEquality};
      refuse(i, message::kQueriesSpace());
      return literal(i->type, 0);
    case Op::kAddR:
    case Op::kMulR:
    case Op::kDivR:
    case Op::kFmaR:
    case Op::kSqrtR: return rounded(i);
    default: break;
  }
  switch (ir::group(i->op)) {
    case ir::OpGroup::kComparison: return compare(i);
    case ir::OpGroup::kBits: return bits_function(i);
    case ir::OpGroup::kFloat: return real(i);
    default: return thread_value(i);
  }
}

}  // namespace quern::target::cstyle
