// The extended instruction set OpenCL.std.
#include "base/text.hpp"
#include "spirv/grammar/extended_sets.hpp"
#include "spirv/reader/extended.hpp"
#include "spirv/reader/messages.hpp"

namespace quern::spirv {

using ir::Op;
using ir::Type;
using ir::TypeKind;
using ir::Value;

namespace {

constexpr double kPi = 3.14159265358979323846;

struct Mapped {
  OpenCl number;
  Op op;
  size_t operands;
  Takes takes = Takes::kFloats;
};

constexpr Mapped kMapped[] = {
    {OpenCl::kAcos, Op::kAcos, 1},
    {OpenCl::kAcosh, Op::kAcosh, 1},
    {OpenCl::kAsin, Op::kAsin, 1},
    {OpenCl::kAsinh, Op::kAsinh, 1},
    {OpenCl::kAtan, Op::kAtan, 1},
    {OpenCl::kAtan2, Op::kAtan2, 2},
    {OpenCl::kAtanh, Op::kAtanh, 1},
    {OpenCl::kCbrt, Op::kCbrt, 1},
    {OpenCl::kCeil, Op::kCeil, 1},
    {OpenCl::kCopysign, Op::kCopysign, 2},
    {OpenCl::kCos, Op::kCos, 1},
    {OpenCl::kCosh, Op::kCosh, 1},
    {OpenCl::kCospi, Op::kCospi, 1},
    {OpenCl::kErfc, Op::kErfc, 1},
    {OpenCl::kErf, Op::kErf, 1},
    {OpenCl::kExp, Op::kExp, 1},
    {OpenCl::kExp2, Op::kExp2, 1},
    {OpenCl::kExp10, Op::kExp10, 1},
    {OpenCl::kExpm1, Op::kExpm1, 1},
    {OpenCl::kFabs, Op::kAbs, 1},
    {OpenCl::kFdim, Op::kFdim, 2},
    {OpenCl::kFloor, Op::kFloor, 1},
    {OpenCl::kFma, Op::kFma, 3},
    {OpenCl::kFmax, Op::kMax, 2},
    {OpenCl::kFmin, Op::kMin, 2},
    {OpenCl::kFmod, Op::kRem, 2},
    {OpenCl::kHypot, Op::kHypot, 2},
    {OpenCl::kLgamma, Op::kLgamma, 1},
    {OpenCl::kLog, Op::kLog, 1},
    {OpenCl::kLog2, Op::kLog2, 1},
    {OpenCl::kLog10, Op::kLog10, 1},
    {OpenCl::kLog1p, Op::kLog1p, 1},
    {OpenCl::kLogb, Op::kLogb, 1},
    {OpenCl::kMad, Op::kFma, 3},
    {OpenCl::kNextafter, Op::kNextafter, 2},
    {OpenCl::kPow, Op::kPow, 2},
    {OpenCl::kPowr, Op::kPow, 2},
    {OpenCl::kRemainder, Op::kRemainder, 2},
    {OpenCl::kRint, Op::kRint, 1},
    {OpenCl::kRound, Op::kRound, 1},
    {OpenCl::kRsqrt, Op::kRsqrt, 1},
    {OpenCl::kSin, Op::kSin, 1},
    {OpenCl::kSinh, Op::kSinh, 1},
    {OpenCl::kSinpi, Op::kSinpi, 1},
    {OpenCl::kSqrt, Op::kSqrt, 1},
    {OpenCl::kTan, Op::kTan, 1},
    {OpenCl::kTanh, Op::kTanh, 1},
    {OpenCl::kTgamma, Op::kTgamma, 1},
    {OpenCl::kTrunc, Op::kTrunc, 1},
    // half_ and native_ forms
    {OpenCl::kHalfCos, Op::kCos, 1},
    {OpenCl::kHalfDivide, Op::kDiv, 2},
    {OpenCl::kHalfExp, Op::kExp, 1},
    {OpenCl::kHalfExp2, Op::kExp2, 1},
    {OpenCl::kHalfExp10, Op::kExp10, 1},
    {OpenCl::kHalfLog, Op::kLog, 1},
    {OpenCl::kHalfLog2, Op::kLog2, 1},
    {OpenCl::kHalfLog10, Op::kLog10, 1},
    {OpenCl::kHalfPowr, Op::kPow, 2},
    {OpenCl::kHalfRsqrt, Op::kRsqrt, 1},
    {OpenCl::kHalfSin, Op::kSin, 1},
    {OpenCl::kHalfSqrt, Op::kSqrt, 1},
    {OpenCl::kHalfTan, Op::kTan, 1},
    {OpenCl::kNativeCos, Op::kCos, 1},
    {OpenCl::kNativeDivide, Op::kDiv, 2},
    {OpenCl::kNativeExp, Op::kExp, 1},
    {OpenCl::kNativeExp2, Op::kExp2, 1},
    {OpenCl::kNativeExp10, Op::kExp10, 1},
    {OpenCl::kNativeLog, Op::kLog, 1},
    {OpenCl::kNativeLog2, Op::kLog2, 1},
    {OpenCl::kNativeLog10, Op::kLog10, 1},
    {OpenCl::kNativePowr, Op::kPow, 2},
    {OpenCl::kNativeRsqrt, Op::kRsqrt, 1},
    {OpenCl::kNativeSin, Op::kSin, 1},
    {OpenCl::kNativeSqrt, Op::kSqrt, 1},
    {OpenCl::kNativeTan, Op::kTan, 1},
    {OpenCl::kFmaxCommon, Op::kMax, 2},
    {OpenCl::kFminCommon, Op::kMin, 2},
    {OpenCl::kSMax, Op::kMax, 2, Takes::kSigned},
    {OpenCl::kUMax, Op::kMax, 2, Takes::kUnsigned},
    {OpenCl::kSMin, Op::kMin, 2, Takes::kSigned},
    {OpenCl::kUMin, Op::kMin, 2, Takes::kUnsigned},
    {OpenCl::kSMulHi, Op::kMulHi, 2, Takes::kSigned},
    {OpenCl::kUMulHi, Op::kMulHi, 2, Takes::kUnsigned},
};

// ---- integers

Value* abs_of(Extended& x, Value* v) {
  ir::Builder& b = x.b();
  return b.select(b.compare(Op::kLt, v, x.e.zero(v->type)), b.unary(Op::kNeg, v), v);
}

// |a - b|, as the unsigned result.
Value* abs_diff(Extended& x, const Leaves& in) {
  ir::Builder& b = x.b();
  Value* up = b.binary(Op::kSub, in[0], in[1]);
  Value* down = b.binary(Op::kSub, in[1], in[0]);
  return b.select(b.compare(Op::kGe, in[0], in[1]), up, down);
}

Value* saturated_sum(Extended& x, const Leaves& in, bool minus) {
  ir::Builder& b = x.b();
  const Type* type = in[0]->type;
  const uint64_t ones = type->bits() == 64 ? ~uint64_t{0} : (uint64_t{1} << type->bits()) - 1;
  Value* sum = b.binary(minus ? Op::kSub : Op::kAdd, in[0], in[1]);
  if (!type->is_signed()) {
    Value* over = b.compare(Op::kLt, minus ? in[0] : sum, minus ? in[1] : in[0]);
    return b.select(over, x.e.number(type, minus ? 0 : ones), sum);
  }
  Value* zero = x.e.zero(type);
  Value* down =
      b.compare(minus ? Op::kGt : Op::kLt, in[1], zero);  // the sum must not exceed the first operand
  Value* wrong = b.select(down, b.compare(Op::kGt, sum, in[0]), b.compare(Op::kLt, sum, in[0]));
  Value* edge = b.select(down, x.e.number(type, (ones >> 1) + 1), x.e.number(type, ones >> 1));
  return b.select(wrong, edge, sum);
}

// (a + b) / 2 without overflow; rounds up if `up`.
Value* half_sum(Extended& x, const Leaves& in, bool up) {
  ir::Builder& b = x.b();
  Value* one = x.e.number(in[0]->type, 1);
  const auto half = [&](Value* v) { return b.op(Op::kShr, v->type, {v, one}); };
  Value* odd = b.binary(up ? Op::kOr : Op::kAnd, in[0], in[1]);
  Value* carry = b.binary(Op::kAnd, odd, one);
  return b.binary(Op::kAdd, b.binary(Op::kAdd, half(in[0]), half(in[1])), carry);
}

Value* count_zeros(Extended& x, Value* v, bool leading) {
  ir::Builder& b = x.b();
  const Type* u32 = x.e.kind(TypeKind::kU32);
  const uint32_t bits = v->type->bits();
  Value* wide = bits < 32 ? b.convert(v, u32) : v;
  Value* n = nullptr;
  if (leading) {
    n = b.op(Op::kClz, x.e.kind(TypeKind::kI32), {wide});
    if (bits < 32) n = b.binary(Op::kSub, n, x.e.number(n->type, 32 - bits));
  } else {
    if (bits < 32) wide = b.binary(Op::kOr, wide, x.e.number(u32, uint64_t{1} << bits));
    n = b.op(Op::kCtz, x.e.kind(TypeKind::kI32), {wide});
  }
  return b.convert(n, v->type);
}

Value* rotate(Extended& x, const Leaves& in) {
  ir::Builder& b = x.b();
  const Type* type = in[0]->type;
  Value* mask = x.e.number(type, type->bits() - 1);
  Value* left = b.binary(Op::kAnd, in[1], mask);
  Value* right = b.binary(Op::kAnd, b.unary(Op::kNeg, left), mask);
  return b.binary(Op::kOr, b.op(Op::kShl, type, {in[0], left}), b.op(Op::kShr, type, {in[0], right}));
}

// Products of the low 24 bits.
Value* mul24(Extended& x, const Leaves& in, bool is_signed) {
  ir::Builder& b = x.b();
  const auto low = [&](Value* v) {
    Value* eight = x.e.number(v->type, v->type->bits() - 24);
    if (!is_signed) return b.binary(Op::kAnd, v, x.e.number(v->type, 0xFFFFFF));
    return b.op(Op::kShr, v->type, {b.op(Op::kShl, v->type, {v, eight}), eight});
  };
  return b.binary(Op::kMul, low(in[0]), low(in[1]));
}

bool emit_integers(Extended& x, OpenCl number) {
  ir::Builder& b = x.b();
  const auto with = [&](size_t operands, Takes takes, auto&& fn) {
    x.each(operands, takes, fn);
    return true;
  };
  constexpr Takes kS = Takes::kSigned, kU = Takes::kUnsigned;
  switch (number) {
    case OpenCl::kSAbs: return with(1, kS, [&](const Leaves& in) { return abs_of(x, in[0]); });
    case OpenCl::kSAbsDiff: return with(2, kS, [&](const Leaves& in) { return abs_diff(x, in); });
    case OpenCl::kSAddSat: return with(2, kS, [&](const Leaves& in) { return saturated_sum(x, in, false); });
    case OpenCl::kUAddSat: return with(2, kU, [&](const Leaves& in) { return saturated_sum(x, in, false); });
    case OpenCl::kSHadd: return with(2, kS, [&](const Leaves& in) { return half_sum(x, in, false); });
    case OpenCl::kUHadd: return with(2, kU, [&](const Leaves& in) { return half_sum(x, in, false); });
    case OpenCl::kSRhadd: return with(2, kS, [&](const Leaves& in) { return half_sum(x, in, true); });
    case OpenCl::kURhadd: return with(2, kU, [&](const Leaves& in) { return half_sum(x, in, true); });
    case OpenCl::kSClamp:
      return with(3, kS, [&](const Leaves& in) { return clamp(x.e, in[0], in[1], in[2]); });
    case OpenCl::kUClamp:
      return with(3, kU, [&](const Leaves& in) { return clamp(x.e, in[0], in[1], in[2]); });
    case OpenCl::kClz: return with(1, kU, [&](const Leaves& in) { return count_zeros(x, in[0], true); });
    case OpenCl::kCtz: return with(1, kU, [&](const Leaves& in) { return count_zeros(x, in[0], false); });
    case OpenCl::kSMadHi:
      return with(3, kS, [&](const Leaves& in) {
        return b.binary(Op::kAdd, b.binary(Op::kMulHi, in[0], in[1]), in[2]);
      });
    case OpenCl::kRotate: return with(2, kU, [&](const Leaves& in) { return rotate(x, in); });
    case OpenCl::kSSubSat: return with(2, kS, [&](const Leaves& in) { return saturated_sum(x, in, true); });
    case OpenCl::kUSubSat: return with(2, kU, [&](const Leaves& in) { return saturated_sum(x, in, true); });
    case OpenCl::kPopcount:
      return with(1, kU, [&](const Leaves& in) { return b.convert(count_bits(x.e, in[0]), in[0]->type); });
    case OpenCl::kSMad24:
      return with(3, kS, [&](const Leaves& in) { return b.binary(Op::kAdd, mul24(x, in, true), in[2]); });
    case OpenCl::kUMad24:
      return with(3, kU, [&](const Leaves& in) { return b.binary(Op::kAdd, mul24(x, in, false), in[2]); });
    case OpenCl::kSMul24: return with(2, kS, [&](const Leaves& in) { return mul24(x, in, true); });
    case OpenCl::kUMul24: return with(2, kU, [&](const Leaves& in) { return mul24(x, in, false); });
    case OpenCl::kUAbs: return with(1, kU, [&](const Leaves& in) { return in[0]; });
    case OpenCl::kUAbsDiff: return with(2, kU, [&](const Leaves& in) { return abs_diff(x, in); });
    case OpenCl::kUMadHi:
      return with(3, kU, [&](const Leaves& in) {
        return b.binary(Op::kAdd, b.binary(Op::kMulHi, in[0], in[1]), in[2]);
      });
    default: return false;
  }
}

// ---- floats

Value* magnitude(Extended& x, const Leaves& in, bool largest) {
  ir::Builder& b = x.b();
  Value* p = b.unary(Op::kAbs, in[0]);
  Value* q = b.unary(Op::kAbs, in[1]);
  Value* first = b.compare(largest ? Op::kGt : Op::kLt, p, q);
  Value* second = b.compare(largest ? Op::kLt : Op::kGt, p, q);
  Value* either = b.binary(largest ? Op::kMax : Op::kMin, in[0], in[1]);
  return b.select(first, in[0], b.select(second, in[1], either));
}

// x to an integer power, as a float power: exact enough for the range of a float.
void integer_power(Extended& x) {
  const Leaves v = x.floats(0);
  const Val n = x.arg(1);
  Leaves out;
  for (size_t k = 0; k < v.size() && !x.e.failed(); ++k) {
    if (k >= n.leaves.size() || !n.leaves[k]->type->is_int()) return x.e.fail(message::kExponentNotInteger());
    Value* by = x.e.as(n.leaves[k], x.e.signed_type(n.leaves[k]->type));
    out.push_back(x.b().binary(Op::kPow, v[k], x.b().convert(by, v[k]->type)));
  }
  x.e.define(std::move(out));
}

void exponent_of(Extended& x) {
  Leaves out;
  for (Value* v : x.floats(0)) out.push_back(x.b().op(Op::kIlogb, x.e.kind(TypeKind::kI32), {v}));
  const std::vector<const Type*> results = x.e.leaf_types(x.e.result_type());
  for (size_t k = 0; k < out.size() && k < results.size(); ++k) out[k] = x.e.as(out[k], results[k]);
  x.e.define(std::move(out));
}

void scale_exponent(Extended& x) {
  const Leaves v = x.floats(0);
  const Val n = x.arg(1);
  Leaves out;
  for (size_t k = 0; k < v.size() && !x.e.failed(); ++k) {
    Value* by = x.e.leaf(n, n.leaves.size() == 1 ? 0 : k, x.e.kind(TypeKind::kI32));
    out.push_back(x.b().op(Op::kLdexp, v[k]->type, {v[k], by}));
  }
  x.e.define(std::move(out));
}

// One result is returned, the other one stored: fract, modf, frexp, sincos.
void two_results(Extended& x, OpenCl number) {
  ir::Builder& b = x.b();
  Leaves first, second;
  for (Value* v : x.floats(0)) {
    switch (number) {
      case OpenCl::kFract:
        second.push_back(b.unary(Op::kFloor, v));
        first.push_back(b.binary(Op::kSub, v, second.back()));
        break;
      case OpenCl::kModf:
        second.push_back(b.unary(Op::kTrunc, v));
        first.push_back(b.op(Op::kCopysign, v->type, {b.binary(Op::kSub, v, second.back()), v}));
        break;
      case OpenCl::kSincos:
        first.push_back(b.unary(Op::kSin, v));
        second.push_back(b.unary(Op::kCos, v));
        break;
      default: {
        const Parts p = parts_of(x, v);
        first.push_back(p.fraction);
        second.push_back(p.exponent);
      }
    }
  }
  x.store_to(1, std::move(second));
  x.e.define(std::move(first));
}

bool emit_floats(Extended& x, OpenCl number) {
  ir::Builder& b = x.b();
  const auto with = [&](size_t operands, auto&& fn) {
    x.each(operands, Takes::kFloats, fn);
    return true;
  };
  const auto over_pi = [&](Op op, size_t operands) {
    return with(operands, [&](const Leaves& in) {
      return b.binary(Op::kDiv, b.op(op, in[0]->type, in, ir::Attr()), x.real(in[0], kPi));
    });
  };
  switch (number) {
    case OpenCl::kAcospi: return over_pi(Op::kAcos, 1);
    case OpenCl::kAsinpi: return over_pi(Op::kAsin, 1);
    case OpenCl::kAtanpi: return over_pi(Op::kAtan, 1);
    case OpenCl::kAtan2pi: return over_pi(Op::kAtan2, 2);
    case OpenCl::kMaxmag: return with(2, [&](const Leaves& in) { return magnitude(x, in, true); });
    case OpenCl::kMinmag: return with(2, [&](const Leaves& in) { return magnitude(x, in, false); });
    case OpenCl::kTanpi:
      return with(1, [&](const Leaves& in) {
        return b.binary(Op::kDiv, b.unary(Op::kSinpi, in[0]), b.unary(Op::kCospi, in[0]));
      });
    case OpenCl::kHalfRecip:
    case OpenCl::kNativeRecip:
      return with(1, [&](const Leaves& in) { return b.binary(Op::kDiv, x.real(in[0], 1), in[0]); });
    case OpenCl::kFclamp: return with(3, [&](const Leaves& in) { return clamp(x.e, in[0], in[1], in[2]); });
    case OpenCl::kDegrees:
      return with(1, [&](const Leaves& in) { return b.binary(Op::kMul, in[0], x.real(in[0], 180 / kPi)); });
    case OpenCl::kMix:
      return with(3, [&](const Leaves& in) {
        return b.binary(Op::kAdd, in[0], b.binary(Op::kMul, b.binary(Op::kSub, in[1], in[0]), in[2]));
      });
    case OpenCl::kRadians:
      return with(1, [&](const Leaves& in) { return b.binary(Op::kMul, in[0], x.real(in[0], kPi / 180)); });
    case OpenCl::kStep:
      return with(2, [&](const Leaves& in) {
        return b.select(b.compare(Op::kLt, in[1], in[0]), x.real(in[0], 0), x.real(in[0], 1));
      });
    case OpenCl::kSmoothstep: return with(3, [&](const Leaves& in) { return smooth_step(x, in); });
    case OpenCl::kSign: return with(1, [&](const Leaves& in) { return sign_of(x, in[0]); });
    default: return false;
  }
}

// ---- vectors in memory

// An array of packed vectors: element `index` from the pointer on.
Val element_pointer(Extended& x, size_t index, size_t pointer, size_t lanes) {
  Emitter& e = x.e;
  Val p = x.arg(pointer);
  const TypeInfo* object = e.pointee(p);
  if (object == nullptr || e.types().scalar(*object) == nullptr) {
    e.fail(message::kNotPointerToNumber());
    return p;
  }
  Value* at = x.b().convert(e.integer_arg(x.first + index), e.kind(TypeKind::kU64));
  p.leaves = {x.b().offset(e.pointer_leaf(p), at, lanes * e.types().size(*object))};
  return p;
}

void vload(Extended& x) {
  const std::vector<const Type*> results = x.e.leaf_types(x.e.result_type());
  const size_t lanes = results.size();
  const Val p = element_pointer(x, 0, 1, lanes);
  if (lanes == 0) x.e.fail(message::kLoadsNothing());
  if (x.e.failed()) return;
  const Type* type = results[0];
  Leaves out;
  for (size_t k = 0; k < lanes; ++k)
    out.push_back(
        x.b().load(type, x.b().offset(p.leaves[0], x.e.number(x.e.kind(TypeKind::kU64), k), type->size)));
  x.e.define(std::move(out));
}

void vstore(Extended& x) {
  const Val v = x.arg(0);
  const Val p = element_pointer(x, 1, 2, v.leaves.size());
  if (x.e.failed()) return;
  const TypeInfo* object = x.e.pointee(p);
  const Type* type = x.e.types().scalar(*object);
  for (size_t k = 0; k < v.leaves.size(); ++k) {
    Value* at = x.b().offset(p.leaves[0], x.e.number(x.e.kind(TypeKind::kU64), k), type->size);
    x.b().store(at, x.e.leaf(v, k, type));
  }
}

void select_bits(Extended& x) {
  const Val a = x.arg(0), other = x.arg(1), mask = x.arg(2);
  ir::Builder& b = x.b();
  Leaves out;
  for (size_t k = 0; k < a.leaves.size() && !x.e.failed(); ++k) {
    const Type* type = a.leaves[k]->type;
    const Type* word = type->size == 1   ? x.e.kind(TypeKind::kU8)
                       : type->size == 2 ? x.e.kind(TypeKind::kU16)
                       : type->size == 4 ? x.e.kind(TypeKind::kU32)
                                         : x.e.kind(TypeKind::kU64);
    if (type->is_ptr() || type->is_bool()) return x.e.fail(message::kCombinesNonNumbers());
    const auto bits = [&](const Val& v) { return b.bitcast(x.e.leaf(v, k, type), word); };
    Value* m = bits(mask);
    Value* made = b.binary(Op::kOr, b.binary(Op::kAnd, bits(other), m),
                           b.binary(Op::kAnd, bits(a), b.unary(Op::kNot, m)));
    out.push_back(b.bitcast(made, type));
  }
  x.e.define(std::move(out));
}

}  // namespace

bool emit_opencl(Emitter& e, uint32_t word, size_t first) {
  const auto number = static_cast<OpenCl>(word);
  Extended x(e, first);
  for (const Mapped& m : kMapped) {
    if (m.number != number) continue;
    x.map(m.op, m.operands, m.takes);
    return true;
  }
  if (emit_integers(x, number) || emit_floats(x, number)) return true;
  switch (number) {
    case OpenCl::kFract:
    case OpenCl::kFrexp:
    case OpenCl::kModf:
    case OpenCl::kSincos: two_results(x, number); return true;
    case OpenCl::kIlogb: exponent_of(x); return true;
    case OpenCl::kLdexp: scale_exponent(x); return true;
    case OpenCl::kPown: integer_power(x); return true;
    case OpenCl::kCross: cross(x); return true;
    case OpenCl::kDistance:
    case OpenCl::kFastDistance: distance(x); return true;
    case OpenCl::kLength:
    case OpenCl::kFastLength: {
      const Leaves v = x.floats(0);
      if (!e.failed()) e.define(Leaves{x.length_of(v)});
      return true;
    }
    case OpenCl::kNormalize:
    case OpenCl::kFastNormalize: normalize(x); return true;
    case OpenCl::kVloadn: vload(x); return true;
    case OpenCl::kVstoren: vstore(x); return true;
    case OpenCl::kPrefetch: return true;  // prefetch
    case OpenCl::kBitselect: select_bits(x); return true;
    default: return false;
  }
}

}  // namespace quern::spirv
