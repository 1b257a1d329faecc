#include "target/target.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "lang/expand/expand.hpp"
#include "lang/ir/simulated_ptx.hpp"
#include "lang/pass/matrices.hpp"
#include "lang/pass/param_fields.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/texture_references.hpp"
#include "lang/pass/walk.hpp"
#include "target/describe.hpp"
#include "target/descriptor.hpp"
#include "target/messages.hpp"
#include "target/ptx_statement.hpp"
#include "target/refusal.hpp"
#include "target/tensor_maps.hpp"

namespace quern::target {

using base::Error;
using base::ErrorKind;

bool can_emit(driver::CodeKind kind) {
  const Descriptor* const target = find_descriptor(kind);
  return target != nullptr && target->emit != nullptr;
}

driver::FeatureSet every_feature() {
  driver::FeatureSet all;
  for (size_t i = 0; i < driver::kFeatureCount; ++i) all.add(static_cast<driver::Feature>(i));
  return all;
}

driver::FeatureSet usual_native(driver::CodeKind kind) {
  const Descriptor* const target = find_descriptor(kind);
  return target != nullptr ? target->usual_native : driver::FeatureSet();
}

namespace {

bool is_for_nvidia(driver::CodeKind kind) {
  const Descriptor* const target = find_descriptor(kind);
  return target != nullptr && target->is_nvidia;
}

// Of NVIDIA's: 90 of "sm_90".
int architecture_of(const std::string& version) {
  constexpr int kUsual = 75;
  const auto number = version.starts_with("sm_") ? base::parse_uint(version.substr(3)) : std::nullopt;
  return number ? static_cast<int>(*number) : kUsual;
}

}  // namespace

std::vector<ir::Matrix> usual_matrices(driver::CodeKind kind, const std::string& version) {
  if (is_for_nvidia(kind)) return driver::matrices_of_sm(architecture_of(version));
  const Descriptor* const target = find_descriptor(kind);
  if (target == nullptr || target->usual_matrices == nullptr) return {};
  return target->usual_matrices();
}

namespace {

// If printf is a report that the host reads.
bool prints_by_report(const Descriptor& target, const driver::Code& code) {
  const auto prints = [](const driver::KernelInfo& k) { return k.needs.has(driver::Feature::print); };
  return !target.has_printf && std::any_of(code.kernels.begin(), code.kernels.end(), prints);
}

// The kernels whose matrices can be device objects: all of a kernel's, or none.
std::set<std::string> kernels_with_objects(const ir::Module& module, const Descriptor& target,
                                           const Options& options) {
  std::set<std::string> out;
  if (target.can_be_objects == nullptr || options.matrices.empty()) return out;
  ir::Module trial = module.clone();
  pass::legalize_matrices(trial,
                          [](const ir::Function&, const ir::Matrix&) { return ir::MatrixForm::kOpaque; });
  for (ir::Function* f : trial.functions) {
    if (f->is_kernel && target.can_be_objects(trial, *f, options)) out.insert(f->name);
  }
  return out;
}

bool has_unit_for(ir::Matrix matrix, const Options& options) {
  matrix.use = {};
  matrix.is_by_column = false;
  return std::find(options.matrices.begin(), options.matrices.end(), matrix) != options.matrices.end();
}

// Whether the threads of a warp can exchange data without block barriers.
bool has_shuffles(const Descriptor& target, const Options& options) {
  return target.has_shuffles || options.native.has(driver::Feature::warps);
}

// Barriers as objects in shared memory, copies that bypass registers (NVIDIA's mbarrier and cp.async), and
// inline PTX. The simulator checks accesses to textures.
pass::Forms forms_of(const Options& options) {
  constexpr int kFirst = 80;
  const bool is_nvidia = is_for_nvidia(options.kind);
  const bool is_simulated = options.kind == driver::CodeKind::kIr && options.version == "sim";
  const int architecture = is_nvidia ? architecture_of(options.version) : 0;
  const bool has_both = architecture >= kFirst;
  return {.has_barriers = has_both,
          .has_copies = has_both,
          .ptx = has_both       ? static_cast<uint32_t>(architecture)
                 : is_simulated ? 2U
                                : 0U,
          .has_shared_addresses = is_nvidia || is_simulated,
          .checks_library = options.checks_library};
}

std::shared_ptr<const ir::Module> with_references(const std::shared_ptr<const ir::Module>& module) {
  if (!pass::has_texture_references(*module)) return module;
  auto out = std::make_shared<ir::Module>(module->clone());
  pass::pass_texture_references(*out);
  return out;
}

std::shared_ptr<const ir::Module> with_forms(const std::shared_ptr<const ir::Module>& module,
                                             const Options& options) {
  if (!pass::asks_for_forms(*module)) return module;
  auto out = std::make_shared<ir::Module>(module->clone());
  pass::legalize_forms(*out, forms_of(options));
  return out;
}

// The module with texture references, barriers, copies and matrices legalized for the code kind.
std::shared_ptr<const ir::Module> legalized(const std::shared_ptr<const ir::Module>& given,
                                            const Descriptor& target, const Options& options) {
  const std::shared_ptr<const ir::Module> module = with_forms(with_references(given), options);
  if (!pass::has_matrices(*module)) return module;
  const bool by_value = target.is_nvidia;
  const std::set<std::string> with_objects = kernels_with_objects(*module, target, options);
  auto out = std::make_shared<ir::Module>(module->clone());
  pass::legalize_matrices(*out, [&](const ir::Function& f, const ir::Matrix& m) {
    if (with_objects.count(f.name) != 0) return ir::MatrixForm::kOpaque;
    if (by_value && has_unit_for(m, options)) return ir::MatrixForm::kValues;
    return has_shuffles(target, options) ? ir::MatrixForm::kLoops : pass::kLoopsByMemory;
  });
  return out;
}

// The module without 64-bit atomics that 32-bit ones can replace.
std::shared_ptr<const ir::Module> with_split_atomics(const std::shared_ptr<const ir::Module>& given) {
  auto out = std::make_shared<ir::Module>(given->clone());
  expand::split_wide_atomics(*out);
  return out;
}

// Whether pointers are not numbers there.
bool lacks_addresses(const Descriptor& target, const Options& options) {
  return target.pointers == PointerForm::kBoundBuffer || (target.pointers == PointerForm::kAddressIfPresent &&
                                                          !options.features.has(driver::Feature::addresses));
}

bool has_param_fields(const ir::Module& module) {
  return std::any_of(module.functions.begin(), module.functions.end(),
                     [](const ir::Function* f) { return f->is_kernel && pass::uses_param_fields(*f); });
}

// The module without pointers inside of struct parameters, and its kernels with the replacements.
std::shared_ptr<const ir::Module> with_split_params(const ir::Module& module,
                                                    std::vector<driver::KernelInfo>& kernels) {
  auto out = std::make_shared<ir::Module>(module.clone());
  std::vector<std::vector<pass::SplitPointer>> fields;
  for (ir::Function* f : out->functions) {
    if (f->is_kernel) fields.push_back(pass::split_params(*out, *f));
  }
  pass::infer_spaces(*out);
  kernels.clear();
  for (const ir::Function* f : out->functions) {
    if (!f->is_kernel) continue;
    driver::KernelInfo& info = kernels.emplace_back(describe(*out, *f));
    const auto& own = fields[kernels.size() - 1];
    const size_t first = info.params.size() - own.size();
    for (size_t i = 0; i < own.size(); ++i) {
      driver::ParamInfo& p = info.params[first + i];
      p.role = driver::ParamRole::kField;
      p.of = own[i].param;
      p.at = static_cast<uint32_t>(own[i].at);
    }
  }
  return out;
}

// Kernels with PTX that has no meaning on other devices.
void refuse_ptx(const std::shared_ptr<const ir::Module>& module,
                std::map<std::string, std::string>& refused) {
  for (const ir::Function* f : module->functions) {
    pass::traverse(f->body, [&](const ir::Inst* i) {
      if (!i->is(ir::Op::kPtx) || !f->is_kernel) return;
      const std::string text = ptx_statement(i->attr().text).text;
      if (text.starts_with(ir::kSimulatedPtx)) return;  // legalize_forms leaves it in the simulator only
      const std::string instruction = first_instruction(text);
      const Refusal why(i->pos, message::kPtxOfNvidia(instruction));
      refused.emplace(f->name, refusal_text(*module, f->name, why));
    });
  }
}

// Kernels that only NVIDIA devices can run, or only newer ones, are refused, and become empty.
std::shared_ptr<const ir::Module> without_nvidia(const std::shared_ptr<const ir::Module>& module,
                                                 const Descriptor& target, const Options& options,
                                                 std::map<std::string, std::string>& refused) {
  const int architecture = target.is_nvidia ? architecture_of(options.version) : 0;
  if (architecture < static_cast<int>(kFirstWithTensorMaps)) refuse_tensor_maps(*module, refused);
  if (!target.is_nvidia) refuse_ptx(module, refused);
  if (refused.empty()) return module;
  auto out = std::make_shared<ir::Module>(module->clone());
  for (ir::Function* f : out->functions) {
    if (refused.contains(f->name)) f->body->first = f->body->last = nullptr;
  }
  return out;
}

}  // namespace

base::Result<driver::Code> emit(const std::shared_ptr<const ir::Module>& given, const std::string& name,
                                const Options& options) {
  const Descriptor* const target = find_descriptor(options.kind);
  if (target == nullptr || target->emit == nullptr) {
    return Error(ErrorKind::unsupported, message::kNoCompiler(driver::name(options.kind)));
  }
  std::map<std::string, std::string> refused;
  std::shared_ptr<const ir::Module> original =
      without_nvidia(legalized(given, *target, options), *target, options, refused);
  if (!target->has_atomics64) original = with_split_atomics(original);
  driver::Code code;
  code.kind = options.kind;
  code.name = name;
  for (const ir::Function* f : original->functions) {
    if (f->is_kernel) code.kernels.push_back(describe(*original, *f));
  }
  if (lacks_addresses(*target, options) && has_param_fields(*original))
    original = with_split_params(*original, code.kernels);
  std::shared_ptr<const ir::Module> module = original;
  if (prints_by_report(*target, code)) {
    auto copy = std::make_shared<ir::Module>(original->clone());
    pass::print_floats(*copy);
    module = std::move(copy);
  }
  code.variables = describe_variables(*module);
  if (options.kind == driver::CodeKind::kIr) code.module = module;
  QUERN_TRY(target->emit(*module, options, code));
  for (driver::KernelInfo& k : code.kernels) {
    if (const auto at = refused.find(k.name); at != refused.end()) k.refused = at->second;
  }
  const bool has_any = std::any_of(code.kernels.begin(), code.kernels.end(),
                                   [](const driver::KernelInfo& k) { return k.refused.empty(); });
  if (!refused.empty() && !has_any) return Error(ErrorKind::unsupported, refused.begin()->second);
  return code;
}

}  // namespace quern::target
