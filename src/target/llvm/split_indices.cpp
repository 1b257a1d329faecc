#include "target/llvm/split_indices.hpp"

#include <optional>
#include <unordered_map>
#include <vector>

#include "lang/ir/builder.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"

namespace quern::llvm {
namespace {

using ir::Inst;
using ir::Op;
using ir::Value;

// blockIdx.x * blockDim.x + threadIdx.x, which is assumed not to wrap around: there are fewer threads than
// that.
bool is_place_in_grid(const Inst* i) {
  if (!i->is(Op::kAdd) || i->type->size < 4) return false;
  for (const size_t k : {size_t{0}, size_t{1}}) {
    const Inst* product = ir::as_inst(i->operand(k));
    const Inst* thread = ir::as_inst(i->operand(1 - k));
    if (product == nullptr || thread == nullptr || !product->is(Op::kMul) || !thread->is(Op::kThreadId))
      continue;
    const Inst* a = ir::as_inst(product->operand(0));
    const Inst* b = ir::as_inst(product->operand(1));
    if (a == nullptr || b == nullptr) continue;
    if ((a->is(Op::kBlockId) && b->is(Op::kBlockDim)) || (a->is(Op::kBlockDim) && b->is(Op::kBlockId)))
      return true;
  }
  return false;
}

class IndexSplitter {
 public:
  IndexSplitter(ir::Module& module, ir::Function& kernel, uint32_t same_thread_ids)
      : kernel_(kernel),
        builder_(module),
        lanes_(kernel, pass::Uniformity::Group::kVector, same_thread_ids) {}

  std::vector<const Inst*> run() {
    collect();
    for (bool changed = true; changed;) {
      changed = false;
      for (Inst* var : order_) changed = decide(var) || changed;
    }
    split_loads();
    split_stores();
    return stepping_loops();
  }

 private:
  struct Accesses {
    std::vector<Inst*> loads, stores;
    bool is_plain = true;
  };

  void collect() {
    pass::traverse(kernel_.body, [&](Inst* i) {
      if (i->is(Op::kVar)) {
        order_.push_back(i);
        accesses_[i].is_plain = i->attr().type->is_int();
      }
      for (size_t k = 0; k < i->operands.size(); ++k) {
        Inst* var = ir::as_inst(i->operand(k));
        if (var == nullptr || !var->is(Op::kVar)) continue;
        Accesses& a = accesses_[var];
        if (i->is(Op::kLoad) && i->type == var->attr().type && !i->attr().is_volatile) {
          a.loads.push_back(i);
        } else if (i->is(Op::kStore) && k == 0 && i->operand(1)->type == var->attr().type &&
                   !i->attr().is_volatile) {
          a.stores.push_back(i);
        } else {
          a.is_plain = false;
        }
      }
    });
  }

  // The stride of a value between lanes; unknown: nothing. `self` is assumed to have the stride `own`.
  std::optional<int64_t> stride(const Value* v, const Inst* self, int64_t own) const {
    const Inst* i = ir::as_inst(v);
    if (i == nullptr) return 0;
    if (i->is(Op::kLoad)) {
      const Inst* var = ir::as_inst(i->operand(0));
      if (var == self) return own;
      const auto at = strides_.find(var);
      if (var != nullptr && at != strides_.end()) return at->second;
    }
    if (lanes_.is_uniform(i)) return 0;
    switch (i->op) {
      case Op::kThreadId: return i->attr().index == 0 ? std::optional<int64_t>(1) : std::nullopt;
      case Op::kAdd:
      case Op::kSub: {
        const auto a = stride(i->operand(0), self, own), b = stride(i->operand(1), self, own);
        if (!i->type->is_int() || !a || !b) return std::nullopt;
        return i->is(Op::kAdd) ? *a + *b : *a - *b;
      }
      case Op::kMul: {
        const ir::Const* by = ir::as_const(i->operand(1));
        const auto a = stride(i->operand(0), self, own);
        if (by == nullptr || !i->type->is_int() || !a) return std::nullopt;
        const int64_t factor = ir::int_value(by);
        if (factor > kMost || factor < -kMost || *a > kMost || *a < -kMost) return std::nullopt;
        return *a * factor;
      }
      case Op::kConvert: {
        const Inst* of = ir::as_inst(i->operand(0));
        const bool is_exact = of != nullptr && of->type->is_int() && i->type->is_int() &&
                              (of->type->size == i->type->size ||
                               ((of->is(Op::kThreadId) || is_place_in_grid(of)) && i->type->size >= 4));
        return is_exact ? stride(of, self, own) : std::nullopt;
      }
      default: return std::nullopt;
    }
  }

  // All stored values must have the same stride. The first value that is not derived from the variable itself
  // determines it.
  bool decide(Inst* var) {
    const Accesses& a = accesses_[var];
    if (!a.is_plain || a.stores.empty() || a.loads.empty() || strides_.count(var) != 0) return false;
    const auto first = stride(a.stores[0]->operand(1), var, 0);
    if (!first || *first == 0) return false;
    for (const Inst* s : a.stores) {
      if (stride(s->operand(1), var, *first) != first) return false;
    }
    strides_[var] = *first;
    return true;
  }

  // The value without the lanes' part, computed at the builder's position.
  Value* shared_part(Value* v) {
    Inst* i = ir::as_inst(v);
    if (i == nullptr) return v;
    if (const auto at = parts_.find(i); at != parts_.end()) return at->second;
    if (lanes_.is_uniform(i)) return v;
    switch (i->op) {
      case Op::kThreadId: return builder_.module().constant(i->type, 0);
      case Op::kConvert: return builder_.convert(shared_part(i->operand(0)), i->type);
      case Op::kMul: return builder_.binary(Op::kMul, shared_part(i->operand(0)), i->operand(1));
      default: return builder_.binary(i->op, shared_part(i->operand(0)), shared_part(i->operand(1)));
    }
  }

  Value* own_part(const ir::Type* type, int64_t stride) {
    Value* thread = builder_.convert(builder_.index_op(Op::kThreadId, 0), type);
    return stride == 1 ? thread
                       : builder_.binary(Op::kMul, thread,
                                         builder_.module().constant(type, static_cast<uint64_t>(stride)));
  }

  // Every load becomes the shared part plus the thread's part …
  void split_loads() {
    std::unordered_map<const Inst*, Inst*> sums;
    for (const Inst* var : order_) {
      if (strides_.count(var) == 0) continue;
      for (Inst* load : accesses_[var].loads) {
        builder_.at(load->parent, load->next);
        builder_.pos(load->pos);
        Inst* sum = builder_.emit(Op::kAdd, load->type, {load, own_part(load->type, strides_.at(var))});
        sums[load] = sum;
        parts_[sum] = load;
      }
    }
    pass::traverse(kernel_.body, [&](Inst* i) {
      if (parts_.count(i) != 0) return;
      for (Value*& v : i->operands) {
        const Inst* load = ir::as_inst(v);
        const auto sum = load != nullptr ? sums.find(load) : sums.end();
        if (sum != sums.end()) v = sum->second;
      }
    });
  }

  // … and stores write only the shared part.
  void split_stores() {
    for (const Inst* var : order_) {
      if (strides_.count(var) == 0) continue;
      for (Inst* store : accesses_[var].stores) {
        builder_.at(store->parent, store);
        builder_.pos(store->pos);
        store->operands[1] = shared_part(store->operand(1));
      }
    }
  }

  std::vector<const Inst*> stepping_loops() const {
    std::vector<const Inst*> loops;
    for (const Inst* var : order_) {
      if (strides_.count(var) == 0) continue;
      for (const Inst* store : accesses_.at(var).stores) {
        const Inst* around = store->parent->owner;
        const bool steps = around != nullptr && around->is(Op::kLoop) && around != var->parent->owner;
        if (steps) loops.push_back(around);
      }
    }
    return loops;
  }

  static constexpr int64_t kMost = 1 << 16;
  ir::Function& kernel_;
  ir::Builder builder_;
  pass::Uniformity lanes_;
  std::vector<Inst*> order_;
  std::unordered_map<const Inst*, Accesses> accesses_;
  std::unordered_map<const Inst*, int64_t> strides_;
  std::unordered_map<const Inst*, Inst*> parts_;  // a sum that replaces a load, and the load
};

}  // namespace

std::vector<const ir::Inst*> split_indices(ir::Module& module, ir::Function& kernel,
                                           uint32_t same_thread_ids) {
  return IndexSplitter(module, kernel, same_thread_ids).run();
}

}  // namespace quern::llvm
