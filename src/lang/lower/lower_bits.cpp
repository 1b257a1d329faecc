// Bit-fields: parts of integers in memory.
#include "lang/lower/function_lowering.hpp"

namespace quern::lang {

// The field's bits of a unit that has them from `offset` on, as a value of the field's type.
ir::Value* FunctionLowering::fit_bits(const FieldDecl& field, ir::Value* unit, uint32_t offset) {
  using enum TypeKind;
  const auto bits = static_cast<uint32_t>(unit->type->size * 8);
  const auto width = static_cast<uint32_t>(field.bit_width);
  if (is_signed_bits(&field)) {
    const TypeKind kind = bits == 8 ? kSChar : bits == 16 ? kShort : bits == 32 ? kInt : kLong;
    unit = number_cast(unit, sema_.basic(kind));
  }
  const auto shift = [&](ir::Op op, uint32_t by) {
    if (by != 0) unit = builder_.binary(op, unit, module_.constant(unit->type, by));
  };
  shift(ir::Op::kShl, bits - offset - width);
  shift(ir::Op::kShr, bits - width);
  return number_cast(unit, field.type);
}

ir::Value* FunctionLowering::load_bits(const FieldDecl& field, ir::Value* from, bool is_volatile) {
  ir::Value* unit = builder_.load(shared_.types.bit_unit(field), from, 0, is_volatile);
  return fit_bits(field, unit, field.bit_offset);
}

ir::Value* FunctionLowering::store_bits(const FieldDecl& field, ir::Value* to, ir::Value* v,
                                        bool is_volatile) {
  const ir::Type* unit = shared_.types.bit_unit(field);
  const auto width = static_cast<uint32_t>(field.bit_width);
  ir::Value* given = builder_.convert(v, unit);
  ir::Value* whole = given;
  if (width < unit->size * 8) {
    const uint64_t mask = ((uint64_t{1} << width) - 1) << field.bit_offset;
    ir::Value* others = builder_.load(unit, to, 0, is_volatile);
    const uint64_t all = ~uint64_t{0} >> (64 - unit->size * 8);
    others = builder_.binary(ir::Op::kAnd, others, module_.constant(unit, ~mask & all));
    if (field.bit_offset != 0)
      whole = builder_.binary(ir::Op::kShl, whole, module_.constant(unit, field.bit_offset));
    whole = builder_.binary(ir::Op::kAnd, whole, module_.constant(unit, mask));
    whole = builder_.binary(ir::Op::kOr, whole, others);
  }
  builder_.store(to, whole, 0, is_volatile);
  return fit_bits(field, given, 0);
}

void FunctionLowering::clear_bits(ClassDecl* decl, ir::Value* object) {
  const ClassLayout* layout = shared_.types.layout(decl);
  for (const FieldDecl* field : decl->fields) {
    if (!field->is_bit_field()) continue;
    ir::Value* unit = builder_.field(object, layout->type, layout->first_field + field->index);
    builder_.store(unit, module_.constant(shared_.types.bit_unit(*field), 0));
  }
}

// A variable without an initialiser: setting one bit-field reads the bits of the others, which are
// uninitialized.
void FunctionLowering::clear_unset(QualType t, ir::Value* object) {
  QualType elem = t;
  while (elem->is_array()) elem = elem->elem;
  const ClassLayout* layout = elem->is_class() ? shared_.types.layout(elem->class_decl) : nullptr;
  if (layout == nullptr || !layout->has_bits) return;
  if (elem.type == t.type) return clear_bits(elem->class_decl, object);
  builder_.store(object, module_.constant(type(t), 0));
}

}  // namespace quern::lang
