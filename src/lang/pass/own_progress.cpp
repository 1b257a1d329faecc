#include "lang/pass/own_progress.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "lang/pass/loop_shape.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {
namespace {

using ir::Block;
using ir::Inst;
using ir::Op;
using ir::Space;
using ir::Value;

// What a value depends on.
struct Sources {
  std::vector<const Value*> objects;  // variables and shared memory that the loop writes
  bool changes = false;               // may differ in each iteration
  bool polls = false;                 // device memory, read again each time: volatile or atomic
  bool reads = false;                 // device memory, by plain loads

  void add(const Sources& other) {
    for (const Value* o : other.objects) add(o);
    changes = changes || other.changes;
    polls = polls || other.polls;
    reads = reads || other.reads;
  }
  void add(const Value* object) {
    if (std::find(objects.begin(), objects.end(), object) == objects.end()) objects.push_back(object);
  }
};

bool is_dynamic_shared(const Value* global) {
  const auto* g = static_cast<const ir::Global*>(global);
  return g->space == Space::kShared && g->object->is_array() && g->object->size == 0;
}

// The variable, global or parameter that a pointer points into; nullptr: unknown.
const Value* root_of(const Value* pointer) {
  for (const Inst* i = ir::as_inst(pointer); i != nullptr; i = ir::as_inst(pointer)) {
    if (i->is(Op::kVar) || i->is(Op::kExtract)) return i;  // the latter: a pointer in a struct parameter
    if (!i->is(Op::kOffset) && !i->is(Op::kFieldPtr) && !i->is(Op::kSpaceCast)) return nullptr;
    pointer = i->operand(0);
  }
  const bool is_dynamic = pointer->kind == ir::ValueKind::kGlobal && is_dynamic_shared(pointer);
  return is_dynamic ? nullptr : pointer;  // all of that memory is one
}

Space space_of(const Value* root) {
  if (root->kind == ir::ValueKind::kGlobal) return static_cast<const ir::Global*>(root)->space;
  const Inst* i = ir::as_inst(root);
  return i != nullptr && i->is(Op::kVar) ? Space::kLocal : Space::kGlobal;
}

bool stays(const Value* root) {
  if (space_of(root) == Space::kConstant) return true;
  if (root->kind != ir::ValueKind::kParam) return false;
  const auto* p = static_cast<const ir::Param*>(root);
  return p->is_const_elem && p->is_restrict;
}

// Forwards values of other threads of the block.
bool is_exchange(Op op) {
  return ir::group(op) == ir::OpGroup::kBlockVote ||
         (ir::group(op) == ir::OpGroup::kWarp && op != Op::kWarpBarrier);
}

class OwnProgress {
 public:
  explicit OwnProgress(const Inst* loop) : loop_(loop) {}

  bool waits() {
    note_writes();
    if (writes_unknown_) return false;
    for (const Inst* store : stores_) written_[root_of(store->operand(0))].add(sources_of_store(store));
    find_stable();
    bool polls = false, reads = false, has_exit = false;
    const auto look = [&](const Sources& s) {
      const Sources all = resolved(s);
      has_exit = true;
      polls = polls || all.polls;
      reads = reads || all.reads;
      return !all.changes;
    };
    for (const size_t k : {kLoopHead, kLoopStep}) {
      const Inst* yield = yield_of(loop_->blocks[k]);
      if (yield != nullptr && !look(sources(yield->operand(0)))) return false;
    }
    for (const Inst* jump : jumps_) {
      if (!is_conditional(jump) || !look(control(jump))) return false;
    }
    return has_exit && (polls || (reads && !writes_device_));
  }

 private:
  bool is_inside(const Inst* i) const {
    for (const Inst* c = i->parent->owner; c != nullptr; c = c->parent->owner) {
      if (c == loop_) return true;
    }
    return false;
  }

  bool is_conditional(const Inst* i) const {
    for (const Inst* c = i->parent->owner; c != loop_; c = c->parent->owner) {
      if (c->is(Op::kIf) || c->is(Op::kSwitch) || c->is(Op::kLoop)) return true;
    }
    return false;
  }

  void note_writes() {
    for (Block* b : loop_->blocks) {
      traverse(b, [&](Inst* i) { note(i); });
    }
  }

  void note(const Inst* i) {
    switch (i->op) {
      case Op::kExit:
      case Op::kContinue:
        if (i->attr().target == loop_ ? i->is(Op::kExit) : !is_inside(i->attr().target)) jumps_.push_back(i);
        return;
      case Op::kReturn: jumps_.push_back(i); return;
      case Op::kStore:
      case Op::kAtomicStore:
      case Op::kAtomicRmw:
      case Op::kAtomicCas:
      case Op::kMemCopy:
      case Op::kMemSet:
      case Op::kAsyncCopy: write(i); return;
      case Op::kMatrixFill:
      case Op::kMatrixLoad:
      case Op::kMatrixStore:
      case Op::kMatrixMultiply:
      case Op::kBarrierInit:
      case Op::kBarrierArrive:
      case Op::kBarrierDrop:
      case Op::kCall: writes_unknown_ = true; return;
      default: return;
    }
  }

  void write(const Inst* i) {
    const Value* root = root_of(i->operand(0));
    if (root == nullptr) {
      writes_unknown_ = true;
    } else if (space_of(root) == Space::kGlobal) {
      writes_device_ = true;
    } else if (i->is(Op::kStore)) {
      written_[root];
      stores_.push_back(i);
    } else {
      written_[root].changes = true;
    }
  }

  // A variable that is assigned in each iteration: its value in the previous iteration is irrelevant.
  bool is_of_round(const Value* object) {
    const Inst* var = ir::as_inst(object);
    if (var == nullptr) return false;
    if (is_inside(var)) return true;
    for (Block* b : loop_->blocks) {
      for (const Inst* i : *b) {
        if (i->is(Op::kStore) && i->operand(0) == var && i->operand(1)->type == var->attr().type) return true;
        bool uses = std::find(i->operands.begin(), i->operands.end(), object) != i->operands.end();
        for (Block* inner : i->blocks) {
          traverse(inner, [&](Inst* j) {
            uses = uses || std::find(j->operands.begin(), j->operands.end(), object) != j->operands.end();
          });
        }
        if (uses) return false;
      }
    }
    return false;
  }

  Sources sources_of_store(const Inst* store) {
    const Value* object = root_of(store->operand(0));
    Sources out = sources(store->operand(0));
    const Inst* value = ir::as_inst(store->operand(1));
    const bool accumulates = value != nullptr && (value->is(Op::kOr) || value->is(Op::kAnd) ||
                                                  value->is(Op::kMin) || value->is(Op::kMax));
    if (accumulates) {  // x |= y is the same in each iteration if y is
      for (const Value* v : value->operands) {
        const Inst* load = ir::as_inst(v);
        if (load == nullptr || !load->is(Op::kLoad) || load->operand(0) != store->operand(0))
          out.add(sources(v));
      }
    } else {
      out.add(sources(store->operand(1)));
    }
    out.add(control(store));
    if (is_of_round(object)) std::erase(out.objects, object);
    return out;
  }

  // The conditions that control whether the instruction runs, within the loop.
  Sources control(const Inst* i) {
    Sources out;
    for (const Inst* c = i->parent->owner; c != loop_; c = c->parent->owner) {
      if (c->is(Op::kIf) || c->is(Op::kSwitch)) out.add(sources(c->operand(0)));
      if (!c->is(Op::kLoop)) continue;
      for (const size_t k : {kLoopHead, kLoopStep}) {
        const Inst* yield = yield_of(c->blocks[k]);
        if (yield != nullptr) out.add(sources(yield->operand(0)));
      }
    }
    return out;
  }

  const Sources& sources(const Value* v) {
    if (const auto known = known_.find(v); known != known_.end()) return known->second;
    Sources out;
    const Inst* i = ir::as_inst(v);
    if (i != nullptr && is_inside(i)) out = sources_of(i);
    return known_[v] = std::move(out);
  }

  Sources sources_of(const Inst* i) {
    Sources out;
    if (i->is(Op::kVar)) return out;
    if (is_poll(i) || i->is(Op::kLoad)) return sources_of_read(i);
    if (!ir::has(i->op, ir::kPure) && !is_exchange(i->op)) {
      out.changes = true;
      return out;
    }
    for (const Value* v : i->operands) out.add(sources(v));
    return out;
  }

  Sources sources_of_read(const Inst* i) {
    Sources out = sources(i->operand(0));
    const Value* root = root_of(i->operand(0));
    if (root == nullptr) {
      out.changes = true;
    } else if (space_of(root) == Space::kGlobal) {
      const bool is_fresh = !i->is(Op::kLoad) || is_volatile(i);
      if (!stays(root)) (is_fresh ? out.polls : out.reads) = true;
    } else if (written_.count(root) != 0) {
      out.add(root);
    }
    return out;
  }

  // An object is stable if everything that the loop writes to it is.
  void find_stable() {
    for (bool again = true; again;) {
      again = false;
      for (const auto& [object, s] : written_) {
        if (s.changes || stable_.count(object) != 0) continue;
        const bool all = std::all_of(s.objects.begin(), s.objects.end(),
                                     [&](const Value* o) { return stable_.count(o) != 0; });
        if (!all) continue;
        Sources whole = s;
        for (const Value* o : s.objects) {
          whole.polls = whole.polls || stable_.at(o).polls;
          whole.reads = whole.reads || stable_.at(o).reads;
        }
        stable_.emplace(object, std::move(whole));
        again = true;
      }
    }
  }

  Sources resolved(const Sources& s) const {
    Sources out = s;
    for (const Value* o : s.objects) {
      const auto at = stable_.find(o);
      out.changes = out.changes || at == stable_.end();
      if (at == stable_.end()) continue;
      out.polls = out.polls || at->second.polls;
      out.reads = out.reads || at->second.reads;
    }
    return out;
  }

  const Inst* loop_;
  std::vector<const Inst*> stores_, jumps_;
  std::unordered_map<const Value*, Sources> written_;  // variables and shared memory
  std::unordered_map<const Value*, Sources> stable_;
  std::unordered_map<const Value*, Sources> known_;
  bool writes_device_ = false, writes_unknown_ = false;
};

}  // namespace

bool is_poll(const Inst* i) {
  switch (i->op) {
    case Op::kLoad: return is_volatile(i) && i->operand(0)->type->space != Space::kLocal;
    case Op::kAtomicLoad: return true;
    case Op::kAtomicCas:
      return ir::as_const(i->operand(1)) != nullptr;  // otherwise it depends on the value it read
    case Op::kAtomicRmw:
      return i->attr().rmw == ir::Rmw::kExchange || is_const_zero(i->operand(1)) ||
             i->attr().rmw == ir::Rmw::kOr;
    default: return false;
  }
}

bool waits_for_other_blocks(const ir::Inst* loop) { return OwnProgress(loop).waits(); }

}  // namespace quern::pass
