#include "target/portable.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "lang/expand/expand.hpp"
#include "lang/pass/guard_shifts.hpp"
#include "lang/pass/limit_rounds.hpp"
#include "lang/pass/pass.hpp"
#include "target/descriptor.hpp"
#include "target/messages.hpp"
#include "target/target.hpp"

namespace quern::target {

namespace {

// Assigns the roles of check mode to the parameters.
void mark_hidden(const std::vector<pass::CheckedKernel>& checked, driver::Code& code) {
  for (const pass::CheckedKernel& c : checked) {
    for (driver::KernelInfo& k : code.kernels) {
      if (k.name != c.name) continue;
      const auto is_later = [](const driver::ParamInfo& p) { return p.role != driver::ParamRole::kUser; };
      const auto end = std::find_if(k.params.begin(), k.params.end(), is_later);
      auto next = end - static_cast<ptrdiff_t>(c.extents.size()) - 1;
      for (const uint32_t of : c.extents) {
        next->role = driver::ParamRole::kExtent;
        (next++)->of = of;
      }
      next->role = driver::ParamRole::kChecks;
    }
  }
}

// Assigns the roles of the two parameters of a split kernel. Must come before mark_hidden.
void mark_split(const std::vector<pass::SplitKernel>& split, driver::Code& code) {
  for (const pass::SplitKernel& s : split) {
    for (driver::KernelInfo& k : code.kernels) {
      if (k.name != s.name) continue;
      const auto is_later = [](const driver::ParamInfo& p) { return p.role != driver::ParamRole::kUser; };
      const auto end = std::find_if(k.params.begin(), k.params.end(), is_later);
      (end - 2)->role = driver::ParamRole::kResume;
      (end - 1)->role = driver::ParamRole::kFrames;
    }
  }
}

bool waits_for_others(const ir::Module& module) {
  return std::any_of(module.functions.begin(), module.functions.end(), [&](const ir::Function* f) {
    if (!f->is_kernel) return false;
    const pass::Needs needs = pass::needs(module, *f);
    return needs.barrier || needs.warp_ops;
  });
}

// The module with loops that cannot exceed the device's iteration limit unnoticed.
std::shared_ptr<const ir::Module> within_loop_limit(const std::shared_ptr<const ir::Module>& module,
                                                    const driver::DeviceInfo& device) {
  const uint32_t most = device.limits.loop_rounds;
  if (most == 0) return module;
  const uint32_t safe = most - most / 12;  // targets add loops, for example to leave a block
  auto out = std::make_shared<ir::Module>(module->clone());
  pass::limit_rounds(*out, safe,
                     message::kLoopLimit(base::format_count(most), device.name, device.driver_version).str(),
                     software_features(device).has(driver::Feature::fp64));
  return out;
}

// The module without 64-bit atomics that 32-bit ones can replace, if the device lacks them.
std::shared_ptr<const ir::Module> without_wide_atomics(const std::shared_ptr<const ir::Module>& module,
                                                       const driver::DeviceInfo& device) {
  if (device.features.has(driver::Feature::atomics64)) return module;
  auto out = std::make_shared<ir::Module>(module->clone());
  expand::split_wide_atomics(*out);
  return out;
}

// The module without expressions that the device's compiler gets wrong.
std::shared_ptr<const ir::Module> without_defects(const std::shared_ptr<const ir::Module>& module,
                                                  const driver::DeviceInfo& device) {
  if (!device.guards_shifts) return module;
  auto out = std::make_shared<ir::Module>(module->clone());
  pass::guard_shifts(*out);
  return out;
}

// "Level Zero" from "Level Zero 1.14".
std::string api_name(const driver::DeviceInfo& device) {
  return std::string(
      base::trim(device.api_version.substr(0, device.api_version.find_first_of("0123456789"))));
}

Options options_for(const driver::DeviceInfo& device, driver::CodeKind kind, driver::Math math) {
  Options options;
  options.kind = kind;
  options.features = device.features;
  options.native = device.native;
  options.floats = device.floats;
  options.matrices = device.matrices;
  options.limits = device.limits;
  options.version = device.code_version;
  options.api = api_name(device);
  options.math = math;
  options.checks_library = device.checks_library;
  return options;
}

// The state of Code::remake.
struct CompileFor {
  std::shared_ptr<const PortableProgram> program;
  base::Result<driver::Code> operator()(const driver::DeviceInfo& device) const {
    return compile_for(device, program);
  }
};

}  // namespace

bool takes_only_host_functions(const driver::DeviceInfo& device) {
  return device.code.size() == 1 && device.code.front() == driver::CodeKind::kHostFunction;
}

base::Result<driver::Code> compile_for(const driver::DeviceInfo& device,
                                       std::shared_ptr<const PortableProgram> program) {
  const bool on_host = takes_only_host_functions(device);
  if (device.code.empty() || (on_host && !program->host))
    return base::Error(base::ErrorKind::unsupported, message::kCannotRun(device.name, program->name));
  const driver::CodeKind kind = on_host ? driver::CodeKind::kIr : device.code.front();
  const auto module =
      without_defects(without_wide_atomics(within_loop_limit(program->module, device), device), device);
  QUERN_TRY_ASSIGN(driver::Code code, emit(module, program->name, options_for(device, kind, program->math)));
  mark_split(program->split, code);
  mark_hidden(program->checked, code);
  code.math = program->math;
  code.max_registers = program->max_registers;
  code.debug = program->debug;
  if (on_host) {
    code.kind = driver::CodeKind::kHostFunction;
    code.host = {program->host->run, waits_for_others(*program->module)};
  }
  code.remake = CompileFor{std::move(program)};
  return code;
}

std::shared_ptr<const PortableProgram> portable_form(const driver::Code& code) {
  const auto* const made = code.remake.target<CompileFor>();
  return made != nullptr ? made->program : nullptr;
}

}  // namespace quern::target
