#include "spirv/reader/extended.hpp"

#include "spirv/reader/messages.hpp"
#include "spirv/reader/reader.hpp"

namespace quern::spirv {

using ir::Op;
using ir::TypeKind;
using ir::Value;

const ir::Type* Extended::operand_type(const ir::Type* result, Takes takes) {
  const bool right = takes == Takes::kFloats ? result->is_float() : result->is_int();
  if (!right) {
    e.fail(message::kResultType(to_string(result)));
    return e.kind(takes == Takes::kFloats ? TypeKind::kF32 : TypeKind::kU32);
  }
  if (takes == Takes::kFloats) return result;
  return takes == Takes::kSigned ? e.signed_type(result) : e.unsigned_type(result);
}

Leaves Extended::floats(size_t k) {
  Leaves all = arg(k).leaves;
  for (const Value* v : all) {
    if (v->type->is_float() && v->type == all[0]->type) continue;
    e.fail(message::kNotFloatVector());
    return {};
  }
  if (all.empty()) e.fail(message::kNotFloatVector());
  return all;
}

bool Extended::pair(size_t k, Leaves& one, Leaves& other) {
  one = floats(k);
  other = floats(k + 1);
  if (!e.failed() && (one.size() != other.size() || one[0]->type != other[0]->type))
    e.fail(message::kOperandSizes());
  return !e.failed();
}

ir::Value* Extended::length_of(const Leaves& v) {
  if (v.size() == 1) return e.b.unary(Op::kAbs, v[0]);
  return e.b.unary(Op::kSqrt, dot(e, v, v));
}

void Extended::store_to(size_t k, Leaves leaves) {
  const Val pointer = arg(k);
  const TypeInfo* object = e.pointee(pointer);
  if (object == nullptr) return;
  const std::vector<const ir::Type*> types = e.leaf_types(*object);
  if (types.size() != leaves.size()) return e.fail(message::kStoresResult());
  Val value;
  for (size_t i = 0; i < leaves.size(); ++i) {
    const bool both_ints = types[i]->is_int() && leaves[i]->type->is_int();
    value.leaves.push_back(both_ints ? e.b.convert(leaves[i], types[i]) : e.as(leaves[i], types[i]));
  }
  store(e, pointer, value);
}

Value* fract_of(Extended& x, Value* v) { return x.b().binary(Op::kSub, v, x.b().unary(Op::kFloor, v)); }

Value* sign_of(Extended& x, Value* v) {
  ir::Builder& b = x.b();
  Value* zero = x.e.zero(v->type);
  Value* one = x.e.number(v->type, 1);
  Value* below = b.select(b.compare(Op::kLt, v, zero), b.unary(Op::kNeg, one), zero);
  return b.select(b.compare(Op::kGt, v, zero), one, below);
}

Value* smooth_step(Extended& x, const Leaves& in) {
  ir::Builder& b = x.b();
  Value* t = b.binary(Op::kDiv, b.binary(Op::kSub, in[2], in[0]), b.binary(Op::kSub, in[1], in[0]));
  t = clamp(x.e, t, x.real(t, 0), x.real(t, 1));
  Value* slope = b.binary(Op::kSub, x.real(t, 3), b.binary(Op::kMul, x.real(t, 2), t));
  return b.binary(Op::kMul, b.binary(Op::kMul, t, t), slope);
}

void normalize(Extended& x) {
  const Leaves v = x.floats(0);
  if (x.e.failed()) return;
  Value* length = x.length_of(v);
  Leaves out;
  for (Value* c : v) out.push_back(x.b().binary(Op::kDiv, c, length));
  x.e.define(std::move(out));
}

void cross(Extended& x) {
  Leaves p, q;
  if (!x.pair(0, p, q)) return;
  if (p.size() != 3 && p.size() != 4) return x.e.fail(message::kNotThreeComponents());
  ir::Builder& b = x.b();
  Leaves out;
  for (size_t k = 0; k < 3; ++k) {
    const size_t i = (k + 1) % 3, j = (k + 2) % 3;
    out.push_back(b.binary(Op::kSub, b.binary(Op::kMul, p[i], q[j]), b.binary(Op::kMul, q[i], p[j])));
  }
  if (p.size() == 4) out.push_back(x.real(p[0], 0));
  x.e.define(std::move(out));
}

void distance(Extended& x) {
  Leaves p, q;
  if (!x.pair(0, p, q)) return;
  for (size_t k = 0; k < p.size(); ++k) p[k] = x.b().binary(Op::kSub, p[k], q[k]);
  x.e.define(Leaves{x.length_of(p)});
}

Parts parts_of(Extended& x, Value* v) {
  ir::Builder& b = x.b();
  const ir::Type* i32 = x.e.kind(TypeKind::kI32);
  const ir::Type* yes_no = x.e.kind(TypeKind::kBool);
  Value* plain = b.compare(Op::kNe, v, x.real(v, 0));
  Value* odd = b.binary(Op::kOr, b.op(Op::kIsNan, yes_no, {v}), b.op(Op::kIsInf, yes_no, {v}));
  plain = b.binary(Op::kAnd, plain, b.unary(Op::kNot, odd));
  Value* safe = b.select(plain, v, x.real(v, 1));
  Value* exponent = b.binary(Op::kAdd, b.op(Op::kIlogb, i32, {safe}), x.e.number(i32, 1));
  // In two steps: the smallest numbers need a factor beyond the largest exponent.
  Value* half = b.op(Op::kShr, i32, {exponent, x.e.number(i32, 1)});
  Value* rest = b.binary(Op::kSub, exponent, half);
  Value* fraction = b.op(Op::kLdexp, v->type, {safe, b.unary(Op::kNeg, half)});
  fraction = b.op(Op::kLdexp, v->type, {fraction, b.unary(Op::kNeg, rest)});
  return {b.select(plain, fraction, v), b.select(plain, exponent, x.e.zero(i32))};
}

bool emit_extended(Emitter& e) {
  if (e.at().opcode != Opcode::kExtInst) return false;
  const auto set = e.source().extended_sets.find(e.word(0));
  if (set == e.source().extended_sets.end()) {
    e.fail(message::kNotInstructionSet(std::to_string(e.word(0))));
    return true;
  }
  const uint32_t number = e.word(1);
  bool known = true;
  switch (set->second) {
    case ExtendedSet::kGlsl: known = emit_glsl(e, number, 2); break;
    case ExtendedSet::kOpenCl: known = emit_opencl(e, number, 2); break;
    case ExtendedSet::kShaderDebug: e.debug_instruction(number); break;
    case ExtendedSet::kIgnored: break;
  }
  if (!known) e.fail(message::kExtendedInstruction(std::to_string(number)));
  return true;
}

}  // namespace quern::spirv
