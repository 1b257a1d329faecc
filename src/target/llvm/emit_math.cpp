// Math functions. Operations that processors compute exactly are intrinsics; those on floats are vector code
// (emit_lanes.cpp); the others call the device, lane by lane, where the simulator's code gives the same bits.
#include "target/llvm/emitter.hpp"
#include "target/llvm/lane_math.hpp"

namespace quern::llvm {

using ir::Inst;
using ir::Op;
using ir::TypeKind;

namespace {

bool is_small_float(const ir::Type* type) {
  return type->kind == TypeKind::kF16 || type->kind == TypeKind::kBF16;
}

const char* exact_intrinsic(Op op) {
  switch (op) {
    case Op::kSqrt: return "sqrt.";
    case Op::kFloor: return "floor.";
    case Op::kCeil: return "ceil.";
    case Op::kTrunc: return "trunc.";
    case Op::kRound: return "round.";
    case Op::kRint: return "rint.";
    default: return nullptr;
  }
}

}  // namespace

Val Emitter::math(const Inst* i) {
  std::vector<Val> x;
  for (const ir::Value* v : i->operands) x.push_back(value(v));
  if (const ir::Function* function = lane_function(module_, *i, options_)) return in_lanes(i, *function, x);
  const ir::Type* type = i->operand(0)->type;
  const bool is_small = is_small_float(type);
  const ir::Type* own = is_small ? scalar(TypeKind::kF32) : type;
  const auto wide = [&](const Text& t, bool v) { return is_small ? widen(type, t, v) : t; };
  const auto back = [&](const Text& t, bool v) { return is_small ? narrow(type, t, v) : t; };
  if (const char* name = exact_intrinsic(i->op)) {
    return apply(i->type, x, [&](const Texts& t, bool v) {
      const Text lanes = typed(own, v);
      return back(intrinsic(name + vec_suffix(own, v), lanes, {lanes}, {wide(t[0], v)}), v);
    });
  }
  switch (i->op) {
    case Op::kFma:
      if (is_small) return evaluated(i, x);
      return apply(i->type, x, [&](const Texts& t, bool v) {
        const Text lanes = typed(type, v);
        return intrinsic("fma." + vec_suffix(type, v), lanes, {lanes, lanes, lanes}, t);
      });
    case Op::kCopysign:
      if (is_small) return evaluated(i, x);
      return apply(i->type, x, [&](const Texts& t, bool v) {
        const Text lanes = typed(type, v);
        return intrinsic("copysign." + vec_suffix(type, v), lanes, {lanes, lanes}, t);
      });
    case Op::kIsNan:
      return apply(i->type, x, [&](const Texts& t, bool v) {
        const Text a = wide(t[0], v);
        return def("fcmp uno " + typed(own, v) + " " + a + ", " + a);
      });
    case Op::kIsInf:
      return apply(i->type, x, [&](const Texts& t, bool v) {
        const Text lanes = typed(own, v);
        const Text a = intrinsic("fabs." + vec_suffix(own, v), lanes, {lanes}, {wide(t[0], v)});
        const Text infinity = "0x7FF0000000000000";
        return def("fcmp oeq " + lanes + " " + a + ", " + (v ? splat(spelling(own), infinity) : infinity));
      });
    case Op::kSignBit:
      return apply(i->type, x, [&](const Texts& t, bool v) {
        const Text raw = "i" + std::to_string(type->bits()), bits = v ? vec(raw) : raw;
        const Text a =
            raw == spelling(type) ? t[0] : def("bitcast " + typed(type, v) + " " + t[0] + " to " + bits);
        return def("icmp slt " + bits + " " + a + ", " + (v ? Text("zeroinitializer") : Text("0")));
      });
    case Op::kLdexp:
    case Op::kIlogb:
    case Op::kLogb:
    case Op::kFdim:
    case Op::kNextafter:
    case Op::kAddR:
    case Op::kMulR:
    case Op::kDivR:
    case Op::kFmaR:
    case Op::kSqrtR: return evaluated(i, x);
    default: return library_function(i, x);
  }
}

// In double, rounded to the type.
Val Emitter::library_function(const Inst* i, std::span<const Val> operands) {
  const ir::Type* f64 = scalar(TypeKind::kF64);
  return per_lane(i->type, operands, [&](const Texts& t) {
    Text arguments = "i32 " + std::to_string(static_cast<int>(i->op));
    for (size_t k = 0; k < 2; ++k) {
      arguments +=
          ", double " + (k < t.size() ? convert_text(i->operand(k)->type, f64, t[k], false) : Text("0.0"));
    }
    const Text r = call("qn_math", arguments);
    if (!is_small_float(i->type)) return convert_text(f64, i->type, r, false);
    const uint64_t packed =
        pack_eval(Op::kConvert, i->type->kind, TypeKind::kF64, TypeKind::kF64, ir::Rounding::kNearest);
    return from_bits(i->type, call("qn_eval", "i64 " + std::to_string(packed) + ", i64 " + to_bits(f64, r) +
                                                  ", i64 0, i64 0"));
  });
}

Val Emitter::evaluated(const Inst* i, std::span<const Val> operands) {
  const TypeKind first = i->operand(0)->type->kind;
  const TypeKind second = i->operands.size() > 1 ? i->operand(1)->type->kind : first;
  const uint64_t packed = pack_eval(i->op, i->type->kind, first, second, i->attr().round);
  return per_lane(i->type, operands, [&](const Texts& t) {
    Text arguments = "i64 " + std::to_string(packed);
    for (size_t k = 0; k < 3; ++k) {
      arguments += ", i64 " + (k < t.size() ? to_bits(i->operand(k)->type, t[k]) : Text("0"));
    }
    return from_bits(i->type, call("qn_eval", arguments));
  });
}

}  // namespace quern::llvm
