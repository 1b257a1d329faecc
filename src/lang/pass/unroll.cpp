// Replaces loops that count between constants by a sequence of their iterations: indices become constants,
// and small arrays are split into scalars. For targets whose compiler no longer sees arrays.
#include <algorithm>
#include <unordered_map>

#include "lang/ir/builder.hpp"
#include "lang/pass/clone.hpp"
#include "lang/pass/counted_loop.hpp"
#include "lang/pass/loop_shape.hpp"
#include "lang/pass/pass.hpp"

namespace quern::pass {
namespace {

using ir::Block;
using ir::Const;
using ir::Inst;
using ir::Op;
using ir::Value;

constexpr size_t kMostRounds = 1024;
constexpr size_t kMostAsked = 8192;  // instructions of all iterations, if the user requests unrolling
constexpr size_t kMostUnasked = 640;
constexpr size_t kMostRoundsUnasked = 64;

size_t size_of(Block* block) {
  size_t count = 0;
  traverse(block, [&](Inst*) { ++count; });
  return count;
}

class Unrolling {
 public:
  Unrolling(ir::Module& module, ir::Function& function) : module_(module), function_(function) {}

  bool run() {
    std::vector<Inst*> loops;  // inner loops before outer ones
    traverse(
        function_.body, [&](Inst*) {},
        [&](Inst* i) {
          if (i->is(Op::kLoop)) loops.push_back(i);
        });
    if (loops.empty()) return false;
    for (Inst* loop : loops) {
      const auto counted = count_rounds(module_, function_, loop, kMostRounds);
      if (counted && is_wanted(loop, counted->rounds.size())) unroll(loop, *counted);
    }
    return changed_;
  }

 private:
  bool is_wanted(const Inst* loop, size_t rounds) {
    const int32_t requested = loop->attr().unroll;
    const size_t size = rounds * (size_of(loop->blocks[kLoopBody]) + size_of(loop->blocks[kLoopStep]));
    if (requested == -1 || (requested > 1 && static_cast<size_t>(requested) >= rounds))
      return size <= kMostAsked;
    return requested == 0 && rounds <= kMostRoundsUnasked && size <= kMostUnasked;
  }

  void unroll(Inst* loop, const CountedLoop& counted) {
    changed_ = true;
    const uint32_t size = number_insts(function_);
    ir::Builder b(module_);
    b.pos(loop->pos);
    b.at(loop->parent, loop);
    Inst* around = b.make_scope();  // exits of the loop leave this
    for (Const* value : counted.rounds) {
      b.at(around->blocks[0]);
      b.store(counted.var, value);
      Inst* round = b.make_scope();  // continues to the next iteration leave this
      Cloner cloner(module_, size, &function_);
      copy(cloner, loop->blocks[kLoopBody], round->blocks[0]);
      copy(cloner, loop->blocks[kLoopStep], around->blocks[0]);
      redirect(around->blocks[0], round, loop, around, round, counted, value);
    }
    b.at(loop->parent, loop);
    // Only if no thread has left before: the last instruction of the scope.
    b.at(around->blocks[0]);
    b.store(counted.var, counted.after);
    loop->parent->remove(loop);
  }

  void copy(Cloner& cloner, Block* from, Block* to) {
    cloner.copy(from, to, nullptr, [&](const Inst* source, Block* into, Inst* where) {
      ir::Builder b(module_);
      b.pos(source->pos);
      b.at(into, where);
      b.ret(nullptr);
    });
  }

  // The copies after `first` (and in it): exits and continues have new targets, the variable is a constant,
  // and the step is no longer needed.
  void redirect(Block* block, Inst* first, const Inst* loop, Inst* around, Inst* round,
                const CountedLoop& counted, Const* value) {
    std::vector<Inst*> copies;
    for (Inst* i = first; i != nullptr; i = i->next) {
      copies.push_back(i);
      for (Block* b : i->blocks) traverse(b, [&](Inst* inner) { copies.push_back(inner); });
    }
    std::unordered_map<const Value*, Value*> known;
    for (Inst* i : copies) {
      if (i->is(Op::kLoad) && i->operand(0) == counted.var) known[i] = value;
    }
    for (Inst* i : copies) {
      for (Value*& v : i->operands) {
        if (const auto at = known.find(v); at != known.end()) v = at->second;
      }
      if (i->attr_ != nullptr && i->attr_->target == loop) {
        i->attr_->target = i->is(Op::kExit) ? around : round;
        i->op = Op::kExit;
      }
    }
    for (Inst* i : copies) {
      const bool counts = i->is(Op::kStore) && i->operand(0) == counted.var && i->parent == block;
      if (counts || known.count(i) != 0) i->parent->remove(i);
    }
  }

  ir::Module& module_;
  ir::Function& function_;
  bool changed_ = false;
};

}  // namespace

void unroll_loops(ir::Module& module, ir::Function& function) { Unrolling(module, function).run(); }

void unroll_loops(ir::Module& module) {
  bool changed = false;
  for (ir::Function* f : module.functions) changed = Unrolling(module, *f).run() || changed;
  if (!changed) return;
  nest_exits(module);
  simplify(module);
  constexpr int kMaxRounds = 8;
  for (int round = 0; round < kMaxRounds && scalar_replace(module); ++round) simplify(module);
}

}  // namespace quern::pass
