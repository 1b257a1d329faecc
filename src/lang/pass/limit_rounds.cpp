#include "lang/pass/limit_rounds.hpp"

#include <algorithm>
#include <vector>

#include "lang/ir/builder.hpp"
#include "lang/pass/clone.hpp"
#include "lang/pass/counted_loop.hpp"
#include "lang/pass/loop_shape.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {
namespace {

using ir::Block;
using ir::Inst;
using ir::Op;
using ir::TypeKind;
using ir::Value;

constexpr size_t kMostCounted = 4096;  // iterations of one loop that are counted; more count as unknown
constexpr size_t kMostCopies = 8;
constexpr size_t kMostInstructions = 256;  // of all copies of a loop

uint64_t saturating_product(uint64_t a, uint64_t b) {
  constexpr uint64_t kMost = ~uint64_t{0};
  return a != 0 && b > kMost / a ? kMost : a * b;
}

// Whether targets may express the operation as a loop with an unknown number of iterations.
bool may_become_loop(const Inst* i) {
  if (ir::has(i->op, ir::kMath | ir::kConvergent)) return true;
  switch (i->op) {
    case Op::kDiv:
    case Op::kRem: return !i->type->is_int() || i->type->size > 4;
    case Op::kAtomicRmw:
    case Op::kAtomicCas:
    case Op::kMemCopy:
    case Op::kMemSet:
    case Op::kPrintf:
    case Op::kCall: return true;
    case Op::kStore: return i->operand(1)->type->size < 4;  // a part of a word
    default: return false;
  }
}

// The iterations of an operation on doubles that are computed with integers; 0 for other operations.
uint64_t soft_rounds(const Inst* i) {
  constexpr uint64_t kOfFunction = 2048, kOfOperation = 64;
  const auto is_double = [](const ir::Type* t) { return t != nullptr && t->kind == TypeKind::kF64; };
  bool concerns = is_double(i->type);
  for (const Value* v : i->operands) concerns = concerns || is_double(v->type);
  if (!concerns || !ir::has(i->op, ir::kPure)) return 0;
  return ir::has(i->op, ir::kMath) ? kOfFunction : kOfOperation;
}

class RoundLimit {
 public:
  RoundLimit(ir::Module& module, ir::Function& function, bool soft_doubles = false)
      : module_(module), function_(function), soft_doubles_(soft_doubles) {}

  // The maximum total number of iterations of all loops.
  uint64_t most_rounds_of_all() {
    constexpr uint64_t kUnknownLoop = 256;  // of an operation that becomes a loop
    std::vector<uint64_t> around = {1};     // how many times the innermost loop's body runs
    uint64_t total = 0;
    const auto add = [&](uint64_t rounds) { total += std::min(rounds, ~uint64_t{0} - total); };
    traverse(
        function_.body,
        [&](Inst* i) {
          if (i->is(Op::kLoop)) {
            const auto own = most_rounds(module_, function_, i, kMostCounted);
            around.push_back(own ? saturating_product(around.back(), *own + 1) : ~uint64_t{0});
            add(around.back());
          } else if (const uint64_t rounds = soft_doubles_ ? soft_rounds(i) : 0; rounds != 0) {
            add(saturating_product(around.back(), rounds));
          } else if (may_become_loop(i) && around.size() > 1) {
            add(saturating_product(around.back(), kUnknownLoop));
          }
        },
        [&](Inst* i) {
          if (i->is(Op::kLoop)) around.pop_back();
        });
    return total;
  }

  void unroll_innermost() {
    std::vector<Inst*> innermost;
    bool has_inner = false;
    traverse(
        function_.body,
        [&](Inst* i) {
          if (i->is(Op::kLoop)) has_inner = false;
        },
        [&](Inst* i) {
          if (!i->is(Op::kLoop)) return;
          if (!has_inner && !has_few_rounds(i)) innermost.push_back(i);
          has_inner = true;
        });
    for (Inst* loop : innermost) {
      if (const size_t copies = copies_of(loop); copies > 1) unroll(loop, copies);
    }
  }

  // llvmpipe runs whole vectors: lanes beyond the end of a block also execute loops, load 0 everywhere, and
  // may never reach the end condition of a loop. Loops that threads leave separately are guarded to run for
  // threads of the block only. (Not in blocks that are one thread wide: compilers know thread_id.x there.)
  void keep_to_block() {
    const Uniformity uniformity(function_);
    std::vector<Inst*> apart;
    const Inst* around = nullptr;  // a loop that was handled
    traverse(
        function_.body,
        [&](Inst* i) {
          if (!i->is(Op::kLoop) || around != nullptr || !is_left_apart(uniformity, i) || meets(i)) return;
          apart.push_back(i);
          around = i;
        },
        [&](Inst* i) {
          if (i == around) around = nullptr;
        });
    ir::Builder b(module_);
    for (Inst* loop : apart) {
      b.pos(loop->pos);
      b.at(loop->parent, loop);
      Value* end = b.binary(Op::kAdd, b.index_op(Op::kBlockDim, 0), unknown_zero(b));
      Inst* branch = b.make_if(b.compare(Op::kLt, b.index_op(Op::kThreadId, 0), end));
      loop->parent->remove(loop);
      branch->blocks[0]->append(loop);
    }
  }

  // At the end, and wherever a thread returns after a loop.
  void check_at_end(const std::string& message) {
    std::vector<Inst*> returns;
    const Inst* first = nullptr;  // loop
    traverse(function_.body, [&](Inst* i) {
      if (i->is(Op::kLoop) && first == nullptr) first = i;
      if (i->is(Op::kReturn) && first != nullptr) returns.push_back(i);
    });
    ir::Builder b(module_);
    if (first != nullptr) b.pos(first->pos);
    for (Inst* i : returns) {
      b.at(i->parent, i);
      write_check(b, message);
    }
    if (function_.body->terminated()) return;
    b.at(function_.body);
    write_check(b, message);
  }

 private:
  bool has_few_rounds(Inst* loop) {
    const auto rounds = most_rounds(module_, function_, loop, kMostCounted);
    return rounds && *rounds < 4 * kMostCopies;
  }

  static bool is_in(const Inst* i, const Inst* loop) {
    while (i != nullptr && i != loop) i = i->parent->owner;
    return i == loop;
  }

  // Whether threads may leave the loop in different iterations, also to enclosing constructs.
  static bool is_left_apart(const Uniformity& uniformity, const Inst* loop) {
    bool found = !uniformity.is_uniform_branch(loop);
    const auto look = [&](const Inst* jump) {
      const Inst* to = jump->is(Op::kReturn) ? nullptr : jump->attr().target;
      if (to != nullptr && to != loop && is_in(to, loop)) return;
      for (const Inst* c = jump->parent->owner; c != loop; c = c->parent->owner)
        found = found || !uniformity.is_uniform_branch(c);
    };
    for (Block* block : loop->blocks) {
      traverse(block, [&](Inst* i) {
        if (i->is(Op::kExit) || i->is(Op::kReturn) || i->is(Op::kContinue)) look(i);
      });
    }
    return found;
  }

  // Whether it contains convergent operations.
  static bool meets(const Inst* loop) {
    bool found = false;
    for (Block* block : loop->blocks)
      traverse(block, [&](Inst* i) { found = found || ir::has(i->op, ir::kConvergent); });
    return found;
  }

  static size_t copies_of(const Inst* loop) {
    size_t size = 0;
    for (Block* block : loop->blocks) traverse(block, [&](Inst*) { ++size; });
    return meets(loop) ? 1 : std::min(kMostCopies, kMostInstructions / std::max<size_t>(size, 1));
  }

  // loop { head; if (!c) exit; body; step; if (!c) exit; head; … }
  void unroll(Inst* loop, size_t copies) {
    const uint32_t size = number_insts(function_);
    ir::Builder b(module_);
    b.pos(loop->pos);
    b.at(loop->parent, loop);
    Inst* made = b.make_loop();
    for (size_t k = 0; k < copies; ++k) {
      Cloner cloner(module_, size, &function_);
      Block* into = made->blocks[kLoopBody];
      copy(cloner, loop->blocks[kLoopHead], into);
      leave_on_false(b, made);
      b.at(into);
      Inst* round = b.make_scope();  // a continue leaves it
      copy(cloner, loop->blocks[kLoopBody], round->blocks[0]);
      copy(cloner, loop->blocks[kLoopStep], into);
      leave_on_false(b, made);
      redirect(into, loop, made, round);
    }
    loop->parent->remove(loop);
  }

  void copy(Cloner& cloner, const Block* from, Block* to) {
    cloner.copy(from, to, nullptr, [&](const Inst* source, Block* into, Inst*) {
      ir::Builder b(module_);
      b.pos(source->pos);
      b.at(into);
      b.ret(nullptr);
    });
  }

  // The condition at the end of the copies ends the loop.
  static void leave_on_false(ir::Builder& b, Inst* loop) {
    Block* block = loop->blocks[kLoopBody];
    Inst* yield = yield_of(block);
    if (yield == nullptr) return;
    Value* condition = yield->operand(0);
    block->remove(yield);
    b.at(block);
    Inst* branch = b.make_if(b.unary(Op::kNot, condition));
    b.at(branch->blocks[0]);
    b.exit(loop);
  }

  static void redirect(Block* block, const Inst* old, Inst* made, Inst* round) {
    traverse(block, [&](Inst* i) {
      if (i->attr_ == nullptr || i->attr_->target != old) return;
      i->attr_->target = i->is(Op::kExit) ? made : round;
      i->op = Op::kExit;
    });
  }

  // It is always 0, but no compiler knows that.
  Value* unknown_zero(ir::Builder& b) {
    return b.binary(Op::kShr, b.index_op(Op::kGridDim, 0), module_.constant(b.type(TypeKind::kU32), 31));
  }

  void write_check(ir::Builder& b, const std::string& message) {
    const ir::Type* u32 = b.type(TypeKind::kU32);
    const auto number = [&](uint64_t n) { return module_.constant(u32, n); };
    // In memory at an unknown index: no compiler can determine how the loop ends.
    Inst* memory = b.var(b.types().array(u32, 2), "rounds");
    Value* place = b.offset(memory, unknown_zero(b), 4);
    b.store(place, number(0));
    Inst* loop = b.make_loop();
    Block* after = b.block();
    Inst* where = b.where();
    b.at(loop->blocks[kLoopHead]);
    b.yield(b.compare(Op::kLt, b.load(u32, place), number(2)));
    b.at(loop->blocks[kLoopBody]);
    b.store(place, b.binary(Op::kAdd, b.load(u32, place), number(1)));
    b.at(after, where);
    Inst* failed = b.make_if(b.compare(Op::kLt, b.load(u32, place), number(2)));
    b.at(failed->blocks[0]);
    Inst* trap = b.emit(Op::kTrap, b.type(TypeKind::kVoid), std::initializer_list<Value*>{});
    trap->mutable_attr().text = message;
  }

  ir::Module& module_;
  ir::Function& function_;
  bool soft_doubles_;
};

}  // namespace

void limit_rounds(ir::Module& module, uint64_t limit, const std::string& message, bool soft_doubles) {
  std::vector<ir::Function*> kernels;
  for (ir::Function* f : module.functions) {
    if (f->is_kernel && RoundLimit(module, *f, soft_doubles).most_rounds_of_all() > limit)
      kernels.push_back(f);
  }
  for (ir::Function* f : kernels) {
    if (!soft_doubles || !needs(module, *f).fp64) RoundLimit(module, *f).unroll_innermost();
  }
  if (kernels.empty()) return;
  nest_exits(module);
  simplify(module);
  for (ir::Function* f : kernels) {
    RoundLimit(module, *f).keep_to_block();
    RoundLimit(module, *f).check_at_end(message);
  }
}

}  // namespace quern::pass
