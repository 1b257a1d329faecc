// Integers, comparisons, selects, and + - * / of floats.
#include "base/text.hpp"
#include "target/llvm/emitter.hpp"
#include "target/llvm/lane_math.hpp"
#include "target/messages.hpp"

namespace quern::llvm {

using ir::Inst;
using ir::Op;
using ir::TypeKind;

namespace {

bool is_small_float(const ir::Type* type) {
  return type->kind == TypeKind::kF16 || type->kind == TypeKind::kBF16;
}

// Operations that vector units lack, so that they are scalarized.
bool is_heavy(const Inst* i) {
  if (!i->type->is_int()) return false;
  if (i->is(Op::kDiv) || i->is(Op::kRem) || i->is(Op::kMulHi)) return true;
  return i->is(Op::kMul) && i->type->size == 8;
}

}  // namespace

// Sums and multiples of values with a stride have a stride too.
Val Emitter::affine_arithmetic(const Inst* i, const Val& a, const Val& b, bool& done) {
  done = false;
  const bool fits = i->type->is_int() && a.rep != Rep::kVector && b.rep != Rep::kVector &&
                    (a.rep == Rep::kAffine || b.rep == Rep::kAffine);
  if (!fits) return {};
  int64_t stride = 0;
  const char* op = nullptr;
  const ir::Const* by = ir::as_const(i->operand(1));
  const ir::Const* of = ir::as_const(i->operand(0));
  if (i->is(Op::kAdd)) {
    op = "add ", stride = a.stride + b.stride;
  } else if (i->is(Op::kSub)) {
    op = "sub ", stride = a.stride - b.stride;
  } else if (i->is(Op::kMul) && (by != nullptr || of != nullptr)) {
    op = "mul ", stride = (a.stride + b.stride) * ir::int_value(by != nullptr ? by : of);
  } else if (i->is(Op::kShl) && by != nullptr) {
    op = "shl ",
    stride = static_cast<int64_t>(static_cast<uint64_t>(a.stride) << (by->bits & (i->type->bits() - 1)));
  }
  constexpr int64_t kMost = 1 << 20;
  if (op == nullptr || stride > kMost || stride < -kMost) return {};
  done = true;
  const Text second = i->is(Op::kShl) ? literal(i->type, by->bits & (i->type->bits() - 1)) : b.text;
  const Text text = def(op + Text(spelling(i->type)) + " " + a.text + ", " + second);
  return {stride != 0 ? Rep::kAffine : Rep::kScalar, i->type, text, stride, {}};
}

// threadIdx.x / 32 and threadIdx.x % 32, for bundles that begin at a multiple of their width.
bool Emitter::is_part_of_thread(const Inst* i) {
  const Inst* of = ir::as_inst(i->operand(0));
  if (of != nullptr && of->is(Op::kConvert) && of->type->size >= 4) of = ir::as_inst(of->operand(0));
  const bool is_part = i->is(Op::kDiv) || i->is(Op::kRem) || i->is(Op::kAnd) || i->is(Op::kShr);
  return is_part && of != nullptr && ir::as_const(i->operand(1)) != nullptr && of->is(Op::kThreadId) &&
         of->attr().index == 0;
}

Val Emitter::part_of_thread(const Inst* i, const Val& thread, bool& done) {
  if (!is_part_of_thread(i)) return {};
  const ir::Const* by = ir::as_const(i->operand(1));
  if (options_.shape != Shape::kLine || thread.rep != Rep::kAffine || thread.stride != 1) return {};
  uint64_t size = by->bits;
  if (i->is(Op::kAnd)) size = by->bits + 1;
  if (i->is(Op::kShr)) size = by->bits < 10 ? uint64_t{1} << by->bits : 0;
  const bool is_power = size != 0 && (size & (size - 1)) == 0;
  if (!is_power || size % width_ != 0 || size > 1024) return {};
  done = true;
  const bool wants_rest = i->is(Op::kRem) || i->is(Op::kAnd);
  const Text text = def(Text(wants_rest ? "urem " : "udiv ") + spelling(i->type) + " " + thread.text + ", " +
                        std::to_string(size));
  if (!wants_rest) return scalar_val(i->type, text);
  return {Rep::kAffine, i->type, size == width_ ? Text("0") : text, 1, {}};
}

Val Emitter::arithmetic(const Inst* i) {
  std::vector<Val> x;
  for (const ir::Value* v : i->operands) x.push_back(value(v));
  if (x.size() == 2 && is_aligned(i) && x[0].rep == Rep::kAffine) {
    // Only tested instructions: others are aligned as its operands.
    if (is_asked_about(i) && is_aligned(i->operand(0)) && x[1].is_scalar())
      return aligned_arithmetic(i, x[0], x[1]);
  }
  if (x.size() == 2) {
    bool done = false;
    Val affine = affine_arithmetic(i, x[0], x[1], done);
    if (!done && i->type->is_int() && width_ > 1) affine = part_of_thread(i, x[0], done);
    if (done) return affine;
  }
  const bool is_float = i->type->is_float();
  if (is_float && i->is(Op::kRem)) {
    if (is_small_float(i->type)) return evaluated(i, x);
    const ir::Function* function = lane_function(module_, *i, options_);
    return function != nullptr ? in_lanes(i, *function, x) : library_function(i, x);
  }
  const auto op = [&](const Texts& t, bool v) { return is_float ? float_op(i, t, v) : int_op(i, t, v); };
  Val result = is_heavy(i) ? apply_heavy(i->type, x, op) : apply(i->type, x, op);
  see_both(i, x, result);
  return result;
}

Emitter::Text Emitter::float_op(const Inst* i, const Texts& x, bool v) {
  const ir::Type* type = i->type;
  if (i->is(Op::kMin) || i->is(Op::kMax)) return min_max_float(type, i->is(Op::kMax), x, v);
  if (i->is(Op::kNeg) || i->is(Op::kAbs)) {
    if (type->kind == TypeKind::kBF16) {
      const Text number = i->is(Op::kNeg) ? "-32768" : "32767";
      return def((i->is(Op::kNeg) ? "xor " : "and ") + typed(type, v) + " " + x[0] + ", " +
                 (v ? splat("i16", number) : number));
    }
    if (i->is(Op::kNeg)) return def("fneg " + typed(type, v) + " " + x[0]);
    return intrinsic("fabs." + vec_suffix(type, v), typed(type, v), {typed(type, v)}, {x[0]});
  }
  const Text op = i->is(Op::kAdd) ? "fadd " : i->is(Op::kSub) ? "fsub " : i->is(Op::kMul) ? "fmul " : "fdiv ";
  const Text freedom = options_.is_fused ? "contract " : "";
  if (!is_small_float(type)) return def(op + freedom + typed(type, v) + " " + x[0] + ", " + x[1]);
  // In float, rounded again: exact with 24 >= 2 * 11 + 2 bits.
  const Text r =
      def(op + typed(scalar(TypeKind::kF32), v) + " " + widen(type, x[0], v) + ", " + widen(type, x[1], v));
  return narrow(type, r, v);
}

// If one operand is NaN, returns the other; -0 is less than +0.
Emitter::Text Emitter::min_max_float(const ir::Type* type, bool want_max, const Texts& x, bool v) {
  if (is_small_float(type)) {
    const ir::Type* f32 = scalar(TypeKind::kF32);
    return narrow(type, min_max_float(f32, want_max, {widen(type, x[0], v), widen(type, x[1], v)}, v), v);
  }
  const Text t = typed(type, v);
  if (options_.is_aarch64) {
    return intrinsic((want_max ? "maxnum." : "minnum.") + vec_suffix(type, v), t, {t, t}, {x[0], x[1]});
  }
  const ir::Type* raw = scalar(type->size == 8 ? TypeKind::kU64 : TypeKind::kU32);
  const Text bits = typed(raw, v), flag = v ? vec(Text("i1")) : Text("i1");
  const auto pick = [&](const Text& c, const Text& a, const Text& b) {
    return def("select " + flag + " " + c + ", " + t + " " + a + ", " + t + " " + b);
  };
  const Text a = def("bitcast " + t + " " + x[0] + " to " + bits),
             b = def("bitcast " + t + " " + x[1] + " to " + bits);
  const Text zero = def("bitcast " + bits + " " +
                        def((want_max ? "and " : "or ") + bits + " " + a + ", " + b) + " to " + t);
  Text r = pick(def("fcmp " + Text(want_max ? "ogt " : "olt ") + t + " " + x[0] + ", " + x[1]), x[0], x[1]);
  r = pick(def("fcmp oeq " + t + " " + x[0] + ", " + x[1]), zero, r);
  return pick(def("fcmp uno " + t + " " + x[1] + ", " + x[1]), x[0], r);
}

Emitter::Text Emitter::int_op(const Inst* i, const Texts& x, bool v) {
  const ir::Type* type = i->type;
  const Text t = typed(type, v), flag = v ? vec(Text("i1")) : Text("i1");
  const auto number = [&](const Text& n) { return v ? splat(spelling(type), n) : n; };
  const auto pick = [&](const Text& c, const Text& a, const Text& b) {
    return def("select " + flag + " " + c + ", " + t + " " + a + ", " + t + " " + b);
  };
  switch (i->op) {
    case Op::kAdd: return def("add " + t + " " + x[0] + ", " + x[1]);
    case Op::kSub: return def("sub " + t + " " + x[0] + ", " + x[1]);
    case Op::kMul: return def("mul " + t + " " + x[0] + ", " + x[1]);
    case Op::kAnd: return def("and " + t + " " + x[0] + ", " + x[1]);
    case Op::kOr: return def("or " + t + " " + x[0] + ", " + x[1]);
    case Op::kXor: return def("xor " + t + " " + x[0] + ", " + x[1]);
    case Op::kNeg: return def("sub " + t + " " + number("0") + ", " + x[0]);
    case Op::kNot: return def("xor " + t + " " + x[0] + ", " + number(type->is_bool() ? "true" : "-1"));
    case Op::kDiv:
    case Op::kRem: return divide(i, x, v);
    case Op::kShl:
    case Op::kShr: return shift(i, x, v);
    case Op::kMulHi: return mul_hi(type, x, v);
    case Op::kMin:
    case Op::kMax: {
      const Text less =
          def("icmp " + Text(type->is_signed() ? "slt " : "ult ") + t + " " + x[0] + ", " + x[1]);
      return i->is(Op::kMin) ? pick(less, x[0], x[1]) : pick(less, x[1], x[0]);
    }
    case Op::kAbs: {
      if (!type->is_signed()) return x[0];
      const Text negative = def("icmp slt " + t + " " + x[0] + ", " + number("0"));
      return pick(negative, def("sub " + t + " " + number("0") + ", " + x[0]), x[0]);
    }
    default: fail(i, target::message::kUnknownIntegerOperation()); return number("0");
  }
}

// x86 divides integers one by one, but doubles as vectors. Exact: a quotient of 32-bit integers that is not
// an integer is farther from the next integer than the rounding error of a double.
Emitter::Text Emitter::divide_doubles(const Inst* i, const Text& a, const Text& b) {
  const bool is_signed = i->type->is_signed();
  const Text t = typed(i->type, true), doubles = vec(Text("double"));
  const Text widen = is_signed ? "sitofp " : "uitofp ", narrow = is_signed ? "fptosi " : "fptoui ";
  const Text quotient = def("fdiv " + doubles + " " + def(widen + t + " " + a + " to " + doubles) + ", " +
                            def(widen + t + " " + b + " to " + doubles));
  const Text whole = def(narrow + doubles + " " + quotient + " to " + t);
  if (!i->is(Op::kRem)) return whole;
  return def("sub " + t + " " + a + ", " + def("mul " + t + " " + whole + ", " + b));
}

// x / 0 is 0, x % 0 is x, and the lowest number divided by -1 is itself: LLVM must never see those divisors.
Emitter::Text Emitter::divide(const Inst* i, const Texts& x, bool v) {
  const ir::Type* type = i->type;
  const bool is_signed = type->is_signed(), wants_rest = i->is(Op::kRem);
  const Text t = typed(type, v), flag = v ? vec(Text("i1")) : Text("i1");
  const auto number = [&](const Text& n) { return v ? splat(spelling(type), n) : n; };
  const Text op = Text(is_signed ? "s" : "u") + (wants_rest ? "rem " : "div ");
  const ir::Const* by = ir::as_const(i->operand(1));
  if (by != nullptr && by->bits != 0 && !(is_signed && ir::int_value(by) == -1)) {
    return def(op + t + " " + x[0] + ", " + x[1]);
  }
  const Text is_zero = def("icmp eq " + t + " " + x[1] + ", " + number("0"));
  Text is_odd = is_zero;
  if (is_signed) {
    const Text lowest = literal(type, uint64_t{1} << (type->bits() - 1));
    const Text low = def("icmp eq " + t + " " + x[0] + ", " + number(lowest));
    const Text minus = def("icmp eq " + t + " " + x[1] + ", " + number("-1"));
    is_odd = def("or " + flag + " " + is_zero + ", " + def("and " + flag + " " + low + ", " + minus));
  }
  const Text divisor =
      def("select " + flag + " " + is_odd + ", " + t + " " + number("1") + ", " + t + " " + x[1]);
  const bool by_doubles = v && type->size == 4 && !options_.is_aarch64;
  const Text r = by_doubles ? divide_doubles(i, x[0], divisor) : def(op + t + " " + x[0] + ", " + divisor);
  return def("select " + flag + " " + is_zero + ", " + t + " " + (wants_rest ? x[0] : number("0")) + ", " +
             t + " " + r);
}

// Shifts by the amount modulo the width.
Emitter::Text Emitter::shift(const Inst* i, const Texts& x, bool v) {
  const ir::Type* type = i->type;
  const Text t = typed(type, v);
  const Text amount = resize_int(i->operand(1)->type, type, x[1], v);
  const Text most = std::to_string(type->bits() - 1);
  const Text by = def("and " + t + " " + amount + ", " + (v ? splat(spelling(type), most) : most));
  const char* op = i->is(Op::kShl) ? "shl " : type->is_signed() ? "ashr " : "lshr ";
  return def(op + t + " " + x[0] + ", " + by);
}

Emitter::Text Emitter::mul_hi(const ir::Type* type, const Texts& x, bool v) {
  const uint32_t bits = type->bits();
  const Text name = "i" + std::to_string(2 * bits), wide = v ? vec(name) : name, t = typed(type, v);
  const Text extend = type->is_signed() ? "sext " : "zext ";
  const Text a = def(extend + t + " " + x[0] + " to " + wide),
             b = def(extend + t + " " + x[1] + " to " + wide);
  const Text product = def("mul " + wide + " " + a + ", " + b);
  const Text high = def("lshr " + wide + " " + product + ", " +
                        (v ? splat(name, std::to_string(bits)) : std::to_string(bits)));
  return def("trunc " + wide + " " + high + " to " + t);
}

// `i < n` for an i with a positive stride: the first or the last lane decides, unless it wraps around.
void Emitter::see_bounds(const Inst* i, const Val& a, const Val& b, Val& result) {
  const ir::Type* type = i->operand(0)->type;
  const bool is_first = a.rep == Rep::kAffine && b.is_scalar();
  const bool is_second = b.rep == Rep::kAffine && a.is_scalar();
  if (!type->is_int() || type->size < 4 || (!is_first && !is_second)) return;
  const bool is_less = i->is(Op::kLt) || i->is(Op::kLe);
  const bool is_strict = i->is(Op::kLt) || i->is(Op::kGt);
  const Val& index = is_first ? a : b;
  const Val& bound = is_first ? b : a;
  if (i->is(Op::kEq) || i->is(Op::kNe) || index.stride < 0) return;
  const bool wants_less = is_less == is_first;
  const Text t = spelling(type), sign = type->is_signed() ? "s" : "u";
  const Text last = def("add " + t + " " + index.text + ", " +
                        std::to_string(index.stride * static_cast<int64_t>(width_ - 1)));
  const Text grows = def("icmp " + sign + "ge " + t + " " + last + ", " + index.text);
  const auto holds = [&](const Text& lane, bool less, bool strict) {
    const Text way = Text(less ? "l" : "g") + (strict ? "t " : "e ");
    return def("and i1 " + def("icmp " + sign + way + t + " " + lane + ", " + bound.text) + ", " + grows);
  };
  result.surely = holds(wants_less ? last : index.text, wants_less, is_strict);
  result.never = holds(wants_less ? index.text : last, !wants_less, !is_strict);
}

// Facts about `a && b`, `a || b` and `!`, from those of the operands.
void Emitter::see_both(const Inst* i, std::span<const Val> x, Val& result) {
  if (!i->type->is_bool() || result.is_scalar()) return;
  if (i->is(Op::kNot)) {
    result.surely = x[0].never;
    result.never = x[0].surely;
  }
  if (!i->is(Op::kAnd) && !i->is(Op::kOr)) return;
  const auto known = [&](const Val& v, bool wants_true) {
    if (!v.is_scalar()) return wants_true ? v.surely : v.never;
    return wants_true ? v.text : def("xor i1 " + v.text + ", true");
  };
  const auto joined = [&](bool wants_true) {
    const bool needs_both = i->is(Op::kAnd) == wants_true;
    const Text a = known(x[0], wants_true), b = known(x[1], wants_true);
    if (a.empty() || b.empty()) return needs_both ? Text() : a + b;
    return def((needs_both ? "and i1 " : "or i1 ") + a + ", " + b);
  };
  result.surely = joined(true);
  result.never = joined(false);
}

// Numbers that are known in every lane, as in `lane >= 4`: the mask is known, too.
std::optional<Val> Emitter::known_comparison(const Inst* i, const Val& a, const Val& b) {
  const ir::Type* type = i->operand(0)->type;
  const auto first_a = base::parse_int(a.text), first_b = base::parse_int(b.text);
  const bool is_affine = a.rep == Rep::kAffine || b.rep == Rep::kAffine;
  if (!type->is_int() || width_ == 1 || !is_affine || !first_a || !first_b) return std::nullopt;
  constexpr int64_t kMost = 1 << 16;  // far from any wrap-around
  for (const int64_t n : {*first_a, *first_b, a.stride, b.stride}) {
    if (n < 0 || n > kMost || type->size < 4) return std::nullopt;
  }
  return vector_val(
      i->type, constants("i1", [&](uint32_t lane) {
        const int64_t x = *first_a + a.stride * lane, y = *first_b + b.stride * lane;
        const bool is[] = {x == y, x != y, x<y, x <= y, x> y, x >= y};
        return Text(is[static_cast<size_t>(i->op) - static_cast<size_t>(Op::kEq)] ? "true" : "false");
      }));
}

Val Emitter::compare(const Inst* i) {
  const Val x[] = {value(i->operand(0)), value(i->operand(1))};
  if (auto known = known_comparison(i, x[0], x[1])) return *known;
  // Lanes are consecutive from multiples of the width on: they compare like the first lanes.
  if (is_aligned(i->operand(0)) && is_aligned(i->operand(1)) && x[0].rep == Rep::kAffine &&
      x[1].rep == Rep::kAffine && x[0].type == x[1].type) {
    const Val first[] = {scalar_val(x[0].type, x[0].text), scalar_val(x[1].type, x[1].text)};
    return compared(i, first);
  }
  Val v = compared(i, x);
  see_bounds(i, x[0], x[1], v);
  return v;
}

Val Emitter::compared(const Inst* i, std::span<const Val> x) {
  const ir::Type* type = i->operand(0)->type;
  return apply(i->type, x, [&](const Texts& t, bool v) {
    const size_t at = static_cast<size_t>(i->op) - static_cast<size_t>(Op::kEq);
    if (type->is_float()) {
      static const char* const kFloat[] = {"oeq", "une", "olt", "ole", "ogt", "oge"};
      const bool is_small = is_small_float(type);
      const Text a = is_small ? widen(type, t[0], v) : t[0], b = is_small ? widen(type, t[1], v) : t[1];
      return def("fcmp " + Text(kFloat[at]) + " " + typed(is_small ? scalar(TypeKind::kF32) : type, v) + " " +
                 a + ", " + b);
    }
    static const char* const kSigned[] = {"eq", "ne", "slt", "sle", "sgt", "sge"};
    static const char* const kUnsigned[] = {"eq", "ne", "ult", "ule", "ugt", "uge"};
    return def("icmp " + Text(type->is_signed() ? kSigned[at] : kUnsigned[at]) + " " + typed(type, v) + " " +
               t[0] + ", " + t[1]);
  });
}

Val Emitter::select(const Val& condition, const Val& a, const Val& b) {
  if (a.rep == Rep::kParts) {
    std::vector<Val> parts;
    for (size_t k = 0; k < a.parts.size(); ++k) parts.push_back(select(condition, a.parts[k], b.parts[k]));
    return {Rep::kParts, a.type, {}, 0, std::move(parts)};
  }
  if (condition.is_scalar() && a.rep == b.rep && a.rep != Rep::kVector && a.stride == b.stride) {
    const Text t = spelling(a.type);
    Val v = a;
    v.text = def("select i1 " + condition.text + ", " + t + " " + a.text + ", " + t + " " + b.text);
    return v;
  }
  if (condition.is_scalar()) {
    return vector_val(a.type, def("select i1 " + condition.text + ", " + vec(a.type) + " " + as_vector(a) +
                                  ", " + vec(a.type) + " " + as_vector(b)));
  }
  const Val x[] = {condition, a, b};
  return apply(a.type, x, [&](const Texts& t, bool v) {
    return def("select " + (v ? vec(Text("i1")) : Text("i1")) + " " + t[0] + ", " + typed(a.type, v) + " " +
               t[1] + ", " + typed(a.type, v) + " " + t[2]);
  });
}

namespace {

constexpr uint32_t kWordsOfRegister = 16;  // AVX-512

// Whether the bytes of a word are at most 127, also as unsigned numbers.
bool has_positive_bytes(const ir::Value* v) {
  constexpr uint64_t kSigns = 0x80808080;
  if (const ir::Const* number = ir::as_const(v)) return (number->bits & kSigns) == 0;
  const Inst* i = ir::as_inst(v);
  if (i == nullptr) return false;
  if ((i->is(Op::kConvert) || i->is(Op::kBitcast)) && i->operand(0)->type->size == i->type->size)
    return has_positive_bytes(i->operand(0));
  return i->is(Op::kAnd) && (has_positive_bytes(i->operand(0)) || has_positive_bytes(i->operand(1)));
}

}  // namespace

// vpdpbusd: `sum` and the products of unsigned bytes with signed bytes.
Emitter::Text Emitter::byte_products(const Text& sum, const Text& unsigned_bytes, const Text& signed_bytes) {
  const Text part = "<16 x i32>", all = "<" + std::to_string(width_) + " x i32>";
  const auto multiply = [&](const Text& s, const Text& x, const Text& y) {
    return intrinsic("x86.avx512.vpdpbusd.512", part, {part, part, part}, {s, x, y});
  };
  if (width_ == kWordsOfRegister) return multiply(sum, unsigned_bytes, signed_bytes);
  const auto lanes = [](uint32_t first, uint32_t count) {
    Text mask;
    for (uint32_t l = 0; l < count; ++l) mask += (l != 0 ? ", i32 " : "i32 ") + std::to_string(first + l);
    return "<" + std::to_string(count) + " x i32> <" + mask + ">";
  };
  std::vector<Text> parts;
  for (uint32_t first = 0; first < width_; first += kWordsOfRegister) {
    const auto from = [&](const Text& x) {
      return def("shufflevector " + all + " " + x + ", " + all + " poison, " +
                 lanes(first, kWordsOfRegister));
    };
    const Text s = from(sum), x = from(unsigned_bytes), y = from(signed_bytes);
    parts.push_back(multiply(s, x, y));
  }
  for (uint32_t count = kWordsOfRegister; parts.size() > 1; count *= 2) {
    const Text half = "<" + std::to_string(count) + " x i32>";
    std::vector<Text> joined;
    for (size_t k = 0; k < parts.size(); k += 2)
      joined.push_back(def("shufflevector " + half + " " + parts[k] + ", " + half + " " + parts[k + 1] +
                           ", " + lanes(0, 2 * count)));
    parts = std::move(joined);
  }
  return parts.front();
}

Val Emitter::bits_op(const Inst* i) {
  std::vector<Val> x;
  for (const ir::Value* v : i->operands) x.push_back(value(v));
  const ir::Type* type = i->operand(0)->type;
  return apply(i->type, x, [&](const Texts& t, bool v) {
    const Text own = typed(type, v);
    const Text name = vec_suffix(type, v);
    switch (i->op) {
      case Op::kPopc: return resize_int(type, i->type, intrinsic("ctpop." + name, own, {own}, {t[0]}), v);
      case Op::kClz:
        return resize_int(type, i->type, intrinsic("ctlz." + name, own, {own, "i1"}, {t[0], "false"}), v);
      case Op::kCtz:
        return resize_int(type, i->type, intrinsic("cttz." + name, own, {own, "i1"}, {t[0], "false"}), v);
      case Op::kBrev: return intrinsic("bitreverse." + name, own, {own}, {t[0]});
      case Op::kFunnel: return intrinsic("fshl." + name, own, {own, own, own}, {t[1], t[0], t[2]});
      case Op::kBytePerm: return byte_perm(t, v);
      default: break;
    }
    const bool has_instruction =
        options_.has_byte_products && v && i->type->is_signed() && width_ % kWordsOfRegister == 0;
    if (!has_instruction) return dot4(i->type, t, v);
    if (has_positive_bytes(i->operand(0))) return byte_products(t[2], t[0], t[1]);
    if (has_positive_bytes(i->operand(1))) return byte_products(t[2], t[1], t[0]);
    // (x + 128) * y - 128 * y
    const Text words = vec(type), highest = splat("i32", std::to_string(0x80808080u));
    const Text moved = def("xor " + words + " " + t[0] + ", " + highest);
    return def("sub " + words + " " + byte_products(t[2], moved, t[1]) + ", " +
               byte_products("zeroinitializer", highest, t[1]));
  });
}

Emitter::Text Emitter::byte_perm(const Texts& x, bool v) {
  const ir::Type* u32 = scalar(TypeKind::kU32);
  const ir::Type* u64 = scalar(TypeKind::kU64);
  const Text t = typed(u64, v), narrow = typed(u32, v);
  const auto number = [&](uint64_t n) { return v ? splat("i64", std::to_string(n)) : std::to_string(n); };
  const Text high = def("shl " + t + " " + resize_int(u32, u64, x[1], v) + ", " + number(32));
  const Text all = def("or " + t + " " + resize_int(u32, u64, x[0], v) + ", " + high);
  const Text selector = resize_int(u32, u64, x[2], v);
  Text r = v ? Text("zeroinitializer") : Text("0");
  for (uint64_t k = 0; k < 4; ++k) {
    const Text nibble =
        def("and " + t + " " + def("lshr " + t + " " + selector + ", " + number(4 * k)) + ", " + number(7));
    const Text by = def("shl " + t + " " + nibble + ", " + number(3));
    const Text byte = def("and " + t + " " + def("lshr " + t + " " + all + ", " + by) + ", " + number(255));
    r = def("or " + t + " " + r + ", " + def("shl " + t + " " + byte + ", " + number(8 * k)));
  }
  return def("trunc " + t + " " + r + " to " + narrow);
}

Emitter::Text Emitter::dot4(const ir::Type* type, const Texts& x, bool v) {
  const Text t = typed(type, v);
  const auto number = [&](uint64_t n) { return v ? splat("i32", std::to_string(n)) : std::to_string(n); };
  const auto byte = [&](const Text& from, uint64_t k) {
    const Text up = def("shl " + t + " " + from + ", " + number(24 - 8 * k));
    return def((type->is_signed() ? "ashr " : "lshr ") + t + " " + up + ", " + number(24));
  };
  Text sum = x[2];
  for (uint64_t k = 0; k < 4; ++k) {
    sum = def("add " + t + " " + sum + ", " + def("mul " + t + " " + byte(x[0], k) + ", " + byte(x[1], k)));
  }
  return sum;
}

}  // namespace quern::llvm
