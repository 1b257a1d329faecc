// Matrix fragments as cooperative matrices of a subgroup, which is a warp.
#include <bit>

#include "target/spirv/emitter.hpp"

namespace quern::target::spirv {

using ir::Inst;
using ir::Op;
using ir::TypeKind;

namespace {

constexpr uint32_t kLineAlign = 16;  // bytes: wmma's requirement on pointers and strides

bool is_half(TypeKind kind) { return kind == TypeKind::kF16 || kind == TypeKind::kBF16; }

bool is_small_integer(TypeKind kind) { return kind == TypeKind::kI8 || kind == TypeKind::kU8; }

}  // namespace

// The element type of a matrix.
Id Emitter::component_type(TypeKind element) {
  switch (element) {
    case TypeKind::kF64: return b_.float_type(64);
    case TypeKind::kF32: return b_.float_type(32);
    case TypeKind::kF16: b_.need(Capability::kFloat16); return b_.float_type(16);
    case TypeKind::kBF16: return b_.bfloat_type();
    case TypeKind::kI32: return u32();
    default: break;
  }
  b_.need(Capability::kInt8);
  return b_.int_type(8);
}

Id Emitter::matrix_type(const Fragment& f) {
  b_.use_cooperative_matrices();
  return b_.matrix_type(component_type(f.element), f.rows, f.columns, static_cast<uint32_t>(f.use));
}

// Converts between the register form of a number and its form in a matrix.
Id Emitter::to_component(TypeKind element, Id id) {
  if (is_small_integer(element)) return op(Opcode::kUConvert, component_type(element), {id});
  if (!is_half(element)) return id;
  b_.need(Capability::kInt16);
  return op(Opcode::kBitcast, component_type(element), {op(Opcode::kUConvert, b_.int_type(16), {id})});
}

Id Emitter::from_component(TypeKind element, Id id) {
  if (!is_half(element)) return id;
  b_.need(Capability::kInt16);
  return op(Opcode::kUConvert, u32(), {op(Opcode::kBitcast, b_.int_type(16), {id})});
}

void Emitter::matrix_access(const Inst* i, const FragmentPlace& at) {
  const Fragment& f = *matrices_.of(at.var);
  const ir::Type* type = i->is(Op::kLoad) ? i->type : i->operand(1)->type;
  const Id variable = matrix_variables_.at(at.var);
  if (!type->is_scalar()) {
    if (i->is(Op::kLoad)) {
      define(i, op(Opcode::kLoad, matrix_type(f), {variable}));
    } else {
      effect(Opcode::kStore, {variable, scalar(i->operand(1))});
    }
    return;
  }
  const Id component = component_type(f.element);
  Id index = b_.u32(0);
  if (at.index != nullptr) {
    const ir::Type* t = at.index->type;
    index = resized(scalar(at.index), rep_of(t), t->is_signed(), Rep::kU32);
  }
  const Id pointer =
      op(Opcode::kAccessChain, b_.pointer_type(StorageClass::kFunction, component), {variable, index});
  if (i->is(Op::kLoad)) {
    define(i, from_component(f.element, op(Opcode::kLoad, component, {pointer})));
  } else {
    effect(Opcode::kStore, {pointer, to_component(f.element, scalar(i->operand(1)))});
  }
}

// The memory of a matrix: a pointer into an array, and the element size in which strides are counted.
Id Emitter::matrix_memory(const ir::Value* pointer, uint32_t& unit) {
  const Place p = place(pointer);
  unit = 4;
  if (p.kind == Place::Kind::kObject) {
    unit = unit_.objects.of(p.root).unit;
    return element(p, 0);
  }
  if (p.kind != Place::Kind::kGlobal) return word_pointer(p);
  b_.need(Capability::kPhysicalAddresses);
  b_.need_extension("SPV_KHR_physical_storage_buffer");
  const Id block =
      op(Opcode::kConvertUToPtr,
         b_.pointer_type(StorageClass::kPhysicalStorageBuffer, unit_.block_of(u32(), 4)), {p.at});
  return op(Opcode::kAccessChain, b_.pointer_type(StorageClass::kPhysicalStorageBuffer, u32()),
            {block, b_.u32(0), b_.u32(0)});
}

Id Emitter::matrix_stride(const ir::Value* elements, uint32_t bytes, uint32_t unit) {
  const Id count = scalar(elements);
  if (bytes == unit) return count;
  const bool is_more = bytes > unit;
  const auto by = static_cast<uint32_t>(std::countr_zero(is_more ? bytes / unit : unit / bytes));
  return op(is_more ? Opcode::kShiftLeftLogical : Opcode::kShiftRightLogical, u32(), {count, b_.u32(by)});
}

void Emitter::matrix(const Inst* i) {
  const ir::Matrix m = *ir::matrix_of(i->attr().index);
  const auto variable = [&](size_t k) { return matrix_variables_.at(matrices_.place(i->operand(k))->var); };
  const auto fragment = [&](size_t k) { return *matrices_.of(matrices_.place(i->operand(k))->var); };
  const auto value_of = [&](size_t k) { return op(Opcode::kLoad, matrix_type(fragment(k)), {variable(k)}); };
  const bool is_store = i->is(Op::kMatrixStore);
  switch (i->op) {
    case Op::kMatrixFill: {
      const Id one = to_component(fragment(0).element, scalar(i->operand(1)));
      effect(Opcode::kStore, {variable(0), op(Opcode::kCompositeConstruct, matrix_type(fragment(0)), {one})});
      return;
    }
    case Op::kMatrixMultiply: {
      constexpr uint32_t kSigned = 1 | 2 | 4 | 8, kSignedSum = 4 | 8, kSaturating = 16;
      uint32_t how = m.type == ir::MatrixType::kI8 ? kSigned : m.type == ir::MatrixType::kU8 ? kSignedSum : 0;
      if (m.is_saturating) how |= kSaturating;
      Ids operands{value_of(1), value_of(2), value_of(3)};
      if (how != 0) operands.push_back(how);
      effect(Opcode::kStore,
             {variable(0), op(Opcode::kCooperativeMatrixMulAddKHR, matrix_type(fragment(0)), operands)});
      return;
    }
    default: break;
  }
  const ir::Value* memory = i->operand(is_store ? 0 : 1);
  const Fragment f = fragment(is_store ? 1 : 0);
  uint32_t unit = 4;
  const Id pointer = matrix_memory(memory, unit);
  const auto bytes = static_cast<uint32_t>(f.bytes * 32 / (uint64_t{f.rows} * f.columns));
  const Id layout = b_.u32(m.is_by_column ? 1 : 0), stride = matrix_stride(i->operand(2), bytes, unit);
  Ids operands{pointer};
  if (is_store) operands.push_back(value_of(1));
  operands.insert(operands.end(), {layout, stride});
  if (memory->type->space != ir::Space::kShared) {
    operands.insert(operands.end(), {kNonPrivate | kAligned, kLineAlign});
  } else {
    operands.push_back(kNonPrivate);
  }
  if (is_store) {
    code_.add(Opcode::kCooperativeMatrixStoreKHR, operands);
  } else {
    effect(Opcode::kStore, {variable(0), op(Opcode::kCooperativeMatrixLoadKHR, matrix_type(f), operands)});
  }
}

}  // namespace quern::target::spirv
