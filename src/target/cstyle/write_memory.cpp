// Pointers are byte addresses in the IR. Here they get back the types that make them readable: a pointer
// records the type it points to, and steps of that size are indices. If an access has another type, it is a
// cast.
#include "lang/pass/walk.hpp"
#include "target/cstyle/kernel_writer.hpp"
#include "target/messages.hpp"

namespace quern::target::cstyle {

using ir::Inst;
using ir::Op;
using ir::Space;
using ir::Type;
using ir::TypeKind;
using ir::Value;
using ir::ValueKind;

namespace {

bool is_dynamic(const ir::Global* g) { return g->object->is_array() && g->object->count == 0; }

std::string space_name(Space space) { return "_" + std::string(ir::name(space)); }

}  // namespace

Place KernelWriter::place(const Value* pointer) {
  const Space space = pointer->type->space;
  switch (pointer->kind) {
    case ValueKind::kConst:
    case ValueKind::kUndef: return {literal(pointer->type, 0), false, nullptr, space};
    case ValueKind::kParam: return {{named_.at(pointer), kPrimary}, false, pointees_[pointer], space};
    case ValueKind::kGlobal: {
      const auto* g = static_cast<const ir::Global*>(pointer);
      if (const auto why = unit_.unsayable.find(g); why != unit_.unsayable.end())
        unit_.refuse(current_->pos, why->second);
      if (is_dynamic(g)) {
        const Expr bytes{std::string(kDynamicShared), kPrimary};
        const Expr typed = address_as({bytes, false, nullptr, space}, g->object->elem);
        return {typed, false, g->object->elem, space};
      }
      const bool is_hidden = dialect_.variables_are_parameters && space != Space::kShared && !g->is_literal;
      const Expr name{unit_.globals.at(g), kPrimary};
      if (!is_hidden) return {name, true, g->object, space, g->is_literal};
      if (g->object->is_array()) return {name, false, g->object->elem, space};
      return {{"(*" + name.text + ")", kPrimary}, true, g->object, space};
    }
    case ValueKind::kInst: break;
  }
  const auto* i = static_cast<const Inst*>(pointer);
  if (i->is(Op::kVar)) return {{named_.at(i), kPrimary}, true, i->attr().type, Space::kLocal};
  if (const auto named = named_.find(i); named != named_.end())
    return {{named->second, kPrimary}, false, pointees_[i], space};
  return place_of(i);
}

Place KernelWriter::place_of(const Inst* i) {
  const Space space = i->type->space;
  switch (i->op) {
    case Op::kOffset: return offset(i);
    case Op::kFieldPtr: return field(i);
    case Op::kSpaceCast: {
      Place p = place(i->operand(0));
      // If address spaces are part of types, a pointer that is only passed on keeps its own.
      if (!dialect_.pointers_are_typed_by_space) p.space = space;
      if (space != Space::kGeneric && !dialect_.pointer_in_memory) p = narrowed_pointer(std::move(p), space);
      if (p.space != space && space != Space::kGeneric) refuse(i, message::kSeveralSpaces());
      return p;
    }
    case Op::kLoad: {
      const Inst* var = ir::as_inst(i->operand(0));
      if (var != nullptr && folding_.is_plain(var))
        return {{named_.at(var), kPrimary}, false, pointee(var), space};
      const Expr raw = access(place(i->operand(0)), i->type, pass::is_volatile(i), i->attr().align);
      return {loaded(i->type, raw), false, nullptr, space};
    }
    case Op::kSelect: {
      const Place a = place(i->operand(1)), b = place(i->operand(2));
      const Type* common = a.type == b.type && a.type != nullptr && !a.type->is_array() ? a.type : nullptr;
      if (dialect_.pointers_are_typed_by_space && a.space != b.space) refuse(i, message::kSeveralSpaces());
      const Expr e{value(i->operand(0)).at(kLogicalOr) + " ? " + address_as(a, common).at(kLogicalOr) +
                       " : " + address_as(b, common).at(kConditional),
                   kConditional};
      return {e, false, common, a.space};
    }
    case Op::kParamAddress: {
      const Value* param = i->operand(0);
      return {{named_.at(param), kPrimary}, true, param->type, space, true};
    }
    case Op::kMapShared: {
      const Expr own = address(place(i->operand(0)));
      if (!has_clusters(i)) return {own, false, nullptr, space};
      const Expr there = call(unit_.helpers.use("map_shared"), {own, value(i->operand(1))});
      return {{"(" + unit_.types.pointer(nullptr, space) + ")" + there.at(kUnary), kUnary},
              false,
              nullptr,
              space};
    }
    case Op::kSharedPointer: {
      const Expr there = call("__cvta_shared_to_generic", {value(i->operand(0))});
      return {{"(" + unit_.types.pointer(nullptr, space) + ")" + there.at(kUnary), kUnary},
              false,
              nullptr,
              space};
    }
    case Op::kIntToPtr: {
      const Expr bits = value(i->operand(0));
      return {
          {"(" + unit_.types.pointer(nullptr, space) + ")" + bits.at(kUnary), kUnary}, false, nullptr, space};
    }
    case Op::kExtract: return {extract(i), false, nullptr, space};
    case Op::kAtomicRmw:
    case Op::kAtomicCas:
    case Op::kAtomicLoad: {
      const Expr bits = atomic(i);
      return {
          {"(" + unit_.types.pointer(nullptr, space) + ")" + bits.at(kUnary), kUnary}, false, nullptr, space};
    }
    default: break;
  }
  refuse(i, message::kPointerNotExpressible(dialect_.name));
  return {literal(i->type, 0), false, nullptr, space};
}

// A pointer that was stored in memory is a number: it can be cast to its known type.
Place KernelWriter::narrowed_pointer(Place p, Space space) {
  const std::string generic = "(" + unit_.types.pointer(nullptr, Space::kGeneric) + ")";
  if (p.space != Space::kGeneric || p.text.text.compare(0, generic.size(), generic) != 0) return p;
  p.text.text = "(" + unit_.types.pointer(nullptr, space) + ")" + p.text.text.substr(generic.size());
  p.space = space;
  return p;
}

Place KernelWriter::offset(const Inst* i) {
  Place base = place(i->operand(0));
  const uint64_t scale = i->attr().scale;
  const Expr index = value(i->operand(1));
  // An array decays to its first element; an array of arrays to the elements that are stepped over.
  while (base.is_object && base.type->is_array() && base.type->elem->size != scale &&
         base.type->elem->is_array())
    base = {{base.text.at(kPrimary) + "[0]", kPrimary}, true, base.type->elem, base.space, base.is_const};
  if (base.is_object && base.type->is_array() && base.type->elem->size == scale)
    return {{base.text.at(kPrimary) + "[" + index.text + "]", kPrimary},
            true,
            base.type->elem,
            base.space,
            base.is_const};
  if (base.type != nullptr && base.type->size == scale && !base.type->is_array()) {
    const Expr pointer = address(base);
    return {{pointer.at(kPrimary) + "[" + index.text + "]", kPrimary},
            true,
            base.type,
            base.space,
            base.is_const};
  }
  const bool is_constant = ir::as_const(i->operand(1)) != nullptr;
  Expr bytes = index;
  if (is_constant) {
    const int64_t n = ir::int_value(ir::as_const(i->operand(1))) * static_cast<int64_t>(scale);
    bytes = {std::to_string(n), n < 0 ? int{kUnary} : int{kPrimary}};
  } else if (scale != 1) {
    const bool is_signed = i->operand(1)->type->is_signed();
    const Expr wide = cast(is_signed ? TypeKind::kI64 : TypeKind::kU64, index);
    bytes = binary(wide, "*", {std::to_string(scale), kPrimary}, kProduct);
  }
  return {binary(byte_address(base), "+", bytes, kSum), false, nullptr, base.space};
}

Place KernelWriter::field(const Inst* i) {
  return field(place(i->operand(0)), i->attr().type, i->attr().index);
}

Place KernelWriter::field(const Place& at, const Type* type, uint32_t index) {
  const std::string name = unit_.types.field(type, index);
  const Type* member = type->fields[index].type;
  const Place inside = at.is_object && at.type != type ? descend(at, type) : at;
  if (inside.is_object && inside.type == type)
    return {{inside.text.at(kPrimary) + "." + name, kPrimary}, true, member, at.space, at.is_const};
  const Expr pointer = inside.type == type ? inside.text : address_as(at, type);
  return {{pointer.at(kPrimary) + "->" + name, kPrimary}, true, member, at.space};
}

Place KernelWriter::descend(Place at, const Type* to) {
  while (at.is_object && at.type != to && at.type->is_aggregate()) {
    if (at.type->is_array()) {
      at = {{at.text.at(kPrimary) + "[0]", kPrimary}, true, at.type->elem, at.space, at.is_const};
    } else {
      if (at.type->fields.empty() || at.type->fields[0].offset != 0) break;
      at = field(at, at.type, 0);
    }
  }
  return at;
}

Expr KernelWriter::address(const Place& p) {
  if (!p.is_object) return p.text;
  if (p.type != nullptr && p.type->is_array()) return {"&" + descend(p, nullptr).text.at(kUnary), kUnary};
  return unary("&", p.text);
}

// As a pointer to `to`; null: bytes.
Expr KernelWriter::address_as(const Place& p, const Type* to, bool is_volatile) {
  const Expr plain = address(p);
  const bool same = !is_volatile && p.type == to && !p.is_object;
  const bool same_object = !is_volatile && !p.is_const && p.is_object && p.type == to && !p.type->is_array();
  if (same || same_object) return plain;
  return {"(" + unit_.types.pointer(to, p.space, is_volatile) + ")" + plain.at(kUnary), kUnary};
}

// The object of that type at the address, to read or assign.
Expr KernelWriter::access(const Place& p, const Type* type, bool is_volatile, uint32_t align) {
  const bool is_aligned = align == 0 || align >= type->align;
  if (dialect_.pointers_are_typed_by_space && p.space == Space::kGeneric)
    refuse(current_, message::kSeveralSpaces());
  if (is_volatile && !type->is_aggregate()) return {"*" + address_as(p, type, true).at(kUnary), kUnary};
  if (is_aligned && !type->is_array()) {
    if (!p.is_object && p.type == type) return {"*" + p.text.at(kUnary), kUnary};
    if (p.is_object) {
      if (const Place inside = descend(p, type); inside.type == type) return inside.text;
    } else if (p.type != nullptr && p.type->is_aggregate()) {
      const Place inside = descend({{"(*" + p.text.at(kUnary) + ")", kPrimary}, true, p.type, p.space}, type);
      if (inside.type == type) return inside.text;
    }
  }
  const std::string pointer = unit_.types.any_pointer(type, p.space, align);
  return {"*(" + pointer + ")" + address(p).at(kUnary), kUnary};
}

Expr KernelWriter::load(const Inst* i) {
  return loaded(i->type, access(place(i->operand(0)), i->type, pass::is_volatile(i), i->attr().align));
}

// From the form in memory to the value.
Expr KernelWriter::loaded(const Type* type, const Expr& lvalue) {
  if (type->is_bool() && !dialect_.bool_is_byte) return binary(lvalue, "!=", {"0", kPrimary}, kEquality);
  if (type->is_ptr() && !dialect_.pointer_in_memory)
    return {"(" + unit_.types.pointer(nullptr, type->space) + ")" + lvalue.at(kUnary), kUnary};
  return lvalue;
}

Expr KernelWriter::to_store(const Type* type, const Value* v) {
  if (!type->is_ptr()) return value(v);
  const Expr bytes = byte_address(place(v));
  return dialect_.pointer_in_memory ? bytes : cast(TypeKind::kU64, bytes);
}

// The pointee type of a variable that holds a pointer: that of the values stored in it, if they agree.
const Type* KernelWriter::pointee(const Inst* var) {
  const auto known = pointees_.find(var);
  if (known != pointees_.end()) return known->second;
  pointees_[var] = nullptr;  // breaks cycles
  const Type* common = nullptr;
  bool is_first = true, agree = true;
  for (const Inst* use : folding_.uses(var)) {
    if (!use->is(Op::kStore)) continue;
    // Follow the address down to its origin; steps keep the type if they have its size.
    const Value* from = use->operand(1);
    const Type* type = nullptr;
    uint64_t step = 0;
    while (const Inst* i = ir::as_inst(from)) {
      if (!i->is(Op::kOffset)) break;
      step = step == 0 ? i->attr().scale : step;
      from = i->operand(0);
    }
    if (from->kind == ValueKind::kConst) continue;
    const Inst* i = ir::as_inst(from);
    if (from->kind == ValueKind::kParam) type = pointees_[from];
    if (from->kind == ValueKind::kGlobal) type = static_cast<const ir::Global*>(from)->object;
    if (i != nullptr && i->is(Op::kVar)) type = i->attr().type;
    if (i != nullptr && i->is(Op::kLoad) && i->operand(0) == var) continue;  // steps of itself
    while (type != nullptr && type->is_array()) type = type->elem;
    if (type != nullptr && step != 0 && type->size != step) type = nullptr;
    agree = agree && (is_first || type == common);
    common = type;
    is_first = false;
  }
  return pointees_[var] = agree ? common : nullptr;
}

std::string KernelWriter::variable_type(const Inst* var) {
  const Type* type = var->attr().type;
  if (type->is_ptr()) return unit_.types.pointer(pointee(var), type->space);
  return (must_be_precise(type) ? "precise " : "") + unit_.types.value(type);
}

Expr KernelWriter::variable_value(const Inst* var, const Value* v) {
  if (!v->type->is_ptr()) return value(v);
  const Place p = place(v);
  if (dialect_.pointers_are_typed_by_space && p.space != var->attr().type->space)
    refuse(current_, message::kSeveralSpaces());
  return address_as(p, pointee(var));
}

void KernelWriter::variable(const Inst* var) {
  if (!folding_.is_used(var)) return;
  named_[var] = pretty(var->name);
  if (folding_.first_store(var) != nullptr) return;
  const std::string& name = named_[var];
  if (folding_.is_plain(var)) {
    text_.line(variable_type(var) + " " + name + ";");
    return;
  }
  const bool raised = var->attr().align > var->attr().type->align;
  const std::string align =
      raised ? "__attribute__((aligned(" + std::to_string(var->attr().align) + "))) " : "";
  text_.line(align + unit_.types.declaration(var->attr().type, name) + ";");
}

std::string KernelWriter::assignment(const Inst* i) {
  const Inst* var = ir::as_inst(i->operand(0));
  const Value* v = i->operand(1);
  if (var != nullptr && folding_.is_plain(var)) {
    const std::string type = folding_.declares(i) ? variable_type(var) + " " : "";
    return type + named_.at(var) + " = " + variable_value(var, v).text;
  }
  const Expr to = access(place(i->operand(0)), v->type, pass::is_volatile(i), i->attr().align);
  return to.text + " = " + to_store(v->type, v).text;
}

void KernelWriter::store(const Inst* i) {
  if (i->operand(1)->kind == ValueKind::kUndef && !folding_.declares(i)) return;
  text_.line(assignment(i) + ";");
}

void KernelWriter::copy(const Inst* i) {
  const Place to = place(i->operand(0)), from = place(i->operand(1));
  if (dialect_.pointers_are_typed_by_space && (to.space == Space::kGeneric || from.space == Space::kGeneric))
    refuse(i, message::kSeveralSpaces());
  const ir::Const* bytes = ir::as_const(i->operand(2));
  const bool same = to.type == from.type && to.type != nullptr && !to.type->is_array();
  if (same && bytes != nullptr && bytes->bits == to.type->size) {
    text_.line(access(to, to.type, false, 0).text + " = " + access(from, from.type, false, 0).text + ";");
    return;
  }
  const std::string suffix =
      dialect_.pointers_are_typed_by_space ? space_name(to.space) + space_name(from.space) : "";
  const std::string name = unit_.helpers.use("copy", {},
                                             {{"suffix", suffix},
                                              {"to", std::string(spell(dialect_, to.space))},
                                              {"from", std::string(spell(dialect_, from.space))}});
  text_.line(call(name, {byte_address(to), byte_address(from), value(i->operand(2))}).text + ";");
}

void KernelWriter::set(const Inst* i) {
  const Place to = place(i->operand(0));
  if (dialect_.pointers_are_typed_by_space && to.space == Space::kGeneric)
    refuse(i, message::kSeveralSpaces());
  const std::string suffix = dialect_.pointers_are_typed_by_space ? space_name(to.space) : "";
  const std::string name =
      unit_.helpers.use("set", {}, {{"suffix", suffix}, {"to", std::string(spell(dialect_, to.space))}});
  text_.line(call(name, {byte_address(to), value(i->operand(1)), value(i->operand(2))}).text + ";");
}

Expr KernelWriter::pointer_difference(const Inst* i) {
  const Place a = place(i->operand(0)), b = place(i->operand(1));
  const uint64_t scale = i->attr().scale;
  const Type* common = a.type == b.type && a.type != nullptr && a.type->size == scale && !a.type->is_array()
                           ? a.type
                           : nullptr;
  const Expr difference =
      cast(TypeKind::kI64, binary(address_as(a, common), "-", address_as(b, common), kSum));
  if (common != nullptr || scale == 1) return difference;
  return binary(difference, "/", literal(unit_.module.types().get(TypeKind::kI64), scale), kProduct);
}

}  // namespace quern::target::cstyle
