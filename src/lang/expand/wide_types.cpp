#include "lang/expand/wide_types.hpp"

namespace quern::expand {

using ir::Type;
using ir::TypeKind;

WideTypes::WideTypes(ir::TypeTable& types)
    : MappedTypes(
          types, [this](const Type* t) { return is_wide(t) ? pair_ : t; }, " of words"),
      pair_(types.declare_struct(ir::kWordsName)) {
  if (!pair_->fields.empty()) return;
  const Type* u32 = types.get(TypeKind::kU32);
  types.define_struct(pair_, {{"low", u32, 0}, {"high", u32, 4}}, 8, 8);
}

}  // namespace quern::expand
