// Members of packed classes that are not aligned for their type: they are read and written as bytes.
#include <algorithm>
#include <bit>

#include "lang/lower/function_lowering.hpp"

namespace quern::lang {

namespace {

uint64_t align_at(uint64_t align, uint64_t offset) {
  return offset == 0 ? align : std::min(align, uint64_t{1} << std::countr_zero(offset));
}

}  // namespace

// The alignment that packed classes leave to an object.
uint64_t FunctionLowering::known_align(const Expr* e) {
  constexpr uint64_t kAny = 1U << 16;
  if (!sema_.has_packed_classes) return kAny;
  switch (e->kind) {
    case ExprKind::kField: {
      const auto* f = as<FieldExpr>(e);
      if (f->field->type->is_ref()) return kAny;
      const ClassDecl* c = f->object->type->class_decl;
      const uint64_t outer = known_align(f->object);
      return align_at(c->pack != 0 ? std::min(outer, c->align) : outer, f->field->offset);
    }
    case ExprKind::kIndex: {
      const Expr* array = as<IndexExpr>(e)->pointer;
      const bool is_array =
          array->kind == ExprKind::kCast && as<CastExpr>(array)->cast == CastKind::kArrayToPointer;
      return is_array ? align_at(known_align(as<CastExpr>(array)->operand), size_of(e->type)) : kAny;
    }
    case ExprKind::kCast: {
      const auto* c = as<CastExpr>(e);
      const bool is_same = c->cast == CastKind::kQualify || c->cast == CastKind::kDerivedToBase;
      return is_same && e->is_lvalue ? align_at(known_align(c->operand), c->offset) : kAny;
    }
    default: return kAny;
  }
}

bool FunctionLowering::is_aligned_member(const FieldDecl& field) {
  const ClassDecl* c = field.parent != nullptr ? field.parent->class_decl : nullptr;
  if (c == nullptr || c->pack == 0) return true;
  const uint64_t own = field.type->is_ref() ? 8 : align_of(field.type);
  return align_at(c->align, field.offset) >= own;
}

ir::Value* FunctionLowering::load_bytes(const ir::Type* t, ir::Value* from) {
  if (t->is_scalar() && !t->is_ptr()) {
    const ir::Type* byte = ir_type(ir::TypeKind::kU8);
    const ir::Type* word = ir_type(t->size == 8   ? ir::TypeKind::kU64
                                   : t->size == 4 ? ir::TypeKind::kU32
                                                  : ir::TypeKind::kU16);
    ir::Value* whole = nullptr;
    for (uint64_t i = 0; i < t->size; ++i) {
      ir::Value* at =
          builder_.offset(from, module_.constant_int(ir::TypeKind::kI64, static_cast<int64_t>(i)), 1);
      ir::Value* part = builder_.convert(builder_.load(byte, at, 1), word);
      if (i != 0) part = builder_.binary(ir::Op::kShl, part, module_.constant(word, i * 8));
      whole = i == 0 ? part : builder_.binary(ir::Op::kOr, whole, part);
    }
    if (t->is_int()) return builder_.convert(whole, t);
    return builder_.op(ir::Op::kBitcast, t, {whole});
  }
  ir::Inst* memory = temporary_memory(t);
  copy_bytes(memory, from, t->size);
  return builder_.load(t, memory);
}

void FunctionLowering::store_bytes(ir::Value* to, ir::Value* v) {
  const ir::Type* t = v->type;
  if (t->is_scalar() && !t->is_ptr()) {
    const ir::Type* byte = ir_type(ir::TypeKind::kU8);
    const ir::Type* word = ir_type(t->size == 8   ? ir::TypeKind::kU64
                                   : t->size == 4 ? ir::TypeKind::kU32
                                                  : ir::TypeKind::kU16);
    ir::Value* whole = t->is_int() ? builder_.convert(v, word) : builder_.op(ir::Op::kBitcast, word, {v});
    for (uint64_t i = 0; i < t->size; ++i) {
      ir::Value* at =
          builder_.offset(to, module_.constant_int(ir::TypeKind::kI64, static_cast<int64_t>(i)), 1);
      ir::Value* part = i == 0 ? whole : builder_.binary(ir::Op::kShr, whole, module_.constant(word, i * 8));
      builder_.store(at, builder_.convert(part, byte), 1);
    }
    return;
  }
  ir::Inst* memory = temporary_memory(t);
  builder_.store(memory, v);
  copy_bytes(to, memory, t->size);
}

void FunctionLowering::copy_bytes(ir::Value* to, ir::Value* from, uint64_t bytes) {
  builder_.emit(ir::Op::kMemCopy, nullptr, {to, from, module_.constant(ir_type(ir::TypeKind::kU64), bytes)});
}

// A member that is not aligned is initialized elsewhere and copied.
void FunctionLowering::init_packed(QualType t, const Expr* e, ir::Value* to) {
  ir::Inst* memory = temporary_memory(type(t));
  init_as(t, e, memory);
  const ir::Type* made = type(t);
  if (made->is_scalar()) {
    store_bytes(to, builder_.load(made, memory));
  } else {
    copy_bytes(to, memory, made->size);
  }
}

}  // namespace quern::lang
