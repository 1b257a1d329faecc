// The words that represent the values of one function while its 64-bit integers are lowered, and the
// operations that become calls of library functions: division and conversions.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/expand/expand.hpp"
#include "lang/expand/wide_math.hpp"
#include "lang/expand/wide_types.hpp"

namespace quern::expand {

class WideValues {
 public:
  WideValues(ir::Module& module, ir::Function& function, WideTypes& types, Library& library,
             std::vector<Unlowered>& problems)
      : module_(module),
        function_(function),
        types_(types),
        b_(module),
        math_(b_),
        library_(library),
        problems_(problems) {}

 protected:
  const ir::Type* type(ir::TypeKind kind) { return b_.type(kind); }
  const ir::Type* u32() { return type(ir::TypeKind::kU32); }

  bool has_words(const ir::Value* v) const;
  Wide words(ir::Value* v);
  Wide operand(const ir::Inst* i, size_t k) { return words(i->operand(k)); }
  // Converts to a value of the struct that represents it inside of other types, and back.
  ir::Value* packed(Wide w);
  Wide unpacked(ir::Value* v) { return {b_.extract(v, 0), b_.extract(v, 1)}; }
  ir::Value* packed_operand(const ir::Inst* i, size_t k);

  // Removes the instruction; this replaces its result.
  void become(ir::Inst* i, Wide w);
  void become(ir::Inst* i, ir::Value* v);
  void refuse(ir::Inst* i, const base::MessageText& reason);

  void shift(ir::Inst* i);
  void divide(ir::Inst* i);
  void convert(ir::Inst* i);
  void convert_rounded(ir::Inst* i);
  Wide called(const ir::Inst* i, const std::string& name);
  static std::string name_of(const ir::Inst* i);

  ir::Module& module_;
  ir::Function& function_;
  WideTypes& types_;
  ir::Builder b_;
  WideMath math_;
  std::unordered_map<const ir::Value*, Wide> words_;  // variables: the two that replace them
  std::unordered_map<const ir::Value*, ir::Value*> replaced_;

 private:
  static bool is_half(const ir::Type* t) {
    return t->kind == ir::TypeKind::kF16 || t->kind == ir::TypeKind::kBF16;
  }
  static std::string conversion(const ir::Inst* i, const ir::Value* from, std::string_view mode = {});
  ir::Value* raw_call(const std::string& name, std::span<ir::Value* const> arguments, const ir::Type* result);

  Library& library_;
  std::vector<Unlowered>& problems_;
};

}  // namespace quern::expand
