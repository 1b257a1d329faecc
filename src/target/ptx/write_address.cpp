// Pointers. Constant steps are kept as numbers and are part of the accesses; other steps are registers. A
// pointer is held as an address of the state space of its type; a pointer to one of several spaces, or to
// either a __constant__ variable or an internal table, is a generic address. Addresses of global memory are
// generic addresses. Shared and local memory begin at 0: null is all ones there.
#include <bit>

#include "target/ptx/writer.hpp"

namespace quern::target::ptx {

using ir::Inst;
using ir::Op;
using ir::Space;
using ir::Type;
using ir::Value;
using ir::ValueKind;

namespace {

bool is_step(const Inst* i) { return i != nullptr && (i->is(Op::kOffset) || i->is(Op::kFieldPtr)); }

const Value* root_of(const Value* v) {
  for (const Inst* i = ir::as_inst(v); is_step(i); i = ir::as_inst(v)) v = i->operand(0);
  return v;
}

Form form_of_type(const Type* t) {
  switch (t->space) {
    case Space::kGlobal: return Form::kGlobal;
    case Space::kShared: return Form::kShared;
    case Space::kLocal: return Form::kLocal;
    default: return Form::kGeneric;
  }
}

const char* null_of(Form form) {
  return form == Form::kShared ? "0xffffffff" : form == Form::kLocal ? "0xffffffffffffffff" : "0";
}

bool is_plain_number(Form form) { return form == Form::kGeneric || form == Form::kGlobal; }

}  // namespace

Form Writer::form_of(const Value* pointer) const {
  if (pointer->type->space == Space::kConstant) {
    const Value* root = root_of(pointer);
    if (root->kind == ValueKind::kGlobal)
      return static_cast<const ir::Global*>(root)->is_literal ? Form::kGlobal : Form::kConst;
  }
  return form_of_type(pointer->type);
}

bool Writer::is_never_null(const Value* v) const {
  const Value* root = root_of(v);
  const Inst* i = ir::as_inst(root);
  return root->kind == ValueKind::kGlobal || (i != nullptr && (i->is(Op::kVar) || i->is(Op::kParamAddress)));
}

Address Writer::address(const Value* pointer) {
  int64_t offset = 0;
  const Form form = form_of(pointer);
  const Value* v = pointer;
  for (const Inst* i = ir::as_inst(v); is_step(i) && steps_.count(i) == 0; i = ir::as_inst(v)) {
    const ir::Attr& attr = i->attr();
    offset += i->is(Op::kFieldPtr)
                  ? static_cast<int64_t>(attr.type->fields[attr.index].offset)
                  : ir::int_value(ir::as_const(i->operand(1))) * static_cast<int64_t>(attr.scale);
    v = i->operand(0);
  }
  switch (v->kind) {
    case ValueKind::kConst:
    case ValueKind::kUndef: return {null_of(form), offset, form, false};
    case ValueKind::kParam: return {values_.at(v).at(0), offset, form, false};
    case ValueKind::kGlobal: {
      const auto* g = static_cast<const ir::Global*>(v);
      const bool is_dynamic = g->space == Space::kShared && g->object->is_array() && g->object->count == 0;
      unit_.has_dynamic_shared = unit_.has_dynamic_shared || is_dynamic;
      if (const auto why = unit_.unsayable.find(g); why != unit_.unsayable.end())
        unit_.refuse(g->pos, why->second);
      return {is_dynamic ? std::string(kDynamicShared) : unit_.globals.at(g), offset, form, true};
    }
    case ValueKind::kInst: break;
  }
  const auto* i = static_cast<const Inst*>(v);
  if (i->is(Op::kVar)) return {"local", offset + static_cast<int64_t>(places_.at(i)), form, true};
  if (const auto known = steps_.find(i); known != steps_.end()) {
    Address a = known->second;
    a.offset += offset;
    return a;
  }
  return {values_.at(i).at(0), offset, form, false};
}

Reg Writer::materialised(const Address& a) {
  const bool is_short = a.form == Form::kShared;
  const Class c = is_short ? Class::kB32 : Class::kB64;
  Reg r = a.is_symbol ? make(c, is_short ? "mov.u32" : "mov.u64", {a.base}) : a.base;
  if (a.offset == 0) return r;
  return make(c, is_short ? "add.s32" : "add.s64", {r, std::to_string(a.offset)});
}

Reg Writer::cast(const Reg& r, Form from, Form to, bool may_be_null) {
  if (from == to || (is_plain_number(from) && is_plain_number(to))) return r;
  if (!is_plain_number(from)) {
    const bool is_short = from == Form::kShared;
    const Reg x = in_register(is_short ? Class::kB32 : Class::kB64, r);
    const char* code = is_short               ? "cvta.shared.u64"
                       : from == Form::kLocal ? "cvta.local.u64"
                                              : "cvta.const.u64";
    Reg out = wide(code, {is_short ? wide("cvt.u64.u32", {x}) : x});
    if (may_be_null && from != Form::kConst) {
      const Reg is_null = test(is_short ? "setp.eq.u32" : "setp.eq.u64", {x, null_of(from)});
      out = selected(Class::kB64, is_null, "0", out);
    }
    return cast(out, Form::kGeneric, to, may_be_null);
  }
  const bool is_short = to == Form::kShared;
  const Reg x = in_register(Class::kB64, r);
  const char* code = is_short             ? "cvta.to.shared.u64"
                     : to == Form::kLocal ? "cvta.to.local.u64"
                                          : "cvta.to.const.u64";
  Reg out = wide(code, {x});
  if (is_short) out = word("cvt.u32.u64", {out});
  if (!may_be_null || to == Form::kConst) return out;
  const Reg is_null = test("setp.eq.u64", {x, "0"});
  return selected(is_short ? Class::kB32 : Class::kB64, is_null, null_of(to), out);
}

Reg Writer::pointer_as(const Value* v, Form form) {
  if (v->kind == ValueKind::kConst || v->kind == ValueKind::kUndef) return null_of(form);
  return cast(pointer(v), form_of(v), form, !is_never_null(v));
}

Reg Writer::held_pointer(const Value* v) { return pointer_as(v, form_of_type(v->type)); }

void Writer::step(const Inst* i) {
  if (ir::as_const(i->operand(1)) != nullptr) return;
  Address a = address(i->operand(0));
  const int64_t offset = a.offset;
  a.offset = 0;
  const Reg base = in_register(a.form == Form::kShared ? Class::kB32 : Class::kB64, materialised(a));
  const uint64_t scale = i->attr().scale;
  const std::string times = std::to_string(scale);
  const bool is_power = std::has_single_bit(scale);
  const std::string by = std::to_string(std::countr_zero(scale));
  const Value* index = i->operand(1);
  Reg at;
  if (a.form == Form::kShared) {
    Reg n = operand(index);
    if (index->type->size == 8) n = word("cvt.u32.u64", {n});
    at = scale == 1 ? word("add.s32", {base, n})
         : is_power ? word("add.s32", {base, word("shl.b32", {n, by})})
                    : word("mad.lo.s32", {n, times, base});
  } else {
    // A widened number is multiplied in its original width.
    if (const Inst* widened = ir::as_inst(index);
        widened != nullptr && widened->is(Op::kConvert) && widened->type->size == 8 &&
        widened->operand(0)->type->is_int() && widened->operand(0)->type->size == 4)
      index = widened->operand(0);
    const Reg n = operand(index);
    const bool is_signed = index->type->is_signed();
    if (index->type->size == 8) {
      const Reg bytes = scale == 1 ? n : is_power ? wide("shl.b64", {n, by}) : wide("mul.lo.s64", {n, times});
      at = wide("add.s64", {base, bytes});
    } else if (scale == 1 || scale > INT32_MAX) {
      const Reg bytes = wide(is_signed ? "cvt.s64.s32" : "cvt.u64.u32", {in_register(Class::kB32, n)});
      at = wide("add.s64", {base, scale == 1 ? bytes : wide("mul.lo.s64", {bytes, times})});
    } else {
      at = wide("add.s64", {base, wide(is_signed ? "mul.wide.s32" : "mul.wide.u32", {n, times})});
    }
  }
  steps_[i] = {at, offset, a.form, false};
}

Reg Writer::pointer_difference(const Inst* i) {
  const Form form = form_of(i->operand(0)), other = form_of(i->operand(1));
  const Form common = form == other ? form : Form::kGeneric;
  const Reg a = pointer_as(i->operand(0), common), b = pointer_as(i->operand(1), common);
  Reg bytes;
  if (common == Form::kShared) {
    bytes = wide("cvt.s64.s32", {word("sub.s32", {a, b})});
  } else {
    bytes = wide("sub.s64", {a, b});
  }
  const uint64_t scale = i->attr().scale;
  if (scale == 1) return bytes;
  if (std::has_single_bit(scale)) return wide("shr.s64", {bytes, std::to_string(std::countr_zero(scale))});
  return wide("div.s64", {bytes, std::to_string(scale)});
}

Reg Writer::pointer_value(const Inst* i) {
  switch (i->op) {
    case Op::kSpaceCast: return pointer_as(i->operand(0), form_of(i));
    case Op::kIntToPtr: return cast(operand(i->operand(0)), Form::kGeneric, form_of(i), true);
    case Op::kPtrToInt: return pointer_as(i->operand(0), Form::kGeneric);
    case Op::kPtrDiff: return pointer_difference(i);
    case Op::kSharedAddress: return in_register(Class::kB32, pointer_as(i->operand(0), Form::kShared));
    case Op::kSharedPointer: return operand(i->operand(0));
    case Op::kParamAddress: {
      const auto* param = static_cast<const ir::Param*>(i->operand(0));
      return wide("cvta.param.u64", {wide("mov.b64", {parameter_name(param->index)})});
    }
    case Op::kMapShared: {
      need_clusters(i);
      const Reg own = in_register(Class::kB64, pointer_as(i->operand(0), Form::kGeneric));
      return wide("mapa.u64", {own, operand(i->operand(1))});
    }
    default: break;
  }
  const Reg x = in_register(Class::kB64, pointer_as(i->operand(0), Form::kGeneric));
  switch (i->attr().space) {
    case Space::kShared: return test("isspacep.shared", {x});
    case Space::kLocal: return test("isspacep.local", {x});
    case Space::kConstant: return test("isspacep.const", {x});
    default: return test("isspacep.global", {x});
  }
}

}  // namespace quern::target::ptx
