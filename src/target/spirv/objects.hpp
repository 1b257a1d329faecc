// The storage of variables. A variable whose accesses all have the same width is a separate array ("plain");
// the others of an address space share one array of 32-bit words (the arena of the space), in which addresses
// are numbers. That way any reinterpretation and any pointer to them can be expressed.
#pragma once

#include <set>
#include <unordered_map>
#include <vector>

#include "target/spirv/rep.hpp"

namespace quern::target::spirv {

struct Object {
  bool is_plain = false;
  uint32_t unit = 4;               // plain: bytes of an element
  const ir::Type* type = nullptr;  // plain: the type of the elements if all accesses agree; otherwise bits
  bool has_atomics = false;
  uint64_t count = 1;  // elements; 0: dynamic shared memory
  uint64_t bytes = 0;
  uint64_t align = 4;
  uint64_t address = 0;  // in the arena
  Id variable = 0;       // plain
};

// Addresses in an arena do not start at 0, which is the null pointer.
inline constexpr uint32_t kArenaStart = 16;

class Objects {
 public:
  // `keeps_pointers`: pointers are SPIR-V pointers, not numbers.
  Objects(ir::Module& module, Leaves& leaves, bool narrow_shared, bool keeps_pointers);

  // Of a local variable, a shared variable or a literal; all dynamic shared memory is one object.
  Object& of(const ir::Value* root) { return objects_.at(key(root)); }
  bool has(const ir::Value* root) const { return objects_.count(key(root)) != 0; }
  // The variable that a pointer is derived from by offsets alone; null: something else.
  static const ir::Value* root_of(const ir::Value* pointer);
  const ir::Global* dynamic() const { return dynamic_; }
  static bool is_literal(const ir::Value* v);
  static bool is_shared(const ir::Value* v);

 private:
  struct Facts {
    std::set<uint64_t> sizes;
    std::set<const ir::Type*> types;
    std::set<uint64_t> steps;
    bool escapes = false;
    bool has_atomics = false;
  };
  const ir::Value* key(const ir::Value* root) const;
  void collect(ir::Function& function);
  void use(const ir::Inst* user, const ir::Value* pointer);
  void access(Facts& facts, const ir::Type* type);
  void decide(const ir::Value* root, const Facts& facts);

  Leaves& leaves_;
  bool narrow_shared_;
  bool keeps_pointers_;
  const ir::Global* dynamic_ = nullptr;
  std::unordered_map<const ir::Value*, Facts> facts_;
  std::unordered_map<const ir::Value*, Object> objects_;
};

}  // namespace quern::target::spirv
