#include "target/cstyle/kernel_writer.hpp"
#include "target/messages.hpp"

namespace quern::target::cstyle {

using ir::Inst;
using ir::Op;
using ir::Rmw;
using ir::Type;
using ir::TypeKind;

namespace {

TypeKind word_kind(const Type* t) { return t->size == 8 ? TypeKind::kU64 : TypeKind::kU32; }

// The function of the language, or empty.
std::string opencl_function(Rmw rmw, const Type* t) {
  const std::string prefix = t->size == 8 ? "atom_" : "atomic_";
  if (rmw == Rmw::kExchange) return prefix + "xchg";
  if (!t->is_int()) return {};
  switch (rmw) {
    case Rmw::kAdd: return prefix + "add";
    case Rmw::kSub: return prefix + "sub";
    case Rmw::kMin: return prefix + "min";
    case Rmw::kMax: return prefix + "max";
    case Rmw::kAnd: return prefix + "and";
    case Rmw::kOr: return prefix + "or";
    case Rmw::kXor: return prefix + "xor";
    default: return {};
  }
}

std::string cuda_function(Rmw rmw, const Type* t, bool is_hip) {
  if (is_hip && t->kind == TypeKind::kI64 && (rmw == Rmw::kMin || rmw == Rmw::kMax)) return {};
  if (rmw == Rmw::kExchange) return "atomicExch";
  if (t->is_float()) return rmw == Rmw::kAdd ? "atomicAdd" : "";
  switch (rmw) {
    case Rmw::kAdd: return "atomicAdd";
    case Rmw::kSub: return t->size == 4 ? "atomicSub" : "";
    case Rmw::kMin: return "atomicMin";
    case Rmw::kMax: return "atomicMax";
    case Rmw::kAnd: return "atomicAnd";
    case Rmw::kOr: return "atomicOr";
    case Rmw::kXor: return "atomicXor";
    case Rmw::kInc: return t->kind == TypeKind::kU32 ? "atomicInc" : "";
    case Rmw::kDec: return t->kind == TypeKind::kU32 ? "atomicDec" : "";
    default: return {};
  }
}

// The new value, from a (the old value) and v.
std::string new_value(Rmw rmw, bool wraps) {
  switch (rmw) {
    case Rmw::kAdd: return wraps ? "(@$0)((@$1)a + (@$1)v)" : "a + v";
    case Rmw::kSub: return wraps ? "(@$0)((@$1)a - (@$1)v)" : "a - v";
    case Rmw::kAnd: return "a & v";
    case Rmw::kOr: return "a | v";
    case Rmw::kXor: return "a ^ v";
    case Rmw::kInc: return "a >= v ? (@$0)0 : a + 1";
    case Rmw::kDec: return "a == 0 || a > v ? v : a - 1";
    default: return "v";
  }
}

}  // namespace

// The language's function on a type it supports: integers of that signedness, or the bits.
Expr KernelWriter::atomic_native(const Inst* i, const std::string& function) {
  const Type* t = i->type;
  const bool is_cuda = dialect_.is_cpp;
  const bool by_bits = i->attr().rmw == Rmw::kExchange && (t->kind == TypeKind::kF64 || t->is_ptr());
  const bool signs =
      is_cuda && t->kind == TypeKind::kI64 && i->attr().rmw != Rmw::kMin && i->attr().rmw != Rmw::kMax;
  const ir::TypeTable& types = unit_.module.types();
  const Type* as = by_bits || signs ? types.get(TypeKind::kU64) : t;
  const Place p = place(i->operand(0));
  const Expr pointer = address_as(p, as, dialect_.language == Language::kOpencl);
  Expr v = t->is_ptr() ? to_store(t, i->operand(1)) : value(i->operand(1));
  if (t->is_ptr()) v = cast(TypeKind::kU64, v);
  if (as != t && !t->is_ptr()) v = bitcast(as, t, v);
  const bool system =
      is_cuda && i->attr().scope == ir::Scope::kSystem && dialect_.language == Language::kCuda;
  const Expr e = call(function + (system ? "_system" : ""), {pointer, v});
  return as == t || t->is_ptr() ? e : bitcast(t, as, e);
}

Expr KernelWriter::atomic_loop(const Inst* i, const std::string& wanted) {
  const Type* t = i->type;
  const ir::Space space = i->operand(0)->type->space;
  const TypeKind word = word_kind(t);
  const std::string wide = t->size == 8 ? "64" : "32";
  const bool is_real = t->is_float();
  const std::string kind(ir::name(t->kind)), bits(ir::name(word));
  const std::string value_text = unit_.helpers.fill(wanted, {t->kind, word});
  const std::string name = unit_.helpers.use(
      "atomic", {t->kind, word},
      {{"suffix", "_" + std::string(ir::name(i->attr().rmw)) + "_" + std::string(ir::name(space))},
       {"space", std::string(spell(dialect_, space))},
       {"from", unit_.helpers.fill(is_real ? (t->size == 8 ? "@bits_f64" : "@bits_f32") : "@(" + kind + ")")},
       {"to", unit_.helpers.fill(is_real ? (t->size == 8 ? "@f64_bits" : "@f32_bits") : "@(" + bits + ")")},
       {"cas", unit_.helpers.fill("@cas" + wide)},
       {"value", value_text}});
  const Expr pointer = address_as(place(i->operand(0)), unit_.module.types().get(word),
                                  dialect_.language == Language::kOpencl);
  return call(name, {pointer, value(i->operand(1))});
}

// 16 bits: exchange, compare-and-swap, and arithmetic on half and bfloat16.
Expr KernelWriter::atomic16(const Inst* i) {
  const Type* t = i->type;
  const ir::Space space = i->operand(0)->type->space;
  const bool is_cas = i->is(Op::kAtomicCas);
  const Rmw rmw = i->attr().rmw;
  std::string wanted = "v", name = is_cas ? "cas" : std::string(ir::name(rmw));
  if (!is_cas && rmw != Rmw::kExchange) {
    if (t->is_float()) {
      const std::string kind(ir::name(t->kind));
      const std::string a = "quern_f32_of_" + kind + "(a)", v = "quern_f32_of_" + kind + "(v)";
      const bool is_min = rmw == Rmw::kMin, is_max = rmw == Rmw::kMax;
      const std::string sum =
          is_min || is_max ? std::string("quern_") + (is_min ? "min" : "max") + "_f32(" + a + ", " + v + ")"
                           : a + (rmw == Rmw::kSub ? " - " : " + ") + v;
      wanted = "quern_" + kind + "_of_f32(" + sum + ")";
      name += "_" + kind;
    } else if (rmw == Rmw::kMin || rmw == Rmw::kMax) {
      const std::string type = t->is_signed() ? "(@i16)" : "";
      wanted = unit_.helpers.fill("(" + type + "a < " + type +
                                  "v) == " + (rmw == Rmw::kMin ? "true" : "false") + " ? a : v");
      name += t->is_signed() ? "_i16" : "_u16";
    } else {
      wanted = unit_.helpers.fill(new_value(rmw, false), {TypeKind::kU16, TypeKind::kU16});
    }
    wanted = unit_.helpers.fill("(@u16)(") + wanted + ")";
  }
  const std::string function = unit_.helpers.use("atomic16", {},
                                                 {{"suffix", "_" + name + "_" + std::string(ir::name(space))},
                                                  {"space", std::string(spell(dialect_, space))},
                                                  {"stop", is_cas ? "a != expected" : "false"},
                                                  {"cas", unit_.helpers.fill("@cas32")},
                                                  {"value", wanted}});
  const Type* bits = unit_.module.types().get(TypeKind::kU16);
  const Expr pointer = address_as(place(i->operand(0)), bits, dialect_.language == Language::kOpencl);
  const auto as_bits = [&](const ir::Value* v) { return cast(TypeKind::kU16, value(v)); };
  const Expr e = is_cas ? call(function, {pointer, as_bits(i->operand(2)), as_bits(i->operand(1))})
                        : call(function, {pointer, as_bits(i->operand(1)), {"0", kPrimary}});
  return t->kind == TypeKind::kI16 ? cast(t->kind, e) : e;
}

Expr KernelWriter::compare_and_swap(const Inst* i) {
  const Type* t = i->type;
  if (t->size == 2) return atomic16(i);
  const Type* word = unit_.module.types().get(word_kind(t));
  const Expr pointer = address_as(place(i->operand(0)), word, dialect_.language == Language::kOpencl);
  const auto bits = [&](const ir::Value* v) {
    return t->is_ptr() ? cast(TypeKind::kU64, to_store(t, v)) : bitcast(word, t, value(v));
  };
  const std::string function = unit_.helpers.fill(t->size == 8 ? "@cas64" : "@cas32");
  const Expr e = call(function, {pointer, bits(i->operand(1)), bits(i->operand(2))});
  return t->is_ptr() ? e : bitcast(t, word, e);
}

Expr KernelWriter::atomic(const Inst* i) {
  const Type* t = i->type->is_void() ? i->operand(1)->type : i->type;
  if (t->size == 1 || t->is_bool()) {
    refuse(i, message::kAtomicByte());
    return zero(t);
  }
  if (dialect_.pointers_are_typed_by_space && i->operand(0)->type->space == ir::Space::kGeneric)
    refuse(i, message::kAtomicSeveralSpaces());
  if (t->size == 8 && !unit_.has(driver::Feature::atomics64)) refuse(i, message::kAtomic64());
  switch (i->op) {
    case Op::kAtomicCas: return compare_and_swap(i);
    case Op::kAtomicLoad: return loaded(t, access(place(i->operand(0)), t, true, 0));
    case Op::kAtomicStore: {
      const Expr to = access(place(i->operand(0)), t, true, 0);
      return {to.text + " = " + to_store(t, i->operand(1)).text, kConditional};
    }
    default: break;
  }
  const Rmw rmw = i->attr().rmw;
  if (t->size == 2) return atomic16(i);
  const std::string function =
      dialect_.is_cpp ? cuda_function(rmw, t, dialect_.language == Language::kHip) : opencl_function(rmw, t);
  return function.empty() ? combined_atomic(i) : atomic_native(i, function);
}

// Operations that the language has no function for.
Expr KernelWriter::combined_atomic(const Inst* i) {
  const Type* t = i->type;
  const Rmw rmw = i->attr().rmw;
  if (rmw == Rmw::kMin || rmw == Rmw::kMax) {
    const std::string kind(ir::name(t->kind));
    if (t->is_int()) return atomic_loop(i, rmw == Rmw::kMin ? "a < v ? a : v" : "a < v ? v : a");
    return atomic_loop(i, std::string("quern_") + (rmw == Rmw::kMin ? "min_" : "max_") + kind + "(a, v)");
  }
  return atomic_loop(i, new_value(rmw, t->is_int()));
}

}  // namespace quern::target::cstyle
