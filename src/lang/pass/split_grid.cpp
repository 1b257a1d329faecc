#include "lang/pass/split_grid.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "lang/pass/loop_shape.hpp"
#include "lang/pass/messages.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/pointer_sets.hpp"
#include "lang/pass/split_grid_frames.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {

using ir::Block;
using ir::Inst;
using ir::Op;
using ir::Space;
using ir::Value;
using ir::ValueKind;

namespace {

constexpr size_t kMostRecomputed = 48;  // instructions; a value that takes more is saved

bool steps_address(const Inst* i) {
  return i->is(Op::kOffset) || i->is(Op::kFieldPtr) || i->is(Op::kSpaceCast);
}

// The grid barriers of a construct have consecutive numbers, from 1 in program order.
struct Numbers {
  uint32_t first = 0, last = 0;
  bool none() const { return last == 0; }
};

class GridSplitter {
 public:
  GridSplitter(ir::Module& module, ir::Function& kernel, SplitKernel& out)
      : module_(module), kernel_(kernel), out_(out), b_(module), frames_(module, kernel) {}

  std::optional<SplitRefusal> run() {
    out_.name = kernel_.name;
    number_barriers();
    divide(kernel_.body);
    find_slots();
    if (auto refusal = check_pointers()) return refusal;
    begin();
    rewrite_block(kernel_.body, false);
    connect();
    fill_barriers();
    simplify(module_, kernel_);
    return std::nullopt;
  }

 private:
  // A part of a block without grid barriers, or the operands of a construct with some.
  struct Run {
    Inst* first = nullptr;
    Inst* last = nullptr;
    bool is_construct = false;
    uint32_t place = 0;                               // in program order; barriers have places, too
    std::unordered_map<const Value*, Value*> values;  // from other runs
  };
  struct Barrier {
    Inst* inst = nullptr;
    uint32_t place = 0;
    std::vector<const Inst*> loops;
    Inst *save = nullptr, *restore = nullptr;  // the conditions for both
  };
  struct Extent {  // of a loop
    uint32_t begin = 0, end = 0;
  };
  // A value or variable that must be kept in a variable, and possibly in the frames.
  struct Slot {
    Inst* var = nullptr;
    bool is_value = false;
    uint32_t defined = 0;          // values
    std::vector<uint32_t> places;  // of uses; variables: of all accesses
  };

  const ir::Type* u32() { return b_.type(ir::TypeKind::kU32); }
  Value* number(uint64_t n) { return module_.constant(u32(), n); }

  // ---- analysis

  void number_barriers() {
    const Uniformity uniformity(kernel_, Uniformity::Group::kGrid);
    std::vector<const Inst*> open;
    traverse(
        kernel_.body,
        [&](Inst* i) {
          if (!i->blocks.empty()) open.push_back(i);
          if (!i->is(Op::kGridBarrier)) return;
          Barrier barrier;
          barrier.inst = i;
          const auto n = static_cast<uint32_t>(barriers_.size() + 1);
          for (const Inst* around : open) {
            Numbers& numbers = of_construct_[around];
            numbers = {numbers.none() ? n : numbers.first, n};
            if (around->is(Op::kLoop)) barrier.loops.push_back(around);
          }
          for (const Block* b = i->parent; b != nullptr;
               b = b->owner != nullptr ? b->owner->parent : nullptr) {
            Numbers& numbers = of_block_[b];
            numbers = {numbers.none() ? n : numbers.first, n};
          }
          out_.repeats = out_.repeats || !barrier.loops.empty();
          out_.by_thread = out_.by_thread || !uniformity.is_converged(i);
          index_[i] = barriers_.size();
          barriers_.push_back(std::move(barrier));
        },
        [&](Inst*) { open.pop_back(); });
    out_.segments = static_cast<uint32_t>(barriers_.size()) + 1;
  }

  Numbers numbers_of(const Block* b) const {
    const auto at = of_block_.find(b);
    return at != of_block_.end() ? at->second : Numbers();
  }
  bool is_divided(const Inst* construct) const { return of_construct_.contains(construct); }

  // Divides the blocks around grid barriers into runs.
  void divide(Block* block) {
    Inst* first = nullptr;
    const auto close = [&](Inst* last) {
      if (first != nullptr) add_run(std::exchange(first, nullptr), last, false);
    };
    for (Inst* i : *block) {
      const bool is_barrier = i->is(Op::kGridBarrier);
      if (!is_barrier && !is_divided(i)) {
        if (first == nullptr) first = i;
        continue;
      }
      close(i->prev);
      if (is_barrier) {
        barriers_[index_.at(i)].place = place_++;
        continue;
      }
      add_run(i, i, true);
      const uint32_t begin = place_;
      for (Block* b : i->blocks) divide(b);
      if (i->is(Op::kLoop)) extents_[i] = {begin, place_};
    }
    close(block->last);
  }

  void add_run(Inst* first, Inst* last, bool is_construct) {
    const auto run = static_cast<uint32_t>(runs_.size());
    runs_.push_back({first, last, is_construct, place_++, {}});
    if (is_construct) {
      run_of_[first] = run;
      return;
    }
    for (Inst* i = first;; i = i->next) {
      run_of_[i] = run;
      for (Block* b : i->blocks) ir::walk(b, [&](const Inst* inner) { run_of_[inner] = run; });
      if (i == last) return;
    }
  }

  // Instructions to compute the value again from indices and parameters; more than the limit: impossible.
  size_t cost(const Value* v) {
    const Inst* i = ir::as_inst(v);
    if (i == nullptr) return 0;
    const auto [known, is_new] = costs_.try_emplace(i, kMostRecomputed + 1);
    if (!is_new || !has_property(i->op, ir::kPure) || !i->blocks.empty()) return known->second;
    size_t sum = 1;
    for (const Value* operand : i->operands) sum += cost(operand);
    return costs_[i] = std::min(sum, kMostRecomputed + 1);
  }
  bool is_recomputed(const Inst* i) { return steps_address(i) || cost(i) <= kMostRecomputed; }

  void find_slots() {
    std::vector<Inst*> all;
    traverse(kernel_.body, [&](Inst* i) {
      if (!i->is(Op::kGridBarrier)) all.push_back(i);
    });
    for (Inst* i : all) {
      for (Value* v : i->operands) use(v, run_of_.at(i));
    }
  }

  void use(Value* v, uint32_t run) {
    if (v->kind == ValueKind::kGlobal) {
      const auto* g = static_cast<const ir::Global*>(v);
      if (g->space != Space::kShared) return;
      if (!shared_places_.contains(g)) shared_.push_back(g);
      shared_places_[g].push_back(runs_[run].place);
      return;
    }
    Inst* i = ir::as_inst(v);
    if (i == nullptr) return;
    if (i->is(Op::kVar)) accesses_[i].push_back(runs_[run].place);
    if (steps_address(i)) {  // also within a run: it is an access to the variable
      for (Value* operand : i->operands) use(operand, run);
      return;
    }
    const uint32_t own = run_of_.at(i);
    if (own == run) return;
    if (!i->is(Op::kVar) && is_recomputed(i)) {
      for (Value* operand : i->operands) use(operand, run);
      return;
    }
    const auto [at, is_new] = slots_.try_emplace(i);
    Slot& slot = at->second;
    if (is_new) {
      slot.is_value = !i->is(Op::kVar);
      slot.defined = runs_[own].place;
      order_.push_back(i);
    }
    slot.places.push_back(runs_[run].place);
  }

  bool is_live(const Slot& slot, const Barrier& at) const {
    if (slot.is_value) {
      return std::any_of(slot.places.begin(), slot.places.end(), [&](uint32_t use) {
        if (slot.defined < at.place && at.place < use) return true;
        return std::any_of(at.loops.begin(), at.loops.end(), [&](const Inst* loop) {
          const Extent& e = extents_.at(loop);
          return slot.defined < e.begin && e.begin <= use && use < e.end;
        });
      });
    }
    return is_live(slot.places, at);
  }

  // Of memory that is accessed at these places: before and after the barrier, or in a loop around it.
  bool is_live(const std::vector<uint32_t>& places, const Barrier& at) const {
    bool before = false, after = false, around = false;
    for (const uint32_t p : places) {
      before = before || p < at.place;
      after = after || p > at.place;
      for (const Inst* loop : at.loops) {
        const Extent& e = extents_.at(loop);
        around = around || (e.begin <= p && p < e.end);
      }
    }
    return around || (before && after);
  }

  // The address of a local or shared variable may be different in the next launch.
  std::optional<SplitRefusal> check_pointers() {
    const auto has_pointer = [](const Inst* i) {
      return contains_pointer(i->is(Op::kVar) ? i->attr().type : i->type);
    };
    if (std::none_of(order_.begin(), order_.end(), has_pointer)) return std::nullopt;
    const PointerSets sets(module_, kernel_);
    for (const Inst* i : order_) {
      if (!has_pointer(i)) continue;
      const bool is_plain = i->is(Op::kVar) ? i->attr().type->is_ptr() : i->type->is_ptr();
      if (!is_plain) return SplitRefusal{i->pos, message::kAddressInAggregate()};
      const PointerSet& set = i->is(Op::kVar) ? sets.content_of(i) : sets.of(i);
      for (const uint32_t base : set.bases) {
        const Value* const to = sets.bases()[base];
        const bool is_shared =
            to->kind == ValueKind::kGlobal && static_cast<const ir::Global*>(to)->space == Space::kShared;
        const Inst* const local = ir::as_inst(to);
        if (is_shared || (local != nullptr && local->is(Op::kVar)))
          return SplitRefusal{i->pos, message::kAddressAcrossGridBarrier()};
      }
    }
    return std::nullopt;
  }

  // ---- rewriting

  // The start of the kernel: variables of the slots, and the state.
  void begin() {
    entry_ = module_.new_block(&kernel_, nullptr);
    frames_.begin(entry_, nullptr);
    b_.at(entry_);
    b_.pos(kernel_.pos);
    for (Inst* i : order_) {
      Slot& slot = slots_.at(i);
      if (slot.is_value) {
        slot.var = b_.var(i->type, i->name.empty() ? "kept" : i->name);
        continue;
      }
      Run& run = runs_[run_of_.at(i)];
      if (run.first == i && run.last == i) {
        // The run must not become empty: it is the place for what is inserted.
        Inst* const stand_in = module_.new_inst(Op::kVar, i->type, i->pos);
        stand_in->mutable_attr().type = u32();
        i->parent->insert_before(stand_in, i);
        run.first = run.last = stand_in;
        run_of_[stand_in] = run_of_.at(i);
      }
      if (run.first == i) run.first = i->next;
      if (run.last == i) run.last = i->prev;
      i->parent->remove(i);
      entry_->append(i);
      slot.var = i;
      slot.places = accesses_[i];
    }
    state_ = b_.var(u32(), kResumeState);
    Value* start = frames_.resumed();
    if (out_.by_thread) {
      b_.store(state_, number(0));
      const Inst* later = b_.make_if(b_.compare(Op::kNe, start, number(0)));
      resume_thread_ = later->blocks[0];
    } else {
      b_.store(state_, start);
    }
    const Inst* done = b_.make_if(b_.compare(Op::kEq, b_.load(u32(), state_), number(kGridDone)));
    done_ = done->blocks[0];
    before_body_ = b_.block();
  }

  Value* state() { return b_.load(u32(), state_); }
  Value* is_active() { return b_.compare(Op::kEq, state(), number(0)); }
  // Whether the launch begins in there.
  Value* begins_in(const Numbers& n) {
    if (n.none()) return module_.constant_bool(false);
    Value* const at = state();
    return b_.binary(Op::kAnd, b_.compare(Op::kGe, at, number(n.first)),
                     b_.compare(Op::kLe, at, number(n.last)));
  }

  // Moves instructions first to last into a new `if (condition)` in their place.
  Inst* wrap(Inst* first, Inst* last, Value* condition) {
    Block* const block = first->parent;
    Inst* const branch = b_.make_if(condition);  // the builder is before `first`
    for (Inst* i = first;;) {
      Inst* const next = i->next;
      block->remove(i);
      branch->blocks[0]->append(i);
      if (i == last) break;
      i = next;
    }
    return branch;
  }

  // `more`: at the end of the block, the launch may still have to begin at a later barrier.
  void rewrite_block(Block* block, bool more) {
    std::vector<Inst*> items;
    for (Inst* i : *block) items.push_back(i);
    const uint32_t last = numbers_of(block).last;
    uint32_t seen = 0;  // the last barrier before the item
    for (size_t k = 0; k < items.size(); ++k) {
      Inst* const i = items[k];
      b_.pos(i->pos);
      const bool is_last = !more && seen == last;
      if (i->is(Op::kGridBarrier)) {
        rewrite_barrier(i);
        seen = static_cast<uint32_t>(index_.at(i) + 1);
      } else if (is_divided(i)) {
        const Numbers inside = of_construct_.at(i);
        seen = inside.last;
        b_.at(block, i);
        if (more || seen != last) wrap(i, i, b_.compare(Op::kLe, state(), number(seen)));
        rewrite_construct(i);
      } else {
        const Run& run = runs_[run_of_.at(i)];
        b_.at(block, i);
        if (!is_last) wrap(run.first, run.last, is_active());
        while (items[k] != run.last) ++k;
      }
    }
  }

  void rewrite_construct(Inst* i) {
    switch (i->op) {
      case Op::kIf: rewrite_if(i); break;
      case Op::kSwitch: rewrite_switch(i); break;
      case Op::kLoop: rewrite_loop(i); return;
      default: break;
    }
    for (Block* b : i->blocks) {
      if (!numbers_of(b).none()) rewrite_block(b, false);
    }
  }

  // The operand of a divided construct in the active part of a launch.
  Value* operand(Inst* construct) {
    b_.at(construct->parent, construct);
    return connected(construct->operand(0), run_of_.at(construct));
  }

  void rewrite_if(Inst* i) {
    Value* const condition = operand(i);
    Value* const no = begins_in(numbers_of(i->blocks[1]));
    Value* const yes = begins_in(numbers_of(i->blocks[0]));
    i->operands[0] = b_.binary(Op::kOr, yes, b_.binary(Op::kAnd, condition, b_.unary(Op::kNot, no)));
  }

  void rewrite_switch(Inst* i) {
    Value* on = operand(i);
    const std::vector<ir::SwitchCase>& cases = i->attr().cases;
    for (size_t k = 0; k < cases.size(); ++k) {
      const Numbers n = numbers_of(i->blocks[k]);
      if (n.none()) continue;
      const int64_t value = cases[k].values.empty() ? unused_value(cases) : cases[k].values.front();
      on = b_.select(begins_in(n), module_.constant_int(on->type->kind, value), on);
    }
    i->operands[0] = on;
  }

  static int64_t unused_value(const std::vector<ir::SwitchCase>& cases) {
    std::unordered_set<int64_t> used;
    for (const ir::SwitchCase& c : cases) used.insert(c.values.begin(), c.values.end());
    int64_t value = 0;
    while (used.contains(value)) ++value;
    return value;
  }

  // A launch that begins inside of the body or the step does not evaluate the head.
  void rewrite_loop(Inst* loop) {
    Block* const head = loop->blocks[kLoopHead];
    Block* const body = loop->blocks[kLoopBody];
    Block* const step = loop->blocks[kLoopStep];
    if (head->first != nullptr) {
      Inst* const yield = yield_of(head);
      Inst* goes_on = nullptr;
      if (yield != nullptr) {
        b_.at(head, head->first);
        goes_on = b_.var(b_.type(ir::TypeKind::kBool), "goes_on");
        b_.store(goes_on, module_.constant_bool(true));
        Run& run = runs_[run_of_.at(yield)];
        b_.at(head, yield);
        Value* const to[] = {goes_on, yield->operand(0)};
        Inst* const store = b_.emit(Op::kStore, b_.type(ir::TypeKind::kVoid), to);
        run_of_[store] = run_of_.at(yield);
        if (run.first == yield) run.first = store;
        run.last = store;
        head->remove(yield);
      }
      // What was inserted at the start is outside of all runs.
      Inst* const skipped = goes_on != nullptr ? goes_on->next : nullptr;
      rewrite_head(head, skipped);
      b_.at(head);
      if (yield != nullptr) b_.yield(b_.load(goes_on->attr().type, goes_on));
    }
    if (!numbers_of(step).none()) {
      rewrite_block(body, true);
      rewrite_block(step, false);
    } else if (!numbers_of(body).none()) {
      rewrite_block(body, false);
    }
  }

  void rewrite_head(Block* head, Inst* skipped) {
    Block* const rest = module_.new_block(&kernel_, head->owner);
    while (skipped != nullptr && skipped->next != nullptr) {
      Inst* const i = skipped->next;
      head->remove(i);
      rest->append(i);
    }
    if (skipped == nullptr) {
      of_block_.try_emplace(head, numbers_of(head));
      return rewrite_block(head, true);
    }
    of_block_[rest] = numbers_of(head);
    rewrite_block(rest, true);
    splice(rest, head, nullptr);
  }

  void rewrite_barrier(Inst* i) {
    Barrier& barrier = barriers_[index_.at(i)];
    b_.at(i->parent, i);
    barrier.save = b_.make_if(is_active());
    barrier.restore = b_.make_if(b_.compare(Op::kEq, state(), number(index_.at(i) + 1)));
    i->parent->remove(i);
  }

  // ---- values of other runs

  // The value in a run, at the builder's position.
  Value* connected(Value* v, uint32_t run) {
    Inst* i = ir::as_inst(v);
    if (i == nullptr || i->parent == entry_) return v;
    const auto own = run_of_.find(i);
    if (own == run_of_.end() || own->second == run) return v;
    Run& in = runs_[run];
    if (const auto known = in.values.find(v); known != in.values.end()) return known->second;
    Value* made = nullptr;
    if (const auto slot = slots_.find(i); slot != slots_.end()) {
      made = b_.load(i->type, slot->second.var);
    } else {
      std::vector<Value*> operands;
      for (Value* operand : i->operands) operands.push_back(connected(operand, run));
      Inst* const copy = b_.emit(i->op, i->type, operands);
      copy->pos = i->pos;
      copy->name = i->name;
      if (i->attr_ != nullptr) copy->mutable_attr() = *i->attr_;
      made = copy;
    }
    in.values[v] = made;
    return made;
  }

  void connect() {
    for (uint32_t r = 0; r < runs_.size(); ++r) {
      if (runs_[r].is_construct) continue;
      std::vector<Inst*> all;
      for (Inst* i = runs_[r].first;; i = i->next) {
        all.push_back(i);
        for (Block* b : i->blocks) ir::walk(b, [&](Inst* inner) { all.push_back(inner); });
        if (i == runs_[r].last) break;
      }
      b_.at(runs_[r].first->parent, runs_[r].first);
      for (Inst* i : all) {
        for (Value*& v : i->operands) v = connected(v, r);
      }
    }
    for (Inst* i : order_) {
      const Slot& slot = slots_.at(i);
      if (!slot.is_value) continue;
      b_.at(i->parent, i->next);
      b_.pos(i->pos);
      b_.store(slot.var, i);
    }
  }

  // ---- barriers

  void fill_barriers() {
    std::vector<std::vector<Inst*>> vars(barriers_.size());
    std::vector<std::vector<const ir::Global*>> shared(barriers_.size());
    std::vector<Inst*> all_vars;
    std::vector<const ir::Global*> all_shared;
    const auto keep = [&](auto& all, const auto& what) {
      if (std::find(all.begin(), all.end(), what) == all.end()) all.push_back(what);
    };
    for (size_t k = 0; k < barriers_.size(); ++k) {
      for (const Inst* i : order_) {
        const Slot& slot = slots_.at(i);
        if (!is_live(slot, barriers_[k])) continue;
        vars[k].push_back(slot.var);
        keep(all_vars, slot.var);
      }
      for (const ir::Global* g : shared_) {
        if (!is_live(shared_places_.at(g), barriers_[k])) continue;
        shared[k].push_back(g);
        keep(all_shared, g);
      }
    }
    out_.frames = frames_.place(all_vars, all_shared, out_.by_thread);
    for (size_t k = 0; k < barriers_.size(); ++k) fill_barrier(barriers_[k], k + 1, vars[k], shared[k]);
    finish_start();
  }

  void fill_barrier(const Barrier& barrier, uint64_t n, const std::vector<Inst*>& vars,
                    const std::vector<const ir::Global*>& shared) {
    b_.pos(barrier.inst->pos);
    b_.at(barrier.save->blocks[0]);
    frames_.shared_memory(b_, shared, true);
    frames_.thread_values(b_, vars, true);
    mark(number(n));
    b_.ret(nullptr);
    b_.at(barrier.restore->blocks[0]);
    frames_.thread_values(b_, vars, false);
    frames_.shared_memory(b_, shared, false);
    b_.store(state_, number(0));
  }

  // Where the next launch begins.
  void mark(Value* state) {
    if (out_.by_thread) {
      b_.store(frames_.thread_state(b_), state);
      Value* const is_first = b_.compare(Op::kEq, frames_.resumed(), number(0));
      Value* const next = b_.select(is_first, number(2), b_.binary(Op::kAdd, frames_.resumed(), number(1)));
      ir::Attr attr;
      attr.rmw = ir::Rmw::kMax;
      attr.scope = ir::Scope::kDevice;
      Value* const operands[] = {frames_.next_word(), next};
      b_.op(Op::kAtomicRmw, u32(), operands, attr);
      return;
    }
    Block* const here = b_.block();
    Inst* const where = b_.where();
    const Inst* first = b_.make_if(frames_.is_first_thread(b_));
    b_.at(first->blocks[0]);
    b_.store(frames_.next_word(), state);
    b_.at(here, where);
  }

  // Until a barrier is reached, this launch is the thread's last one.
  void finish_start() {
    b_.pos(kernel_.pos);
    if (out_.by_thread) {
      b_.at(resume_thread_);
      b_.store(state_, b_.load(u32(), frames_.thread_state(b_)));
    }
    b_.at(done_);
    b_.ret(nullptr);
    b_.at(before_body_);
    if (out_.by_thread) {
      b_.store(frames_.thread_state(b_), number(kGridDone));
    } else {
      mark(number(kGridDone));
    }
    splice(kernel_.body, entry_, nullptr);
    for (Inst* i : *entry_) i->parent = entry_;
    kernel_.body = entry_;
  }

  ir::Module& module_;
  ir::Function& kernel_;
  SplitKernel& out_;
  ir::Builder b_;
  FrameWriter frames_;

  std::vector<Barrier> barriers_;
  std::unordered_map<const Inst*, size_t> index_;  // of barriers
  std::unordered_map<const Inst*, Numbers> of_construct_;
  std::unordered_map<const Block*, Numbers> of_block_;
  std::unordered_map<const Inst*, Extent> extents_;  // of loops
  uint32_t place_ = 0;
  std::vector<Run> runs_;
  std::unordered_map<const Inst*, uint32_t> run_of_;
  std::unordered_map<const Inst*, size_t> costs_;
  std::unordered_map<const Inst*, Slot> slots_;
  std::vector<Inst*> order_;                                         // of slots
  std::unordered_map<const Inst*, std::vector<uint32_t>> accesses_;  // of variables
  std::vector<const ir::Global*> shared_;
  std::unordered_map<const ir::Global*, std::vector<uint32_t>> shared_places_;

  Block *entry_ = nullptr, *before_body_ = nullptr, *done_ = nullptr, *resume_thread_ = nullptr;
  Inst* state_ = nullptr;
};

}  // namespace

bool has_grid_barrier(const ir::Function& function) {
  bool found = false;
  ir::walk(function.body, [&](const Inst* i) { found = found || i->is(Op::kGridBarrier); });
  return found;
}

std::optional<SplitRefusal> split_grid_barriers(ir::Module& module, ir::Function& kernel, SplitKernel& out) {
  return GridSplitter(module, kernel, out).run();
}

}  // namespace quern::pass
