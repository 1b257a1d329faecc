#include "target/cstyle/msl.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>

#include "driver/interface/arguments.hpp"
#include "lang/expand/expand.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"
#include "target/cstyle/globals.hpp"
#include "target/cstyle/msl_check.hpp"
#include "target/cstyle/msl_writer.hpp"
#include "target/matrices.hpp"
#include "target/messages.hpp"
#include "target/report_site.hpp"
#include "target/waiting.hpp"

namespace quern::target::cstyle {

namespace {

using base::Error;
using base::ErrorKind;
using driver::Feature;
using ir::Inst;
using ir::Op;

constexpr int kOldest = 204, kWithFences = 302;  // versions: 2.4, 3.2

// Types of Metal's library, which would conflict with our names at file scope.
constexpr std::string_view kTypesOfMetal[] = {
    "access",     "address",      "array",          "array_ref",    "atomic_bool", "atomic_float",
    "atomic_int", "atomic_t",     "atomic_uint",    "atomic_ulong", "bfloat",      "bias",
    "component",  "coord",        "fast",           "gather",       "gradient2d",  "level",
    "mem_flags",  "memory_order", "numeric_limits", "pixel",        "quad_vote",   "ray",
    "raytracing", "simd_vote",    "size",           "swizzle",      "tensor",      "texture1d",
    "texture2d",  "texture3d",    "texture_buffer", "thread_scope", "vec",
};

int version_of(const std::string& text) {
  if (text.empty()) return kWithFences;  // all features
  int major = 0, minor = 0;
  const size_t dot = std::min(text.find('.'), text.size());
  std::from_chars(text.data(), text.data() + dot, major);
  if (dot < text.size()) std::from_chars(text.data() + dot + 1, text.data() + text.size(), minor);
  return major * 100 + minor;
}

class Emission {
 public:
  Emission(const ir::Module& original, const Options& options, driver::Code& code)
      : module_(original.clone()),
        options_(options),
        code_(code),
        has_warps_(options.native.has(Feature::warps)) {}

  base::Result<void> run() {
    check_waiting();
    gather();
    check();
    QUERN_TRY(lower_threads());
    QUERN_TRY(lower_numbers());
    pass::lower_exits(module_);
    write();
    return conclude();
  }

 private:
  driver::KernelInfo& info_of(const ir::Function& kernel) {
    return *std::find_if(code_.kernels.begin(), code_.kernels.end(),
                         [&](const driver::KernelInfo& k) { return k.name == kernel.name; });
  }

  void refuse(const ir::Function& kernel, const Refusal& why) {
    driver::KernelInfo& info = info_of(kernel);
    if (info.refused.empty()) info.refused = refusal_text(module_, kernel.name, why);
  }
  void take(const std::vector<expand::Unlowered>& problems) {
    for (const expand::Unlowered& u : problems) refuse(*u.kernel, {u.pos, u.reason});
    drop_refused();
  }
  void drop_refused() {
    std::erase_if(module_.functions,
                  [&](const ir::Function* f) { return f->is_kernel && !info_of(*f).refused.empty(); });
  }

  void check_waiting() {
    for (const ir::Function* f : module_.functions) {
      if (!f->is_kernel) continue;
      const auto waiting = waiting_in(*f, find_dialect(options_.kind)->name);
      if (waiting) refuse(*f, *waiting);
    }
    drop_refused();
  }

  // Barriers that not all threads reach are gathered, together with the warp operations: those are then no
  // longer where SIMD-groups could execute them.
  void gather() {
    for (const ir::Function* f : module_.functions) {
      if (f->is_kernel && divergent_barrier(*f) != nullptr) has_warps_ = false;
    }
    if (!has_warps_) pass::gather_threads(module_);
  }

  void check() {
    for (const ir::Function* f : module_.functions) {
      if (!f->is_kernel) continue;
      if (const auto refusal = refused_by_metal(*f)) refuse(*f, *refusal);
      // Checked here: a vote through shared memory no longer looks uniform.
      if (const Inst* apart = divergent_barrier(*f)) refuse(*f, {apart->pos, message::kDivergentBarrier()});
      const Inst* fence = first_fence(*f, has_warps_);
      if (fence != nullptr && version_of(options_.version) < kWithFences)
        refuse(*f, {fence->pos, message::kFenceNeedsMetal32()});
    }
    drop_refused();
    for (const ir::Function* f : module_.functions) {
      const bool has_fence = first_fence(*f, has_warps_) != nullptr;
      needed_ = std::max(needed_, has_fence ? kWithFences : kOldest);
      is_coherent_ = is_coherent_ || has_device_fence(*f);
    }
  }

  // Votes of a block, and warp operations if SIMD-groups are not warps. The library code is inlined into the
  // kernel: shared variables and thread indices are available only there.
  base::Result<void> lower_threads() {
    expand::Library library(module_);
    take(expand::lower_warps(module_, library, [&](const Inst& i) { return has_warps_ && !is_vote(i); }));
    if (std::string problem = library.link(); !problem.empty()) return Error(ErrorKind::internal, problem);
    if (std::string problem = pass::prepare(module_); !problem.empty())
      return Error(ErrorKind::internal, problem);
    return {};
  }
  static bool is_vote(const Inst& i) {
    return i.is(Op::kBarrierCount) || i.is(Op::kBarrierAnd) || i.is(Op::kBarrierOr);
  }

  base::Result<void> lower_numbers() {
    expand::Library library(module_);
    expand::lower_atomics(module_, [](const Inst& i) {
      const ir::Type* t = i.is(Op::kAtomicLoad) ? i.type : i.operand(1)->type;
      return t->size >= 4 && t->kind != ir::TypeKind::kF64 && i.operand(0)->type->space != ir::Space::kLocal;
    });
    take(expand::lower_halves(module_, library));
    const auto is_native = [&](const Inst& i) {
      return is_native_in_metal(i, options_.math == driver::Math::fast);
    };
    take(expand::lower_operations(module_, library, is_native, false));
    if (std::string problem = library.link(); !problem.empty()) return Error(ErrorKind::internal, problem);
    note_sites();
    QUERN_TRY_ASSIGN(const std::vector<expand::Unlowered> left, expand::lower_doubles(module_));
    take(left);
    return {};
  }

  // Reports are described by the user's types, before doubles become integers.
  void note_sites() {
    for (const ir::Function* f : module_.functions) {
      pass::traverse(f->body, [&](const Inst* i) {
        if (i->is(Op::kPrintf)) noted_sites_.emplace(i, report_site(module_, f->name, i));
      });
    }
  }

  std::string prelude() const {
    std::string out =
        "// Metal " + std::to_string(needed_ / 100) + "." + std::to_string(needed_ % 100) + " or newer.";
    const bool is_fast = options_.math == driver::Math::fast;
    out += is_fast ? "\n" : " Compile without fast math.\n";
    out += "#include <metal_stdlib>\nusing namespace metal;\n";
    if (is_fast) return out + "\n";
    const bool may_fuse = options_.math == driver::Math::fused;
    out += "#if __METAL_VERSION__ >= 320\n#pragma METAL fp math_mode(safe)\n";
    if (!may_fuse) out += "#pragma METAL fp contract(off)\n#else\n#pragma clang fp contract(off)\n";
    return out + "#endif\n\n";
  }

  void write() {
    Unit unit(module_, options_, msl_dialect(is_coherent_));
    for (const std::string_view name : kTypesOfMetal) unit.names.take(std::string(name));
    const std::string globals = global_variables(unit);
    size_t at = 0;
    for (const ir::Global* g : module_.globals) {
      if (g->space == ir::Space::kShared || g->is_literal || at == code_.variables.size()) continue;
      code_.variables[at++].entry = unit.globals.at(g);
    }
    unit.noted_sites = std::move(noted_sites_);
    std::string functions, kernels;
    for (ir::Function* f : module_.functions) {
      if (!f->is_kernel) functions += write_function(unit, *f);
    }
    for (ir::Function* f : module_.functions) {
      if (f->is_kernel) kernels += write_kernel(unit, *f);
    }
    code_.sites = std::move(unit.sites);
    code_.bytes = prelude() + unit.types.definitions() + globals + unit.helpers.text() + functions + kernels;
  }

  // The function, after those that it calls and that are not written yet.
  std::string write_function(Unit& unit, ir::Function& f) {
    if (unit.functions.contains(&f)) return {};
    std::string text;
    pass::traverse(f.body, [&](const Inst* i) {
      if (i->is(Op::kCall)) text += write_function(unit, *i->attr().callee);
    });
    const std::string name = "quern_lib_" + f.name.substr(f.name.rfind(':') + 1);
    unit.functions[&f] = name;
    text += MslWriter(unit, f, driver::KernelInfo(), has_warps_).write(name);
    if (unit.refusal) failed_ = unit.refusal->reason;
    unit.refusal.reset();
    return text;
  }

  std::string write_kernel(Unit& unit, ir::Function& f) {
    driver::KernelInfo& info = info_of(f);
    info.entry = unit.names.make(f.name);
    const uint64_t shared_size = info.needs.has(Feature::dynamic_shared) ? 4 : 0;
    info.block_bytes = static_cast<uint32_t>(driver::block_bytes(info) + shared_size);
    info.shared_bytes = pass::needs(module_, f).shared_bytes;
    const size_t sites = unit.sites.size();
    const std::string text = MslWriter(unit, f, info, has_warps_).write(info.entry);
    if (!unit.types.problem().empty()) unit.refuse(f.pos, message::kTypeLayout(unit.types.problem()));
    if (!unit.refusal) return "\n" + text;
    refuse(f, *unit.refusal);
    unit.refusal.reset();
    unit.sites.resize(sites);
    return {};
  }

  base::Result<void> conclude() {
    if (!failed_.empty()) return Error(ErrorKind::internal, message::kMetalFunction(failed_));
    const auto is_refused = [](const driver::KernelInfo& k) { return !k.refused.empty(); };
    if (!code_.kernels.empty() && std::all_of(code_.kernels.begin(), code_.kernels.end(), is_refused))
      return Error(ErrorKind::unsupported, code_.kernels.front().refused);
    return {};
  }

  ir::Module module_;
  const Options& options_;
  driver::Code& code_;
  bool has_warps_, is_coherent_ = false;
  int needed_ = kOldest;
  std::unordered_map<const Inst*, driver::ReportSite> noted_sites_;
  std::string failed_;
};

// Element types that simdgroup_matrix has; tf32 counts 19 bits of a float, and simdgroup_matrix all of them.
bool is_simdgroup_type(const ir::Matrix& matrix) { return matrix.type == ir::MatrixType::kHalf; }

}  // namespace

std::vector<ir::Matrix> matrices_of_simdgroups() {
  std::vector<ir::Matrix> out;
  for (const ir::MatrixShape shape :
       {ir::MatrixShape::k16x16x16, ir::MatrixShape::k32x8x16, ir::MatrixShape::k8x32x16}) {
    for (const bool is_half_sum : {false, true})
      out.push_back({.type = ir::MatrixType::kHalf, .shape = shape, .is_half_sum = is_half_sum});
  }
  return out;
}

// Where warps are gathered, or memory has the qualifier `coherent`, they are multiplied in plain code.
bool can_be_simdgroup_matrices(const ir::Module& module, ir::Function& kernel, const Options& options) {
  if (!options.native.has(Feature::warps)) return false;
  bool is_fine = true;
  pass::traverse(kernel.body, [&](const Inst* i) {
    is_fine = is_fine && (!is_matrix_op(i) || is_simdgroup_type(*ir::matrix_of(i->attr().index)));
  });
  for (const ir::Function* f : module.functions) {
    if (is_fine && f->is_kernel) is_fine = divergent_barrier(*f) == nullptr && !has_device_fence(*f);
  }
  return is_fine && can_be_objects(kernel, options);
}

base::Result<void> emit_msl(const ir::Module& module, const Options& wanted, driver::Code& code) {
  Options options = wanted;
  for (const Feature f : {Feature::fp64, Feature::atomics64, Feature::atomics_f64})
    options.features.remove(f);  // whatever the device supports, the language does not have it
  return Emission(module, options, code).run();
}

}  // namespace quern::target::cstyle
