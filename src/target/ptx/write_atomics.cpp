// Atomics on words; operations that the hardware lacks have been lowered before (native.cpp).
#include "target/ptx/writer.hpp"

namespace quern::target::ptx {

using ir::Inst;
using ir::Op;
using ir::Rmw;
using ir::Type;
using ir::TypeKind;

namespace {

std::string_view space_name(Form form) {
  constexpr std::string_view kNames[] = {"", ".global", ".shared", ".local", ".const"};
  return kNames[static_cast<size_t>(form)];
}

std::string_view scope_name(ir::Scope scope) {
  constexpr std::string_view kNames[] = {".cta", ".gpu", ".sys"};
  return kNames[static_cast<size_t>(scope)];
}

std::string number(const Type* t, bool keeps_sign) {
  return std::string(keeps_sign && t->is_signed() ? ".s" : ".u") + (t->size == 8 ? "64" : "32");
}

std::string operation(Rmw rmw, const Type* t) {
  const std::string bits = t->size == 8 ? ".b64" : ".b32";
  switch (rmw) {
    case Rmw::kAdd:
    case Rmw::kSub:
      if (t->kind == TypeKind::kF16) return ".add.noftz.f16";
      if (t->kind == TypeKind::kBF16) return ".add.noftz.bf16";
      if (t->is_float()) return t->size == 8 ? ".add.f64" : ".add.f32";
      return ".add" + number(t, false);
    case Rmw::kMin: return ".min" + number(t, true);
    case Rmw::kMax: return ".max" + number(t, true);
    case Rmw::kAnd: return ".and" + bits;
    case Rmw::kOr: return ".or" + bits;
    case Rmw::kXor: return ".xor" + bits;
    case Rmw::kInc: return ".inc.u32";
    case Rmw::kDec: return ".dec.u32";
    default: return ".exch" + bits;
  }
}

}  // namespace

void Writer::atomic(const Inst* i) {
  const Type* t = i->is(Op::kAtomicLoad) ? i->type : i->operand(1)->type;
  const Address a = address(i->operand(0));
  const std::string where = place(a);
  const std::string scope(has(60) ? scope_name(i->attr().scope) : "");
  const std::string space(space_name(a.form));
  const Class c = t->is_ptr() ? Class::kB64 : class_of(t);
  const std::string bits = c == Class::kB64 ? ".b64" : c == Class::kB16 ? ".b16" : ".b32";
  // Pointers are stored in memory as generic addresses.
  const auto given = [&](size_t k) {
    const ir::Value* v = i->operand(k);
    return in_register(c, t->is_ptr() ? pointer_as(v, Form::kGeneric) : operand(v));
  };
  const auto result = [&](const Reg& r) {
    define(i, t->is_ptr() ? cast(r, Form::kGeneric, form_of(i), true) : r);
  };
  const std::string order = has(70) ? ".relaxed" + scope : ".volatile";
  switch (i->op) {
    case Op::kAtomicLoad: result(make(c, "ld" + order + space + bits, {where})); return;
    case Op::kAtomicStore: put("st" + order + space + bits, {where, given(1)}); return;
    case Op::kAtomicCas: {
      const Reg expected = given(1), desired = given(2);
      result(make(c, "atom" + scope + space + ".cas" + bits, {where, expected, desired}));
      return;
    }
    default: break;
  }
  Reg by = given(1);
  if (i->attr().rmw == Rmw::kSub) {
    by = t->is_float() ? make(c, t->size == 8 ? "neg.f64" : "neg.f32", {by})
                       : make(c, t->size == 8 ? "neg.s64" : "neg.s32", {by});
  }
  result(make(c, "atom" + scope + space + operation(i->attr().rmw, t), {where, by}));
}

}  // namespace quern::target::ptx
