// Writes one kernel in GLSL. There are no pointers (pass::lower_pointers): every access names an object,
// which is an array of 32-bit words: a storage buffer for each pointer parameter and variable, a shared
// array, or a thread-local array. Functions for each object read and write parts of words.
#pragma once

#include "target/cstyle/kernel_writer.hpp"

namespace quern::target::cstyle {

// The memory of an object in the text.
struct Words {
  enum class Kind : uint8_t { kBuffer, kShared, kOwn, kConstant };
  std::string name;
  Kind kind = Kind::kBuffer;
  ir::TypeKind word = ir::TypeKind::kU32;  // or i32 or f32, if all accesses have that type
  bool has_offset = false;                 // the argument begins at byte NAME_offset, word NAME_at
  // It is also (in shared memory: only) the array NAME_wide of 64-bit words, for 64-bit atomics.
  bool has_wide = false;
  bool lacks_wide = false;  // shared memory has one type, and this is used as several types
};

// A name for an array of words at global scope, which parameters and variables of helpers do not hide.
std::string words_name(std::string_view name);

class GlslWriter final : public KernelWriter {
 public:
  // `variables`: of the whole program; info.variables says which of them are bound.
  GlslWriter(Unit& unit, ir::Function& function, const driver::KernelInfo& info,
             const std::vector<driver::VariableInfo>& variables);

  std::string write(const std::string& entry) override;
  // A library function that kernels call. Its arrays are global, like those of a kernel.
  std::string write_function(const std::string& name);
  const std::string& own_arrays() const { return own_; }
  // Text before the kernel: arrays and library functions.
  void precede(std::string arrays, std::string functions) {
    arrays_before_ = std::move(arrays);
    functions_before_ = std::move(functions);
  }

 private:
  // glsl_writer.cpp
  void find_objects();
  ir::TypeKind word_of(const ir::Value* base) const;
  bool has_wide_atomics(const ir::Value* base) const;
  bool is_all_wide(const ir::Value* base) const;
  std::string declarations();
  std::string buffer(const Words& words, uint32_t binding, bool is_read, bool is_volatile) const;
  std::string shared_memory();
  uint64_t indexed_words(const ir::Value* base) const;
  std::string constant(const ir::Global& g, const Words& words);
  void parameters();
  Expr argument(const ir::Type* type, uint64_t at);
  bool is_used(const ir::Value* base) const;
  bool is_written(const ir::Value* base) const;
  bool is_volatile_object(const ir::Value* base) const;

  // glsl_memory.cpp
  struct Address {
    const Words* words = nullptr;
    Expr index;          // in steps of `scale` bytes
    uint64_t scale = 0;  // 0: at the beginning
    uint64_t add = 0;    // byte offset from that
  };
  Address address_of(const ir::Value* pointer);
  Expr byte_at(const Address& a);
  Expr word_at(const Address& a);
  Expr wide_at(const Address& a);  // the 64-bit word itself
  Expr read(const Address& a, const ir::Type* type, uint32_t align);
  std::string written(const Address& a, const ir::Type* type, uint32_t align, const Expr& v);
  std::string put_name(const Words& words, int bits);
  Expr leaf(const Expr& words, const ir::Type* type, uint64_t at);
  void put_leaf(const std::string& words, const ir::Type* type, uint64_t at, const Expr& v);
  Expr to_bits(const ir::Type* type, const Expr& e);    // uint, or uvec2 of 64 bits
  Expr from_bits(const ir::Type* type, const Expr& e);  // likewise
  Expr to_wide(const ir::Type* type, const Expr& e);    // int64_t
  Expr from_wide(const ir::Type* type, const Expr& e);  // likewise
  Expr load(const ir::Inst* i) override;
  std::string assignment(const ir::Inst* store) override;
  void copy(const ir::Inst* i) override;
  void set(const ir::Inst* i) override;
  void variable(const ir::Inst* var) override;
  void aggregate(const ir::Inst* i) override;
  void define_pointer(const ir::Inst* i) override;
  Expr extract(const ir::Inst* i) override;
  Expr zero(const ir::Type* type) override;
  Expr as_word(const ir::Type* type, const Expr& e) override { return to_pair(type, e); }
  Expr from_word(const ir::Type* type, const Expr& e) override;
  Expr to_pair(const ir::Type* type, const Expr& e);
  Expr compare_pointers(const ir::Inst* i) override;
  Expr pointer_number(const ir::Inst* i) override;

  // glsl_atomics.cpp
  Expr atomic(const ir::Inst* i) override;
  Expr atomic_word(const ir::Inst* i, const Address& a);
  Expr atomic_wide(const ir::Inst* i, const Address& a);
  Expr atomic_half(const ir::Inst* i, const Address& a);

  const std::vector<driver::VariableInfo>& variables_;
  std::unordered_map<const ir::Value*, Words> objects_;
  std::vector<const ir::Value*> order_;  // of the objects
  std::string own_;                      // thread-local arrays
  std::string arrays_before_, functions_before_;
};

}  // namespace quern::target::cstyle
