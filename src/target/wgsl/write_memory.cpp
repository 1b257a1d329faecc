#include "base/text.hpp"
#include "lang/pass/walk.hpp"
#include "target/wgsl/writer.hpp"

namespace quern::target::wgsl {

using ir::Inst;
using ir::Op;
using ir::Rmw;
using ir::Type;
using ir::TypeKind;
using ir::Value;

Object& Writer::object_at(const Value* pointer) {
  Object& o = unit_.objects.of(Objects::base_of(pointer));
  if (!o.is_declared && o.kind != Object::Kind::kOwn) {
    o.is_declared = true;
    if (unit_.declared.insert(o.name).second) unit_.declarations += o.declaration;
    unit_.uses_dynamic |= o.kind == Object::Kind::kShared && o.words == 0;
  }
  return o;
}

Expr Writer::index(const Value* pointer, const Object& object) {
  const Inst* i = ir::as_inst(pointer);
  if (i == nullptr || !i->is(Op::kOffset)) return {"0u"};
  const Value* at = i->operand(1);
  const ir::Const* c = ir::as_const(at);
  // A constant index out of bounds would be an error, even if it is never reached.
  if (c != nullptr && object.words != 0 && c->bits >= object.words) return helper("index", {value(at)});
  return value(at);
}

Expr Writer::element(const Value* pointer) {
  const Object& o = object_at(pointer);
  return {o.name + "[" + index(pointer, o).text + "]"};
}

Expr Writer::to_word(const Object& object, const Type* type, const Expr& e) {
  const std::string word(word_name(object.word));
  return type_name(type) == word ? e : call("bitcast<" + word + ">", {e});
}

Expr Writer::from_word(const Object& object, const Type* type, const Expr& e) {
  const std::string wanted(type_name(type));
  return wanted == word_name(object.word) ? e : call("bitcast<" + wanted + ">", {e});
}

Expr Writer::load(const Inst* i) {
  const Inst* var = ir::as_inst(i->operand(0));
  if (var != nullptr && folding_.is_plain(var)) return {named_.at(var)};
  const Expr at = element(i->operand(0));
  const Object& o = object_at(i->operand(0));
  return from_word(o, i->type, o.is_atomic ? Expr{"atomicLoad(&" + at.text + ")"} : at);
}

// A store, without the semicolon; declares its variable if it is the first.
std::string Writer::assignment(const Inst* i) {
  const Inst* var = ir::as_inst(i->operand(0));
  const Value* v = i->operand(1);
  if (var != nullptr && folding_.is_plain(var)) {
    const std::string text = hidden(v).text;
    if (!folding_.declares(i)) return named_.at(var) + " = " + text;
    const std::string name = pretty(var->name);
    named_[var] = name;
    return "var " + name + ": " + std::string(type_name(v->type)) + " = " + text;
  }
  const Expr at = element(i->operand(0));
  const Object& o = object_at(i->operand(0));
  const Expr word = to_word(o, v->type, value(v));
  if (o.is_atomic) return "atomicStore(&" + at.text + ", " + word.text + ")";
  return at.text + " = " + word.text;
}

void Writer::variable(const Inst* i) {
  if (!folding_.is_used(i)) return;
  if (folding_.is_plain(i)) {
    if (folding_.first_store(i) != nullptr) return;  // declared there
    named_[i] = pretty(i->name);
    text_.line("var " + named_[i] + ": " + std::string(type_name(i->attr().type)) + ";");
    return;
  }
  Object& o = unit_.objects.of(i);
  o.name = pretty(i->name);
  text_.line("var " + o.name + ": array<" + std::string(word_name(o.word)) + ", " + std::to_string(o.words) +
             ">;");
}

// --- arguments ---

// A parameter, or a member of one.
Expr Writer::argument(const Value* v) {
  uint64_t offset = 0;
  const Value* from = v;
  while (const Inst* i = ir::as_inst(from)) {
    const Type* whole = i->operand(0)->type;
    const uint32_t k = i->attr().index;
    offset += whole->is_array() ? k * whole->elem->size : whole->fields[k].offset;
    from = i->operand(0);
  }
  return argument_at(v->type, offset + unit_.offsets[static_cast<const ir::Param*>(from)->index]);
}

Expr Writer::argument_at(const Type* type, uint64_t offset) {
  constexpr std::string_view kParts[] = {".x", ".y", ".z", ".w"};
  unit_.uses_arguments = true;
  const Expr word{"quern_arguments[" + std::to_string(offset / 16) + "]" +
                  std::string(kParts[offset % 16 / 4])};
  const Type* u32 = unit_.module.types().get(TypeKind::kU32);
  if (type->size == 4) return bitcast(type, u32, word);
  const uint64_t by = offset % 4 * 8;
  const Expr part = by == 0 ? word : binary(word, ">>", {std::to_string(by) + "u"});
  if (type->is_bool()) return binary(binary(part, "&", {"255u"}), "!=", {"0u"});
  return cut(type, type->is_signed() ? call("bitcast<i32>", {part}) : part);
}

// --- atomics ---

namespace {

std::string_view native(Rmw rmw) {
  switch (rmw) {
    case Rmw::kAdd: return "atomicAdd";
    case Rmw::kSub: return "atomicSub";
    case Rmw::kMin: return "atomicMin";
    case Rmw::kMax: return "atomicMax";
    case Rmw::kAnd: return "atomicAnd";
    case Rmw::kOr: return "atomicOr";
    case Rmw::kXor: return "atomicXor";
    default: return "atomicExchange";
  }
}

// WGSL's own may fail spuriously.
constexpr std::string_view kSwap = R"(fn $function(at: u32, expected: $word, wanted: $word) -> $word {
  loop {
    let seen = atomicCompareExchangeWeak(&$object[at], expected, wanted);
    if (seen.exchanged || (seen.old_value != expected)) { return seen.old_value; }
  }
  return expected;
}
)";

// An order other than that of the words.
constexpr std::string_view kOrdered = R"(fn $function(at: u32, v: i32) -> i32 {
  loop {
    let old = atomicLoad(&$object[at]);
    let seen = atomicCompareExchangeWeak(&$object[at], old, bitcast<u32>($order(bitcast<i32>(old), v)));
    if (seen.exchanged) { return bitcast<i32>(old); }
  }
  return v;
}
)";

std::string filled(std::string_view text, const std::string& function, const Object& object,
                   const std::string& order = {}) {
  std::string out = base::replace_all(text, "$function", function);
  out = base::replace_all(out, "$object", object.name);
  out = base::replace_all(out, "$word", std::string(word_name(object.word)));
  return base::replace_all(out, "$order", order);
}

}  // namespace

Expr Writer::atomic_rmw(const Inst* i, const Object& o) {
  const Type* t = i->type;
  const Rmw rmw = i->attr().rmw;
  const bool is_order = rmw == Rmw::kMin || rmw == Rmw::kMax;
  if (is_order && t->kind == TypeKind::kI32 && o.word != TypeKind::kI32) {
    const std::string order = rmw == Rmw::kMin ? "min" : "max";
    const std::string name = "quern_" + order + "_" + o.name;
    unit_.helpers.use_made(name, filled(kOrdered, name, o, order));
    return call(name, {index(i->operand(0), o), value(i->operand(1))});
  }
  const Expr at = element(i->operand(0));
  return from_word(o, t,
                   call(std::string(native(rmw)), {{"&" + at.text}, to_word(o, t, value(i->operand(1)))}));
}

Expr Writer::atomic(const Inst* i) {
  const Object& o = object_at(i->operand(0));
  if (i->is(Op::kAtomicLoad)) return load(i);
  if (i->is(Op::kAtomicRmw)) return atomic_rmw(i, o);
  const std::string name = "quern_swap_" + o.name;
  unit_.helpers.use_made(name, filled(kSwap, name, o));
  const Type* t = i->type;
  return from_word(o, t,
                   call(name, {index(i->operand(0), o), to_word(o, t, value(i->operand(1))),
                               to_word(o, t, value(i->operand(2)))}));
}

}  // namespace quern::target::wgsl
