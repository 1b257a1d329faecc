// After this pass every exit leaves the innermost loop, switch or scope around it, and every continue goes to
// the innermost loop, with no scope in between: the semantics of `break` and `continue`. (A continue may be
// in a switch: all targets allow that.) Exits from several constructs leave them one by one, controlled by a
// flag.
#include <map>
#include <set>
#include <vector>

#include "lang/ir/builder.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {
namespace {

using ir::Inst;
using ir::Op;
using ir::Value;

class ExitLowering {
 public:
  ExitLowering(ir::Module& module, ir::Function& function)
      : module_(module), function_(function), builder_(module) {}

  void run() {
    std::vector<Inst*> far;
    traverse(function_.body, [&](Inst* i) {
      if ((i->is(Op::kExit) || i->is(Op::kContinue)) && !crossed(i).empty()) far.push_back(i);
    });
    for (Inst* jump : far) lower(jump);
  }

 private:
  // The target of a jump: out of a construct, or to a loop's step.
  struct Goal {
    Inst* target;
    bool continues;
    bool operator<(const Goal& o) const {
      return target != o.target ? target < o.target : continues < o.continues;
    }
  };

  // The constructs that `jump` leaves before it reaches its target and that a plain break or continue could
  // not leave, innermost first.
  static std::vector<Inst*> crossed(const Inst* jump) {
    std::vector<Inst*> constructs;
    size_t needed = 0;  // a continue passes switches, unless it must also leave a construct around them
    for (Inst* i = jump->parent->owner; i != jump->attr().target; i = i->parent->owner) {
      if (!is_breakable(i->op)) continue;
      constructs.push_back(i);
      if (jump->is(Op::kExit) || !i->is(Op::kSwitch)) needed = constructs.size();
    }
    constructs.resize(needed);
    return constructs;
  }

  void lower(Inst* jump) {
    const Goal goal{jump->attr().target, jump->is(Op::kContinue)};
    const std::vector<Inst*> constructs = crossed(jump);
    Inst* flag = flag_for(goal, constructs.back());
    builder_.at(jump->parent, jump);
    builder_.pos(jump->pos);
    builder_.store(flag, module_.constant_bool(true));
    jump->op = Op::kExit;
    jump->mutable_attr().target = constructs.front();
    for (size_t i = 0; i < constructs.size(); ++i) {
      Inst* next = i + 1 < constructs.size() ? constructs[i + 1] : nullptr;
      go_on_behind(constructs[i], next, flag, goal, jump->pos);
    }
  }

  // The flag is false when the outermost of the constructs is entered.
  Inst* flag_for(const Goal& goal, Inst* outermost) {
    Inst*& flag = flags_[{goal, outermost}];
    if (flag != nullptr) return flag;
    builder_.at(outermost->parent, outermost);
    builder_.pos(outermost->pos);
    flag = builder_.var(builder_.type(ir::TypeKind::kBool), goal.continues ? "continues" : "leaves");
    builder_.store(flag, module_.constant_bool(false));
    return flag;
  }

  // if (flag) leave the next construct too, or go to the goal.
  void go_on_behind(Inst* construct, Inst* next, Inst* flag, const Goal& goal, ir::Pos pos) {
    if (!checked_.insert({construct, flag}).second) return;
    builder_.at(construct->parent, construct->next);
    builder_.pos(pos);
    Value* leaves = builder_.load(builder_.type(ir::TypeKind::kBool), flag);
    Inst* branch = builder_.make_if(leaves);
    builder_.at(branch->blocks[0]);
    if (next != nullptr) {
      builder_.exit(next);
    } else if (goal.continues) {
      builder_.continue_(goal.target);
    } else {
      builder_.exit(goal.target);
    }
  }

  ir::Module& module_;
  ir::Function& function_;
  ir::Builder builder_;
  std::map<std::pair<Goal, Inst*>, Inst*> flags_;
  std::set<std::pair<Inst*, Inst*>> checked_;
};

}  // namespace

void lower_exits(ir::Module& module) {
  for (ir::Function* function : module.functions) ExitLowering(module, *function).run();
  // Exits that crossed nothing but a loop can now be nested too.
  nest_exits(module);
  simplify(module);
}

}  // namespace quern::pass
