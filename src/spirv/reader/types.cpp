#include "spirv/reader/types.hpp"

#include <algorithm>

#include "base/round_up.hpp"
#include "base/text.hpp"
#include "spirv/reader/messages.hpp"

namespace quern::spirv {

using base::format;
using ir::TypeKind;

namespace {

constexpr uint32_t kMostNested = 48;                // nested types
constexpr uint64_t kMostBytes = uint64_t{1} << 40;  // of one object
constexpr uint64_t kEndless = uint64_t{1} << 36;    // size assumed for a runtime array

uint64_t capped(uint64_t a, uint64_t b) {
  constexpr uint64_t kLimit = kMostBytes * 4;
  if (a == 0 || b == 0) return 0;
  return a > kLimit / b ? kLimit : a * b;
}

uint64_t next_power(uint64_t n) {
  uint64_t p = 1;
  while (p < n) p *= 2;
  return p;
}

}  // namespace

std::optional<ir::Space> space_of(StorageClass storage) {
  switch (storage) {
    case StorageClass::kUniform:
    case StorageClass::kStorageBuffer:
    case StorageClass::kPhysicalStorageBuffer:
    case StorageClass::kCrossWorkgroup: return ir::Space::kGlobal;
    case StorageClass::kWorkgroup: return ir::Space::kShared;
    case StorageClass::kInput:
    case StorageClass::kPrivate:
    case StorageClass::kFunction:
    case StorageClass::kPushConstant: return ir::Space::kLocal;
    case StorageClass::kUniformConstant: return ir::Space::kConstant;
    case StorageClass::kGeneric: return ir::Space::kGeneric;
    default: return std::nullopt;
  }
}

const TypeInfo* Types::find(Id id) const {
  const auto at = types_.find(id);
  return at != types_.end() ? &at->second : nullptr;
}

const TypeInfo* Types::element(const Instruction& i, Id id) {
  const TypeInfo* t = find(id);
  if (t == nullptr) failure_.set(i, message::kTypeNotDefinedBefore(std::to_string(id)));
  return t;
}

void Types::define(const Instruction& i) {
  TypeInfo t;
  t.id = i.result();
  switch (i.opcode) {
    case Opcode::kTypeVoid: break;
    case Opcode::kTypeBool: t.kind = TypeClass::kBool, t.leaves = 1; break;
    case Opcode::kTypeInt:
    case Opcode::kTypeFloat: scalar_type(t, i); break;
    case Opcode::kTypeVector:
    case Opcode::kTypeMatrix: vector_type(t, i); break;
    case Opcode::kTypeArray:
    case Opcode::kTypeRuntimeArray: array_type(t, i); break;
    case Opcode::kTypeStruct: struct_type(t, i); break;
    case Opcode::kTypePointer: pointer_type(t, i); break;
    case Opcode::kTypeFunction: function_type(t, i); break;
    case Opcode::kTypeForwardPointer: announce(i); return;
    default: failure_.set(i, message::kTypeNotSupported()); return;
  }
  if (failure_) return;
  finish(t, i);
}

void Types::finish(TypeInfo& t, const Instruction& i) {
  if (t.depth > kMostNested) failure_.set(i, message::kTypeTooDeep(std::to_string(kMostNested)));
  t.align = natural_align(t);
  const TypeInfo& stored = types_[t.id] = std::move(t);
  if (!failure_) check_layout(stored, i);
}

void Types::scalar_type(TypeInfo& t, const Instruction& i) {
  t.kind = i.opcode == Opcode::kTypeInt ? TypeClass::kInt : TypeClass::kFloat;
  t.width = i.operands.size() > 1 ? i.operands[1] : 0;
  t.is_signed = t.kind == TypeClass::kInt && i.operands.size() > 2 && i.operands[2] != 0;
  t.leaves = 1;
  const bool known =
      t.width == 16 || t.width == 32 || t.width == 64 || (t.width == 8 && t.kind == TypeClass::kInt);
  if (!known) failure_.set(i, message::kBits(std::to_string(t.width)));
}

void Types::vector_type(TypeInfo& t, const Instruction& i) {
  if (i.operands.size() < 3) return failure_.set(i, message::kMissingOperand());
  const bool is_vector = i.opcode == Opcode::kTypeVector;
  t.kind = is_vector ? TypeClass::kVector : TypeClass::kMatrix;
  t.elem = i.operands[1];
  t.count = i.operands[2];
  const TypeInfo* elem = element(i, t.elem);
  if (elem == nullptr) return;
  const bool right = is_vector
                         ? elem->is_scalar() && elem->kind != TypeClass::kPointer
                         : elem->kind == TypeClass::kVector && find(elem->elem)->kind == TypeClass::kFloat;
  if (!right) failure_.set(i, message::kElementType(std::to_string(t.elem)));
  if (t.count < 2 || t.count > 16) failure_.set(i, message::kElementCount(std::to_string(i.operands[2])));
  t.leaves = t.count * elem->leaves;
  t.depth = elem->depth + 1;
}

void Types::array_type(TypeInfo& t, const Instruction& i) {
  const bool is_runtime = i.opcode == Opcode::kTypeRuntimeArray;
  if (i.operands.size() < (is_runtime ? 2u : 3u)) return failure_.set(i, message::kMissingOperand());
  t.kind = is_runtime ? TypeClass::kRuntimeArray : TypeClass::kArray;
  t.elem = i.operands[1];
  const TypeInfo* elem = element(i, t.elem);
  if (elem == nullptr) return;
  if (elem->kind == TypeClass::kVoid || elem->kind == TypeClass::kFunction ||
      elem->kind == TypeClass::kRuntimeArray) {
    return failure_.set(i, message::kElementWithoutSize(std::to_string(t.elem)));
  }
  t.depth = elem->depth + 1;
  if (is_runtime) {
    t.leaves = kMostLeaves + 1;
    return;
  }
  const std::optional<uint64_t> count = length_(i.operands[2]);
  if (!count.has_value() || *count == 0 || *count > kMostBytes)
    return failure_.set(i, message::kLength(std::to_string(i.operands[2])));
  t.count = *count;
  t.leaves = std::min(kMostLeaves + 1, capped(t.count, elem->leaves));
}

void Types::struct_type(TypeInfo& t, const Instruction& i) {
  t.kind = TypeClass::kStruct;
  for (const Id member : i.operands.subspan(1)) {
    const TypeInfo* m = element(i, member);
    if (m == nullptr) return;
    if (m->kind == TypeClass::kVoid || m->kind == TypeClass::kFunction)
      return failure_.set(i, message::kMemberWithoutSize(std::to_string(member)));
    if (!t.members.empty() && find(t.members.back())->kind == TypeClass::kRuntimeArray)
      return failure_.set(i, message::kMemberAfterRuntimeArray());
    t.members.push_back(member);
    t.leaves = std::min(kMostLeaves + 1, t.leaves + m->leaves);
    t.depth = std::max(t.depth, m->depth + 1);
  }
}

void Types::pointer_type(TypeInfo& t, const Instruction& i) {
  if (i.operands.size() < 3) return failure_.set(i, message::kMissingOperand());
  t.kind = TypeClass::kPointer;
  t.storage = static_cast<StorageClass>(i.operands[1]);
  t.elem = i.operands[2];  // may be defined later, after a forward pointer declaration
  const TypeInfo* announced = find(t.id);
  if (announced != nullptr && (announced->kind != TypeClass::kPointer || announced->storage != t.storage))
    failure_.set(i, message::kForwardPointer());
  t.leaves = 1;
}

// A forward pointer declaration; until the definition only its size is known.
void Types::announce(const Instruction& i) {
  if (i.operands.size() < 2) return failure_.set(i, message::kMissingOperand());
  TypeInfo t;
  t.id = i.operands[0];
  t.kind = TypeClass::kPointer;
  t.storage = static_cast<StorageClass>(i.operands[1]);
  t.leaves = 1;
  t.align = 8;
  if (!types_.emplace(t.id, t).second) failure_.set(i, message::kForwardPointerDefined(std::to_string(t.id)));
}

void Types::function_type(TypeInfo& t, const Instruction& i) {
  if (i.operands.size() < 2) return failure_.set(i, message::kMissingOperand());
  t.kind = TypeClass::kFunction;
  t.elem = i.operands[1];
  if (element(i, t.elem) == nullptr) return;
  for (const Id param : i.operands.subspan(2)) {
    if (element(i, param) == nullptr) return;
    t.members.push_back(param);
  }
}

bool Types::ends_open(const TypeInfo& t) const {
  return t.kind == TypeClass::kStruct && !t.members.empty() &&
         find(t.members.back())->kind == TypeClass::kRuntimeArray;
}

// Invariants for later arithmetic: sizes are bounded, and no element or member overlaps the next.
void Types::check_layout(const TypeInfo& t, const Instruction& i) {
  if (t.kind == TypeClass::kStruct) {
    for (size_t k = 0; k < t.members.size(); ++k) {
      const TypeInfo& m = *find(t.members[k]);
      const Shape shape = member_shape(t, k);
      if (shape.stride > 4096) return failure_.set(i, message::kMatrixStride(std::to_string(shape.stride)));
      const TypeInfo* inner = &m;
      while (inner->kind == TypeClass::kArray || inner->kind == TypeClass::kRuntimeArray)
        inner = find(inner->elem);
      if (inner->kind != TypeClass::kMatrix || shape.stride == 0) continue;
      const TypeInfo& column = *find(inner->elem);
      const uint64_t in_line = (shape.row_major ? inner->count : column.count) * size(*find(column.elem));
      if (shape.stride < in_line)
        return failure_.set(
            i, message::kMatrixStrideTooSmall(std::to_string(shape.stride), std::to_string(in_line)));
    }
  }
  if (t.kind == TypeClass::kArray || t.kind == TypeClass::kRuntimeArray) {
    const uint64_t each = size(*find(t.elem)), stride = array_stride(t);
    const bool is_buffers =
        each == 0 && ends_open(*find(t.elem));  // only one by one, each with its own length
    if (!is_buffers && (stride == 0 || stride < each || stride > kEndless))
      return failure_.set(i, message::kArrayStride(std::to_string(each), std::to_string(stride)));
  }
  if (t.kind != TypeClass::kFunction && size(t) > kMostBytes) failure_.set(i, message::kTypeTooLarge());
}

const ir::Type* Types::scalar(const TypeInfo& t) const {
  const ir::TypeTable& table = module_.types();
  switch (t.kind) {
    case TypeClass::kBool: return table.get(TypeKind::kBool);
    case TypeClass::kFloat:
      return table.get(t.width == 16 ? TypeKind::kF16 : t.width == 32 ? TypeKind::kF32 : TypeKind::kF64);
    case TypeClass::kInt:
      switch (t.width) {
        case 8: return table.get(t.is_signed ? TypeKind::kI8 : TypeKind::kU8);
        case 16: return table.get(t.is_signed ? TypeKind::kI16 : TypeKind::kU16);
        case 32: return table.get(t.is_signed ? TypeKind::kI32 : TypeKind::kU32);
        default: return table.get(t.is_signed ? TypeKind::kI64 : TypeKind::kU64);
      }
    case TypeClass::kPointer: return table.ptr(space_of(t.storage).value_or(ir::Space::kGeneric));
    default: return nullptr;
  }
}

const TypeInfo* Types::member(const TypeInfo& t, uint64_t index) const {
  switch (t.kind) {
    case TypeClass::kStruct: return index < t.members.size() ? find(t.members[index]) : nullptr;
    case TypeClass::kVector:
    case TypeClass::kMatrix:
    case TypeClass::kArray: return index < t.count ? find(t.elem) : nullptr;
    default: return nullptr;
  }
}

void Types::leaves(const TypeInfo& t, std::vector<const ir::Type*>& out) const {
  if (out.size() > kMostLeaves) return;
  if (const ir::Type* one = scalar(t)) {
    out.push_back(one);
    return;
  }
  const uint64_t count = t.kind == TypeClass::kStruct ? t.members.size() : t.count;
  for (uint64_t k = 0; k < count && out.size() <= kMostLeaves; ++k) {
    const TypeInfo* m = member(t, k);
    if (m == nullptr || (m->leaves == 0 && t.kind != TypeClass::kStruct)) return;
    leaves(*m, out);
  }
}

uint64_t Types::first_leaf(const TypeInfo& t, uint64_t index) const {
  if (t.kind != TypeClass::kStruct) return capped(index, find(t.elem)->leaves);
  uint64_t sum = 0;
  for (uint64_t k = 0; k < index && k < t.members.size(); ++k) sum += find(t.members[k])->leaves;
  return sum;
}

// ---- layout

uint64_t Types::natural_align(const TypeInfo& t) const {
  switch (t.kind) {
    case TypeClass::kInt:
    case TypeClass::kFloat: return t.width / 8;
    case TypeClass::kPointer: return 8;
    case TypeClass::kVector: return source_.is_physical ? size(t) : find(t.elem)->align;
    case TypeClass::kMatrix:
    case TypeClass::kArray:
    case TypeClass::kRuntimeArray: return find(t.elem)->align;
    case TypeClass::kStruct: {
      uint64_t most = 1;
      if (source_.decorations(t.id).is_packed) return most;
      for (const Id m : t.members) most = std::max(most, find(m)->align);
      return most;
    }
    default: return 1;
  }
}

uint64_t Types::size(const TypeInfo& t, Shape shape) const {
  switch (t.kind) {
    case TypeClass::kBool: return 1;
    case TypeClass::kInt:
    case TypeClass::kFloat: return t.width / 8;
    case TypeClass::kPointer: return 8;
    case TypeClass::kVector: {
      const uint64_t each = size(*find(t.elem));
      return source_.is_physical ? next_power(t.count) * each : t.count * each;
    }
    case TypeClass::kMatrix: {
      const TypeInfo& column = *find(t.elem);
      if (shape.stride == 0) return t.count * size(column);
      const uint64_t lines = shape.row_major ? column.count : t.count;
      const uint64_t line = (shape.row_major ? t.count : column.count) * size(*find(column.elem));
      return (lines - 1) * shape.stride + line;  // the padding after the last line is not included
    }
    case TypeClass::kArray: return capped(t.count, array_stride(t, shape));
    case TypeClass::kStruct: {
      const auto known = struct_sizes_.find(t.id);
      if (known != struct_sizes_.end()) return known->second;
      uint64_t end = 0;
      bool is_explicit = false;
      for (size_t k = 0; k < t.members.size(); ++k) {
        end = std::max(end, offset(t, k) + size(*find(t.members[k]), member_shape(t, k)));
        is_explicit |= source_.member(t.id, static_cast<uint32_t>(k)).offset.has_value();
      }
      return struct_sizes_[t.id] = is_explicit ? end : base::round_up(end, t.align);
    }
    default: return 0;
  }
}

uint64_t Types::array_stride(const TypeInfo& array, Shape shape) const {
  if (const auto given = source_.decorations(array.id).array_stride) return *given;
  const TypeInfo& elem = *find(array.elem);
  return base::round_up(size(elem, shape), elem.align);
}

uint64_t Types::pointer_stride(const TypeInfo& pointer) const {
  if (const auto given = source_.decorations(pointer.id).array_stride) return *given;
  const TypeInfo* elem = find(pointer.elem);
  return elem != nullptr ? base::round_up(size(*elem), elem->align) : 0;
}

uint64_t Types::offset(const TypeInfo& structure, uint64_t index) const {
  const auto given = source_.member(structure.id, static_cast<uint32_t>(index)).offset;
  if (given.has_value()) return *given;
  const auto known = struct_offsets_.find(structure.id);
  if (known != struct_offsets_.end()) return known->second[index];
  std::vector<uint64_t> all;
  uint64_t end = 0;
  const bool packed = source_.decorations(structure.id).is_packed;
  for (size_t k = 0; k < structure.members.size(); ++k) {
    const TypeInfo& m = *find(structure.members[k]);
    if (!packed) end = base::round_up(end, m.align);
    all.push_back(end);
    end += size(m, member_shape(structure, k));
  }
  const uint64_t at = index < all.size() ? all[index] : 0;
  struct_offsets_[structure.id] = std::move(all);
  return at;
}

Shape Types::member_shape(const TypeInfo& structure, uint64_t index) const {
  const Decorations& d = source_.member(structure.id, static_cast<uint32_t>(index));
  return {d.matrix_stride.value_or(0), d.row_major && d.matrix_stride.value_or(0) != 0};
}

uint64_t Types::column_step(const TypeInfo& matrix, Shape shape) const {
  const TypeInfo& column = *find(matrix.elem);
  if (shape.stride == 0) return size(column);
  return shape.row_major ? size(*find(column.elem)) : shape.stride;
}

uint64_t Types::component_step(const TypeInfo& vector, Shape shape) const {
  return shape.row_major ? shape.stride : size(*find(vector.elem));
}

// ---- as IR

const ir::Type* Types::memory(const TypeInfo& t, Shape shape) {
  const ir::Type*& slot = memory_[{t.id, shape}];
  if (slot == nullptr) {
    const ir::Type* made = make_memory(t, shape);  // may grow the map
    memory_[{t.id, shape}] = made;
    return made;
  }
  return slot;
}

const ir::Type* Types::make_memory(const TypeInfo& t, Shape shape) {
  ir::TypeTable& table = module_.types();
  switch (t.kind) {
    case TypeClass::kVector: return padded(table.array(scalar(*find(t.elem)), t.count), size(t));
    case TypeClass::kMatrix: {
      const TypeInfo& column = *find(t.elem);
      const ir::Type* number = scalar(*find(column.elem));
      if (shape.stride == 0) return table.array(memory(column), t.count);
      const uint64_t lines = shape.row_major ? column.count : t.count;
      const ir::Type* line = table.array(number, shape.row_major ? t.count : column.count);
      if (line->size == shape.stride) return table.array(line, lines);
      // The last line ends with its last number.
      const ir::Type* whole = table.declare_struct(
          format("matrix %%%u by %u%s", t.id, shape.stride, shape.row_major ? " rows" : ""));
      if (whole->size != 0) return whole;
      std::vector<ir::Field> fields;
      for (uint64_t k = 0; k < lines; ++k) fields.push_back({std::to_string(k), line, k * shape.stride});
      table.define_struct(whole, std::move(fields), size(t, shape), 1);
      return whole;
    }
    case TypeClass::kArray:
      return table.array(padded(memory(*find(t.elem), shape), array_stride(t, shape)), t.count);
    case TypeClass::kRuntimeArray: {
      const ir::Type* elem = padded(memory(*find(t.elem), shape), array_stride(t, shape));
      return table.array(elem, std::max<uint64_t>(1, kEndless / std::max<uint64_t>(1, elem->size)));
    }
    case TypeClass::kStruct: return struct_memory(t);
    default: break;
  }
  const ir::Type* one = scalar(t);
  return one != nullptr ? one : table.get(TypeKind::kU8);
}

const ir::Type* Types::padded(const ir::Type* type, uint64_t stride) {
  if (type->size == stride) return type;
  ir::TypeTable& table = module_.types();
  const ir::Type* box = table.declare_struct(
      format("%s every %llu", to_string(type).c_str(), static_cast<unsigned long long>(stride)));
  if (box->size == 0) table.define_struct(box, {{"at", type, 0}}, std::max(stride, type->size), 1);
  return box;
}

const ir::Type* Types::struct_memory(const TypeInfo& t) {
  ir::TypeTable& table = module_.types();
  std::string name = source_.name(t.id);
  if (name.empty()) name = "struct";
  while (table.find_struct(name) != nullptr) name += format(" %%%u", t.id);
  const ir::Type* whole = table.declare_struct(name);
  std::vector<ir::Field> fields;
  uint64_t end = size(t);
  for (size_t k = 0; k < t.members.size(); ++k) {
    const TypeInfo& m = *find(t.members[k]);
    const ir::Type* type = memory(m, member_shape(t, k));
    if (type->size == 0) continue;  // a struct without members
    fields.push_back({source_.member_name(t.id, static_cast<uint32_t>(k)), type, offset(t, k)});
    end = std::max(end, fields.back().offset + type->size);
  }
  const uint64_t natural = t.align;
  table.define_struct(whole, std::move(fields), end, end % natural == 0 ? natural : 1);
  return whole;
}

}  // namespace quern::spirv
