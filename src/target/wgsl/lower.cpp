#include "target/wgsl/lower.hpp"

#include <algorithm>
#include <unordered_set>

#include "lang/expand/expand.hpp"
#include "lang/expand/rewriter.hpp"
#include "lang/pass/pass.hpp"
#include "target/messages.hpp"
#include "target/report_site.hpp"
#include "target/waiting.hpp"
#include "target/wgsl/native.hpp"

namespace quern::target::wgsl {

namespace {

using ir::Inst;
using ir::Op;
using ir::TypeKind;
using ir::Value;

constexpr int kMaxNesting = 100;  // WGSL allows 127 braces

class Lowering : FirstRefusal {
 public:
  Lowering(ir::Module& module, ir::Function& kernel, const Options& options,
           std::vector<driver::ReportSite>& sites)
      : module_(module), kernel_(kernel), options_(options), sites_(sites), library_(module) {}

  std::optional<Refusal> run() {
    using Step = void (Lowering::*)();
    constexpr Step kSteps[] = {&Lowering::check,
                               &Lowering::reports,
                               &Lowering::threads,
                               &Lowering::operations,
                               &Lowering::library_pointers,
                               &Lowering::doubles,
                               &Lowering::wide_integers,
                               &Lowering::words,
                               &Lowering::check_types};
    for (const Step step : kSteps) {
      (this->*step)();
      if (refusal) return refusal;
    }
    pass::simplify(module_);
    pass::lower_exits(module_);
    return {};
  }

 private:
  void take(const std::vector<expand::Unlowered>& problems) {
    for (const expand::Unlowered& u : problems) {
      const bool is_own = u.kernel == &kernel_ && u.pos.line != 0;
      refuse(is_own ? u.pos : kernel_.pos, u.reason);
    }
  }

  // Before anything is lowered: uniformity is most precise on the user's code.
  void check() {
    int depth = 0, deepest = 0;
    pass::traverse(
        kernel_.body,
        [&](Inst* i) {
          if (!i->blocks.empty()) deepest = std::max(deepest, ++depth);
          check_inst(i);
        },
        [&](Inst*) { --depth; });
    if (deepest > kMaxNesting) refuse(kernel_.pos, message::kNestingTooDeep());
    if (const auto waiting = waiting_in(kernel_, "WebGPU")) refuse(waiting->pos, waiting->reason);
    if (refusal) return;
    exchanges_ = options_.native.has(driver::Feature::warps) && is_whole_in_warps();
    pass::gather_threads(module_);
    std::vector<const Inst*> meetings;
    pass::traverse(kernel_.body, [&](const Inst* i) {
      if (i->is(Op::kBarrier) || i->is(Op::kFence)) meetings.push_back(i);
    });
    if (meetings.empty()) return;
    const pass::Uniformity uniformity(kernel_);
    for (const Inst* i : meetings) {
      if (uniformity.is_converged(i)) continue;
      refuse(i->pos, i->is(Op::kFence) ? message::kDivergentFence() : message::kDivergentBarrier());
    }
  }
  // Whether all threads reach each warp operation: WGSL guarantees nothing otherwise. Gathering threads for
  // such an operation breaks up warps.
  bool is_whole_in_warps() const {
    const pass::Uniformity uniformity(kernel_);
    bool is_whole = true;
    pass::traverse(kernel_.body, [&](const Inst* i) {
      if (pass::has_property(i->op, ir::kConvergent)) is_whole = is_whole && uniformity.is_converged(i);
    });
    return is_whole;
  }
  void check_inst(const Inst* i) {
    switch (i->op) {
      case Op::kFence:
        if (i->attr().scope != ir::Scope::kBlock) {
          refuse(i->pos, message::kDeviceFenceInWgsl());
        }
        return;
      case Op::kGridBarrier: refuse(i->pos, message::kGridBarrier()); return;
      case Op::kClusterBarrier:
      case Op::kClusterDim:
      case Op::kMapShared: refuse(i->pos, message::kClustersMissing("WGSL")); return;
      case Op::kClock:
      case Op::kGlobalTimer: refuse(i->pos, message::kReadsClock()); return;
      default: break;
    }
    for (const Value* v : i->operands) {
      if (v->kind == ir::ValueKind::kGlobal && !static_cast<const ir::Global*>(v)->pointers.empty())
        refuse(i->pos, message::kInitialAddresses(static_cast<const ir::Global*>(v)->name));
    }
  }

  // --- reports ---

  void reports() {
    expand::Rewriter r(module_, kernel_);
    for (Inst* i :
         r.find([](const Inst& i) { return i.is(Op::kPrintf) || i.is(Op::kAssert) || i.is(Op::kTrap); })) {
      if (prints_unknown_text(i)) refuse(i->pos, message::kPrintsUnknownString());
      driver::ReportSite site = report_site(module_, kernel_.name, i);
      if (i->is(Op::kPrintf)) words_of(r, i, site);
      i->mutable_attr().index = static_cast<uint32_t>(sites_.size());
      sites_.push_back(std::move(site));
    }
    r.finish();
  }

  void words_of(expand::Rewriter& r, Inst* i, driver::ReportSite& site) {
    r.before(i);
    std::vector<Value*> words;
    for (size_t k = 0; k < i->operands.size(); ++k) {
      if (site.arguments[k].is_text) continue;
      Value* v = i->operand(k);
      if (v->type->is_ptr()) return refuse(i->pos, message::kPrintsAddress());
      site.arguments[k].type = v->type->kind;
      add_words(r, v, words);
    }
    if (!i->type->is_void()) r.replace_uses(i, module_.constant(i->type, i->operands.size()));
    i->operands.clear();
    for (Value* w : words) i->operands.push_back(w);
  }
  void add_words(expand::Rewriter& r, Value* v, std::vector<Value*>& words) {
    const ir::Type* u32 = r.type(TypeKind::kU32);
    const ir::Type* t = v->type;
    if (t->size == 8) {
      v = r.b.bitcast(v, r.type(TypeKind::kU64));
      words.push_back(r.b.convert(v, u32));
      words.push_back(r.b.convert(r.b.op(Op::kShr, v->type, {v, r.number(TypeKind::kU32, 32)}), u32));
      return;
    }
    constexpr TypeKind kSame[] = {TypeKind::kVoid, TypeKind::kU8, TypeKind::kU16, TypeKind::kVoid,
                                  TypeKind::kU32};
    words.push_back(t->is_bool() ? r.b.convert(v, u32)
                                 : r.b.convert(r.b.bitcast(v, r.type(kSame[t->size])), u32));
    words.push_back(r.number(TypeKind::kU32, 0));
  }

  // --- the kernel, and the functions that it calls ---

  // Each function is lowered as if it were the only kernel.
  void pointers_of(ir::Function& f) {
    take(expand::lower_aggregates(module_, f));
    kernel_.is_kernel = false;
    f.is_kernel = true;
    for (const pass::Unlowered& u : pass::lower_pointers(module_, {.wide = false})) {
      refuse(u.pos.line != 0 ? u.pos : kernel_.pos, message::kNeedsPointers(u.reason));
    }
    f.is_kernel = false;
    kernel_.is_kernel = true;
    lowered_.insert(&f);
  }

  void threads() {
    take(expand::lower_warps(
        module_, library_,
        [](const Inst& i) {
          return i.is(Op::kBarrierCount) || i.is(Op::kBarrierAnd) || i.is(Op::kBarrierOr);
        },
        [this](const ir::Function&) { return exchanges_; }));
    expand::lower_copies(module_, false);
    if (!refusal) pointers_of(kernel_);
  }

  void operations() {
    expand::lower_atomics(module_, [](const Inst& i) {
      return (i.is(Op::kAtomicLoad) ? i.type : i.operand(1)->type)->size < 4;
    });
    take(expand::lower_halves(module_, library_));
    take(expand::lower_operations(
        module_, library_, [&](const Inst& i) { return is_native_operation(i, options_); }, false));
    if (const std::string problem = library_.link(); !problem.empty()) refuse(kernel_.pos, problem);
  }

  // The library's functions have their own memory.
  void library_pointers() {
    const std::vector<ir::Function*> functions = module_.functions;
    for (ir::Function* f : functions) {
      if (lowered_.count(f) == 0) pointers_of(*f);
    }
  }

  void doubles() {
    auto problems = expand::lower_doubles(module_);
    if (!problems.ok()) return refuse(kernel_.pos, problems.error().message());
    take(*problems);
    library_pointers();
    expand::share_calls(module_);
  }

  void wide_integers() {
    auto problems = expand::lower_wide_integers(module_);
    if (!problems.ok()) return refuse(kernel_.pos, problems.error().message());
    take(*problems);
    library_pointers();
  }

  void words() {
    for (ir::Function* f : module_.functions) {
      take(expand::lower_aggregates(module_, *f));
      if (!refusal) take(expand::lower_words(module_, *f));
    }
    // Atomics on half precision have become half arithmetic.
    expand::Library more(module_);
    take(expand::lower_halves(module_, more));
    if (const std::string problem = more.link(); !problem.empty()) refuse(kernel_.pos, problem);
  }

  void check_types() {
    for (const ir::Function* f : module_.functions) {
      for (const ir::Param* p : f->params) {
        if (f != &kernel_) check_type(p->type, kernel_.pos);
      }
      pass::traverse(f->body, [&](const Inst* i) {
        check_type(i->is(Op::kVar) && i->attr().type->is_scalar() ? i->attr().type : i->type,
                   f == &kernel_ ? i->pos : kernel_.pos);
        for (const Value* v : i->operands) check_type(v->type, f == &kernel_ ? i->pos : kernel_.pos);
      });
    }
  }
  void check_type(const ir::Type* t, const ir::Pos& pos) {
    if (t == nullptr) return;
    if (t->kind == TypeKind::kF64) refuse(pos, message::kDoublePrecision("WGSL"));
    if (t->kind == TypeKind::kI64 || t->kind == TypeKind::kU64) refuse(pos, message::kInt64Wgsl());
  }

  ir::Module& module_;
  ir::Function& kernel_;
  const Options& options_;
  std::vector<driver::ReportSite>& sites_;
  expand::Library library_;
  std::unordered_set<const ir::Function*> lowered_;  // whose pointers have been lowered
  bool exchanges_ = false;                           // warps are subgroups
};

}  // namespace

std::optional<Refusal> lower(ir::Module& module, ir::Function& kernel, const Options& options,
                             std::vector<driver::ReportSite>& sites) {
  return Lowering(module, kernel, options, sites).run();
}

}  // namespace quern::target::wgsl
