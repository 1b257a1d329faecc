// Types of the IR. Interned: equal types are the same pointer within a TypeTable. Layout (size, alignment,
// field offsets) is that of CUDA on a 64-bit host, on every target.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace quern::ir {

enum class TypeKind : uint8_t {
  kVoid,
  kBool,
  kI8,
  kU8,
  kI16,
  kU16,
  kI32,
  kU32,
  kI64,
  kU64,
  kF16,
  kBF16,
  kF32,
  kF64,
  kPtr,
  kArray,
  kStruct,
};

constexpr bool is_integer(TypeKind t) { return t >= TypeKind::kI8 && t <= TypeKind::kU64; }
constexpr bool is_float(TypeKind t) { return t >= TypeKind::kF16 && t <= TypeKind::kF64; }

// The address space of a pointer. kGeneric: not known (yet); the pass `infer_spaces` narrows it.
enum class Space : uint8_t { kGeneric, kGlobal, kShared, kLocal, kConstant };

// The struct of two words that replaces a 64-bit integer on targets without them (expand/wide_types.hpp).
inline constexpr std::string_view kWordsName = "quern_words";

struct Type;

struct Field {
  std::string name;
  const Type* type = nullptr;
  uint64_t offset = 0;  // bytes; fields of a union overlap
};

struct Type {
  TypeKind kind = TypeKind::kVoid;
  Space space = Space::kGeneric;  // kPtr
  const Type* elem = nullptr;     // kArray
  uint64_t count = 0;             // kArray; 0: unknown extent (dynamic shared memory)
  std::string name;           // kStruct: unique in its table, the user's spelling ("float4", "Pair<int, 2>")
  std::vector<Field> fields;  // kStruct
  uint64_t size = 0;
  uint64_t align = 1;

  bool is_void() const { return kind == TypeKind::kVoid; }
  bool is_bool() const { return kind == TypeKind::kBool; }
  bool is_int() const { return is_integer(kind); }
  bool is_signed() const {
    return kind == TypeKind::kI8 || kind == TypeKind::kI16 || kind == TypeKind::kI32 ||
           kind == TypeKind::kI64;
  }
  bool is_float() const { return ir::is_float(kind); }
  bool is_ptr() const { return kind == TypeKind::kPtr; }
  bool is_array() const { return kind == TypeKind::kArray; }
  bool is_struct() const { return kind == TypeKind::kStruct; }
  bool is_scalar() const { return kind >= TypeKind::kBool && kind <= TypeKind::kPtr; }
  bool is_aggregate() const { return is_array() || is_struct(); }
  uint32_t bits() const { return static_cast<uint32_t>(size * 8); }  // of a number
};

// Owns types. Pointers are opaque (no element type): loads and stores carry the accessed type.
class TypeTable {
 public:
  TypeTable();
  const Type* get(TypeKind scalar) const {
    return scalars_[static_cast<size_t>(scalar)];
  }  // void, bool, numbers
  const Type* ptr(Space space) const { return ptrs_[static_cast<size_t>(space)]; }
  const Type* array(const Type* elem, uint64_t count);  // its size is set when the element is defined later
  // The struct of that name: declared empty by the first call; `fields`, `size`, `align` are set once by
  // define_struct.
  const Type* declare_struct(std::string_view name);
  void define_struct(const Type* type, std::vector<Field> fields, uint64_t size, uint64_t align);
  const Type* find_struct(std::string_view name) const;                 // nullptr if it does not exist
  const std::vector<const Type*>& structs() const { return structs_; }  // in order of declaration

 private:
  std::deque<Type> storage_;
  std::vector<const Type*> scalars_;
  std::vector<const Type*> ptrs_;
  std::vector<const Type*> structs_;
  std::map<std::pair<const Type*, uint64_t>, Type*> arrays_;
  std::unordered_map<std::string, Type*> struct_by_name_;
  bool early_arrays_ = false;  // an array was created before its element had a size
};

std::string_view name(TypeKind kind);     // "i32", "f16", …
std::string_view name(Space space);       // "generic", "global", …
std::string to_string(const Type* type);  // text form: "i32", "ptr<global>", "[16 x f32]", "%float4"

}  // namespace quern::ir
