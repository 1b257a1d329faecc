#include <unordered_map>
#include <unordered_set>

#include "base/round_up.hpp"
#include "lang/pass/param_fields.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/texture_references.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {
namespace {

using ir::Inst;
using ir::Op;
using ir::Space;
using ir::Type;
using ir::TypeKind;
using ir::Value;
using ir::ValueKind;

bool contains_bool(const Type* type) {
  if (type->is_bool()) return true;
  if (type->is_array()) return contains_bool(type->elem);
  for (const ir::Field& f : type->fields) {
    if (contains_bool(f.type)) return true;
  }
  return false;
}

class NeedsFinder {
 public:
  explicit NeedsFinder(const ir::Function& kernel) : kernel_(kernel) {}

  Needs run() {
    for (const ir::Param* p : kernel_.params) param(*p);
    needs_.pointer_in_params = uses_param_fields(kernel_);
    traverse(kernel_.body, [this](Inst* i) { visit(i); });
    for (const auto& [var, is_plain] : vars_) {
      if (!is_plain) needs_.local_bytes += base::round_up(var->attr().type->size, var->attr().type->align);
    }
    if (needs_.barrier || needs_.grid_barrier) find_divergence();
    return needs_;
  }

 private:
  void param(const ir::Param& p) {
    needs_.param_bytes = base::round_up(needs_.param_bytes, p.type->align) + p.type->size;
    if (p.type->is_ptr()) {
      ++needs_.buffers;
    }
  }

  void visit(const Inst* inst) {
    if (!is_widened_float(inst)) type(inst->type);  // it is counted where it is used
    for (size_t k = 0; k < inst->operands.size(); ++k) operand(inst, k);
    if (inst->is(Op::kVar)) {
      roots_[inst] = inst;
      vars_[inst] = true;
      type(inst->attr().type);
    }
    effect(inst);
  }

  void operand(const Inst* inst, size_t k) {
    const Value* v = inst->operand(k);
    // Sizes and constant indices are part of an address, not 64-bit arithmetic.
    const bool is_address_part = inst->is(Op::kOffset) || inst->is(Op::kMemCopy) || inst->is(Op::kMemSet);
    const bool is_printed_float = inst->is(Op::kPrintf) && is_printed_as_float(v);
    if (!(is_address_part && v->kind == ValueKind::kConst) && !is_printed_float) type(v->type);
    if (v->kind == ValueKind::kGlobal) global(static_cast<const ir::Global*>(v));
    if (v->kind == ValueKind::kInst) address_use(inst, k);
  }

  void type(const Type* t) {
    if (!seen_.insert(t).second) return;
    switch (t->kind) {
      case TypeKind::kF64: needs_.fp64 = true; break;
      case TypeKind::kF16: needs_.fp16 = true; break;
      case TypeKind::kBF16: needs_.bf16 = true; break;
      case TypeKind::kI64:
      case TypeKind::kU64: needs_.int64 = true; break;
      case TypeKind::kI8:
      case TypeKind::kU8: needs_.int8 = true; break;
      case TypeKind::kI16:
      case TypeKind::kU16: needs_.int16 = true; break;
      case TypeKind::kArray: type(t->elem); break;
      case TypeKind::kStruct:
        for (const ir::Field& f : t->fields) type(f.type);
        break;
      default: break;
    }
  }

  void global(const ir::Global* g) {
    if (!globals_.insert(g).second || g->space != Space::kShared) return;
    if (g->object->is_array() && g->object->count == 0) {
      needs_.dynamic_shared = true;
      return;
    }
    needs_.shared_bytes = base::round_up(needs_.shared_bytes, g->align) + g->object->size;
  }

  const Inst* root_of(const Value* v) const {
    const Inst* i = ir::as_inst(v);
    const auto at = i != nullptr ? roots_.find(i) : roots_.end();
    return at != roots_.end() ? at->second : nullptr;
  }

  // Follows the addresses of variables: one that is only loaded and stored as a whole needs none.
  void address_use(const Inst* inst, size_t k) {
    const Inst* root = root_of(inst->operand(k));
    if (root == nullptr) return;
    if (inst->is(Op::kSpaceCast) || inst->is(Op::kOffset) || inst->is(Op::kFieldPtr)) roots_[inst] = root;
    const bool is_access =
        k == 0 && inst->operand(0) == root && (inst->is(Op::kLoad) || inst->is(Op::kStore));
    const bool is_whole = is_access && accessed(inst) == root->attr().type && !inst->attr().is_volatile;
    if (!is_whole) vars_[root] = false;
  }

  static const Type* accessed(const Inst* inst) {
    const bool stores = inst->is(Op::kStore) || inst->is(Op::kAtomicStore);
    return stores ? inst->operand(1)->type : inst->type;
  }

  void access(const Inst* inst) {
    const Value* pointer = inst->operand(0);
    if (pointer->type->space == Space::kGeneric) needs_.generic_pointers = true;
    const Inst* root = ir::as_inst(pointer);
    const bool is_var = root != nullptr && root->is(Op::kVar) && root->attr().type == accessed(inst);
    if (!is_var && contains_pointer(accessed(inst)) && !is_launch_argument(inst)) {
      // Texture references become parameters.
      const bool is_param = is_texture_reference(accessed(inst));
      (is_param ? needs_.pointer_in_params : needs_.pointer_in_memory) = true;
    }
    if (!is_var && contains_bool(accessed(inst))) needs_.int8 = true;
  }

  // lower_pointers replaces it where the target has no addresses.
  static bool is_launch_argument(const Inst* inst) {
    if (!inst->is(Op::kStore) || !inst->operand(1)->type->is_ptr()) return false;
    const Value* at = inst->operand(0);
    for (const Inst* step = ir::as_inst(at);
         step != nullptr && (step->is(Op::kOffset) || step->is(Op::kSpaceCast) || step->is(Op::kFieldPtr));
         step = ir::as_inst(at))
      at = step->operand(0);
    return is_launch_queue(at);
  }

  void effect(const Inst* inst) {
    switch (inst->op) {
      case Op::kLoad:
      case Op::kStore: return access(inst);
      case Op::kMemCopy:
        if (inst->operand(1)->type->space == Space::kGeneric) needs_.generic_pointers = true;
        [[fallthrough]];
      case Op::kMemSet:
        if (inst->operand(0)->type->space == Space::kGeneric) needs_.generic_pointers = true;
        return;
      case Op::kFence: needs_.system_scope |= inst->attr().scope == ir::Scope::kSystem; return;
      case Op::kPtrToInt: needs_.pointer_as_integer |= !asks_alignment(kernel_, inst); return;
      case Op::kIntToPtr: needs_.pointer_as_integer = true; return;
      case Op::kIsSpace: needs_.generic_pointers = true; return;
      case Op::kBarrier: needs_.barrier = true; return;
      case Op::kGridBarrier: needs_.grid_barrier = true; return;
      case Op::kClusterBarrier:
      case Op::kClusterDim:
      case Op::kMapShared: needs_.clusters = true; return;
      case Op::kDynamicSharedSize: needs_.dynamic_shared = true; return;
      case Op::kPrintf: needs_.print = true; return;
      case Op::kAssert:
      case Op::kTrap: needs_.assertion = true; return;
      case Op::kClock:
      case Op::kGlobalTimer: needs_.clock = true; return;
      default: break;
    }
    switch (ir::group(inst->op)) {
      case ir::OpGroup::kAtomic: return atomic(inst);
      case ir::OpGroup::kBlockVote: needs_.barrier = true; return;
      case ir::OpGroup::kWarp: needs_.warp_ops = true; return;
      case ir::OpGroup::kMatrix: needs_.warp_ops |= has_property(inst->op, ir::kConvergent); return;
      default: return;
    }
  }

  void atomic(const Inst* inst) {
    access(inst);
    needs_.system_scope |= inst->attr().scope == ir::Scope::kSystem;
    const Type* t = accessed(inst);
    const bool computes = inst->is(Op::kAtomicRmw) && inst->attr().rmw != ir::Rmw::kExchange;
    if (t->is_float() && computes) {
      (t->size == 8   ? needs_.atomics_float64
       : t->size == 4 ? needs_.atomics_float32
                      : needs_.atomics_float16) = true;
    } else {
      (t->size == 8   ? needs_.atomics_int64
       : t->size == 4 ? needs_.atomics_int32
                      : needs_.atomics_int16) = true;
    }
  }

  void find_divergence() {
    const Uniformity uniformity(kernel_);
    traverse(kernel_.body, [&](const Inst* i) {
      const bool is_barrier = i->is(Op::kBarrier) || i->is(Op::kBarrierCount) || i->is(Op::kBarrierAnd) ||
                              i->is(Op::kBarrierOr) || i->is(Op::kGridBarrier) || i->is(Op::kClusterBarrier);
      if (is_barrier && !uniformity.is_converged(i)) needs_.divergent_barrier = true;
    });
  }

  const ir::Function& kernel_;
  Needs needs_;
  std::unordered_set<const Type*> seen_;
  std::unordered_set<const ir::Global*> globals_;
  std::unordered_map<const Inst*, const Inst*> roots_;  // pointers into variables
  std::unordered_map<const Inst*, bool> vars_;          // whether each one is plain
};

}  // namespace

Needs needs(const ir::Module& module, const ir::Function& kernel) {
  (void)module;  // a prepared kernel names everything it uses
  return NeedsFinder(kernel).run();
}

}  // namespace quern::pass
