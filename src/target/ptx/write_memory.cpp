// Loads and stores. Values with less than natural alignment are split; adjacent scalars are accessed as
// vectors.
#include <algorithm>

#include "lang/pass/walk.hpp"
#include "target/messages.hpp"
#include "target/ptx/writer.hpp"

namespace quern::target::ptx {

using ir::Inst;
using ir::Op;
using ir::Space;
using ir::Type;
using ir::TypeKind;
using ir::Value;
using ir::ValueKind;

namespace {

std::string_view space_name(Form form) {
  constexpr std::string_view kNames[] = {"", ".global", ".shared", ".local", ".const"};
  return kNames[static_cast<size_t>(form)];
}

// The form in memory.
std::string_view access_type(const Type* t) {
  switch (t->kind) {
    case TypeKind::kBool:
    case TypeKind::kU8: return ".u8";
    case TypeKind::kI8: return ".s8";
    case TypeKind::kI16: return ".s16";
    case TypeKind::kU16: return ".u16";
    default: return t->size == 2 ? ".b16" : t->size == 4 ? ".b32" : ".b64";
  }
}

uint32_t alignment_at(uint32_t align, uint64_t offset) {
  const uint64_t of_offset = offset & (~offset + 1);
  return offset == 0 ? align : static_cast<uint32_t>(std::min<uint64_t>(align, of_offset));
}

std::string load_code(Form form, Access how) {
  std::string code = "ld";
  if (how.is_volatile && form != Form::kLocal && form != Form::kConst) code += ".volatile";
  code += space_name(form);
  if (how.is_read_only && form == Form::kGlobal && !how.is_volatile) code += ".nc";
  return code;
}

std::string store_code(Form form, Access how) {
  return std::string(how.is_volatile && form != Form::kLocal ? "st.volatile" : "st") +
         std::string(space_name(form));
}

Address moved(Address a, uint64_t by) {
  a.offset += static_cast<int64_t>(by);
  return a;
}

}  // namespace

std::string Writer::place(const Address& a) {
  if (a.offset > INT32_MAX || a.offset < INT32_MIN) return "[" + materialised(a) + "]";
  const Reg base =
      a.is_symbol ? a.base : in_register(a.form == Form::kShared ? Class::kB32 : Class::kB64, a.base);
  return "[" + base + (a.offset != 0 ? "+" + std::to_string(a.offset) : "") + "]";
}

// Whether the memory is not written while the kernel runs.
bool Writer::is_read_only(const Value* pointer) const {
  for (const Inst* i = ir::as_inst(pointer); i != nullptr; i = ir::as_inst(pointer)) {
    if (!i->is(Op::kOffset) && !i->is(Op::kFieldPtr)) return false;
    pointer = i->operand(0);
  }
  if (pointer->kind == ValueKind::kGlobal) return static_cast<const ir::Global*>(pointer)->is_literal;
  if (pointer->kind != ValueKind::kParam) return false;
  const auto* p = static_cast<const ir::Param*>(pointer);
  return p->is_const_elem && p->is_restrict;
}

void Writer::load(const Inst* i) {
  if (const auto var = variables_.find(ir::as_inst(i->operand(0))); var != variables_.end()) {
    const Class c = class_of(i->type);
    const Reg d = fresh(c);
    move(c, d, var->second[0]);
    define(i, d);
    return;
  }
  if (unit_.leaves.are_too_many(i->type)) refuse(i, message::kCopyTooLarge());
  const ir::Attr& attr = i->attr();
  const auto align = attr.align != 0 ? attr.align : static_cast<uint32_t>(i->type->align);
  const Access how{align, pass::is_volatile(i), is_read_only(i->operand(0))};
  define(i, load_all(address(i->operand(0)), i->type, how));
}

void Writer::store(const Inst* i) {
  const Value* v = i->operand(1);
  const Type* t = v->type;
  if (const auto var = variables_.find(ir::as_inst(i->operand(0))); var != variables_.end()) {
    if (v->kind != ValueKind::kUndef) move(class_of(t), var->second[0], operand(v));
    return;
  }
  if (v->kind == ValueKind::kUndef) return;
  if (unit_.leaves.are_too_many(t)) refuse(i, message::kCopyTooLarge());
  const ir::Attr& attr = i->attr();
  const auto align = attr.align != 0 ? attr.align : static_cast<uint32_t>(t->align);
  store_all(address(i->operand(0)), t, value(v), {align, pass::is_volatile(i), false});
}

// The number of scalars from `first` on that one access covers.
size_t Writer::vector_at(const std::vector<Leaf>& leaves, size_t first, uint32_t align) const {
  const Type* t = leaves[first].type;
  if (t->is_bool() || t->is_ptr()) return 1;
  const uint64_t start = leaves[first].offset;
  for (const size_t n : {size_t{4}, size_t{2}}) {
    const uint64_t bytes = n * t->size;
    if (bytes > 16 || first + n > leaves.size() || alignment_at(align, start) < bytes) continue;
    bool fits = true;
    for (size_t k = 1; k < n; ++k) {
      const Leaf& leaf = leaves[first + k];
      fits = fits && leaf.offset == start + k * t->size && access_type(leaf.type) == access_type(t) &&
             !leaf.type->is_bool() && !leaf.type->is_ptr();
    }
    if (fits) return n;
  }
  return 1;
}

Regs Writer::load_all(const Address& from, const Type* type, Access how) {
  const std::vector<Leaf> leaves = unit_.leaves.of(type);
  Regs out;
  for (size_t k = 0; k < leaves.size();) {
    const size_t n = how.is_volatile ? 1 : vector_at(leaves, k, how.align);
    const Type* t = leaves[k].type;
    const Address at = moved(from, leaves[k].offset);
    Access part = how;
    part.align = alignment_at(how.align, leaves[k].offset);
    if (n == 1) {
      out.push_back(load_leaf(at, t, part));
    } else {
      std::string list;
      for (size_t j = 0; j < n; ++j) {
        out.push_back(fresh(class_of(t)));
        list += (j == 0 ? "{" : ", ") + out.back();
      }
      put(load_code(at.form, how) + (n == 4 ? ".v4" : ".v2") + std::string(access_type(t)),
          {list + "}", place(at)});
    }
    k += n;
  }
  return out;
}

void Writer::store_all(const Address& to, const Type* type, const Regs& regs, Access how) {
  const std::vector<Leaf> leaves = unit_.leaves.of(type);
  for (size_t k = 0; k < leaves.size();) {
    const size_t n = how.is_volatile ? 1 : vector_at(leaves, k, how.align);
    const Type* t = leaves[k].type;
    const Address at = moved(to, leaves[k].offset);
    Access part = how;
    part.align = alignment_at(how.align, leaves[k].offset);
    if (n == 1) {
      store_leaf(at, t, regs[k], part);
    } else {
      std::string list;
      for (size_t j = 0; j < n; ++j) list += (j == 0 ? "{" : ", ") + in_register(class_of(t), regs[k + j]);
      put(store_code(at.form, how) + (n == 4 ? ".v4" : ".v2") + std::string(access_type(t)),
          {place(at), list + "}"});
    }
    k += n;
  }
}

Reg Writer::load_leaf(const Address& a, const Type* type, Access how) {
  if (how.align < type->size) return load_parts(a, type, how);
  const std::string code = load_code(a.form, how) + std::string(access_type(type));
  if (type->is_bool()) return test("setp.ne.b32", {word(code, {place(a)}), "0"});
  if (!type->is_ptr()) return make(class_of(type), code, {place(a)});
  const Reg r = wide(code, {place(a)});
  const Form form = type->space == Space::kShared  ? Form::kShared
                    : type->space == Space::kLocal ? Form::kLocal
                                                   : Form::kGeneric;
  return cast(r, Form::kGeneric, form, true);
}

void Writer::store_leaf(const Address& a, const Type* type, const Reg& r, Access how) {
  if (how.align < type->size) {
    store_parts(a, type, r, how);
    return;
  }
  const std::string code = store_code(a.form, how) + std::string(access_type(type));
  if (type->is_bool()) {
    put(code, {place(a), word("selp.b32", {"1", "0", r})});
  } else if (type->is_ptr()) {
    const Form form = type->space == Space::kShared  ? Form::kShared
                      : type->space == Space::kLocal ? Form::kLocal
                                                     : Form::kGeneric;
    put(code, {place(a), in_register(Class::kB64, cast(r, form, Form::kGeneric, true))});
  } else {
    put(code, {place(a), in_register(class_of(type), r)});
  }
}

// As numbers of `align` bytes. Pointers are generic there.
Reg Writer::load_parts(const Address& a, const Type* type, Access how) {
  const bool is_wide = type->size == 8;
  const Class c = is_wide ? Class::kB64 : Class::kB32;
  const std::string width = is_wide ? ".b64" : ".b32";
  const std::string code = load_code(a.form, how) + (how.align == 4   ? ".u32"
                                                     : how.align == 2 ? ".u16"
                                                                      : ".u8");
  Reg all;
  for (uint64_t at = 0; at < type->size; at += how.align) {
    Reg part = word(code, {place(moved(a, at))});
    if (is_wide) part = wide("cvt.u64.u32", {part});
    if (at != 0) part = make(c, "shl" + width, {part, std::to_string(at * 8)});
    all = at == 0 ? part : make(c, "or" + width, {all, part});
  }
  if (is_half(type)) return make(Class::kB16, "cvt.u16.u32", {all});
  if (type->is_ptr() && type->space == Space::kShared) return cast(all, Form::kGeneric, Form::kShared, true);
  if (type->is_ptr() && type->space == Space::kLocal) return cast(all, Form::kGeneric, Form::kLocal, true);
  return trimmed(type, all);
}

void Writer::store_parts(const Address& a, const Type* type, const Reg& r, Access how) {
  Reg all = r;
  if (is_half(type)) all = word("cvt.u32.u16", {in_register(Class::kB16, r)});
  if (type->is_ptr() && type->space == Space::kShared) all = cast(r, Form::kShared, Form::kGeneric, true);
  if (type->is_ptr() && type->space == Space::kLocal) all = cast(r, Form::kLocal, Form::kGeneric, true);
  const bool is_wide = type->size == 8;
  all = in_register(is_wide ? Class::kB64 : Class::kB32, all);
  const std::string code = store_code(a.form, how) + (how.align == 4   ? ".u32"
                                                      : how.align == 2 ? ".u16"
                                                                       : ".u8");
  for (uint64_t at = 0; at < type->size; at += how.align) {
    Reg part = all;
    if (at != 0)
      part = make(is_wide ? Class::kB64 : Class::kB32, is_wide ? "shr.u64" : "shr.u32",
                  {all, std::to_string(at * 8)});
    if (is_wide) part = word("cvt.u32.u64", {part});
    put(code, {place(moved(a, at)), part});
  }
}

}  // namespace quern::target::ptx
