#include "target/cstyle/glsl.hpp"

#include <algorithm>

#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"
#include "target/cstyle/glsl_lower.hpp"
#include "target/cstyle/glsl_writer.hpp"
#include "target/describe.hpp"
#include "target/messages.hpp"
#include "target/report_site.hpp"
#include "target/waiting.hpp"

namespace quern::target::cstyle {

namespace {

using base::Error;
using base::ErrorKind;

// Macros that may be set when the text is compiled.
constexpr std::string_view kSizes =
    "#ifndef QUERN_BLOCK_X\n"
    "#define QUERN_BLOCK_X 64\n"
    "#define QUERN_BLOCK_Y 1\n"
    "#define QUERN_BLOCK_Z 1\n"
    "#define QUERN_SHARED_BYTES 0\n"
    "#endif\n";

// Under either name: NVIDIA's and Mesa's drivers have the first.
constexpr std::string_view kWideAtomics =
    "#ifdef GL_NV_shader_atomic_int64\n"
    "#extension GL_NV_shader_atomic_int64 : require\n"
    "#else\n"
    "#extension GL_EXT_shader_atomic_int64 : require\n"
    "#endif\n";

std::string prelude(const Options& options, bool has_wide_atomics) {
  const bool is_es = options.kind == driver::CodeKind::kGlslEs;
  const bool is_wide = !is_es && options.features.has(driver::Feature::int64);
  const std::string_view usual = is_es ? "310 es" : is_wide ? "450 core" : "430 core";
  std::string out = "#version " + (options.version.empty() ? std::string(usual) : options.version) + "\n";
  if (is_wide) out += "#extension GL_ARB_gpu_shader_int64 : require\n#define QUERN_INT64\n";
  if (has_wide_atomics) out += kWideAtomics;
  // ES 3.1 has no such qualifier: compilers may fuse and reorder there.
  if (is_es)
    out += "#if __VERSION__ < 320\n#define precise\n#endif\nprecision highp float;\nprecision highp int;\n";
  return out + std::string(kSizes);
}

// Without the library's namespace.
std::string_view own_name(std::string_view name) {
  constexpr std::string_view kLibrary = "quern_expand::";
  return name.starts_with(kLibrary) ? name.substr(kLibrary.size()) : name;
}

// Reports are described by the user's source, before anything is lowered.
void note_sites(const ir::Module& module, const driver::KernelInfo& info, Unit& unit) {
  for (const ir::Function* f : module.functions) {
    pass::traverse(f->body, [&](const ir::Inst* i) {
      if (i->is(ir::Op::kPrintf)) unit.noted_sites.emplace(i, report_site(module, info.name, i));
    });
  }
}

// The functions that `f` calls, each after those that it calls itself.
void write_functions(Unit& unit, const ir::Function& f, const driver::Code& code,
                     const driver::KernelInfo& info, std::string& own, std::string& text) {
  pass::traverse(f.body, [&](const ir::Inst* i) {
    if (!i->is(ir::Op::kCall) || unit.functions.count(i->attr().callee) != 0) return;
    ir::Function* callee = i->attr().callee;
    write_functions(unit, *callee, code, info, own, text);
    unit.functions[callee] = "quern_of_" + std::string(own_name(callee->name));
    unit.in_library = true;
    GlslWriter writer(unit, *callee, info, code.variables);
    text += writer.write_function(unit.functions[callee]);
    own += writer.own_arrays();
    unit.in_library = false;
  });
}

// One kernel with everything it uses; returns the text, or nothing and the reason in `info`.
base::Result<std::string> emit_kernel(const ir::Module& whole, const ir::Function& function,
                                      const Options& options, driver::Code& code, driver::KernelInfo& info) {
  ir::Module module = whole.clone(function);
  Unit unit(module, options, *find_dialect(options.kind));
  const auto refuse = [&](const Refusal& why) {
    info.refused = refusal_text(module, info.name, why);
    return std::string();
  };
  info.variables = used_variables(module, code.variables);
  note_sites(module, info, unit);
  if (const auto waiting = waiting_in(*module.find_function(function.name), unit.dialect.name))
    return refuse(*waiting);
  QUERN_TRY_ASSIGN(const std::optional<Refusal> problem, lower_for_glsl(module, options));
  if (problem) return refuse(*problem);
  pass::lower_exits(module);
  unit.sites = std::move(code.sites);
  for (const ir::Global* g : module.globals) {
    unit.globals[g] = unit.names.make(words_name(own_name(g->name)), {"_buffer", "_wide", "_wide_buffer"});
    if (!g->pointers.empty()) unit.refuse(function.pos, message::kInitialAddresses(g->name));
  }
  const size_t sites = unit.sites.size();
  ir::Function* own = module.find_function(function.name);
  std::string arrays, functions;
  write_functions(unit, *own, code, info, arrays, functions);
  GlslWriter writer(unit, *own, info, code.variables);
  writer.precede(arrays, functions);
  const std::string text = writer.write(info.entry);
  code.sites = std::move(unit.sites);
  if (!unit.refusal) return text;
  code.sites.resize(sites);
  return refuse(*unit.refusal);
}

}  // namespace

base::Result<void> emit_glsl(const ir::Module& module, const Options& wanted, driver::Code& code) {
  Options options = wanted;
  // ES lacks it, whatever the device supports. A device with double also has GL_ARB_gpu_shader_int64
  // (driver/opengl); for others 64-bit integers are two words.
  if (options.kind == driver::CodeKind::kGlslEs) options.features.remove(driver::Feature::fp64);
  if (!options.features.has(driver::Feature::fp64)) options.features.remove(driver::Feature::int64);
  if (!options.features.has(driver::Feature::int64)) options.features.remove(driver::Feature::atomics64);
  Names entries;
  for (driver::VariableInfo& v : code.variables) v.entry = v.name;
  std::string kernels;
  size_t at = 0;
  const bool is_alone = code.kernels.size() == 1;
  for (const ir::Function* f : module.functions) {
    if (!f->is_kernel) continue;
    driver::KernelInfo& info = code.kernels[at++];
    info.entry = "QUERN_KERNEL_" + entries.make(f->name);
    QUERN_TRY_ASSIGN(const std::string text, emit_kernel(module, *f, options, code, info));
    if (text.empty()) continue;
    kernels += is_alone ? "\n" + text : "\n#ifdef " + info.entry + "\n" + text + "#endif\n";
  }
  const auto is_refused = [](const driver::KernelInfo& k) { return !k.refused.empty(); };
  if (!code.kernels.empty() && std::all_of(code.kernels.begin(), code.kernels.end(), is_refused))
    return Error(ErrorKind::unsupported, code.kernels.front().refused);
  code.bytes = prelude(options, kernels.find("_wide[") != std::string::npos) + kernels;
  return {};
}

}  // namespace quern::target::cstyle
