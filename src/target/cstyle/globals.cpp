#include "target/cstyle/globals.hpp"

#include <bit>
#include <cstdio>
#include <cstring>

#include "lang/pass/walk.hpp"
#include "target/describe.hpp"
#include "target/messages.hpp"

namespace quern::target::cstyle {

namespace {

using ir::Space;
using ir::Type;
using ir::TypeKind;

// The bytes of a constant in C syntax.
class Initialiser {
 public:
  explicit Initialiser(Unit& unit) : unit_(unit) {}

  std::string write(const Type* type, const uint8_t* bytes) {
    if (type->is_array()) {
      std::string text = "{";
      for (uint64_t i = 0; i < type->count; ++i)
        text += (i == 0 ? "" : ", ") + write(type->elem, bytes + i * type->elem->size);
      return text + "}";
    }
    if (type->is_struct()) return write_struct(type, bytes);
    uint64_t bits = 0;
    std::memcpy(&bits, bytes, type->size);
    return scalar(type, bits);
  }

  bool failed = false;

 private:
  std::string write_struct(const Type* type, const uint8_t* bytes) {
    if (pass::has_overlap(type)) failed = true;
    std::string text = "{";
    for (const ir::Field& f : type->fields)
      text += (text.size() == 1 ? "" : ", ") + write(f.type, bytes + f.offset);
    return text + "}";
  }

  std::string scalar(const Type* type, uint64_t bits) {
    switch (type->kind) {
      case TypeKind::kBool: return bits != 0 ? "1" : "0";
      case TypeKind::kF32:
      case TypeKind::kF64: return real(type, bits);
      case TypeKind::kPtr: failed = failed || bits != 0; return "0";
      default: break;
    }
    if (!type->is_signed())
      return std::to_string(bits) + (type->size == 8 ? std::string(unit_.dialect.unsigned_long_suffix) : "u");
    const auto shift = static_cast<int>(64 - type->bits());
    const int64_t n = static_cast<int64_t>(bits << shift) >> shift;
    const std::string suffix(type->size == 8 ? unit_.dialect.long_suffix : "");
    if (n == INT64_MIN || (n == INT32_MIN && type->size == 4))
      return "(" + std::to_string(n + 1) + suffix + " - 1)";
    return std::to_string(n) + suffix;
  }

  std::string real(const Type* type, uint64_t bits) {
    char text[64];
    const double d = type->kind == TypeKind::kF32
                         ? static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)))
                         : std::bit_cast<double>(bits);
    if (d - d != 0) {
      if (d != d) return "(0.0f / 0.0f)";
      return d > 0 ? "(1.0f / 0.0f)" : "(-1.0f / 0.0f)";
    }
    std::snprintf(text, sizeof text, "%a", d);
    return std::string(text) + (type->kind == TypeKind::kF32 ? "f" : "");
  }

  Unit& unit_;
};

// Whether the host cannot access it and the text must contain its bytes.
void global_variable(Unit& unit, const ir::Global* g, std::string& out) {
  const bool is_hidden = unit.dialect.variables_are_parameters;
  const bool can_be_filled = is_hidden && unit.has(driver::Feature::addresses) && is_relocatable(*g);
  if (!g->pointers.empty() && !can_be_filled) {
    unit.unsayable[g] = message::kInitialAddresses(g->name).text;
    return;
  }
  if (g->space == Space::kShared || (is_hidden && !g->is_literal)) return;
  const std::string_view before = g->is_literal && !is_hidden    ? "static __device__ const "
                                  : g->space == Space::kConstant ? unit.dialect.constant_variable
                                                                 : "__device__ ";
  std::string text = std::string(before) + unit.types.declaration(g->object, unit.globals.at(g));
  if (!g->init.empty()) {
    Initialiser init(unit);
    text += " = " + init.write(g->object, g->init.data());
    if (init.failed) {
      unit.unsayable[g] = message::kInitialValueAsBytes(g->name).text;
      return;
    }
  } else if (g->is_literal) {  // a constant must have a value
    text += unit.dialect.language == Language::kOpencl ? " = {0}" : " = {}";
  }
  out += text + ";\n";
}

}  // namespace

std::string global_variables(Unit& unit) {
  std::string out;
  for (const ir::Global* g : unit.module.globals) unit.globals[g] = unit.names.make(g->name);
  for (const ir::Global* g : unit.module.globals) global_variable(unit, g, out);
  return out;
}

}  // namespace quern::target::cstyle
