// Variables, addresses, loads and stores. Composite values are accessed scalar by scalar, at the offsets of
// the module's layout.
#include <algorithm>

#include "spirv/reader/instructions.hpp"
#include "spirv/reader/messages.hpp"
#include "spirv/reader/reader.hpp"

namespace quern::spirv {

using ir::Op;
using ir::TypeKind;

namespace {

// Constants with more scalars than this are copied from a table instead of being stored one by one.
constexpr size_t kFewLeaves = 16;

ir::Value* step(Emitter& e, ir::Value* pointer, uint64_t bytes) {
  return e.b.offset(pointer, e.number(e.kind(TypeKind::kU64), bytes), 1);
}

// Visits the scalars of a type in memory: fn(leaf type, byte offset).
template <typename Fn>
void each_scalar(Emitter& e, const TypeInfo& t, Shape shape, uint64_t at, Fn&& fn) {
  Types& types = e.types();
  if (const ir::Type* one = types.scalar(t)) {
    fn(one, at);
    return;
  }
  const uint64_t count = t.kind == TypeClass::kStruct ? t.members.size() : t.count;
  for (uint64_t k = 0; k < count; ++k) {
    const TypeInfo* m = types.member(t, k);
    if (m == nullptr || (m->leaves == 0 && t.kind != TypeClass::kStruct)) return;
    switch (t.kind) {
      case TypeClass::kStruct:
        each_scalar(e, *m, types.member_shape(t, k), at + types.offset(t, k), fn);
        break;
      case TypeClass::kArray: each_scalar(e, *m, shape, at + k * types.array_stride(t, shape), fn); break;
      case TypeClass::kMatrix: each_scalar(e, *m, shape, at + k * types.column_step(t, shape), fn); break;
      default: each_scalar(e, *m, {}, at + k * types.component_step(t, shape), fn); break;
    }
  }
}

uint32_t align_for(const ir::Type* type, const Access& access) {
  return access.align != 0 && access.align < type->size ? access.align : 0;
}

// The memory operands of loads and stores; only alignment and volatility have an effect here.
Access access_operands(Emitter& e, size_t operand) {
  Access access;
  if (!e.has(operand)) return access;
  const uint32_t mask = e.word(operand);
  access.is_volatile = (mask & memory_operands::kVolatile) != 0;
  if ((mask & memory_operands::kAligned) != 0) {
    access.align = e.word(operand + 1);
    if (access.align == 0 || (access.align & (access.align - 1)) != 0)
      e.fail(message::kAlignment(std::to_string(access.align)));
  }
  return access;
}

bool declared_volatile(Emitter& e, const Val& pointer) {
  return pointer.buffer != 0 && e.decorations(pointer.buffer).is_volatile;
}

void emit_variable(Emitter& e) {
  const TypeInfo& pointer = e.result_type();
  const TypeInfo* object = pointer.kind == TypeClass::kPointer ? e.types().find(pointer.elem) : nullptr;
  if (object == nullptr || pointer.storage != StorageClass::kFunction)
    return e.fail(message::kVariableNotFunction());
  if (e.types().size(*object) == 0 && object->kind != TypeClass::kStruct)
    return e.fail(message::kVariableWithoutSize());
  ir::Inst* v = e.variable(e.types().memory(*object), e.source().name(e.at().result()));
  v->pos = e.b.pos();
  e.define(Leaves{v});
  if (e.has(1)) initialise(e, v, *object, e.arg(1));
}

struct Walk {
  ir::Value* pointer = nullptr;
  const TypeInfo* type = nullptr;
  Shape shape;
};

// Extends an index for use as an offset: 8 and 16 bits are sign-extended or zero-extended.
ir::Value* index_value(Emitter& e, Id id) {
  const Val v = e.value(id);
  if (v.leaves.size() != 1 || !v.leaves[0]->type->is_int()) {
    e.fail(message::kIndexNotInteger(std::to_string(id)));
    return e.zero(e.kind(TypeKind::kU32));
  }
  ir::Value* index = v.leaves[0];
  if (index->type->size >= 4) return index;
  return e.b.convert(index, e.kind(index->type->is_signed() ? TypeKind::kI32 : TypeKind::kU32));
}

void into_struct(Emitter& e, Walk& w, Id index) {
  const std::optional<uint64_t> k = e.constant(index);
  if (!k.has_value() || *k >= w.type->members.size())
    return e.fail(message::kStructIndex(std::to_string(index), std::to_string(w.type->members.size())));
  w.pointer = step(e, w.pointer, e.types().offset(*w.type, *k));
  w.shape = e.types().member_shape(*w.type, *k);
  w.type = e.types().member(*w.type, *k);
}

void into(Emitter& e, Walk& w, Id index) {
  const TypeInfo& t = *w.type;
  if (t.kind == TypeClass::kStruct) return into_struct(e, w, index);
  uint64_t scale = 0;
  Shape below = w.shape;
  switch (t.kind) {
    case TypeClass::kArray:
    case TypeClass::kRuntimeArray: scale = e.types().array_stride(t, w.shape); break;
    case TypeClass::kMatrix:
      scale = e.types().column_step(t, w.shape);
      if (!w.shape.row_major) below = {};
      break;
    case TypeClass::kVector:
      scale = e.types().component_step(t, w.shape);
      below = {};
      break;
    default: return e.fail(message::kIndexedType(std::to_string(t.id)));
  }
  w.pointer = e.b.offset(w.pointer, index_value(e, index), scale);
  w.type = e.types().find(t.elem);
  w.shape = below;
}

// The address of one buffer in an array of buffers.
ir::Value* buffer_of(Emitter& e, const Val& table, ir::Value* index) {
  ir::Value* place = e.b.offset(table.leaves[0], index, 8);
  return e.b.load(e.b.types().ptr(ir::Space::kGlobal), place);
}

void emit_chain(Emitter& e, bool has_element) {
  const Val base = e.arg(0);
  const TypeInfo* object = e.pointee(base);
  if (object == nullptr) return;
  Val result;
  result.buffer = base.buffer;
  result.buffer_index = base.buffer_index;
  Walk w{nullptr, object, base.shape};
  std::span<const uint32_t> indices = e.words(1);
  if (base.is_table) {
    if (indices.empty() || has_element) return e.fail(message::kNoElementOfBuffers());
    result.buffer_index = index_value(e, indices[0]);
    w.pointer = buffer_of(e, base, result.buffer_index);
    w.type = e.types().find(object->elem);
    indices = indices.subspan(1);
  } else {
    w.pointer = e.pointer_leaf(base);
  }
  if (has_element) {
    if (indices.empty()) return e.fail(message::kMissingOperand());
    w.pointer =
        e.b.offset(w.pointer, index_value(e, indices[0]), e.types().pointer_stride(e.type(base.type)));
    indices = indices.subspan(1);
  }
  for (const Id index : indices) {
    into(e, w, index);
    if (e.failed()) return;
  }
  const TypeInfo& t = e.result_type();
  if (t.kind != TypeClass::kPointer || t.elem != w.type->id)
    return e.fail(message::kAccessedType(std::to_string(t.id), std::to_string(w.type->id)));
  result.shape = w.shape;
  result.leaves = {e.as(w.pointer, e.types().scalar(t))};
  e.define(std::move(result));
}

// (size of the buffer - offset of the array) / stride, as u32.
void emit_array_length(Emitter& e) {
  const Val block = e.arg(0);
  const TypeInfo* object = e.pointee(block);
  if (object == nullptr) return;
  const uint32_t index = e.word(1);
  const TypeInfo* array = e.types().member(*object, index);
  if (object->kind != TypeClass::kStruct || array == nullptr || array->kind != TypeClass::kRuntimeArray)
    return e.fail(message::kLengthOfNonArray());
  if (block.buffer == 0 || block.is_table || e.reader().variable(block.buffer) == nullptr)
    return e.fail(message::kLengthOfUnknownBuffer());
  const ir::Type* wide = e.kind(TypeKind::kU64);
  ir::Value* bytes = e.need(block.buffer, true);
  if (block.buffer_index != nullptr) bytes = e.b.load(wide, e.b.offset(bytes, block.buffer_index, 8));
  ir::Value* start = e.number(wide, e.types().offset(*object, index));
  ir::Value* there = e.b.binary(Op::kSub, e.b.binary(Op::kMax, bytes, start), start);
  const Shape shape = e.types().member_shape(*object, index);
  ir::Value* count = e.b.binary(Op::kDiv, there, e.number(wide, e.types().array_stride(*array, shape)));
  e.define(Leaves{e.as(e.b.convert(count, e.kind(TypeKind::kU32)), e.integer_result())});
}

void emit_copy(Emitter& e) {
  const Val to = e.arg(0), from = e.arg(1);
  const TypeInfo* object = e.pointee(from);
  const TypeInfo* target = e.pointee(to);
  if (object == nullptr || target == nullptr) return;
  if (target->leaves != object->leaves) return e.fail(message::kCopiesDifferent());
  if (object->leaves <= kMostLeaves)
    return store(e, to, load(e, from, access_operands(e, 2)), access_operands(e, 2));
  if (object->id != target->id) return e.fail(message::kCopiesLargeDifferent());
  const uint64_t bytes = e.types().size(*object);
  ir::Value* operands[] = {e.pointer_leaf(to), e.pointer_leaf(from), e.number(e.kind(TypeKind::kU64), bytes)};
  e.b.emit(Op::kMemCopy, nullptr, operands);
}

void emit_copy_sized(Emitter& e) {
  ir::Value* bytes = e.b.convert(e.integer_arg(2), e.kind(TypeKind::kU64));
  ir::Value* operands[] = {e.pointer_leaf(e.arg(0)), e.pointer_leaf(e.arg(1)), bytes};
  e.b.emit(Op::kMemCopy, nullptr, operands);
}

void emit_call(Emitter& e) {
  const Translated* callee = e.reader().function(e.word(0), e.at());
  if (callee == nullptr || e.failed()) return;
  Leaves args;
  for (const Id id : e.words(1)) {
    const Val v = e.value(id);
    if (v.is_table) return e.fail(message::kPassesBuffers());
    if (v.is_zero) return e.fail(message::kPassesTooManyScalars());
    args.insert(args.end(), v.leaves.begin(), v.leaves.end());
  }
  const std::vector<ir::Param*>& params = callee->function->params;
  if (args.size() + callee->needs.size() != params.size()) return e.fail(message::kArguments());
  for (size_t k = 0; k < args.size(); ++k) args[k] = e.as(args[k], params[k]->type);
  for (const Need& n : callee->needs) args.push_back(e.need(n.variable, n.is_length));
  if (e.failed()) return;
  const ir::Type* result = callee->function->result;
  ir::Inst* call = e.b.emit(Op::kCall, result, args);
  call->mutable_attr().callee = callee->function;
  if (result->is_void()) return;
  Leaves leaves;
  if (!result->is_struct()) {
    leaves.push_back(call);
  } else {
    for (uint32_t k = 0; k < result->fields.size(); ++k) leaves.push_back(e.b.extract(call, k));
  }
  e.define(std::move(leaves));
}

void emit_pointer_compare(Emitter& e) {
  ir::Value* a = e.pointer_leaf(e.arg(0));
  ir::Value* b = e.as(e.pointer_leaf(e.arg(1)), a->type);
  const Op op = e.at().opcode == Opcode::kPtrEqual ? Op::kEq : Op::kNe;
  e.define(Leaves{e.b.compare(op, a, b)});
}

void emit_pointer_difference(Emitter& e) {
  const Val first = e.arg(0);
  ir::Value* a = e.pointer_leaf(first);
  ir::Value* operands[] = {a, e.as(e.pointer_leaf(e.arg(1)), a->type)};
  ir::Attr attr;
  attr.scale = std::max<uint64_t>(1, e.types().pointer_stride(e.type(first.type)));
  ir::Value* count = e.b.op(Op::kPtrDiff, e.kind(TypeKind::kI64), operands, attr);
  e.define(Leaves{e.b.convert(count, e.integer_result())});
}

void emit_load(Emitter& e) {
  const Val pointer = e.arg(0);
  Access access = access_operands(e, 1);
  access.is_volatile |= declared_volatile(e, pointer);
  e.define(load(e, pointer, access));
}

void emit_store(Emitter& e) {
  const Val pointer = e.arg(0);
  Access access = access_operands(e, 2);
  access.is_volatile |= declared_volatile(e, pointer);
  store(e, pointer, e.arg(1), access);
}

// The bytes of a constant in memory; absent if a part of it is not a plain number.
std::optional<std::vector<uint8_t>> constant_bytes(Emitter& e, const TypeInfo& type, const Val& value) {
  constexpr uint64_t kLargestTable = 1 << 24;
  const uint64_t size = e.types().memory(type)->size;
  if (value.is_zero || size > kLargestTable) return std::nullopt;
  std::vector<uint8_t> bytes(size, 0);
  size_t k = 0;
  bool plain = true;
  each_scalar(e, type, {}, 0, [&](const ir::Type* t, uint64_t at) {
    const ir::Const* c = k < value.leaves.size() ? ir::as_const(value.leaves[k]) : nullptr;
    ++k;
    plain = plain && c != nullptr && c->type == t && at + t->size <= bytes.size();
    for (uint64_t byte = 0; plain && byte < t->size; ++byte)
      bytes[at + byte] = static_cast<uint8_t>(c->bits >> (8 * byte));
  });
  if (!plain) return std::nullopt;
  return bytes;
}

}  // namespace

Val load(Emitter& e, const Val& pointer, const Access& access) {
  Val result;
  const TypeInfo* object = e.pointee(pointer);
  ir::Value* base = e.pointer_leaf(pointer);
  if (object == nullptr || e.failed()) return result;
  result.type = object->id;
  if (e.leaf_types(*object).size() != object->leaves) {
    e.fail(message::kLoadsWithoutSize(std::to_string(object->id)));
    return result;
  }
  e.reader().count(object->leaves, e.at());
  if (e.failed()) return result;
  each_scalar(e, *object, pointer.shape, 0, [&](const ir::Type* t, uint64_t at) {
    result.leaves.push_back(e.b.load(t, step(e, base, at), align_for(t, access), access.is_volatile));
  });
  return result;
}

Leaves load_object(Emitter& e, ir::Value* pointer, const TypeInfo& type) {
  Leaves all;
  each_scalar(e, type, {}, 0,
              [&](const ir::Type* t, uint64_t at) { all.push_back(e.b.load(t, step(e, pointer, at))); });
  return all;
}

void store(Emitter& e, const Val& pointer, const Val& value, const Access& access) {
  const TypeInfo* object = e.pointee(pointer);
  ir::Value* base = e.pointer_leaf(pointer);
  if (object == nullptr || e.failed()) return;
  const bool many = value.leaves.size() > kFewLeaves || value.is_zero;
  if (many && pointer.shape.stride == 0 && !access.is_volatile && access.align == 0 &&
      (value.is_zero || constant_bytes(e, *object, value).has_value())) {
    return initialise(e, base, *object, value);
  }
  if (e.leaf_types(*object).size() != value.leaves.size())
    return e.fail(message::kStoredType(std::to_string(object->id)));
  size_t k = 0;
  e.reader().count(value.leaves.size(), e.at());
  if (e.failed()) return;
  each_scalar(e, *object, pointer.shape, 0, [&](const ir::Type* t, uint64_t at) {
    e.b.store(step(e, base, at), e.leaf(value, k++, t), align_for(t, access), access.is_volatile);
  });
}

void initialise(Emitter& e, ir::Value* pointer, const TypeInfo& type, const Val& value) {
  ir::Value* size = e.number(e.kind(TypeKind::kU64), e.types().size(type));
  if (value.is_zero) {
    if (value.type != type.id) return e.fail(message::kInitialType(std::to_string(type.id)));
    ir::Value* operands[] = {pointer, e.zero(e.kind(TypeKind::kU8)), size};
    e.b.emit(Op::kMemSet, nullptr, operands);
    return;
  }
  if (e.leaf_types(type).size() != value.leaves.size())
    return e.fail(message::kInitialType(std::to_string(type.id)));
  if (value.leaves.size() > kFewLeaves) {
    if (const std::optional<std::vector<uint8_t>> bytes = constant_bytes(e, type, value)) {
      ir::Value* operands[] = {pointer, e.reader().constant_table(*bytes, e.types().memory(type)), size};
      e.b.emit(Op::kMemCopy, nullptr, operands);
      return;
    }
  }
  size_t k = 0;
  each_scalar(e, type, {}, 0, [&](const ir::Type* t, uint64_t at) {
    e.b.store(step(e, pointer, at), e.leaf(value, k++, t));
  });
}

std::optional<std::vector<uint8_t>> initial_bytes(Emitter& e, const TypeInfo& type, const Val& value) {
  return constant_bytes(e, type, value);
}

bool emit_memory(Emitter& e) {
  switch (e.at().opcode) {
    case Opcode::kVariable: emit_variable(e); return true;
    case Opcode::kLoad: emit_load(e); return true;
    case Opcode::kStore: emit_store(e); return true;
    case Opcode::kCopyMemory: emit_copy(e); return true;
    case Opcode::kCopyMemorySized: emit_copy_sized(e); return true;
    case Opcode::kAccessChain:
    case Opcode::kInBoundsAccessChain: emit_chain(e, false); return true;
    case Opcode::kPtrAccessChain:
    case Opcode::kInBoundsPtrAccessChain: emit_chain(e, true); return true;
    case Opcode::kArrayLength: emit_array_length(e); return true;
    case Opcode::kFunctionCall: emit_call(e); return true;
    case Opcode::kPtrEqual:
    case Opcode::kPtrNotEqual: emit_pointer_compare(e); return true;
    case Opcode::kPtrDiff: emit_pointer_difference(e); return true;
    default: return false;
  }
}

}  // namespace quern::spirv
