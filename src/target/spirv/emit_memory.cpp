// Pointers: their origin and their representation as numbers.
#include <bit>
#include <numeric>

#include "target/messages.hpp"
#include "target/spirv/emitter.hpp"

namespace quern::target::spirv {

using ir::Inst;
using ir::Op;
using ir::Space;
using ir::Type;
using ir::Value;
using ir::ValueKind;

namespace {

Place::Kind kind_of(Space space, bool has_literals) {
  switch (space) {
    case Space::kShared: return Place::Kind::kShared;
    case Space::kLocal: return Place::Kind::kLocal;
    case Space::kGeneric: return Place::Kind::kGeneric;
    case Space::kConstant: return has_literals ? Place::Kind::kGeneric : Place::Kind::kGlobal;
    default: return has_literals ? Place::Kind::kGeneric : Place::Kind::kGlobal;
  }
}

}  // namespace

Id Emitter::tag_is(Id generic, uint64_t tag) {
  const Id upper = low(op(Opcode::kShiftRightLogical, u64(), {generic, b_.u32(48)}));
  return op(Opcode::kIEqual, b_.bool_type(), {upper, b_.u32(static_cast<uint32_t>(tag))});
}

Id Emitter::root_address(const Value* root) {
  const auto at = arena_at_.find(root);
  if (at == arena_at_.end()) {
    unit_.refuse(function_.pos, message::kVariableWithoutAddress());
    return b_.u32(kArenaStart);
  }
  if (Objects::is_literal(root)) return b_.u64(kLiteralTag << 48 | at->second);
  return b_.u32(static_cast<uint32_t>(at->second));
}

// For uninitialized values: a variable, or an offset from one.
Id Emitter::address(const Value* pointer) {
  if (const Inst* i = ir::as_inst(pointer); i != nullptr && !i->is(Op::kVar)) return pointer_value(i);
  if (unit_.objects.has(pointer) && (ir::as_inst(pointer) != nullptr || pointer->kind == ValueKind::kGlobal))
    return root_address(pointer);
  unit_.refuse(function_.pos, message::kVulkanPointer());
  return b_.u64(0);
}

Id Emitter::step(const Inst* i) {
  const bool narrow = is_narrow_pointer(i->type);
  const Type* t = i->operand(1)->type;
  const uint64_t scale = i->attr().scale;
  if (const ir::Const* known = ir::as_const(i->operand(1))) {
    const auto bytes = static_cast<uint64_t>(ir::int_value(known)) * scale;
    return narrow ? b_.u32(static_cast<uint32_t>(bytes)) : b_.u64(bytes);
  }
  const Id index = resized(scalar(i->operand(1)), rep_of(t), t->is_signed(), narrow ? Rep::kU32 : Rep::kU64);
  if (scale == 1) return index;
  const Id by = narrow ? b_.u32(static_cast<uint32_t>(scale)) : b_.u64(scale);
  return op(Opcode::kIMul, narrow ? u32() : u64(), {index, by});
}

// Exact division of a multiple: 64-bit division is unreliable (native.cpp). After its factors of two are
// shifted out, the divisor is odd and has an inverse.
Id Emitter::divided_exactly(Id number, uint64_t by) {
  const auto twos = static_cast<uint32_t>(std::countr_zero(by));
  const uint64_t odd = by >> twos;
  if (twos != 0) number = op(Opcode::kShiftRightArithmetic, u64(), {number, b_.u32(twos)});
  if (odd == 1) return number;
  uint64_t inverse = odd;  // correct in three bits, and in twice as many after each step
  for (int bits = 3; bits < 64; bits *= 2) inverse *= 2 - odd * inverse;
  return op(Opcode::kIMul, u64(), {number, b_.u64(inverse)});
}

Id Emitter::pointer_value(const Inst* i) {
  const Type* t = i->operand(0)->type;
  const Id from = scalar(i->operand(0));
  switch (i->op) {
    case Op::kOffset: {
      const ir::Const* known = ir::as_const(i->operand(1));
      if (known != nullptr && known->bits == 0) return from;
      return stepped(from, is_narrow_pointer(i->type), step(i));
    }
    case Op::kFieldPtr: {
      const uint64_t offset = i->attr().type->fields[i->attr().index].offset;
      if (offset == 0) return from;
      const bool narrow = is_narrow_pointer(i->type);
      return stepped(from, narrow, narrow ? b_.u32(static_cast<uint32_t>(offset)) : b_.u64(offset));
    }
    case Op::kSpaceCast: return from_generic(i->type, to_generic(t, from));
    case Op::kIntToPtr: return from_generic(i->type, from);
    case Op::kPtrToInt: return to_generic(t, from);
    case Op::kPtrDiff: {
      const Type* other = i->operand(1)->type;
      const Id a = to_generic(t, from), b = to_generic(other, scalar(i->operand(1)));
      const Id difference = op(Opcode::kISub, u64(), {a, b});
      return divided_exactly(difference, i->attr().scale);
    }
    default: break;
  }
  // IsSpace.
  const Id generic = to_generic(t, from);
  switch (i->attr().space) {
    case Space::kShared: return tag_is(generic, kSharedTag);
    case Space::kLocal: return tag_is(generic, kLocalTag);
    case Space::kConstant: refuse(i, message::kQueriesConstantSpace()); break;
    default: break;
  }
  return op(Opcode::kULessThan, b_.bool_type(), {generic, b_.u64(kLiteralTag << 48)});
}

// Inside of an object with its own variable: which element.
Place Emitter::object_place(const Value* pointer, const Value* root) {
  Place p;
  p.kind = Place::Kind::kObject;
  p.root = root;
  const uint32_t unit = unit_.objects.of(root).unit;
  uint64_t units = 0;
  while (pointer != root) {
    const Inst* i = ir::as_inst(pointer);
    if (i->is(Op::kFieldPtr)) {
      units += i->attr().type->fields[i->attr().index].offset / unit;
    } else if (const ir::Const* known = ir::as_const(i->operand(1))) {
      units += static_cast<uint64_t>(ir::int_value(known) * static_cast<int64_t>(i->attr().scale) /
                                     static_cast<int64_t>(unit));
    } else {
      const Type* t = i->operand(1)->type;
      Id index = resized(scalar(i->operand(1)), rep_of(t), t->is_signed(), Rep::kU32);
      const auto factor = static_cast<uint32_t>(i->attr().scale / unit);
      if (factor != 1) index = op(Opcode::kIMul, u32(), {index, b_.u32(factor)});
      p.index = p.index == 0 ? index : op(Opcode::kIAdd, u32(), {p.index, index});
    }
    pointer = i->operand(0);
  }
  p.units = static_cast<uint32_t>(units);
  return p;
}

// The number of the buffer that a pointer is derived from by offsets alone; 0: something else.
uint32_t Emitter::buffer_of(const Value* pointer) const {
  while (const Inst* i = ir::as_inst(pointer)) {
    if (!i->is(Op::kOffset) && !i->is(Op::kFieldPtr) && !i->is(Op::kSpaceCast)) return 0;
    pointer = i->operand(0);
  }
  const auto known = buffers_.find(pointer);
  return known == buffers_.end() ? 0 : known->second;
}

Place Emitter::place(const Value* pointer) {
  const Value* root = Objects::root_of(pointer);
  if (root != nullptr && unit_.objects.of(root).is_plain) return object_place(pointer, root);
  Place p;
  p.kind = kind_of(pointer->type->space, uses_literal_arena_);
  if (root != nullptr && Objects::is_literal(root)) p.kind = Place::Kind::kGeneric;
  p.at = scalar(pointer);
  if (!unit_.binds() || (p.kind != Place::Kind::kGlobal && p.kind != Place::Kind::kGeneric)) return p;
  p.buffer = buffer_of(pointer);
  if (p.buffer != 0) p.kind = Place::Kind::kGlobal;
  return p;
}

void Emitter::load(const Inst* i) {
  if (const auto at = matrices_.place(i->operand(0))) return matrix_access(i, *at);
  const Place p = place(i->operand(0));
  const std::vector<Leaf>& leaves = unit_.leaves.of(i->type);
  if (leaves.empty() && i->type->size != 0) refuse(i, message::kLoadTooLarge());
  const uint64_t whole = i->attr().align != 0 ? i->attr().align : i->type->align;
  Ids out;
  for (const Leaf& leaf : leaves) {
    const Access how{static_cast<uint32_t>(std::gcd(whole, leaf.offset)), i->attr().is_volatile};
    out.push_back(load_leaf(p, leaf.offset, leaf.type, how));
  }
  define(i, std::move(out));
}

void Emitter::store(const Inst* i) {
  const Value* v = i->operand(1);
  if (v->kind == ValueKind::kUndef) return;
  if (const auto at = matrices_.place(i->operand(0))) return matrix_access(i, *at);
  const Place p = place(i->operand(0));
  const std::vector<Leaf>& leaves = unit_.leaves.of(v->type);
  if (leaves.empty() && v->type->size != 0) refuse(i, message::kStoreTooLarge());
  const uint64_t whole = i->attr().align != 0 ? i->attr().align : v->type->align;
  const Ids ids = value(v);
  for (size_t k = 0; k < leaves.size(); ++k) {
    const Access how{static_cast<uint32_t>(std::gcd(whole, leaves[k].offset)), i->attr().is_volatile};
    store_leaf(p, leaves[k].offset, leaves[k].type, ids[k], how);
  }
}

}  // namespace quern::target::spirv
