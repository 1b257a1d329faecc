#include "target/ptx/ptx.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "lang/expand/expand.hpp"
#include "lang/expand/rewriter.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/waiting_loops.hpp"
#include "lang/pass/walk.hpp"
#include "target/attempts.hpp"
#include "target/messages.hpp"
#include "target/ptx/native.hpp"
#include "target/ptx/writer.hpp"
#include "target/ptx_statement.hpp"

namespace quern::target::ptx {

namespace {

using base::Error;
using base::ErrorKind;
using ir::Inst;
using ir::Op;

constexpr int kUsual = 75;
constexpr int kNewest = 90;  // newer additions are not needed here

// The oldest version of the language that supports the architecture and everything that is written for it.
// Every supported driver (CUDA 11.2 and newer) supports 7.0.
std::string_view version_for(int architecture) {
  if (architecture >= 89) return "7.8";
  if (architecture >= 87) return "7.4";
  return architecture >= 80 ? "7.1" : "7.0";
}

base::Result<int> architecture_of(const Options& options) {
  if (options.version.empty()) return kUsual;
  const std::string_view text = options.version;
  const auto number = text.starts_with("sm_") ? base::parse_uint(text.substr(3)) : std::nullopt;
  if (!number || *number < 50 || *number > 999)
    return Error(ErrorKind::invalid_use, message::kPtxArchitecture(options.version));
  return std::min(static_cast<int>(*number), kNewest);
}

// Sums and products of the library, which must never be fused, specify their rounding.
void pin_rounding(ir::Module& module, ir::Function& function) {
  expand::Rewriter r(module, function);
  for (Inst* i : r.find([](const Inst& i) {
         return (i.is(Op::kAdd) || i.is(Op::kSub) || i.is(Op::kMul)) && i.type->is_float() &&
                i.type->size >= 4;
       })) {
    r.before(i);
    ir::Value *a = r.now(i->operand(0)), *b = r.now(i->operand(1));
    if (i->is(Op::kSub)) b = r.b.unary(Op::kNeg, b);
    r.replace(i, r.b.emit(i->is(Op::kMul) ? Op::kMulR : Op::kAddR, i->type, {a, b}));
  }
  r.finish();
}

// Library functions that are called rather than inlined: the larger ones, whose copies would make the
// driver's compiler work for minutes.
pass::FunctionSet called_functions(const ir::Module& module) {
  constexpr size_t kSmall = 150, kMost = 3000;  // instructions of one copy, and of all
  std::map<const ir::Function*, size_t> calls;
  for (const ir::Function* f : module.functions) {
    pass::traverse(f->body, [&](const Inst* i) {
      if (i->is(Op::kCall)) ++calls[i->attr().callee];
    });
  }
  pass::FunctionSet out;
  for (const auto& [function, count] : calls) {
    size_t size = 0;
    pass::traverse(function->body, [&](const Inst*) { ++size; });
    if (size > kSmall && size * count > kMost) out.insert(function);
  }
  return out;
}

// One attempt: without the kernels that were refused so far.
class Attempt {
 public:
  Attempt(const ir::Module& original, const Options& options, int architecture, driver::Code& code,
          Refused& refused)
      : module_(original.clone()),
        options_(options),
        architecture_(architecture),
        code_(code),
        refused_(refused) {}

  // Whether all kernels succeeded; otherwise more of them are refused than before.
  base::Result<bool> run() {
    std::erase_if(module_.functions,
                  [&](const ir::Function* f) { return !f->is_kernel || refused_.count(f->name) != 0; });
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
  void refuse_all(const Refusal& why) {
    for (const ir::Function* f : module_.functions) {
      if (f->is_kernel) refuse(*f, why);
    }
  }
  void take(const std::vector<expand::Unlowered>& problems) {
    for (const expand::Unlowered& u : problems) refuse(*u.kernel, {u.pos, u.reason});
  }

  base::Result<void> lower() {
    expand::Library library(module_);
    pass::reread_in_waiting_loops(module_);
    pass::unroll_loops(module_);
    expand::lower_copies(module_);
    expand::lower_atomics(module_, [&](const Inst& i) { return is_native_atomic(i, architecture_); });
    const expand::NativeHalves halves{
        .converts = true, .is_native = [&](const Inst& i) { return is_native_half(i, architecture_); }};
    take(expand::lower_halves(module_, library, halves));
    take(expand::lower_operations(
        module_, library, [&](const Inst& i) { return is_native_operation(i, options_, architecture_); },
        true, true));
    if (const std::string problem = library.link(); !problem.empty())
      return Error(ErrorKind::internal, problem);
    if (options_.math != driver::Math::exact) {
      for (ir::Function* f : module_.functions) {
        if (!f->is_kernel) pin_rounding(module_, *f);
      }
    }
    constexpr size_t kMost = 2'000'000;
    if (const std::string problem = pass::inline_calls(module_, kMost, called_functions(module_));
        !problem.empty())
      return Error(ErrorKind::unsupported, problem);
    pass::nest_exits(module_);
    pass::simplify(module_);
    return {};
  }

  void write() {
    Unit unit(module_, options_, architecture_);
    name_globals(unit);
    size_t at = 0;
    for (const ir::Global* g : module_.globals) {
      if (g->space == ir::Space::kShared || g->is_literal) continue;
      if (at < code_.variables.size()) code_.variables[at++].entry = unit.globals.at(g);
    }
    const std::string variables = global_variables(unit);
    std::string kernels;
    for (ir::Function* f : module_.functions) {
      if (f->is_kernel) continue;
      unit.functions[f] = unit.name(f->name.substr(f->name.rfind(':') + 1));
      kernels += "\n" + Writer(unit, *f, {}).write();
      if (unit.refusal) return refuse_all(*unit.refusal);
    }
    for (ir::Function* f : module_.functions) {
      if (!f->is_kernel) continue;
      driver::KernelInfo& info =
          *std::find_if(code_.kernels.begin(), code_.kernels.end(),
                        [&](const driver::KernelInfo& k) { return k.name == f->name; });
      info.entry = unit.name(f->name);
      kernels += "\n" + Writer(unit, *f, info).write();
      if (unit.refusal) refuse(*f, *unit.refusal);
      unit.refusal.reset();
    }
    if (!is_clean_) return;
    // The instructions of the newest version: statements of users are not examined.
    constexpr int kHopper = 90;
    const bool is_newest = has_inline_ptx(module_);
    const bool has_features = architecture_ == kHopper && needs_architecture_features(module_);
    code_.bytes = ".version " + std::string(is_newest ? "8.4" : version_for(architecture_)) +
                  "\n.target sm_" + std::to_string(architecture_) + (has_features ? "a" : "") +
                  "\n.address_size 64\n\n" + declarations(unit) + variables + kernels;
    for (const auto& [name, number] : unit.files)
      code_.bytes += "\n.file " + std::to_string(number) + " \"" + name + "\"\n";
  }

  ir::Module module_;
  const Options& options_;
  int architecture_;
  driver::Code& code_;
  Refused& refused_;
  bool is_clean_ = true;
};

}  // namespace

base::Result<void> emit(const ir::Module& module, const Options& options, driver::Code& code) {
  QUERN_TRY_ASSIGN(const int architecture, architecture_of(options));
  return emit_by_attempts(
      code, [&](Refused& refused) { return Attempt(module, options, architecture, code, refused).run(); });
}

}  // namespace quern::target::ptx
