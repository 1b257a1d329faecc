#include "target/cstyle/cstyle.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"
#include "target/cstyle/kernel_writer.hpp"

namespace quern::target::cstyle {

namespace {

using base::Error;
using base::ErrorKind;
using ir::Space;
using ir::Type;
using ir::TypeKind;

// The bytes of a constant as C writes them.
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

// Whether the host cannot reach it and the text must hold its bytes.
void global_variable(Unit& unit, const ir::Global* g, std::string& out) {
  const bool is_opencl = unit.dialect.language == Language::kOpencl;
  if (!g->pointers.empty()) {
    unit.unsayable[g] = "uses '" + g->name + "', whose initial value holds addresses";
    return;
  }
  if (g->space == Space::kShared || (is_opencl && !g->is_literal)) return;
  const std::string_view before = g->is_literal && !is_opencl    ? "static __device__ const "
                                  : g->space == Space::kConstant ? unit.dialect.constant_variable
                                                                 : "__device__ ";
  std::string text = std::string(before) + unit.types.declaration(g->object, unit.globals.at(g));
  if (!g->init.empty()) {
    Initialiser init(unit);
    text += " = " + init.write(g->object, g->init.data());
    if (init.failed) {
      unit.unsayable[g] = "uses '" + g->name + "', whose initial value only its bytes can tell";
      return;
    }
  } else if (g->is_literal) {  // a constant must say its value
    text += is_opencl ? " = {0}" : " = {}";
  }
  out += text + ";\n";
}

std::string prelude(const Unit& unit, const driver::Code& code) {
  std::string out;
  switch (unit.dialect.language) {
    case Language::kOpencl: {
      bool fp64 = false, atomics64 = false;
      for (const driver::KernelInfo& k : code.kernels) {
        fp64 = fp64 || k.needs.has(driver::Feature::kFp64);
        atomics64 = atomics64 || k.needs.has(driver::Feature::kAtomics64) ||
                    k.needs.has(driver::Feature::kAtomicsFloat64);
      }
      if (fp64 || unit.helpers.text().find("double") != std::string::npos)
        out += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
      if (atomics64) {
        out += "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n";
        out += "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n";
      }
      return out + (unit.is_exact() ? "#pragma OPENCL FP_CONTRACT OFF\n\n" : "\n");
    }
    case Language::kCuda:
      return unit.is_exact() ? "// Compile with --fmad=false: a * b + c is two roundings.\n\n" : out;
    case Language::kHip:
      return unit.is_exact() ? "// Compile with -ffp-contract=off: a * b + c is two roundings.\n\n" : out;
    default: return out;
  }
}

std::string refused(const Unit& unit, const std::string& kernel) {
  const Refusal& r = *unit.refusal;
  std::string where;
  if (r.pos.line != 0 && r.pos.file < unit.module.files.size())
    where = " (" + unit.module.files[r.pos.file].name + ":" + std::to_string(r.pos.line) + ")";
  return "kernel '" + kernel + "' " + r.reason + where;
}

}  // namespace

base::Result<void> emit(const ir::Module& original, const Options& options, driver::Code& code) {
  ir::Module module = original.clone();
  if (!find_dialect(options.kind)->native_warps) pass::gather_threads(module);
  pass::lower_exits(module);
  Unit unit(module, options, *find_dialect(options.kind));
  std::string globals, kernels;
  for (const ir::Global* g : module.globals) unit.globals[g] = unit.names.make(g->name);
  for (const ir::Global* g : module.globals) global_variable(unit, g, globals);
  size_t at = 0;
  for (const ir::Global* g : module.globals) {
    if (g->space == Space::kShared || g->is_literal) continue;
    code.variables[at++].entry = unit.globals.at(g);
  }
  at = 0;
  for (ir::Function* f : module.functions) {
    if (!f->is_kernel) continue;
    driver::KernelInfo& info = code.kernels[at++];
    info.entry = unit.names.make(f->name);
    const std::string text = KernelWriter(unit, *f, info).write(info.entry);
    if (!unit.types.problem().empty())
      unit.refuse(f->pos, "uses a type whose layout cannot be said: " + unit.types.problem());
    if (unit.refusal) {
      info.refused = refused(unit, f->name);
      unit.refusal.reset();
    } else {
      kernels += "\n" + text;
    }
  }
  const auto is_refused = [](const driver::KernelInfo& k) { return !k.refused.empty(); };
  if (!code.kernels.empty() && std::all_of(code.kernels.begin(), code.kernels.end(), is_refused))
    return Error(ErrorKind::kUnsupported, code.kernels.front().refused);
  code.sites = std::move(unit.sites);
  code.bytes = prelude(unit, code) + unit.types.definitions() + globals + unit.helpers.text() + kernels;
  return {};
}

}  // namespace quern::target::cstyle
