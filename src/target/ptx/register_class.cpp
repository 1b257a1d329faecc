#include "target/ptx/register_class.hpp"

namespace quern::target::ptx {

using ir::Type;
using ir::TypeKind;

Class class_of(const Type* scalar) {
  switch (scalar->kind) {
    case TypeKind::kBool: return Class::kPredicate;
    case TypeKind::kF16:
    case TypeKind::kBF16: return Class::kB16;
    case TypeKind::kI64:
    case TypeKind::kU64:
    case TypeKind::kF64: return Class::kB64;
    case TypeKind::kPtr: return scalar->space == ir::Space::kShared ? Class::kB32 : Class::kB64;
    default: return Class::kB32;
  }
}

}  // namespace quern::target::ptx
