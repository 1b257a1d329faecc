#include "target/cstyle/glsl.hpp"

#include <algorithm>

#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"
#include "target/cstyle/glsl_writer.hpp"

namespace quern::target::cstyle {

namespace {

using base::Error;
using base::ErrorKind;

// What whoever compiles the text may set.
constexpr std::string_view kSizes =
    "#ifndef QUERN_BLOCK_X\n"
    "#define QUERN_BLOCK_X 64\n"
    "#define QUERN_BLOCK_Y 1\n"
    "#define QUERN_BLOCK_Z 1\n"
    "#define QUERN_SHARED_BYTES 0\n"
    "#endif\n";

std::string prelude(const Options& options) {
  const bool is_es = options.kind == driver::CodeKind::kGlslEs;
  const bool is_wide = !is_es && options.features.has(driver::Feature::kInt64);
  const std::string_view usual = is_es ? "310 es" : is_wide ? "450 core" : "430 core";
  std::string out = "#version " + (options.version.empty() ? std::string(usual) : options.version) + "\n";
  if (is_wide) out += "#extension GL_ARB_gpu_shader_int64 : require\n#define QUERN_INT64\n";
  // ES 3.1 has no such word: there compilers are free to fuse and reorder.
  if (is_es)
    out += "#if __VERSION__ < 320\n#define precise\n#endif\nprecision highp float;\nprecision highp int;\n";
  return out + std::string(kSizes);
}

std::string where(const ir::Module& module, const ir::Pos& pos) {
  if (pos.line == 0 || pos.file >= module.files.size()) return {};
  return " (" + module.files[pos.file].name + ":" + std::to_string(pos.line) + ")";
}

// One kernel with all it uses; the text, or nothing and the reason in `info`.
std::string emit_kernel(const ir::Module& whole, const ir::Function& function, const Options& options,
                        driver::Code& code, driver::KernelInfo& info) {
  ir::Module module = whole.clone(function);
  pass::gather_threads(module);
  const auto unlowered = pass::lower_pointers(module, {.wide = false});
  if (!unlowered.empty()) {
    info.refused = "kernel '" + info.name + "' cannot be said without pointers: " + unlowered[0].reason +
                   where(module, unlowered[0].pos);
    return {};
  }
  pass::lower_exits(module);
  Unit unit(module, options, *find_dialect(options.kind));
  unit.sites = std::move(code.sites);
  for (const ir::Global* g : module.globals) {
    unit.globals[g] = unit.names.make(g->name);
    if (!g->pointers.empty())
      unit.refuse(function.pos, "uses '" + g->name + "', whose initial value holds addresses");
  }
  const size_t sites = unit.sites.size();
  ir::Function* own = module.find_function(function.name);
  const std::string text = GlslWriter(unit, *own, info, code.variables).write(info.entry);
  code.sites = std::move(unit.sites);
  if (!unit.refusal) return text;
  code.sites.resize(sites);
  info.refused = "kernel '" + info.name + "' " + unit.refusal->reason + where(module, unit.refusal->pos);
  return {};
}

}  // namespace

base::Result<void> emit_glsl(const ir::Module& module, const Options& wanted, driver::Code& code) {
  Options options = wanted;
  if (options.kind == driver::CodeKind::kGlslEs) {  // whatever the device has, the language has it not
    options.features.remove(driver::Feature::kInt64);
    options.features.remove(driver::Feature::kFp64);
  }
  Names entries;
  for (driver::VariableInfo& v : code.variables) v.entry = v.name;
  std::string kernels;
  size_t at = 0;
  const bool is_alone = code.kernels.size() == 1;
  for (const ir::Function* f : module.functions) {
    if (!f->is_kernel) continue;
    driver::KernelInfo& info = code.kernels[at++];
    info.entry = "QUERN_KERNEL_" + entries.make(f->name);
    const std::string text = emit_kernel(module, *f, options, code, info);
    if (text.empty()) continue;
    kernels += is_alone ? "\n" + text : "\n#ifdef " + info.entry + "\n" + text + "#endif\n";
  }
  const auto is_refused = [](const driver::KernelInfo& k) { return !k.refused.empty(); };
  if (!code.kernels.empty() && std::all_of(code.kernels.begin(), code.kernels.end(), is_refused))
    return Error(ErrorKind::kUnsupported, code.kernels.front().refused);
  code.bytes = prelude(options) + kernels;
  return {};
}

}  // namespace quern::target::cstyle
