#include "target/spirv/spirv.hpp"

#include <algorithm>
#include <set>

#include "lang/expand/expand.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"
#include "target/attempts.hpp"
#include "target/describe.hpp"
#include "target/messages.hpp"
#include "target/report_site.hpp"
#include "target/short_name.hpp"
#include "target/spirv/emitter.hpp"
#include "target/spirv/model.hpp"
#include "target/waiting.hpp"

namespace quern::target::spirv {

namespace {

using base::Error;
using base::ErrorKind;
using driver::Feature;
using ir::Inst;
using ir::Op;

constexpr int kMaxNesting = 250;

void add_shared(const ir::Function& f, std::set<const ir::Global*>& out) {
  pass::traverse(f.body, [&](const Inst* i) {
    for (const ir::Value* v : i->operands) {
      if (Objects::is_shared(v)) out.insert(static_cast<const ir::Global*>(v));
    }
    if (i->is(Op::kCall)) add_shared(*i->attr().callee, out);
  });
}

// Of the variables that a kernel uses, and those for warp exchanges.
uint64_t shared_bytes(const ir::Function& kernel) {
  std::set<const ir::Global*> all;
  add_shared(kernel, all);
  uint64_t bytes = 0;
  for (const ir::Global* g : all) {
    const uint64_t align = std::max({uint64_t{4}, g->align, g->object->align});
    bytes = (bytes + align - 1) / align * align + g->object->size;
  }
  return bytes;
}

// One attempt: without the kernels that were refused so far.
class Attempt {
 public:
  Attempt(const ir::Module& original, const Options& options, const Model& model, driver::Code& code,
          Refused& refused)
      : module_(original.clone()), options_(options), model_(model), code_(code), refused_(refused) {}

  // Whether all kernels succeeded; otherwise more of them are refused than before.
  base::Result<bool> run() {
    std::erase_if(module_.functions,
                  [&](const ir::Function* f) { return !f->is_kernel || refused_.count(f->name) != 0; });
    check_waiting();
    if (!is_clean_) return false;
    QUERN_TRY(lower());
    if (!is_clean_) return false;
    write();
    return is_clean_;
  }

 private:
  void refuse(const ir::Function& kernel, const Refusal& why) {
    refused_.try_emplace(kernel.name, refusal_text(module_, kernel.name, why));
    is_clean_ = false;
  }
  void take(const std::vector<expand::Unlowered>& problems) {
    for (const expand::Unlowered& u : problems) refuse(*u.kernel, {u.pos, u.reason});
  }

  bool is_vulkan() const { return options_.kind == driver::CodeKind::kSpirv; }

  void check_variable(const ir::Function& kernel, const Inst& i, const ir::Value* v) {
    if (v->kind != ir::ValueKind::kGlobal) return;
    const auto* g = static_cast<const ir::Global*>(v);
    const bool can_be_filled = model_.has_relocations && is_relocatable(*g);
    if (!g->pointers.empty() && !can_be_filled)
      refuse(kernel, {i.pos, model_.has_relocations ? message::kInitialLiteralAddresses(g->name)
                                                    : message::kInitialAddresses(g->name)});
  }

  // Before anything is lowered: uniformity is most precise on the user's code.
  void check_waiting() {
    for (ir::Function* f : module_.functions) {
      int depth = 0, deepest = 0;
      pass::traverse(
          f->body,
          [&](Inst* i) {
            if (!i->blocks.empty()) deepest = std::max(deepest, ++depth);
            for (const ir::Value* v : i->operands) check_variable(*f, *i, v);
            if (i->is(Op::kGridBarrier))
              refuse(*f, {i->pos, message::kGridBarrierMissing(model_.api_of(options_))});
            if (i->is(Op::kClusterBarrier) || i->is(Op::kClusterDim) || i->is(Op::kMapShared))
              refuse(*f, {i->pos, message::kClustersMissing(model_.api_of(options_))});
          },
          [&](Inst*) { --depth; });
      if (deepest > kMaxNesting) refuse(*f, {f->pos, message::kNestingTooDeep()});
      if (const auto waiting = waiting_in(*f, model_.api_of(options_))) refuse(*f, *waiting);
    }
  }

  void check_barriers() {
    for (ir::Function* f : module_.functions) {
      std::vector<const Inst*> barriers;
      pass::traverse(f->body, [&](const Inst* i) {
        if (i->is(Op::kBarrier)) barriers.push_back(i);
      });
      if (barriers.empty()) continue;
      const pass::Uniformity uniformity(*f);
      for (const Inst* i : barriers) {
        if (!uniformity.is_converged(i)) refuse(*f, {i->pos, message::kDivergentBarrier()});
      }
    }
  }

  // The kernels whose warps are subgroups. Others exchange data through shared memory, and so do those whose
  // threads must be gathered for a barrier, which breaks up warps.
  std::set<const ir::Function*> gather() {
    std::set<const ir::Function*> exchanging;
    for (ir::Function* f : module_.functions) {
      const bool has_warps = is_vulkan() && options_.native.has(Feature::warps);
      if (has_warps && !pass::needs(module_, *f).divergent_barrier) {
        exchanging.insert(f);
      } else {
        pass::gather_threads(module_, *f);
      }
    }
    return exchanging;
  }

  base::Result<void> lower() {
    expand::Library library(module_);
    const auto is_native = [&](const Inst& i) { return model_.is_native_operation(i, options_); };
    const std::set<const ir::Function*> exchanging = gather();
    check_barriers();
    take(expand::lower_warps(
        module_, library, [](const Inst&) { return false; },
        [&](const ir::Function& f) { return exchanging.count(&f) != 0; }));
    expand::lower_copies(module_);
    expand::lower_atomics(module_, [&](const Inst& i) { return model_.is_native_atomic(i, options_); });
    sites_.clear();
    expand::lower_reports(module_, library, [&](const ir::Function& kernel, const Inst* i) {
      if (prints_unknown_text(i)) refuse(kernel, {i->pos, message::kPrintsUnknownString()});
      sites_.push_back(report_site(module_, kernel.name, i));
      return static_cast<uint32_t>(sites_.size()) - 1;
    });
    take(expand::lower_halves(module_, library));
    take(expand::lower_operations(module_, library, is_native, options_.features.has(Feature::fp64),
                                  (options_.floats.fused & 32) != 0));
    if (const std::string problem = library.link(); !problem.empty())
      return Error(ErrorKind::internal, problem);
    if (!model_.has_functions) {
      if (const std::string problem = pass::inline_calls(module_); !problem.empty())
        return Error(ErrorKind::unsupported, problem);
    }
    if (model_.is_structured) pass::lower_exits(module_);
    return {};
  }

  // Names of different kernels may collide without their C++-only parts.
  std::string entry_name(const ir::Function& f,
                         const std::vector<std::pair<Id, std::string>>& entries) const {
    const std::string wanted = short_name(model_.entry_name(f.name));
    std::string name = wanted;
    for (size_t number = 2;
         std::any_of(entries.begin(), entries.end(), [&](const auto& e) { return e.second == name; });
         ++number)
      name = wanted + "_" + std::to_string(number);
    return name;
  }

  void write() {
    Unit unit(module_, options_, model_);
    const auto note = [&](const ir::Function& f) {
      if (unit.refusal) refuse(f, *unit.refusal);
      unit.refusal.reset();
    };
    for (ir::Function* f : module_.functions) {
      if (f->is_kernel) continue;
      f->name = f->name.substr(f->name.rfind(':') + 1);
      unit.functions[f] = model_.emitter(unit, *f)->library_function();
      for (ir::Function* k : module_.functions) {
        if (unit.refusal && k->is_kernel) note(*k);
      }
    }
    std::vector<std::pair<Id, std::string>> entries;
    for (ir::Function* f : module_.functions) {
      if (!f->is_kernel) continue;
      driver::KernelInfo& info =
          *std::find_if(code_.kernels.begin(), code_.kernels.end(),
                        [&](const driver::KernelInfo& k) { return k.name == f->name; });
      info.entry = entry_name(*f, entries);
      info.shared_bytes = shared_bytes(*f);
      entries.emplace_back(model_.emitter(unit, *f)->kernel(info, code_.variables.size()), info.entry);
      note(*f);
    }
    if (!is_clean_) return;
    for (const auto& [id, name] : entries) model_.add_entry(unit, id, name);
    code_.sites = std::move(sites_);
    code_.bytes = unit.b.bytes();
  }

  ir::Module module_;
  const Options& options_;
  const Model& model_;
  driver::Code& code_;
  Refused& refused_;
  std::vector<driver::ReportSite> sites_;
  bool is_clean_ = true;
};

}  // namespace

bool can_be_cooperative_matrices(const ir::Module&, ir::Function& kernel, const Options& options) {
  bool has_tf32 = false;
  pass::traverse(kernel.body, [&](const ir::Inst* i) {
    has_tf32 = has_tf32 || (is_matrix_op(i) && ir::matrix_of(i->attr().index)->type == ir::MatrixType::kTf32);
  });
  return !has_tf32 && options.features.has(driver::Feature::addresses) && can_be_objects(kernel, options);
}

base::Result<void> emit(const ir::Module& module, const Options& options, driver::Code& code) {
  const bool is_vulkan = options.kind == driver::CodeKind::kSpirv;
  const Model& model = is_vulkan ? vulkan_model() : kernel_model();
  if (is_vulkan && !options.features.has(Feature::int64))
    return Error(ErrorKind::unsupported, message::kSpirvNeedsInt64());
  for (driver::VariableInfo& v : code.variables) v.entry = v.name;
  return emit_by_attempts(
      code, [&](Refused& refused) { return Attempt(module, options, model, code, refused).run(); });
}

}  // namespace quern::target::spirv
