// How each local variable is stored. One that is only loaded and stored as a whole becomes a register; one
// whose pieces have the same size keeps them as vectors; one whose address escapes has separate bytes per
// lane. A pointer to such bytes differs from lane to lane although the uniformity analysis, which considers
// each thread's own memory, treats it as uniform; values derived from it are tracked here.
#include <functional>

#include "lang/pass/walk.hpp"
#include "target/llvm/plan.hpp"
#include "target/llvm/types.hpp"

namespace quern::llvm {

using ir::Inst;
using ir::Op;

namespace {

struct Uses {
  bool is_plain = true;   // only loaded and stored as a whole
  bool is_pieces = true;  // only accessed in pieces of one size
  uint32_t granule = 0;
  bool is_uniform = true;           // by the values stored to it and loaded from it
  std::vector<const Inst*> stored;  // values
};

const ir::Type* accessed(const Inst* inst) {
  return inst->is(Op::kStore) ? inst->operand(1)->type : inst->type;
}

void note_piece(Uses& uses, uint64_t bytes) {
  if (uses.granule == 0) uses.granule = static_cast<uint32_t>(bytes);
  if (bytes != uses.granule) uses.is_pieces = false;
}

// Distances on the path to an access must be whole pieces too.
void note_step(Uses& uses, uint64_t bytes, std::vector<uint64_t>& steps) {
  (void)uses;
  if (bytes != 0) steps.push_back(bytes);
}

}  // namespace

void Plan::find_vars(const ir::Function& kernel) {
  std::unordered_map<const Inst*, Uses> all;
  std::unordered_map<const Inst*, std::vector<uint64_t>> steps;
  const auto use = [&](const Inst* user, size_t k) {
    const Inst* root = root_of(user->operand(k));
    if (root == nullptr) return;
    Uses& uses = all[root];
    switch (user->op) {
      case Op::kOffset:
        if (k != 0) break;
        roots_[user] = root;
        uses.is_plain = false;
        note_step(uses, user->attr().scale, steps[root]);
        return;
      case Op::kFieldPtr:
        roots_[user] = root;
        uses.is_plain = false;
        note_step(uses, user->attr().type->fields[user->attr().index].offset, steps[root]);
        return;
      case Op::kSpaceCast: roots_[user] = root; return;
      case Op::kLoad:
      case Op::kStore:
        if (k != 0) break;
        if (accessed(user) != root->attr().type || !accessed(user)->is_scalar()) uses.is_plain = false;
        for (const Leaf& leaf : leaves(accessed(user))) {
          note_piece(uses, leaf.type->size);
          note_step(uses, leaf.offset, steps[root]);
        }
        uses.is_uniform = uses.is_uniform && is_uniform(user->is(Op::kStore) ? user->operand(1) : user);
        if (user->is(Op::kStore) && ir::as_inst(user->operand(1)) != nullptr)
          uses.stored.push_back(ir::as_inst(user->operand(1)));
        return;
      default: break;
    }
    uses.is_plain = uses.is_pieces = false;
  };
  pass::traverse(kernel.body, [&](const Inst* i) {
    if (i->is(Op::kVar)) {
      roots_[i] = i;
      all[i];
    }
    for (size_t k = 0; k < i->operands.size(); ++k) use(i, k);
  });

  for (auto& [var, uses] : all) {
    for (uint64_t step : steps[var])
      uses.is_pieces = uses.is_pieces && uses.granule != 0 && step % uses.granule == 0;
    VarPlan plan;
    plan.granule = uses.granule;
    if (uses.is_plain && var->attr().type->is_scalar()) {
      plan.storage = uses.is_uniform ? Storage::kScalar : Storage::kVector;
    } else {
      plan.storage = uses.is_pieces && uses.granule != 0 ? Storage::kInterleaved : Storage::kPerLane;
    }
    vars_[var] = plan;
  }

  // Pointers to the bytes of a lane, wherever they are stored.
  std::unordered_set<const Inst*> per_lane;
  for (bool changed = true; changed;) {
    changed = false;
    pass::traverse(kernel.body, [&](const Inst* i) {
      if (per_lane.count(i) != 0) return;
      bool is = i->is(Op::kVar) && vars_[i].storage == Storage::kPerLane;
      const Inst* from = i->is(Op::kLoad) ? root_of(i->operand(0)) : nullptr;
      if (from != nullptr) {
        for (const Inst* v : all[from].stored) is = is || per_lane.count(v) != 0;
      }
      if (ir::has(i->op, ir::kPure)) {
        for (const ir::Value* v : i->operands)
          is = is || (ir::as_inst(v) != nullptr && per_lane.count(ir::as_inst(v)) != 0);
      }
      if (is) changed = per_lane.insert(i).second || changed;
    });
  }
  for (auto& [var, uses] : all) {
    VarPlan& plan = vars_[var];
    if (plan.storage == Storage::kScalar && width_ > 1) {
      for (const Inst* v : uses.stored) {
        if (per_lane.count(v) != 0) plan.storage = Storage::kVector;
      }
    }
  }

  keep_in_records(kernel);
}

// Variables that outlive a run are in the bundle's record, and so are those that are too large for a stack.
void Plan::keep_in_records(const ir::Function& kernel) {
  constexpr uint64_t kMostOnStack = 2048, kMostOnStackInAll = uint64_t{64} << 10;  // a fiber has 256 KiB
  uint64_t on_stack = 0;
  if (has_groups_) {
    pass::traverse(kernel.body, [&](const Inst* i) {
      for (const ir::Value* v : i->operands) {
        const Inst* root = root_of(v);
        if (root != nullptr && run_of(root) != run_of(i) && block_vars_.count(root) == 0)
          vars_[root].outlives_run = true;
      }
    });
  }
  // In program order: the same kernel gets the same code.
  pass::traverse(kernel.body, [&](const Inst* i) {
    if (!i->is(Op::kVar)) return;
    VarPlan& plan = vars_[i];
    const uint64_t bytes =
        lane_bytes(i->attr().type, i->attr().align) * (plan.storage == Storage::kScalar ? 1 : width_);
    const bool is_memory = plan.storage == Storage::kPerLane || plan.storage == Storage::kInterleaved;
    // A pointer to a lane's bytes may be stored anywhere: they live as long as the block.
    if (is_memory &&
        (bytes > kMostOnStack || on_stack > kMostOnStackInAll || plan.storage == Storage::kPerLane))
      plan.outlives_run = true;
    if (plan.outlives_run) {
      plan.offset = reserve(bytes, 64);
    } else {
      on_stack += bytes;
    }
  });
}

}  // namespace quern::llvm
