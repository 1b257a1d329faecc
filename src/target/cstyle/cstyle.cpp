#include "target/cstyle/cstyle.hpp"

#include <algorithm>
#include <unordered_map>

#include "lang/expand/expand.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/waiting_loops.hpp"
#include "target/cstyle/globals.hpp"
#include "target/cstyle/kernel_writer.hpp"
#include "target/messages.hpp"
#include "target/waiting.hpp"

namespace quern::target::cstyle {

namespace {

using base::Error;
using base::ErrorKind;
using ir::Space;

std::string prelude(const Unit& unit, const driver::Code& code) {
  std::string out;
  switch (unit.dialect.language) {
    case Language::kOpencl: {
      bool fp64 = false, atomics64 = false;
      for (const driver::KernelInfo& k : code.kernels) {
        fp64 = fp64 || k.needs.has(driver::Feature::fp64);
        atomics64 =
            atomics64 || k.needs.has(driver::Feature::atomics64) || k.needs.has(driver::Feature::atomics_f64);
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

// Operations that OpenCL C has no function for: library functions, inlined into the kernels.
std::string lower_functions(ir::Module& module, const Options& options) {
  expand::Library library(module);
  const auto is_native = [](const ir::Inst& i) { return !is_in_library(i.op); };
  expand::lower_operations(module, library, is_native, options.features.has(driver::Feature::fp64));
  if (std::string problem = library.link(); !problem.empty()) return problem;
  return pass::inline_calls(module);
}

}  // namespace

base::Result<void> emit(const ir::Module& original, const Options& options, driver::Code& code) {
  const auto& dialect = *find_dialect(options.kind);
  ir::Module module = original.clone();
  std::unordered_map<std::string, Refusal> waiting;
  for (const ir::Function* f : module.functions) {
    if (!f->is_kernel || dialect.threads_run_on) continue;
    if (auto found = waiting_in(*f, dialect.name)) waiting.emplace(f->name, *found);
  }
  if (dialect.threads_run_on) pass::reread_in_waiting_loops(module);
  if (!dialect.native_warps) pass::gather_threads(module);
  pass::lower_exits(module);
  if (options.kind == driver::CodeKind::kOpenclC) {
    if (std::string problem = lower_functions(module, options); !problem.empty())
      return Error(ErrorKind::internal, std::move(problem));
  }
  Unit unit(module, options, dialect);
  const std::string globals = global_variables(unit);
  std::string kernels;
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
    if (const auto found = waiting.find(f->name); found != waiting.end())
      unit.refuse(found->second.pos, found->second.reason);
    const std::string text = KernelWriter(unit, *f, info).write(info.entry);
    if (!unit.types.problem().empty()) unit.refuse(f->pos, message::kTypeLayout(unit.types.problem()));
    if (unit.refusal) {
      info.refused = refusal_text(unit.module, f->name, *unit.refusal);
      unit.refusal.reset();
    } else {
      kernels += "\n" + text;
    }
  }
  const auto is_refused = [](const driver::KernelInfo& k) { return !k.refused.empty(); };
  if (!code.kernels.empty() && std::all_of(code.kernels.begin(), code.kernels.end(), is_refused))
    return Error(ErrorKind::unsupported, code.kernels.front().refused);
  code.sites = std::move(unit.sites);
  code.bytes = prelude(unit, code) + unit.types.definitions() + globals + unit.helpers.text() + kernels;
  return {};
}

}  // namespace quern::target::cstyle
