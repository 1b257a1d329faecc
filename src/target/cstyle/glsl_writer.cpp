#include "target/cstyle/glsl_writer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/round_up.hpp"
#include "base/text.hpp"
#include "lang/pass/param_fields.hpp"
#include "lang/pass/walk.hpp"
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

uint64_t words_of(uint64_t bytes) { return std::max<uint64_t>((bytes + 3) / 4, 1); }

// The object of an access: lower_pointers leaves a base, or one offset from it.
const Value* base_of(const Value* pointer) {
  const Inst* i = ir::as_inst(pointer);
  return i != nullptr && i->is(Op::kOffset) ? i->operand(0) : pointer;
}

bool is_dynamic(const ir::Global* g) { return g->object->is_array() && g->object->count == 0; }

const Type* accessed(const Inst* i) {
  return i->is(Op::kStore) || i->is(Op::kAtomicStore) ? i->operand(1)->type : i->type;
}

bool is_access(Op op) {
  switch (op) {
    case Op::kLoad:
    case Op::kStore:
    case Op::kAtomicRmw:
    case Op::kAtomicCas:
    case Op::kAtomicLoad:
    case Op::kAtomicStore: return true;
    default: return false;
  }
}

// Infinities and NaN are function calls in GLSL, which constants may not contain.
bool has_infinite_words(const ir::Value* base) {
  const std::vector<uint8_t>& bytes = static_cast<const ir::Global*>(base)->init;
  for (size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    uint32_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, 4);
    if ((bits & 0x7F800000U) == 0x7F800000U) return true;
  }
  return false;
}

}  // namespace

GlslWriter::GlslWriter(Unit& unit, ir::Function& function, const driver::KernelInfo& info,
                       const std::vector<driver::VariableInfo>& variables)
    : KernelWriter(unit, function, info), variables_(variables) {}

// The single 32-bit type with which the object is accessed, or plain words.
TypeKind GlslWriter::word_of(const Value* base) const {
  std::optional<TypeKind> only;
  bool is_mixed = false;
  const auto look = [&](const Inst* i) {
    if (i->is(Op::kMemCopy) || i->is(Op::kMemSet)) {
      for (size_t k = 0; k < (i->is(Op::kMemCopy) ? 2 : 1); ++k) is_mixed |= base_of(i->operand(k)) == base;
    }
    if (!is_access(i->op) || base_of(i->operand(0)) != base) return;
    const Type* t = accessed(i);
    const bool is_word = t->kind == TypeKind::kI32 || t->kind == TypeKind::kU32 || t->kind == TypeKind::kF32;
    const bool is_loose = i->attr().align != 0 && i->attr().align < 4;
    const bool is_atomic = !i->is(Op::kLoad) && !i->is(Op::kStore);
    is_mixed |= !is_word || is_loose || (is_atomic && t->is_float()) || (only && *only != t->kind);
    only = t->kind;
  };
  for (const ir::Function* f : unit_.module.functions) pass::traverse(f->body, look);
  return only && !is_mixed ? *only : TypeKind::kU32;
}

// 64-bit atomics, on a target that has them.
bool GlslWriter::has_wide_atomics(const Value* base) const {
  bool found = false;
  const auto look = [&](const Inst* i) {
    const bool is_atomic = is_access(i->op) && !i->is(Op::kLoad) && !i->is(Op::kStore);
    found |= is_atomic && base_of(i->operand(0)) == base && accessed(i)->size == 8;
  };
  if (unit_.has(driver::Feature::atomics64)) pass::traverse(function_.body, look);
  return found;
}

// Only 64-bit integers are read and written.
bool GlslWriter::is_all_wide(const Value* base) const {
  const auto* const g = static_cast<const ir::Global*>(base);
  bool all = base->kind == ValueKind::kGlobal && !is_dynamic(g);
  pass::traverse(function_.body, [&](const Inst* i) {
    const bool is_one = is_access(i->op);
    const bool is_wide = is_one && accessed(i)->is_scalar() && accessed(i)->size == 8 &&
                         (i->attr().align == 0 || i->attr().align >= 8);
    for (size_t k = 0; k < i->operands.size(); ++k)
      all &= base_of(i->operand(k)) != base || i->is(Op::kOffset) || (k == 0 && is_wide);
  });
  return all;
}

std::string words_name(std::string_view name) {
  constexpr std::array<std::string_view, 7> kHidden = {"at", "got", "i", "old", "seen", "shift", "value"};
  const bool is_hidden = std::find(kHidden.begin(), kHidden.end(), name) != kHidden.end();
  return std::string(name) + (is_hidden ? "_words" : "");
}

void GlslWriter::find_objects() {
  const auto add = [&](const Value* base, const std::string& name, Words::Kind kind) {
    Words w;
    w.name = name;
    w.kind = kind;
    w.word = word_of(base);
    if (kind == Words::Kind::kConstant && has_infinite_words(base)) w.word = TypeKind::kU32;
    w.has_offset = base->kind == ValueKind::kParam;
    const bool is_wide = has_wide_atomics(base);
    w.lacks_wide = is_wide && kind == Words::Kind::kShared && !is_all_wide(base);
    w.has_wide = is_wide && !w.lacks_wide;
    objects_[base] = w;
    order_.push_back(base);
  };
  for (const ir::Param* p : function_.params) {
    if (!p->type->is_ptr()) continue;
    named_[p] = unit_.names.make(words_name(p->name), {"_at", "_offset", "_buffer", "_wide", "_wide_buffer"});
    add(p, named_[p], Words::Kind::kBuffer);
  }
  for (const ir::Global* g : unit_.module.globals) {
    add(g, unit_.globals.at(g),
        g->is_literal                ? Words::Kind::kConstant
        : g->space == Space::kShared ? Words::Kind::kShared
                                     : Words::Kind::kBuffer);
  }
  pass::traverse(function_.body, [&](const Inst* i) {
    if (!i->is(Op::kVar) || folding_.is_plain(i) || !folding_.is_used(i)) return;
    const std::string name = unit_.names.make(i->name.empty() ? "own" : words_name(i->name));
    add(i, name, Words::Kind::kOwn);
    own_ += std::string(spell(dialect_, objects_[i].word)) + " " + name + "[" +
            std::to_string(words_of(i->attr().type->size)) + "];\n";
  });
}

bool GlslWriter::is_used(const Value* base) const {
  bool used = false;
  pass::traverse(function_.body, [&](const Inst* i) {
    for (const Value* v : i->operands) used |= v == base;
  });
  return used;
}

bool GlslWriter::is_written(const Value* base) const {
  bool written = false;
  pass::traverse(function_.body, [&](const Inst* i) {
    const bool writes = (is_access(i->op) && !i->is(Op::kLoad)) || i->is(Op::kMemCopy) || i->is(Op::kMemSet);
    written |= writes && base_of(i->operand(0)) == base;
  });
  return written;
}

bool GlslWriter::is_volatile_object(const Value* base) const {
  bool found = false;
  pass::traverse(function_.body, [&](const Inst* i) {
    found |= is_access(i->op) && pass::is_volatile(i) && base_of(i->operand(0)) == base;
  });
  return found;
}

std::string GlslWriter::buffer(const Words& words, uint32_t binding, bool is_read, bool is_volatile) const {
  const std::string coherent = has_barrier_ && !is_read ? "coherent " : "";
  const auto block = [&](const std::string& name, TypeKind word) {
    return "layout(std430, binding = " + std::to_string(binding) + ") " + (is_read ? "readonly " : "") +
           (is_volatile ? "volatile " : coherent) + "buffer " + name + "_buffer {\n  " +
           std::string(spell(dialect_, word)) + " " + name + "[];\n};\n";
  };
  return block(words.name, words.word) + (words.has_wide ? block(words.name + "_wide", TypeKind::kI64) : "");
}

std::string GlslWriter::constant(const ir::Global& g, const Words& words) {
  std::vector<uint8_t> bytes = g.init;
  const uint64_t count = words_of(g.object->size);
  bytes.resize(count * 4);
  const Type* type = unit_.module.types().get(words.word);
  const std::string spelled = std::string(spell(dialect_, words.word)) + "[" + std::to_string(count) + "]";
  std::string text = "const " + spelled + " " + words.name + " = " + spelled + "(";
  for (uint64_t i = 0; i < count; ++i) {
    uint32_t bits = 0;
    std::memcpy(&bits, bytes.data() + 4 * i, 4);
    text += (i == 0 ? "" : ", ") + literal(type, bits).text;
  }
  return text + ");\n";
}

// The minimum size of an array in words, from constant indices.
uint64_t GlslWriter::indexed_words(const Value* base) const {
  uint64_t words = 1;
  pass::traverse(function_.body, [&](const Inst* i) {
    if (!is_access(i->op) || base_of(i->operand(0)) != base) return;
    const Inst* offset = ir::as_inst(i->operand(0));
    const ir::Const* index = offset != nullptr ? ir::as_const(offset->operand(1)) : nullptr;
    const int64_t at = index != nullptr ? ir::int_value(index) : 0;
    if (at > 0)
      words = std::max(words, (static_cast<uint64_t>(at) * offset->attr().scale + accessed(i)->size + 3) / 4);
  });
  return words;
}

std::string GlslWriter::shared_memory() {
  std::string out;
  uint64_t least = 1;
  TypeKind dynamic = TypeKind::kU32;
  std::vector<std::string> aliases;
  for (const Value* base : order_) {
    const Words& w = objects_.at(base);
    if (w.kind != Words::Kind::kShared) continue;
    const auto* g = static_cast<const ir::Global*>(base);
    if (is_dynamic(g)) {  // all are one object, which is accessed by this name
      if (!is_used(g)) continue;
      dynamic = w.word;
      least = std::max(least, indexed_words(g));
      aliases.push_back(w.name);
      continue;
    }
    const std::string name = w.has_wide ? w.name + "_wide" : w.name;
    const uint64_t words = words_of(g->object->size);
    out += "shared " + std::string(spell(dialect_, w.has_wide ? TypeKind::kI64 : w.word)) + " " + name + "[" +
           std::to_string(w.has_wide ? (words + 1) / 2 : words) + "];\n";
  }
  if (!aliases.empty()) {
    const std::string size = "(QUERN_SHARED_BYTES + 7) / 4", number = std::to_string(least);
    out += "shared " + std::string(spell(dialect_, dynamic)) + " " + aliases.front() + "[" +
           (least == 1 ? size : size + " > " + number + " ? " + size + " : " + number) + "];\n";
  }
  if (uses_warp_)
    out += "shared uvec2 quern_warp[(QUERN_BLOCK_X * QUERN_BLOCK_Y * QUERN_BLOCK_Z + 31) / 32 * 32];\n";
  if (uses_count_) out += "shared uint quern_count;\n";
  return out;
}

std::string GlslWriter::declarations() {
  std::string out =
      "layout(local_size_x = QUERN_BLOCK_X, local_size_y = QUERN_BLOCK_Y, local_size_z = QUERN_BLOCK_Z) "
      "in;\n";
  uint32_t binding = 0;
  for (const ir::Param* p : function_.params) {
    if (!p->type->is_ptr()) continue;
    out += buffer(objects_.at(p), binding++, !is_written(p), is_volatile_object(p));
  }
  const uint32_t first = binding;
  for (const Value* base : order_) {
    const Words& w = objects_.at(base);
    if (base->kind != ValueKind::kGlobal) continue;
    const auto* g = static_cast<const ir::Global*>(base);
    if (w.kind == Words::Kind::kConstant) out += constant(*g, w);
    if (w.kind != Words::Kind::kBuffer) continue;
    const auto at = std::find_if(info_.variables.begin(), info_.variables.end(),
                                 [&](uint32_t v) { return variables_[v].name == g->name; });
    out += buffer(w, first + static_cast<uint32_t>(at - info_.variables.begin()), !is_written(g),
                  is_volatile_object(g));
  }
  if (info_.needs.has(driver::Feature::print) || info_.needs.has(driver::Feature::assert)) {
    Words report;
    report.name = kReport;
    out += buffer(report, first + static_cast<uint32_t>(info_.variables.size()), false, false);
  }
  return out + shared_memory() + own_;
}

// From the argument block, whose elements have 16 bytes.
Expr GlslWriter::argument(const Type* type, uint64_t at) {
  const auto word = [&](uint64_t byte) {
    constexpr std::string_view kParts[] = {".x", ".y", ".z", ".w"};
    return "quern_arguments[" + std::to_string(byte / 16) + "]" + std::string(kParts[byte / 4 % 4]);
  };
  if (!type->is_aggregate()) {
    if (type->size == 8) return from_bits(type, {"uvec2(" + word(at) + ", " + word(at + 4) + ")", kPrimary});
    if (type->size == 4) return from_bits(type, {word(at), kPrimary});
    const Expr moved{"(" + word(at) + " >> " + std::to_string(at % 4 * 8) + ")", kPrimary};
    return from_bits(type, {moved.text + (type->size == 1 ? " & 255u" : " & 65535u"), kBitAnd});
  }
  std::string text = unit_.types.value(type) + "(";
  for (uint64_t i = 0; i < words_of(type->size); ++i) {
    const uint64_t byte = at + 4 * i, shift = byte % 4 * 8;
    std::string one = word(byte);
    if (shift != 0) {
      one = "(" + one + " >> " + std::to_string(shift) + ") | (" + word(byte + 4) + " << " +
            std::to_string(32 - shift) + ")";
    }
    text += (i == 0 ? "" : ", ") + one;
  }
  return {text + ")", kPrimary};
}

// Plain parameters as variables with their names; returns the offset of the pointers.
void GlslWriter::parameters() {
  uint64_t at = 0;
  for (const ir::Param* p : function_.params) {
    if (p->type->is_ptr()) continue;
    at = base::round_up(at, p->type->align);
    if (is_used(p))
      text_.line(unit_.types.value(p->type) + " " + named_.at(p) + " = " + argument(p->type, at).text + ";");
    at += p->type->size;
  }
  at = base::round_up(at, 4);
  const Type* u32 = unit_.module.types().get(TypeKind::kU32);
  for (const ir::Param* p : function_.params) {
    if (!p->type->is_ptr()) continue;
    text_.line(named_.at(p) + "_offset = " + argument(u32, at).text + ";");
    text_.line(named_.at(p) + "_at = " + named_.at(p) + "_offset >> 2;");
    at += 4;
  }
}

std::string GlslWriter::write_function(const std::string& name) {
  find_objects();
  std::vector<std::string> parameters;
  for (const ir::Param* p : function_.params) {
    named_[p] = names_.make(p->name);
    parameters.push_back(unit_.types.value(p->type) + " " + named_[p]);
  }
  text_.open(unit_.types.value(function_.result) + " " + name + "(" + base::join(parameters, ", ") + ")");
  block(function_.body);
  text_.close();
  return text_.take();
}

std::string GlslWriter::write(const std::string&) {
  if (is_too_deep()) {
    unit_.refuse(function_.pos, message::kNestingTooDeep());
    return {};
  }
  if (pass::uses_param_fields(function_)) unit_.refuse(function_.pos, message::kSelectedPointerStruct());
  find_objects();
  uint64_t bytes = 0;
  std::string offsets;
  for (const ir::Param* p : function_.params) {
    if (p->type->is_ptr()) {
      offsets += "uint " + named_.at(p) + "_offset;\nuint " + named_.at(p) + "_at;\n";
      continue;
    }
    named_[p] = names_.make(p->name);
    bytes = base::round_up(bytes, p->type->align) + p->type->size;
  }
  for (const ir::Param* p : function_.params) bytes = base::round_up(bytes, 4) + (p->type->is_ptr() ? 4 : 0);
  text_.indent(1);
  parameters();
  block(function_.body);
  const std::string body = text_.take();
  std::string out = declarations();
  // One more element: an access across the end reads whole words.
  if (!function_.params.empty()) {
    out += "layout(std140, binding = 0) uniform quern_block {\n  uvec4 quern_arguments[" +
           std::to_string(bytes / 16 + 1) + "];\n};\n";
  }
  // The block size is a constant of the language, and a constant index must be within its array even if no
  // thread executes the access.
  if ((functions_before_ + body + unit_.helpers.text()).find("quern_size.") != std::string::npos)
    out += "uvec3 quern_size = gl_WorkGroupSize;\n";
  return out + arrays_before_ + offsets + unit_.helpers.text() + functions_before_ + "\nvoid main() {\n" +
         body + "}\n";
}

}  // namespace quern::target::cstyle
