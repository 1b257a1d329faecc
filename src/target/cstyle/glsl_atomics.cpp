// Atomics on words: GLSL has those on 32-bit integers, and on 64-bit ones with an extension; the others are
// compare-and-swap.
#include "target/cstyle/glsl_writer.hpp"
#include "target/messages.hpp"

namespace quern::target::cstyle {

using ir::Inst;
using ir::Op;
using ir::Rmw;
using ir::Type;
using ir::TypeKind;

namespace {

std::string native(Rmw rmw) {
  switch (rmw) {
    case Rmw::kAdd:
    case Rmw::kSub: return "atomicAdd";
    case Rmw::kMin: return "atomicMin";
    case Rmw::kMax: return "atomicMax";
    case Rmw::kAnd: return "atomicAnd";
    case Rmw::kOr: return "atomicOr";
    case Rmw::kXor: return "atomicXor";
    case Rmw::kExchange: return "atomicExchange";
    default: return {};
  }
}

// The new value, from a (the old value) and v; for floats.
std::string real_value(Rmw rmw, const std::string& kind) {
  switch (rmw) {
    case Rmw::kSub: return "a - v";
    case Rmw::kMin: return "quern_min_" + kind + "(a, v)";
    case Rmw::kMax: return "quern_max_" + kind + "(a, v)";
    case Rmw::kExchange: return "v";
    default: return "a + v";
  }
}

}  // namespace

Expr GlslWriter::atomic_word(const Inst* i, const Address& a) {
  const Type* t = i->type;
  const Rmw rmw = i->attr().rmw;
  const bool is_real = t->is_float();
  std::string wanted;
  if (is_real) {
    wanted = real_value(rmw, std::string(ir::name(t->kind)));
  } else {
    wanted = rmw == Rmw::kInc   ? "(a >= v ? 0u : a + 1u)"
             : rmw == Rmw::kDec ? "(a == 0u || a > v ? v : a - 1u)"
             : rmw == Rmw::kMin ? "min(a, v)"
                                : "max(a, v)";
  }
  const std::string name =
      unit_.helpers.use("atomic_word", {t->kind},
                        {{"suffix", "_" + std::string(ir::name(rmw)) + "_" + a.words->name},
                         {"name", a.words->name},
                         {"word", std::string(spell(dialect_, a.words->word))},
                         {"from", is_real ? "uintBitsToFloat" : std::string(spell(dialect_, t->kind))},
                         {"to", is_real ? "floatBitsToUint" : std::string(spell(dialect_, a.words->word))},
                         {"value", wanted}});
  return call(name, {cast(TypeKind::kU32, word_at(a)), value(i->operand(1))});
}

// On 64 bits. The words are signed: NVIDIA's extension supports add and exchange on signed integers only.
Expr GlslWriter::atomic_wide(const Inst* i, const Address& a) {
  const Type* t = i->type->is_void() ? i->operand(1)->type : i->type;
  const Expr word = wide_at(a);
  const auto given = [&](size_t k) { return to_wide(t, value(i->operand(k))); };
  switch (i->op) {
    case Op::kAtomicLoad: return from_wide(t, call("atomicOr", {word, {"0L", kPrimary}}));
    case Op::kAtomicStore: return call("atomicExchange", {word, given(1)});
    case Op::kAtomicCas: return from_wide(t, call("atomicCompSwap", {word, given(1), given(2)}));
    default: break;
  }
  const Rmw rmw = i->attr().rmw;
  if (rmw == Rmw::kInc || rmw == Rmw::kDec) {
    refuse(i, message::kAtomic64Increment());
    return zero(t);
  }
  const bool is_real = t->is_float();
  const bool is_other_order = (rmw == Rmw::kMin || rmw == Rmw::kMax) && t->kind != TypeKind::kI64;
  if ((!is_real || rmw == Rmw::kExchange) && !is_other_order) {
    const Expr v = rmw == Rmw::kSub ? unary("-", given(1)) : given(1);
    return from_wide(t, call(native(rmw), {word, v}));
  }
  const std::string wanted = is_real            ? real_value(rmw, std::string(ir::name(t->kind)))
                             : rmw == Rmw::kMin ? "min(a, v)"
                                                : "max(a, v)";
  const std::string name =
      unit_.helpers.use("atomic_wide", {t->kind},
                        {{"suffix", "_" + std::string(ir::name(rmw)) + "_" + a.words->name},
                         {"name", a.words->name + "_wide"},
                         {"word", std::string(spell(dialect_, TypeKind::kI64))},
                         {"from", from_wide(t, {"old", kPrimary}).text},
                         {"to", to_wide(t, {wanted, kPrimary}).text}});
  return call(name, {binary(byte_at(a), ">>", {"3", kPrimary}, kShift), value(i->operand(1))});
}

Expr GlslWriter::atomic_half(const Inst* i, const Address& a) {
  const Type* t = i->type;
  const bool is_cas = i->is(Op::kAtomicCas);
  const Rmw rmw = i->attr().rmw;
  const std::string kind(ir::name(t->kind));
  std::string wanted = "v";
  if (!is_cas && rmw != Rmw::kExchange) {
    if (t->is_float()) {
      const std::string x = "quern_f32_of_" + kind + "(a)", y = "quern_f32_of_" + kind + "(v)";
      const std::string sum = rmw == Rmw::kMin   ? "quern_min_f32(" + x + ", " + y + ")"
                              : rmw == Rmw::kMax ? "quern_max_f32(" + x + ", " + y + ")"
                                                 : x + (rmw == Rmw::kSub ? " - " : " + ") + y;
      wanted = "quern_" + kind + "_of_f32(" + sum + ")";
    } else {
      refuse(i, message::kAtomic16Arithmetic());
    }
  }
  const std::string name = unit_.helpers.use(
      "atomic_half", {},
      {{"suffix", "_" + (is_cas ? "cas" : std::string(ir::name(rmw)) + "_" + kind) + "_" + a.words->name},
       {"name", a.words->name},
       {"stop", is_cas ? "a != expected" : "false"},
       {"value", wanted}});
  const auto bits = [&](const ir::Value* v) { return to_bits(t, value(v)); };
  return from_bits(t, is_cas ? call(name, {byte_at(a), bits(i->operand(2)), bits(i->operand(1))})
                             : call(name, {byte_at(a), bits(i->operand(1)), {"0u", kPrimary}}));
}

Expr GlslWriter::atomic(const Inst* i) {
  const Type* t = i->type->is_void() ? i->operand(1)->type : i->type;
  const Address a = address_of(i->operand(0));
  const Words::Kind kind = a.words->kind;
  if (t->size == 1 || t->is_ptr() || (t->size == 8 && !unit_.has(driver::Feature::atomics64))) {
    refuse(i, t->size == 1 ? message::kAtomicByte() : message::kAtomic64());
    return zero(t);
  }
  if (kind != Words::Kind::kBuffer && kind != Words::Kind::kShared) {
    refuse(i, message::kAtomicOnLocal());
    return zero(t);
  }
  if (t->size == 8 && a.words->lacks_wide) {
    refuse(i, message::kAtomic64InMixedShared());
    return zero(t);
  }
  if (t->size == 8) return atomic_wide(i, a);
  if (i->is(Op::kAtomicLoad)) return read(a, t, 0);
  if (i->is(Op::kAtomicStore) && t->size != 4) {
    refuse(i, message::kAtomic16Store());
    return zero(t);
  }
  if (t->size == 2) return atomic_half(i, a);
  const Type* word = unit_.module.types().get(a.words->word);
  const Expr element{a.words->name + "[" + word_at(a).text + "]", kPrimary};
  const auto as_word_value = [&](const ir::Value* v) {
    return t->kind == word->kind ? value(v) : from_bits(word, to_bits(t, value(v)));
  };
  const auto back = [&](const Expr& e) { return t->kind == word->kind ? e : from_bits(t, to_bits(word, e)); };
  if (i->is(Op::kAtomicStore)) return call("atomicExchange", {element, as_word_value(i->operand(1))});
  if (i->is(Op::kAtomicCas))
    return back(
        call("atomicCompSwap", {element, as_word_value(i->operand(1)), as_word_value(i->operand(2))}));
  const Rmw rmw = i->attr().rmw;
  // The order of the array's own words is different.
  const bool is_other_order = (rmw == Rmw::kMin || rmw == Rmw::kMax) && t->kind != word->kind;
  const bool is_real = t->is_float() && rmw != Rmw::kExchange;
  if (native(rmw).empty() || is_real || is_other_order) return atomic_word(i, a);
  Expr v = as_word_value(i->operand(1));
  if (rmw == Rmw::kSub) v = unary("-", v);
  return back(call(native(rmw), {element, v}));
}

}  // namespace quern::target::cstyle
