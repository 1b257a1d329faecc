// Constants as values, as trees, and as bytes.
#include <bit>
#include <cstring>

#include "lang/constant/const_evaluator.hpp"
#include "lang/ir/float_bits.hpp"

namespace quern::lang {
namespace {

constexpr uint64_t kMaxElements = 1u << 20;  // of one object; a larger table is data for the host to copy

ir::TypeKind float_kind(TypeKind kind) {
  switch (kind) {
    case TypeKind::kHalf: return ir::TypeKind::kF16;
    case TypeKind::kBFloat: return ir::TypeKind::kBF16;
    case TypeKind::kFloat: return ir::TypeKind::kF32;
    default: return ir::TypeKind::kF64;
  }
}

// Creates a value of `type` whose scalars come from `leaf`.
template <typename Leaf>
bool build(QualType type, ConstValue& out, uint64_t& budget, const Leaf& leaf) {
  if (type->is_array()) {
    out = {};
    out.type = type;
    if (type->count > budget) return false;
    if (type->count == 0) return true;
    ConstValue element;
    uint64_t one = budget / type->count;
    const uint64_t before = one;
    if (!build(type->elem, element, one, leaf)) return false;
    budget -= (before - one) * type->count;
    out.members.assign(type->count, element);
    return true;
  }
  if (!type->is_class()) {
    if (budget == 0) return false;
    --budget;
    out = leaf(type);
    return true;
  }
  const ClassDecl* decl = type->class_decl;
  out = {};
  out.type = type;
  out.members.resize(decl->bases.size() + decl->fields.size());
  size_t at = 0;
  for (const BaseClass& base : decl->bases) {
    if (!build(base.decl->type, out.members[at++], budget, leaf)) return false;
  }
  for (const FieldDecl* field : decl->fields) {
    if (decl->is_union && field->index != 0)
      break;  // the first member is the active one; the rest stays undefined
    if (!build(field->type, out.members[at++], budget, leaf)) return false;
  }
  return true;
}

void put_bits(const ConstValue& value, const FieldDecl* field, std::vector<uint8_t>& out, uint64_t at) {
  if (!value.type) return;
  for (int i = 0; i < field->bit_width; ++i) {
    const uint64_t bit = field->bit_offset + static_cast<uint64_t>(i);
    const auto mask = static_cast<uint8_t>(1u << (bit % 8));
    uint8_t& byte = out[at + bit / 8];
    byte = static_cast<uint8_t>((value.bits >> i & 1) != 0 ? byte | mask : byte & ~mask);
  }
}

struct Bytes {
  std::vector<uint8_t>& out;
  std::vector<ConstAddress>* addresses;
};

bool put_bytes(const ConstValue& value, QualType type, Bytes& bytes, uint64_t at);

bool put_class(const ConstValue& value, const ClassDecl* decl, Bytes& bytes, uint64_t at) {
  size_t i = 0;
  for (const BaseClass& base : decl->bases) {
    if (i >= value.members.size()) return true;
    if (!put_bytes(value.members[i++], base.decl->type, bytes, at + base.offset)) return false;
  }
  for (const FieldDecl* field : decl->fields) {
    if (i >= value.members.size()) return true;
    const ConstValue& member = value.members[i++];
    if (field->is_bit_field()) {
      put_bits(member, field, bytes.out, at + field->offset);
    } else if (!put_bytes(member, field->type, bytes, at + field->offset)) {
      return false;
    }
  }
  return true;
}

bool put_bytes(const ConstValue& value, QualType type, Bytes& bytes, uint64_t at) {
  if (type->is_class()) return put_class(value, type->class_decl, bytes, at);
  if (type->is_array()) {
    const uint64_t size = size_of(type->elem);
    for (size_t i = 0; i < value.members.size(); ++i) {
      if (!put_bytes(value.members[i], type->elem, bytes, at + i * size)) return false;
    }
    return true;
  }
  if (!value.type) return true;  // undefined: arbitrary bytes
  if (value.function != nullptr || value.pointee != nullptr || value.literal != nullptr) {
    if (bytes.addresses != nullptr) bytes.addresses->push_back({at, &value});
    return bytes.addresses != nullptr;
  }
  if ((type->is_pointer() || type->is_ref()) && value.bits != 0) return false;
  const uint64_t bits =
      type->is_floating() ? ir::float_to_bits(float_kind(type->kind), value.number) : value.bits;
  const uint64_t size = size_of(type);
  if (at + size > bytes.out.size() || size > 8) return false;
  for (uint64_t i = 0; i < size; ++i) bytes.out[at + i] = static_cast<uint8_t>(bits >> (8 * i));
  return true;
}

// The offset of member `index` of a class or array; `type` becomes its type.
int64_t step_into(QualType& type, int64_t index) {
  if (type->is_array()) {
    type = type->elem;
    return index * static_cast<int64_t>(size_of(type));
  }
  const ClassDecl* decl = type->class_decl;
  const auto i = static_cast<size_t>(index);
  if (i < decl->bases.size()) {
    type = decl->bases[i].decl->type;
    return static_cast<int64_t>(decl->bases[i].offset);
  }
  const FieldDecl* field = decl->fields[i - decl->bases.size()];
  type = field->type;
  return static_cast<int64_t>(field->offset);
}

Expr* aggregate_expr(Sema& sema, const ConstValue& value, SourceLoc loc) {
  AggregateExpr* e = sema.make<AggregateExpr>();
  e->type = value.type;
  e->loc = loc;
  const bool is_class = value.type->is_class();
  const size_t bases = is_class ? value.type->class_decl->bases.size() : 0;
  const bool is_union = is_class && value.type->class_decl->is_union;
  for (size_t i = 0; i < value.members.size(); ++i) {
    if (is_union && i > 0) {
      if (!is_undefined(value.members[i])) return nullptr;  // another member than the first is active
      continue;
    }
    Expr* member = to_expr(sema, value.members[i], loc);
    if (member == nullptr) return nullptr;
    (i < bases ? e->bases : e->members).push_back(member);
  }
  return e;
}

// Pointers to whole variables and to the first character of a string literal.
Expr* pointer_expr(Sema& sema, const ConstValue& value, SourceLoc loc) {
  if (!value.type->is_pointer()) return nullptr;
  if (value.literal != nullptr) {
    if (value.path != std::vector<int64_t>{0}) return nullptr;
    CastExpr* e = sema.make<CastExpr>();
    e->cast = CastKind::kArrayToPointer;
    e->operand = const_cast<StringExpr*>(value.literal);
    e->type = value.type;
    e->loc = loc;
    return e;
  }
  if (!value.path.empty()) return nullptr;
  VarExpr* var = sema.make<VarExpr>();
  var->var = const_cast<VarDecl*>(value.pointee);
  var->type = strip_ref(value.pointee->type);
  var->is_lvalue = true;
  var->loc = loc;
  AddressExpr* e = sema.make<AddressExpr>();
  e->object = var;
  e->type = value.type;
  e->loc = loc;
  return e;
}

}  // namespace

QualType scalar_of(QualType type) {
  return type->is_enum() ? type->enum_decl->underlying.unqualified() : type.unqualified();
}

bool is_undefined(const ConstValue& value) { return !value.type; }

bool is_signed_bits(const FieldDecl* field) {
  const QualType type = field->type;
  return (type->is_enum() ? type->enum_decl->underlying : type)->is_signed_integer();
}

void fit_bits(ConstValue& value, const FieldDecl* field) {
  constexpr int kBits = 64;
  if (!field->is_bit_field() || !value.type) return;
  const int above = kBits - field->bit_width;
  const uint64_t high = value.bits << above;
  value.bits =
      is_signed_bits(field) ? static_cast<uint64_t>(static_cast<int64_t>(high) >> above) : high >> above;
}

ConstValue scalar_value(QualType type, uint64_t bits) {
  ConstValue v;
  v.type = type;
  v.bits = bits;
  return v;
}

ConstValue float_value(QualType type, double number) {
  ConstValue v;
  v.type = type;
  v.number = number;
  return v;
}

bool zero_value(QualType type, ConstValue& out) {
  uint64_t budget = kMaxElements;
  return build(type, out, budget, [](QualType t) { return scalar_value(t, 0); });
}

bool undefined_value(QualType type, ConstValue& out) {
  uint64_t budget = kMaxElements;
  return build(type, out, budget, [](QualType) { return ConstValue(); });
}

Expr* to_expr(Sema& sema, const ConstValue& value, SourceLoc loc) {
  if (is_undefined(value)) return nullptr;
  if (value.type->is_class() || value.type->is_array()) return aggregate_expr(sema, value, loc);
  if (value.function != nullptr) {
    FunctionExpr* e = sema.make<FunctionExpr>();
    e->function = value.function;
    e->type = value.type;
    e->loc = loc;
    return e;
  }
  const bool is_address = value.type->is_pointer() || value.type->is_ref();
  if (is_address && (value.pointee != nullptr || value.literal != nullptr))
    return pointer_expr(sema, value, loc);
  ConstExpr* e = sema.make<ConstExpr>();
  e->type = value.type.unqualified();
  e->loc = loc;
  e->bits = value.bits;
  e->number = value.number;
  return e;
}

bool to_bytes(const ConstValue& value, std::vector<uint8_t>& out, std::vector<ConstAddress>* addresses) {
  out.assign(size_of(value.type), 0);
  Bytes bytes{out, addresses};
  return put_bytes(value, value.type, bytes, 0);
}

int64_t distance(const ConstValue& pointer) {
  QualType type = pointer.literal != nullptr ? pointer.literal->type : pointer.pointee->type;
  int64_t bytes = 0;
  for (const int64_t index : pointer.path) bytes += step_into(type, index);
  return bytes;
}

}  // namespace quern::lang
