// printf, assert and trap: CUDA's own, through functions that every driver has.
#include "target/cuda_print.hpp"
#include "target/ptx/writer.hpp"
#include "target/report_site.hpp"

namespace quern::target::ptx {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::TypeKind;

Reg Writer::text(const std::string& text) { return wide("mov.u64", {unit_.string(text)}); }

Reg Writer::call(std::string_view function, const Type* result,
                 const std::vector<std::pair<Class, Reg>>& arguments) {
  const bool has_result = result != nullptr && !result->is_void();
  const std::string width = has_result && class_of(result) == Class::kB64 ? ".b64" : ".b32";
  body_ += "\t{\n";
  std::string list;
  for (size_t k = 0; k < arguments.size(); ++k) {
    const std::string name = "argument_" + std::to_string(k);
    const std::string type = arguments[k].first == Class::kB64 ? ".b64" : ".b32";
    put(".param " + type + " " + name);
    put("st.param" + type, {"[" + name + "]", in_register(arguments[k].first, arguments[k].second)});
    list += (k == 0 ? "" : ", ") + name;
  }
  if (has_result) put(".param " + width + " result");
  put("call.uni " + std::string(has_result ? "(result), " : "") + std::string(function) + ", (" + list + ")");
  Reg r;
  if (has_result) r = make(width == ".b64" ? Class::kB64 : Class::kB32, "ld.param" + width, {"[result]"});
  body_ += "\t}\n";
  return has_result && result->is_bool() ? test("setp.ne.b32", {r, "0"}) : r;
}

// The arguments are in local memory, in the order and layout of C.
void Writer::print(const Inst* i) {
  unit_.prints = true;
  define(i, std::to_string(i->operands.size()));
  const CudaPrint what = cuda_print(i);
  if (!what.problem.empty()) unit_.refuse(i->pos, what.problem);
  struct Stored {
    Reg reg;
    uint64_t offset, bytes;
  };
  std::vector<Stored> stored;
  uint64_t bytes = 0;
  for (const auto& [v, narrow] : what.arguments) {
    const Type* t = v->type;
    const ir::Global* literal = literal_string(v);
    Reg r = literal != nullptr ? text(text_of(*literal))
            : t->is_ptr()      ? pointer_as(v, Form::kGeneric)
                               : operand(v);
    uint64_t size = 8;
    const ir::TypeTable& types = unit_.module.types();
    if (t->is_bool()) {
      r = word("selp.b32", {"1", "0", r});
      size = 4;
    } else if (t->is_float()) {
      if (is_half(t)) r = to_real(types.get(TypeKind::kF32), t, "", r);
      if (t->size < 8) r = to_real(types.get(TypeKind::kF64), types.get(TypeKind::kF32), "", r);
    } else if (t->is_int() && t->size < 8) {
      if (narrow != TypeKind::kVoid) r = trimmed(types.get(narrow), r);
      size = 4;
    } else if (t->is_int() && narrow != TypeKind::kVoid) {
      r = trimmed(types.get(narrow), word("cvt.u32.u64", {r}));
      size = 4;
    }
    bytes = (bytes + size - 1) / size * size;
    stored.push_back({in_register(size == 8 ? Class::kB64 : Class::kB32, r), bytes, size});
    bytes += size;
  }
  Reg buffer = "0";
  if (bytes != 0) {
    if (print_at_ == UINT64_MAX) print_at_ = reserve_local(32 * 8, 8);
    for (const Stored& s : stored)
      put(s.bytes == 8 ? "st.local.b64" : "st.local.b32",
          {"[local+" + std::to_string(print_at_ + s.offset) + "]", s.reg});
    const Reg start = wide("add.s64", {wide("mov.u64", {"local"}), std::to_string(print_at_)});
    buffer = wide("cvta.local.u64", {start});
  }
  (void)call("vprintf", unit_.module.types().get(TypeKind::kI32),
             {{Class::kB64, text(what.format)}, {Class::kB64, buffer}});
}

void Writer::fail(const Inst* i) {
  if (i->is(Op::kTrap)) {
    put("trap");
    return;
  }
  unit_.asserts = true;
  const std::string fine = new_label();
  put("@" + operand(i->operand(0)) + " bra " + fine);
  const bool has_file = i->pos.file < unit_.module.files.size();
  (void)call("__assertfail", nullptr,
             {{Class::kB64, text(i->attr().text)},
              {Class::kB64, text(has_file ? unit_.module.files[i->pos.file].name : "")},
              {Class::kB32, std::to_string(i->pos.line)},
              {Class::kB64, text(info_.name)},
              {Class::kB64, "1"}});
  label(fine);
}

}  // namespace quern::target::ptx
