// The memory of a kernel in the text: arrays of 32-bit words. A storage buffer for each pointer parameter and
// variable, workgroup arrays, function-local arrays, and tables of constants.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "driver/interface/code.hpp"
#include "lang/ir/ir.hpp"
#include "target/wgsl/names.hpp"

namespace quern::target::wgsl {

struct Object {
  enum class Kind : uint8_t { kBuffer, kShared, kOwn, kTable };
  Kind kind = Kind::kBuffer;
  std::string name;
  ir::TypeKind word = ir::TypeKind::kU32;  // or i32 or f32, if all accesses have that type
  bool is_atomic = false;                  // some access is atomic, so WGSL requires all of them to be
  bool is_read_only = false;               // a buffer that the kernel must not write
  uint64_t words = 1;                      // 0: as many as there are
  std::string declaration;                 // of module-scope declarations
  bool is_declared = false;
  uint32_t binding = 0;  // buffers
};

// Binding of the n-th buffer, for the list that Objects takes.
inline uint32_t binding_of(const std::vector<uint32_t>& bindings, uint32_t n) {
  return n < bindings.size() ? bindings[n] : n;
}

class Objects {
 public:
  // Of a lowered kernel and the functions that it calls. `bound`: which of the variables are bound.
  // `bindings`: the binding of the n-th buffer (default: n). Buffers with the same binding share an array.
  Objects(const ir::Module& module, const ir::Function& kernel,
          const std::vector<driver::VariableInfo>& variables, const std::vector<uint32_t>& bound,
          const std::vector<uint32_t>& bindings, Names& names);

  Object& of(const ir::Value* base) { return objects_.at(base); }
  // The object of an access.
  static const ir::Value* base_of(const ir::Value* pointer);
  static bool is_access(const ir::Inst* i);

  // A store to an object that must not be written.
  const ir::Inst* wrong_write() const { return wrong_write_; }

 private:
  struct Facts {
    bool has_i32 = false, has_u32 = false, has_f32 = false;
    bool has_atomics = false;
    const ir::Inst* write = nullptr;
  };
  void collect(const ir::Function& function);
  void decide_word(Object& object, const Facts& facts) const;
  void add_param(const ir::Param* p, uint32_t binding, Names& names);
  void add_global(const ir::Global* g, const std::vector<driver::VariableInfo>& variables,
                  const std::vector<uint32_t>& bound, uint32_t first, Names& names);
  void share_bindings();
  static void declare(Object& object);

  std::unordered_map<const ir::Value*, Facts> facts_;
  std::unordered_map<const ir::Value*, Object> objects_;
  const ir::Inst* wrong_write_ = nullptr;
};

// "u32", "i32" or "f32".
std::string_view word_name(ir::TypeKind kind);

}  // namespace quern::target::wgsl
