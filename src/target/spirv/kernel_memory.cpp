// Pointers point to bytes; an access casts them to the accessed type.
#include "target/messages.hpp"
#include "target/spirv/kernel_emitter.hpp"

namespace quern::target::spirv {

using ir::Inst;
using ir::Op;
using ir::Space;
using ir::Type;
using ir::Value;

StorageClass storage_of(Space space) {
  switch (space) {
    case Space::kGlobal: return StorageClass::kCrossWorkgroup;
    case Space::kShared: return StorageClass::kWorkgroup;
    case Space::kLocal: return StorageClass::kFunction;
    case Space::kConstant: return StorageClass::kUniformConstant;
    default: return StorageClass::kGeneric;
  }
}

Id kernel_pointer_type(Unit& unit, Space space) {
  if (space == Space::kGeneric) {
    if (!unit.has(driver::Feature::generic_pointers)) return unit.b.int_type(64);
    unit.b.need(Capability::kGenericPointer);
  }
  return unit.b.pointer_type(storage_of(space), unit.b.int_type(8));
}

namespace {

ir::Pos position(const Value* v) {
  const Inst* i = ir::as_inst(v);
  return i != nullptr ? i->pos : ir::Pos{};
}

}  // namespace

Id KernelEmitter::address(const Value* pointer) {
  if (const Inst* i = ir::as_inst(pointer); i != nullptr && !i->is(Op::kVar)) return pointer_value(i);
  unit_.refuse(function_.pos, message::kVariableWithoutAddress());
  return b_.null(held(pointer->type));
}

Id KernelEmitter::moved_by(Id pointer, Space space, Id bytes) {
  const Opcode step = is_number(space) ? Opcode::kIAdd : Opcode::kPtrAccessChain;
  return op(step, kernel_pointer_type(unit_, space), {pointer, bytes});
}

Id KernelEmitter::space_cast(Id pointer, Space from, Space to) {
  if (from == to) return pointer;
  const bool has_cast = from != Space::kConstant && to != Space::kConstant;
  if (!has_cast || is_number(from) || is_number(to)) return from_number(number_of(pointer, from), to);
  const Id type = kernel_pointer_type(unit_, to);
  if (to == Space::kGeneric) return op(Opcode::kPtrCastToGeneric, type, {pointer});
  return op(Opcode::kGenericCastToPtr, type, {pointer});
}

Id KernelEmitter::is_space(const Inst* i, Id pointer) {
  const Space space = i->attr().space;
  if (space == Space::kConstant || is_number(Space::kGeneric)) {
    refuse(i, message::kQueriesSpace());
    return b_.boolean(false);
  }
  const auto storage = static_cast<uint32_t>(storage_of(space));
  const Id found =
      op(Opcode::kGenericCastToPtrExplicit, kernel_pointer_type(unit_, space), {pointer, storage});
  return op(Opcode::kINotEqual, b_.bool_type(), {number_of(found, space), b_.u64(0)});
}

Id KernelEmitter::pointer_value(const Inst* i) {
  const Type* t = i->operand(0)->type;
  const Id from = scalar(i->operand(0));
  switch (i->op) {
    case Op::kOffset: {
      const ir::Const* known = ir::as_const(i->operand(1));
      const uint64_t scale = i->attr().scale;
      if (known != nullptr)
        return moved_by(from, i->type->space, b_.u64(static_cast<uint64_t>(ir::int_value(known)) * scale));
      const Type* index_type = i->operand(1)->type;
      Id bytes = resized(scalar(i->operand(1)), rep_of(index_type), index_type->is_signed(), Rep::kU64);
      if (scale != 1) bytes = op(Opcode::kIMul, u64(), {bytes, b_.u64(scale)});
      return moved_by(from, i->type->space, bytes);
    }
    case Op::kFieldPtr:
      return moved_by(from, i->type->space, b_.u64(i->attr().type->fields[i->attr().index].offset));
    case Op::kSpaceCast: return space_cast(from, t->space, i->type->space);
    case Op::kIntToPtr: return from_generic(i->type, from);
    case Op::kPtrToInt: return to_generic(t, from);
    case Op::kPtrDiff: {
      const Type* other = i->operand(1)->type;
      const bool is_same = t->space == other->space;
      const Id second = scalar(i->operand(1));
      const Id a = is_same ? number_of(from, t->space) : to_generic(t, from);
      const Id b = is_same ? number_of(second, t->space) : to_generic(other, second);
      const Id difference = op(Opcode::kISub, u64(), {a, b});
      const uint64_t scale = i->attr().scale;
      return scale == 1 ? difference : op(Opcode::kSDiv, u64(), {difference, b_.u64(scale)});
    }
    default: return is_space(i, from);
  }
}

Id KernelEmitter::constant(const Type* type, uint64_t bits) {
  if (!type->is_ptr()) return Emitter::constant(type, bits);
  return bits == 0 ? b_.null(held(type)) : from_number(b_.u64(bits), type->space);
}

// In memory and as an integer, a pointer is the number of the generic pointer: for device memory this is its
// address. Without generic pointers there is no ambiguity.
Id KernelEmitter::to_generic(const Type* type, Id id) {
  if (!is_narrow_pointer(type) || is_number(Space::kGeneric)) return number_of(id, type->space);
  return number_of(space_cast(id, type->space, Space::kGeneric), Space::kGeneric);
}

Id KernelEmitter::from_generic(const Type* type, Id id) {
  if (!is_narrow_pointer(type) || is_number(Space::kGeneric)) return from_number(id, type->space);
  return space_cast(from_number(id, Space::kGeneric), Space::kGeneric, type->space);
}

Place KernelEmitter::place(const Value* pointer) {
  const Value* root = Objects::root_of(pointer);
  if (root != nullptr && ir::as_inst(root) != nullptr && unit_.objects.of(root).is_plain)
    return object_place(pointer, root);
  if (is_number(pointer->type->space)) unit_.refuse(position(pointer), message::kSeveralSpacesOnDevice());
  Place p;
  p.kind = Place::Kind::kPointer;
  p.at = scalar(pointer);
  p.space = pointer->type->space;
  return p;
}

// The form of a scalar in memory. Pointers to device memory are their bits.
Id KernelEmitter::memory_type(const Type* type) {
  const bool is_plain_pointer = type->is_ptr() && !is_narrow_pointer(type);
  if (is_plain_pointer || (type->is_float() && type->size >= 4)) return held(type);
  return b_.int_type(static_cast<uint32_t>(type->size * 8));
}

Id KernelEmitter::typed_pointer(const Place& p, uint64_t offset, Id type) {
  const Id at = offset == 0 ? p.at : moved_by(p.at, p.space, b_.u64(offset));
  return op(Opcode::kBitcast, b_.pointer_type(storage_of(p.space), type), {at});
}

uint32_t KernelEmitter::access_bits(const Place& p, Access how) const {
  const bool may_be_global = p.space == Space::kGlobal || p.space == Space::kGeneric;
  return kAligned | (how.is_volatile || (is_coherent_ && may_be_global) ? kVolatile : 0);
}

Id KernelEmitter::load_leaf(const Place& p, uint64_t offset, const Type* type, Access how) {
  if (p.kind == Place::Kind::kObject) return object_load(p, offset, type, how);
  const Id in_memory = memory_type(type);
  const Id id =
      op(Opcode::kLoad, in_memory, {typed_pointer(p, offset, in_memory), access_bits(p, how), how.align});
  if (in_memory == held(type)) return id;
  return from_bits(type, type->size < 4 ? op(Opcode::kUConvert, u32(), {id}) : id);
}

void KernelEmitter::store_leaf(const Place& p, uint64_t offset, const Type* type, Id id, Access how) {
  if (p.kind == Place::Kind::kObject) {
    object_store(p, offset, type, id, how);
    return;
  }
  const Id in_memory = memory_type(type);
  if (in_memory != held(type)) {
    id = to_bits(type, id);
    if (type->size < 4) id = op(Opcode::kUConvert, in_memory, {id});
  }
  const Id pointer = typed_pointer(p, offset, in_memory);
  effect(Opcode::kStore, {pointer, id, access_bits(p, how), how.align});
}

Id KernelEmitter::atomic_pointer(const Inst* i, const Place& p, uint32_t bytes) {
  if (p.kind == Place::Kind::kObject) return Emitter::atomic_pointer(i, p, bytes);
  return typed_pointer(p, 0, b_.int_type(bytes * 8));
}

}  // namespace quern::target::spirv
