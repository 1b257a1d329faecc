// The types of a module and their layout in memory: by the decorations Offset, ArrayStride and MatrixStride
// if present, else as in C (or, in the Kernel model, OpenCL).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/ir/ir.hpp"
#include "spirv/reader/source.hpp"

namespace quern::spirv {

enum class TypeClass : uint8_t {
  kVoid,
  kBool,
  kInt,
  kFloat,
  kVector,
  kMatrix,
  kArray,
  kRuntimeArray,
  kStruct,
  kPointer,
  kFunction,
};

// Values of arrays and structs are kept as their scalars; of larger types, only parts can be loaded.
inline constexpr uint64_t kMostLeaves = 1 << 14;

struct TypeInfo {
  Id id = 0;
  TypeClass kind = TypeClass::kVoid;
  uint32_t width = 0;       // int, float: bits
  bool is_signed = false;   // int
  Id elem = 0;              // vector, matrix (a column), array; pointee; result of a function
  uint64_t count = 0;       // of vector components, columns, array elements
  std::vector<Id> members;  // struct; parameters of a function
  StorageClass storage = StorageClass::kFunction;
  uint64_t leaves = 0;  // scalars in a value; kMostLeaves + 1 means more
  uint32_t depth = 1;   // of nesting
  uint64_t align = 1;   // without decorations
  bool is_scalar() const {
    return kind == TypeClass::kBool || kind == TypeClass::kInt || kind == TypeClass::kFloat ||
           kind == TypeClass::kPointer;
  }
};

// Layout of the matrices in a struct member, which is defined by the member and not by their type. For a
// vector: it is a column of such a matrix.
struct Shape {
  uint32_t stride = 0;  // MatrixStride; 0: columns are contiguous
  bool row_major = false;
  bool operator<(const Shape& o) const {
    return stride != o.stride ? stride < o.stride : row_major < o.row_major;
  }
};

class Types {
 public:
  // The value of an integer constant, for array lengths.
  using Length = std::function<std::optional<uint64_t>(Id)>;

  Types(const Source& source, ir::Module& module, Failure& failure, Length length)
      : source_(source), module_(module), failure_(failure), length_(std::move(length)) {}

  void define(const Instruction& instruction);
  const TypeInfo* find(Id id) const;  // nullptr if there is no such type

  // The IR type of a scalar; nullptr for others.
  const ir::Type* scalar(const TypeInfo& type) const;
  // Appends the types of the scalars of a value, at most kMostLeaves.
  void leaves(const TypeInfo& type, std::vector<const ir::Type*>& out) const;
  // Index of the first scalar of member `index`.
  uint64_t first_leaf(const TypeInfo& type, uint64_t index) const;
  // Type of a member: for a struct by its index, else the element type.
  const TypeInfo* member(const TypeInfo& type, uint64_t index) const;

  uint64_t size(const TypeInfo& type, Shape shape = {}) const;  // in bytes; 0 for a runtime array
  uint64_t array_stride(const TypeInfo& array, Shape shape = {}) const;
  uint64_t pointer_stride(const TypeInfo& pointer) const;  // from one pointee to the next
  uint64_t offset(const TypeInfo& structure, uint64_t index) const;
  Shape member_shape(const TypeInfo& structure, uint64_t index) const;
  // The distance between columns, and between the components of a column.
  uint64_t column_step(const TypeInfo& matrix, Shape shape) const;
  uint64_t component_step(const TypeInfo& vector, Shape shape) const;

  // An IR type with the same layout. A runtime array becomes an array of many elements.
  const ir::Type* memory(const TypeInfo& type, Shape shape = {});

 private:
  void scalar_type(TypeInfo& t, const Instruction& i);
  void vector_type(TypeInfo& t, const Instruction& i);
  void array_type(TypeInfo& t, const Instruction& i);
  void struct_type(TypeInfo& t, const Instruction& i);
  void pointer_type(TypeInfo& t, const Instruction& i);
  void announce(const Instruction& i);
  void function_type(TypeInfo& t, const Instruction& i);
  void finish(TypeInfo& t, const Instruction& i);
  const TypeInfo* element(const Instruction& i, Id id);
  bool ends_open(const TypeInfo& type) const;  // a struct that ends with a runtime array
  uint64_t natural_align(const TypeInfo& type) const;
  void check_layout(const TypeInfo& t, const Instruction& i);
  const ir::Type* make_memory(const TypeInfo& type, Shape shape);
  const ir::Type* padded(const ir::Type* type, uint64_t stride);
  const ir::Type* struct_memory(const TypeInfo& type);

  const Source& source_;
  ir::Module& module_;
  Failure& failure_;
  Length length_;
  std::unordered_map<Id, TypeInfo> types_;
  mutable std::unordered_map<Id, uint64_t> struct_sizes_;
  mutable std::unordered_map<Id, std::vector<uint64_t>> struct_offsets_;
  std::map<std::pair<Id, Shape>, const ir::Type*> memory_;
};

std::optional<ir::Space> space_of(StorageClass storage);  // absent: no memory of a compute module

}  // namespace quern::spirv
