// A variable lives until its block ends. If its address is stored in memory of an outer block, the structure
// no longer shows that. For unnamed variables, which no program can refer to, storing the address and reading
// it after the block is an error of the IR producer.
#include <unordered_map>
#include <vector>

#include "lang/ir/messages.hpp"
#include "lang/ir/verify.hpp"

namespace quern::ir {
namespace {

// The variable that a pointer certainly points into; nullptr: none, or unknown.
const Inst* variable_of(const Value* pointer) {
  for (;;) {
    const Inst* inst = as_inst(pointer);
    if (inst == nullptr) return nullptr;
    switch (inst->op) {
      case Op::kVar: return inst;
      case Op::kOffset:
      case Op::kFieldPtr:
      case Op::kSpaceCast: pointer = inst->operand(0); break;
      default: return nullptr;
    }
  }
}

bool is_within(const Block* inner, const Block* outer) {
  for (; inner != nullptr; inner = inner->owner != nullptr ? inner->owner->parent : nullptr) {
    if (inner == outer) return true;
  }
  return false;
}

class LifetimeVerifier {
 public:
  explicit LifetimeVerifier(const Function& function) : function_(function) {}

  // The last defect; empty: none.
  std::string run() {
    walk(function_.body, [this](const Inst* inst) { visit(*inst); });
    return std::move(defect_);
  }

 private:
  void visit(const Inst& inst) {
    if (inst.is(Op::kStore)) {
      const Inst* kept = variable_of(inst.operand(1));
      const Inst* keeper = variable_of(inst.operand(0));
      if (kept == nullptr || keeper == nullptr || !kept->name.empty()) return;
      if (!is_within(keeper->parent, kept->parent)) kept_[keeper].push_back(kept);
    } else if (inst.is(Op::kLoad) && inst.type->is_ptr()) {
      const auto found = kept_.find(variable_of(inst.operand(0)));
      if (found == kept_.end()) return;
      for (const Inst* kept : found->second) {
        if (is_within(inst.parent, kept->parent)) continue;
        defect_ = message::kReadsDeadAddress(function_.name, std::to_string(inst.pos.line),
                                             std::to_string(inst.pos.column))
                      .text +
                  ".";
      }
    }
  }

  const Function& function_;
  std::unordered_map<const Inst*, std::vector<const Inst*>>
      kept_;  // by the variable that holds the addresses
  std::string defect_;
};

}  // namespace

std::string verify_lifetimes(const Module& module) {
  for (const Function* function : module.functions) {
    std::string defect = LifetimeVerifier(*function).run();
    if (!defect.empty()) return defect;
  }
  return {};
}

}  // namespace quern::ir
