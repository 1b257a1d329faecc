#include "lang/pass/recursion.hpp"

#include <algorithm>
#include <unordered_map>

#include "lang/pass/messages.hpp"
#include "lang/pass/pass.hpp"

namespace quern::pass {

namespace {

// Looks for a cycle among the functions that a kernel reaches. Depth is bounded by the number of functions;
// the walk keeps its own stack.
class CycleSearch {
 public:
  // The call that closes a cycle, or nullptr; `cycle()` then returns the functions on it.
  const ir::Inst* run(const ir::Function* kernel) {
    state_.clear();
    path_.clear();
    enter(kernel);
    while (!path_.empty()) {
      Step& top = path_.back();
      if (top.next == top.calls.size()) {
        state_[top.function] = State::kDone;
        path_.pop_back();
        continue;
      }
      const ir::Inst* call = top.calls[top.next++];
      const ir::Function* callee = call->attr().callee;
      const auto known = state_.find(callee);
      if (known == state_.end()) {
        enter(callee);
      } else if (known->second == State::kOnPath) {
        close(callee);
        return call;
      }
    }
    return nullptr;
  }

  const std::vector<const ir::Function*>& cycle() const { return cycle_; }

 private:
  enum class State : uint8_t { kOnPath, kDone };
  struct Step {
    const ir::Function* function;
    std::vector<const ir::Inst*> calls;
    size_t next = 0;
  };

  void enter(const ir::Function* function) {
    state_[function] = State::kOnPath;
    Step step{function, {}, 0};
    ir::walk(function->body, [&](const ir::Inst* i) {
      if (i->is(ir::Op::kCall)) step.calls.push_back(i);
    });
    path_.push_back(std::move(step));
  }

  void close(const ir::Function* back_to) {
    cycle_.clear();
    const auto first =
        std::find_if(path_.begin(), path_.end(), [&](const Step& s) { return s.function == back_to; });
    for (auto it = first; it != path_.end(); ++it) cycle_.push_back(it->function);
  }

  std::unordered_map<const ir::Function*, State> state_;
  std::vector<Step> path_;
  std::vector<const ir::Function*> cycle_;
};

}  // namespace

std::string recursion_text(const std::vector<const ir::Function*>& cycle) {
  std::string rest;
  for (size_t i = 1; i < cycle.size(); ++i) rest += "'" + cycle[i]->name + "', which calls ";
  rest += cycle.size() == 1 ? "itself" : "'" + cycle[0]->name + "'";
  return message::kRecursion(cycle[0]->name, rest).str();
}

std::vector<Refused> drop_recursive(ir::Module& module) {
  std::vector<Refused> refused;
  CycleSearch search;
  std::erase_if(module.functions, [&](const ir::Function* f) {
    if (!f->is_kernel) return false;
    const ir::Inst* call = search.run(f);
    if (call == nullptr) return false;
    refused.push_back({f->name, call->pos, recursion_text(search.cycle())});
    return true;
  });
  return refused;
}

}  // namespace quern::pass
