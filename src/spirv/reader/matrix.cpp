// Linear algebra. A matrix is stored column by column.
#include "base/text.hpp"
#include "spirv/reader/instructions.hpp"
#include "spirv/reader/messages.hpp"

namespace quern::spirv {

using ir::Op;
using ir::Type;
using ir::TypeKind;
using ir::Value;

namespace {

struct Matrix {
  Leaves at;  // column by column
  size_t columns = 0, rows = 0;
  const Type* number = nullptr;
  Value* operator()(size_t column, size_t row) const { return at[column * rows + row]; }
  Leaves column(size_t c) const {
    return Leaves(at.begin() + static_cast<long>(c * rows), at.begin() + static_cast<long>((c + 1) * rows));
  }
  Leaves row(size_t r) const {
    Leaves all;
    for (size_t c = 0; c < columns; ++c) all.push_back((*this)(c, r));
    return all;
  }
};

// A matrix, or a vector as a matrix with one column. Empty, with a failure, if it is neither.
Matrix matrix_arg(Emitter& e, size_t operand) {
  const Val v = e.arg(operand);
  Matrix m;
  const TypeInfo* t = e.types().find(v.type);
  const bool is_matrix = t != nullptr && t->kind == TypeClass::kMatrix;
  const bool is_vector = t != nullptr && t->kind == TypeClass::kVector;
  if ((!is_matrix && !is_vector) || v.leaves.size() != t->leaves || !v.leaves[0]->type->is_float()) {
    e.fail(message::kNotMatrixOrVector());
    return m;
  }
  m.columns = is_matrix ? t->count : 1;
  m.rows = t->leaves / m.columns;
  m.at = v.leaves;
  m.number = v.leaves[0]->type;
  return m;
}

bool agree(Emitter& e, bool right) {
  if (!right) e.fail(message::kMatrixSizes());
  return right && !e.failed();
}

void scale(Emitter& e) {
  const Matrix m = matrix_arg(e, 0);
  if (e.failed()) return;
  Value* by = e.scalar_arg(1, m.number);
  Leaves out;
  for (Value* x : m.at) out.push_back(e.b.binary(Op::kMul, x, by));
  e.define(std::move(out));
}

void vector_times_matrix(Emitter& e) {
  const Matrix v = matrix_arg(e, 0), m = matrix_arg(e, 1);
  if (!agree(e, v.columns == 1 && v.rows == m.rows && v.number == m.number)) return;
  Leaves out;
  for (size_t c = 0; c < m.columns; ++c) out.push_back(dot(e, v.at, m.column(c)));
  e.define(std::move(out));
}

void matrix_times(Emitter& e) {
  const Matrix a = matrix_arg(e, 0), b = matrix_arg(e, 1);
  if (!agree(e, a.columns == b.rows && a.number == b.number)) return;
  Leaves out;
  for (size_t c = 0; c < b.columns; ++c) {
    for (size_t r = 0; r < a.rows; ++r) out.push_back(dot(e, a.row(r), b.column(c)));
  }
  e.define(std::move(out));
}

void outer_product(Emitter& e) {
  const Matrix a = matrix_arg(e, 0), b = matrix_arg(e, 1);
  if (!agree(e, a.columns == 1 && b.columns == 1 && a.number == b.number)) return;
  Leaves out;
  for (Value* y : b.at) {
    for (Value* x : a.at) out.push_back(e.b.binary(Op::kMul, x, y));
  }
  e.define(std::move(out));
}

void transpose(Emitter& e) {
  const Matrix m = matrix_arg(e, 0);
  if (e.failed()) return;
  Leaves out;
  for (size_t r = 0; r < m.rows; ++r) {
    for (size_t c = 0; c < m.columns; ++c) out.push_back(m(c, r));
  }
  e.define(std::move(out));
}

void dot_product(Emitter& e) {
  const Matrix a = matrix_arg(e, 0), b = matrix_arg(e, 1);
  if (!agree(e, a.columns == 1 && b.columns == 1 && a.rows == b.rows && a.number == b.number)) return;
  e.define(Leaves{dot(e, a.at, b.at)});
}

// ---- integer dot products: vectors, or four bytes packed in a word

Leaves dot_operand(Emitter& e, size_t operand, bool is_signed, size_t packed_at) {
  const Val v = e.arg(operand);
  Leaves out;
  const auto as_sign = [&](Value* x) {
    return e.as(x, is_signed ? e.signed_type(x->type) : e.unsigned_type(x->type));
  };
  for (Value* x : v.leaves) {
    if (!x->type->is_int()) {
      e.fail(message::kDotNotIntegers());
      return out;
    }
  }
  if (v.leaves.size() != 1) {
    for (Value* x : v.leaves) out.push_back(as_sign(x));
    return out;
  }
  if (!e.has(packed_at) || v.leaves[0]->type->size != 4) {
    e.fail(message::kDotNotPacked());
    return out;
  }
  Value* bits = e.as(v.leaves[0], e.kind(TypeKind::kU32));
  for (uint32_t at = 0; at < 32; at += 8) {
    Value* down = e.b.op(Op::kShr, bits->type, {bits, e.number(bits->type, at)});
    out.push_back(as_sign(e.b.convert(down, e.kind(TypeKind::kU8))));
  }
  return out;
}

// Summed in 64 bits without overflow, then truncated or saturated to the result.
void integer_dot(Emitter& e, bool first_signed, bool second_signed, bool accumulates) {
  const size_t packed_at = accumulates ? 3 : 2;
  const Leaves a = dot_operand(e, 0, first_signed, packed_at),
               b = dot_operand(e, 1, second_signed, packed_at);
  const std::vector<const Type*> results = e.leaf_types(e.result_type());
  if (!agree(e, a.size() == b.size() && results.size() == 1 && results[0]->is_int())) return;
  const bool is_signed = first_signed || second_signed;
  const Type* wide = e.kind(is_signed ? TypeKind::kI64 : TypeKind::kU64);
  Value* sum = e.zero(wide);
  for (size_t k = 0; k < a.size(); ++k)
    sum = e.b.binary(Op::kAdd, sum, e.b.binary(Op::kMul, e.b.convert(a[k], wide), e.b.convert(b[k], wide)));
  const Type* to = is_signed ? e.signed_type(results[0]) : e.unsigned_type(results[0]);
  if (accumulates) {
    if (to->size > 4) return e.fail(message::kSaturatesWide());
    sum = e.b.binary(Op::kAdd, sum, e.b.convert(e.scalar_arg(2, to), wide));
    const uint64_t most = (uint64_t{1} << (to->bits() - (is_signed ? 1 : 0))) - 1;
    sum = e.b.binary(Op::kMin, sum, e.number(wide, most));
    if (is_signed) sum = e.b.binary(Op::kMax, sum, e.number(wide, ~most));
  }
  e.define(Leaves{e.as(e.b.convert(sum, to), results[0])});
}

}  // namespace

ir::Value* dot(Emitter& e, const Leaves& a, const Leaves& b) {
  Value* sum = e.b.binary(Op::kMul, a[0], b[0]);
  for (size_t k = 1; k < a.size(); ++k) sum = e.b.binary(Op::kAdd, sum, e.b.binary(Op::kMul, a[k], b[k]));
  return sum;
}

bool emit_matrix(Emitter& e) {
  switch (e.at().opcode) {
    case Opcode::kVectorTimesScalar:
    case Opcode::kMatrixTimesScalar: scale(e); return true;
    case Opcode::kVectorTimesMatrix: vector_times_matrix(e); return true;
    case Opcode::kMatrixTimesVector:
    case Opcode::kMatrixTimesMatrix: matrix_times(e); return true;
    case Opcode::kOuterProduct: outer_product(e); return true;
    case Opcode::kTranspose: transpose(e); return true;
    case Opcode::kDot: dot_product(e); return true;
    case Opcode::kSDot: integer_dot(e, true, true, false); return true;
    case Opcode::kUDot: integer_dot(e, false, false, false); return true;
    case Opcode::kSUDot: integer_dot(e, true, false, false); return true;
    case Opcode::kSDotAccSat: integer_dot(e, true, true, true); return true;
    case Opcode::kUDotAccSat: integer_dot(e, false, false, true); return true;
    case Opcode::kSUDotAccSat: integer_dot(e, true, false, true); return true;
    default: return false;
  }
}

}  // namespace quern::spirv
