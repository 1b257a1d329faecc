// The extended instruction set GLSL.std.450.
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

using enum Glsl;

struct Mapped {
  Glsl number;
  Op op;
  size_t operands;
  Takes takes = Takes::kFloats;
};

constexpr Mapped kMapped[] = {
    {kRound, Op::kRound, 1},
    {kRoundEven, Op::kRint, 1},
    {kTrunc, Op::kTrunc, 1},
    {kFAbs, Op::kAbs, 1},
    {kSAbs, Op::kAbs, 1, Takes::kSigned},
    {kFloor, Op::kFloor, 1},
    {kCeil, Op::kCeil, 1},
    {kSin, Op::kSin, 1},
    {kCos, Op::kCos, 1},
    {kTan, Op::kTan, 1},
    {kAsin, Op::kAsin, 1},
    {kAcos, Op::kAcos, 1},
    {kAtan, Op::kAtan, 1},
    {kSinh, Op::kSinh, 1},
    {kCosh, Op::kCosh, 1},
    {kTanh, Op::kTanh, 1},
    {kAsinh, Op::kAsinh, 1},
    {kAcosh, Op::kAcosh, 1},
    {kAtanh, Op::kAtanh, 1},
    {kAtan2, Op::kAtan2, 2},
    {kPow, Op::kPow, 2},
    {kExp, Op::kExp, 1},
    {kLog, Op::kLog, 1},
    {kExp2, Op::kExp2, 1},
    {kLog2, Op::kLog2, 1},
    {kSqrt, Op::kSqrt, 1},
    {kInverseSqrt, Op::kRsqrt, 1},
    {kFMin, Op::kMin, 2},
    {kUMin, Op::kMin, 2, Takes::kUnsigned},
    {kSMin, Op::kMin, 2, Takes::kSigned},
    {kFMax, Op::kMax, 2},
    {kUMax, Op::kMax, 2, Takes::kUnsigned},
    {kSMax, Op::kMax, 2, Takes::kSigned},
    {kFma, Op::kFma, 3},
    {kNMin, Op::kMin, 2},
    {kNMax, Op::kMax, 2},
};

// ---- matrices: by minors, which is accurate enough for sizes up to 4

Value* minor_of(Extended& x, const Leaves& m, size_t n, uint32_t columns, uint32_t rows) {
  ir::Builder& b = x.b();
  const auto column = static_cast<size_t>(__builtin_ctz(columns));
  Value* sum = nullptr;
  bool minus = false;
  for (size_t r = 0; r < n; ++r) {
    if ((rows >> r & 1) == 0) continue;
    Value* term = m[column * n + r];
    const uint32_t other_columns = columns & ~(1u << column), other_rows = rows & ~(1u << r);
    if (other_columns != 0) term = b.binary(Op::kMul, term, minor_of(x, m, n, other_columns, other_rows));
    sum = sum == nullptr ? term : b.binary(minus ? Op::kSub : Op::kAdd, sum, term);
    minus = !minus;
  }
  return sum;
}

bool square(Extended& x, Leaves& m, size_t& n) {
  m = x.floats(0);
  n = m.size() == 4 ? 2 : m.size() == 9 ? 3 : m.size() == 16 ? 4 : 0;
  if (n == 0) x.e.fail(message::kNotSquareMatrix());
  return !x.e.failed();
}

void determinant(Extended& x) {
  Leaves m;
  size_t n = 0;
  if (square(x, m, n)) x.e.define(Leaves{minor_of(x, m, n, (1u << n) - 1, (1u << n) - 1)});
}

void inverse(Extended& x) {
  Leaves m;
  size_t n = 0;
  if (!square(x, m, n)) return;
  const uint32_t all = (1u << n) - 1;
  Value* whole = minor_of(x, m, n, all, all);
  Leaves out;
  for (size_t c = 0; c < n; ++c) {
    for (size_t r = 0; r < n; ++r) {
      // The cofactor of the transposed position.
      Value* v = minor_of(x, m, n, all & ~(1u << r), all & ~(1u << c));
      if (((c + r) & 1) != 0) v = x.b().unary(Op::kNeg, v);
      out.push_back(x.b().binary(Op::kDiv, v, whole));
    }
  }
  x.e.define(std::move(out));
}

// ---- several results

void modf(Extended& x, bool in_struct) {
  Leaves whole, rest;
  for (Value* v : x.floats(0)) {
    whole.push_back(x.b().unary(Op::kTrunc, v));
    Value* inf = x.b().op(Op::kIsInf, x.e.kind(TypeKind::kBool), {v});
    rest.push_back(x.b().select(inf, x.real(v, 0), x.b().binary(Op::kSub, v, whole.back())));
  }
  if (!in_struct) {
    x.store_to(1, whole);
  } else {
    rest.insert(rest.end(), whole.begin(), whole.end());
  }
  x.e.define(std::move(rest));
}

void frexp(Extended& x, bool in_struct) {
  Leaves fractions, exponents;
  for (Value* v : x.floats(0)) {
    const Parts p = parts_of(x, v);
    fractions.push_back(p.fraction);
    exponents.push_back(p.exponent);
  }
  if (in_struct) {
    const std::vector<const Type*> results = x.e.leaf_types(x.e.result_type());
    for (Value* n : exponents) {
      if (fractions.size() >= results.size() || !results[fractions.size()]->is_int())
        return x.e.fail(message::kNotFractionAndExponent());
      fractions.push_back(x.b().convert(n, results[fractions.size()]));
    }
  } else {
    x.store_to(1, exponents);
  }
  x.e.define(std::move(fractions));
}

void ldexp(Extended& x) {
  const Leaves v = x.floats(0);
  const Val n = x.arg(1);
  Leaves out;
  for (size_t k = 0; k < v.size() && !x.e.failed(); ++k) {
    if (k >= n.leaves.size() || !n.leaves[k]->type->is_int()) return x.e.fail(message::kExponentNotInteger());
    out.push_back(
        x.b().op(Op::kLdexp, v[k]->type, {v[k], x.b().convert(n.leaves[k], x.e.kind(TypeKind::kI32))}));
  }
  x.e.define(std::move(out));
}

// ---- packing

void define_word(Extended& x, Value* word) { x.e.define(Leaves{x.e.as(word, x.e.integer_result())}); }

void pack_norm(Extended& x, uint32_t bits, bool is_signed) {
  const Leaves v = x.floats(0);
  ir::Builder& b = x.b();
  const Type* u32 = x.e.kind(TypeKind::kU32);
  const double most = is_signed ? (1u << (bits - 1)) - 1 : (1u << bits) - 1;
  Value* word = x.e.zero(u32);
  for (size_t k = 0; k < v.size() && k * bits < 32; ++k) {
    Value* c = clamp(x.e, v[k], x.real(v[k], is_signed ? -1 : 0), x.real(v[k], 1));
    c = b.unary(Op::kRint, b.binary(Op::kMul, c, x.real(c, most)));
    Value* n = b.bitcast(b.convert(c, x.e.kind(TypeKind::kI32)), u32);
    n = b.binary(Op::kAnd, n, x.e.number(u32, (uint64_t{1} << bits) - 1));
    word = b.binary(Op::kOr, word, b.op(Op::kShl, u32, {n, x.e.number(u32, k * bits)}));
  }
  define_word(x, word);
}

Value* bits_at(Extended& x, Value* word, uint32_t at, TypeKind narrow) {
  const Type* u32 = x.e.kind(TypeKind::kU32);
  Value* down = x.b().op(Op::kShr, u32, {word, x.e.number(u32, at)});
  return x.b().convert(down, x.e.kind(narrow));
}

void unpack_norm(Extended& x, uint32_t bits, bool is_signed) {
  ir::Builder& b = x.b();
  Value* word = x.e.leaf(x.arg(0), 0, x.e.kind(TypeKind::kU32));
  const double most = is_signed ? (1u << (bits - 1)) - 1 : (1u << bits) - 1;
  Leaves out;
  for (uint32_t at = 0; at < 32; at += bits) {
    Value* n = bits_at(x, word, at, bits == 8 ? TypeKind::kU8 : TypeKind::kU16);
    if (is_signed) n = x.e.as(n, x.e.signed_type(n->type));
    Value* f = b.convert(n, x.e.kind(TypeKind::kF32));
    f = b.binary(Op::kDiv, f, x.real(f, most));
    out.push_back(is_signed ? clamp(x.e, f, x.real(f, -1), x.real(f, 1)) : f);
  }
  x.e.define(std::move(out));
}

void pack_half(Extended& x) {
  const Leaves v = x.floats(0);
  if (v.size() != 2) return x.e.fail(message::kNotTwoHalves());
  ir::Builder& b = x.b();
  const Type* u32 = x.e.kind(TypeKind::kU32);
  const auto half = [&](Value* f) {
    return b.convert(b.bitcast(b.convert(f, x.e.kind(TypeKind::kF16)), x.e.kind(TypeKind::kU16)), u32);
  };
  define_word(x, b.binary(Op::kOr, half(v[0]), b.op(Op::kShl, u32, {half(v[1]), x.e.number(u32, 16)})));
}

void unpack_half(Extended& x) {
  Value* word = x.e.leaf(x.arg(0), 0, x.e.kind(TypeKind::kU32));
  Leaves out;
  for (uint32_t at = 0; at < 32; at += 16) {
    Value* half = x.b().bitcast(bits_at(x, word, at, TypeKind::kU16), x.e.kind(TypeKind::kF16));
    out.push_back(x.b().convert(half, x.e.kind(TypeKind::kF32)));
  }
  x.e.define(std::move(out));
}

void pack_double(Extended& x) {
  const Val v = x.arg(0);
  ir::Builder& b = x.b();
  const Type* u64 = x.e.kind(TypeKind::kU64);
  const auto wide = [&](size_t k) { return b.convert(x.e.leaf(v, k, x.e.kind(TypeKind::kU32)), u64); };
  Value* high = b.op(Op::kShl, u64, {wide(1), x.e.number(x.e.kind(TypeKind::kU32), 32)});
  x.e.define(Leaves{b.bitcast(b.binary(Op::kOr, wide(0), high), x.e.kind(TypeKind::kF64))});
}

void unpack_double(Extended& x) {
  ir::Builder& b = x.b();
  const Type* u32 = x.e.kind(TypeKind::kU32);
  Value* bits = b.bitcast(x.e.leaf(x.arg(0), 0, x.e.kind(TypeKind::kF64)), x.e.kind(TypeKind::kU64));
  Value* high = b.op(Op::kShr, bits->type, {bits, x.e.number(u32, 32)});
  x.e.define(Leaves{b.convert(bits, u32), b.convert(high, u32)});
}

// ---- geometry

void face_forward(Extended& x) {
  const Leaves n = x.floats(0);
  Leaves i, ref;
  if (!x.pair(1, i, ref) || n.size() != i.size()) return x.e.fail(message::kOperandSizes());
  Value* front = x.b().compare(Op::kLt, dot(x.e, ref, i), x.real(i[0], 0));
  Leaves out;
  for (Value* c : n) out.push_back(x.b().select(front, c, x.b().unary(Op::kNeg, c)));
  x.e.define(std::move(out));
}

void reflect(Extended& x) {
  Leaves i, n;
  if (!x.pair(0, i, n)) return;
  ir::Builder& b = x.b();
  Value* twice = b.binary(Op::kMul, x.real(i[0], 2), dot(x.e, n, i));
  Leaves out;
  for (size_t k = 0; k < i.size(); ++k)
    out.push_back(b.binary(Op::kSub, i[k], b.binary(Op::kMul, twice, n[k])));
  x.e.define(std::move(out));
}

void refract(Extended& x) {
  Leaves i, n;
  if (!x.pair(0, i, n)) return;
  ir::Builder& b = x.b();
  Value* eta = x.e.leaf(x.arg(2), 0, i[0]->type);
  Value* cosine = dot(x.e, n, i);
  Value* one = x.real(i[0], 1);
  Value* rest = b.binary(Op::kSub, one, b.binary(Op::kMul, cosine, cosine));
  Value* k = b.binary(Op::kSub, one, b.binary(Op::kMul, b.binary(Op::kMul, eta, eta), rest));
  Value* none = b.compare(Op::kLt, k, x.real(k, 0));
  Value* root = b.unary(Op::kSqrt, b.binary(Op::kMax, k, x.real(k, 0)));
  Value* along = b.binary(Op::kAdd, b.binary(Op::kMul, eta, cosine), root);
  Leaves out;
  for (size_t c = 0; c < i.size(); ++c) {
    Value* bent = b.binary(Op::kSub, b.binary(Op::kMul, eta, i[c]), b.binary(Op::kMul, along, n[c]));
    out.push_back(b.select(none, x.real(bent, 0), bent));
  }
  x.e.define(std::move(out));
}

// ---- bits

void find_bit(Extended& x, Glsl which) {
  const Val v = x.arg(0);
  const std::vector<const Type*> results = x.e.leaf_types(x.e.result_type());
  Leaves out;
  for (size_t k = 0; k < results.size() && !x.e.failed(); ++k) {
    if (k >= v.leaves.size() || !v.leaves[k]->type->is_int() || !results[k]->is_int())
      return x.e.fail(message::kSearchNotInteger());
    Value* n = v.leaves[k];
    if (which == kFindSMsb) {
      // The highest bit that differs from the sign.
      n = x.e.as(n, x.e.signed_type(n->type));
      n = x.b().select(x.b().compare(Op::kLt, n, x.e.zero(n->type)), x.b().unary(Op::kNot, n), n);
    }
    Value* at = which == kFindILsb ? lowest_bit(x.e, n) : highest_bit(x.e, n);
    out.push_back(x.b().convert(at, results[k]));
  }
  x.e.define(std::move(out));
}

void scale(Extended& x, double by) {
  x.each(1, Takes::kFloats,
         [&](const Leaves& in) { return x.b().binary(Op::kMul, in[0], x.real(in[0], by)); });
}

void clamp_all(Extended& x, Takes takes) {
  x.each(3, takes, [&](const Leaves& in) { return clamp(x.e, in[0], in[1], in[2]); });
}

Value* mix(Extended& x, const Leaves& in) {
  ir::Builder& b = x.b();
  Value* rest = b.binary(Op::kSub, x.real(in[0], 1), in[2]);
  return b.binary(Op::kAdd, b.binary(Op::kMul, in[0], rest), b.binary(Op::kMul, in[1], in[2]));
}

Value* step(Extended& x, const Leaves& in) {
  return x.b().select(x.b().compare(Op::kLt, in[1], in[0]), x.real(in[0], 0), x.real(in[0], 1));
}

bool emit_simple(Extended& x, Glsl number) {
  for (const Mapped& m : kMapped) {
    if (m.number != number) continue;
    x.map(m.op, m.operands, m.takes);
    return true;
  }
  switch (number) {
    case kFSign: x.each(1, Takes::kFloats, [&](const Leaves& in) { return sign_of(x, in[0]); }); return true;
    case kSSign: x.each(1, Takes::kSigned, [&](const Leaves& in) { return sign_of(x, in[0]); }); return true;
    case kFract: x.each(1, Takes::kFloats, [&](const Leaves& in) { return fract_of(x, in[0]); }); return true;
    case kRadians: scale(x, kPi / 180); return true;
    case kDegrees: scale(x, 180 / kPi); return true;
    case kFClamp:
    case kNClamp: clamp_all(x, Takes::kFloats); return true;
    case kUClamp: clamp_all(x, Takes::kUnsigned); return true;
    case kSClamp: clamp_all(x, Takes::kSigned); return true;
    case kFMix: x.each(3, Takes::kFloats, [&](const Leaves& in) { return mix(x, in); }); return true;
    case kStep: x.each(2, Takes::kFloats, [&](const Leaves& in) { return step(x, in); }); return true;
    case kSmoothStep:
      x.each(3, Takes::kFloats, [&](const Leaves& in) { return smooth_step(x, in); });
      return true;
    default: return false;
  }
}

bool emit_packing(Extended& x, Glsl number) {
  switch (number) {
    case kPackSnorm4x8: pack_norm(x, 8, true); return true;
    case kPackUnorm4x8: pack_norm(x, 8, false); return true;
    case kPackSnorm2x16: pack_norm(x, 16, true); return true;
    case kPackUnorm2x16: pack_norm(x, 16, false); return true;
    case kPackHalf2x16: pack_half(x); return true;
    case kPackDouble2x32: pack_double(x); return true;
    case kUnpackSnorm2x16: unpack_norm(x, 16, true); return true;
    case kUnpackUnorm2x16: unpack_norm(x, 16, false); return true;
    case kUnpackHalf2x16: unpack_half(x); return true;
    case kUnpackSnorm4x8: unpack_norm(x, 8, true); return true;
    case kUnpackUnorm4x8: unpack_norm(x, 8, false); return true;
    case kUnpackDouble2x32: unpack_double(x); return true;
    default: return false;
  }
}

}  // namespace

bool emit_glsl(Emitter& e, uint32_t word, size_t first) {
  const auto number = static_cast<Glsl>(word);
  Extended x(e, first);
  if (emit_simple(x, number) || emit_packing(x, number)) return true;
  switch (number) {
    case kDeterminant: determinant(x); return true;
    case kMatrixInverse: inverse(x); return true;
    case kModf: modf(x, false); return true;
    case kModfStruct: modf(x, true); return true;
    case kFrexp: frexp(x, false); return true;
    case kFrexpStruct: frexp(x, true); return true;
    case kLdexp: ldexp(x); return true;
    case kLength: {
      const Leaves v = x.floats(0);
      if (!e.failed()) e.define(Leaves{x.length_of(v)});
      return true;
    }
    case kDistance: distance(x); return true;
    case kCross: cross(x); return true;
    case kNormalize: normalize(x); return true;
    case kFaceForward: face_forward(x); return true;
    case kReflect: reflect(x); return true;
    case kRefract: refract(x); return true;
    case kFindILsb:
    case kFindSMsb:
    case kFindUMsb: find_bit(x, number); return true;
    default: return false;
  }
}

}  // namespace quern::spirv
