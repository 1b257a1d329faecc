#include "target/spirv/rep.hpp"

namespace quern::target::spirv {

using ir::Type;
using ir::TypeKind;

Rep rep_of(const Type* scalar) {
  switch (scalar->kind) {
    case TypeKind::kBool: return Rep::kBool;
    case TypeKind::kI64:
    case TypeKind::kU64: return Rep::kU64;
    case TypeKind::kF32: return Rep::kF32;
    case TypeKind::kF64: return Rep::kF64;
    case TypeKind::kPtr: return is_narrow_pointer(scalar) ? Rep::kU32 : Rep::kU64;
    default: return Rep::kU32;
  }
}

Id rep_type(Builder& b, Rep rep) {
  switch (rep) {
    case Rep::kBool: return b.bool_type();
    case Rep::kU32: return b.int_type(32);
    case Rep::kU64: return b.int_type(64);
    case Rep::kF32: return b.float_type(32);
    default: return b.float_type(64);
  }
}

}  // namespace quern::target::spirv
