#include "lang/pass/call_cycles.hpp"

#include <algorithm>
#include <unordered_map>

namespace quern::pass {
namespace {

using ir::Function;

// Strongly connected components of the call graph (Tarjan). The walk keeps its own stack: chains of calls may
// be long.
class Components {
 public:
  explicit Components(const ir::Module& module) {
    for (Function* f : module.functions) {
      Node& node = nodes_[f];
      ir::walk(f->body, [&](const ir::Inst* i) {
        if (i->is(ir::Op::kCall)) node.callees.push_back(i->attr().callee);
      });
    }
    for (Function* f : module.functions) {
      if (nodes_[f].index == 0) visit(f);
    }
  }

  std::vector<std::vector<Function*>> cycles;

 private:
  struct Node {
    std::vector<Function*> callees;
    size_t next = 0;
    uint32_t index = 0, low = 0;
    bool is_open = false;
  };

  void visit(Function* root) {
    std::vector<Function*> path;
    enter(root, path);
    while (!path.empty()) {
      Node& node = nodes_[path.back()];
      if (node.next < node.callees.size()) {
        Function* callee = node.callees[node.next++];
        const Node& other = nodes_[callee];
        if (other.index == 0) {
          enter(callee, path);
        } else if (other.is_open) {
          node.low = std::min(node.low, other.index);
        }
        continue;
      }
      Function* f = path.back();
      path.pop_back();
      if (!path.empty()) nodes_[path.back()].low = std::min(nodes_[path.back()].low, node.low);
      if (node.low == node.index) close(f);
    }
  }

  void enter(Function* f, std::vector<Function*>& path) {
    Node& node = nodes_[f];
    node.index = node.low = ++count_;
    node.is_open = true;
    open_.push_back(f);
    path.push_back(f);
  }

  void close(Function* f) {
    std::vector<Function*> members;
    for (Function* top = nullptr; top != f;) {
      top = open_.back();
      open_.pop_back();
      nodes_[top].is_open = false;
      members.push_back(top);
    }
    const std::vector<Function*>& callees = nodes_[f].callees;
    const bool calls_itself = std::find(callees.begin(), callees.end(), f) != callees.end();
    if (members.size() > 1 || calls_itself) cycles.push_back(std::move(members));
  }

  std::unordered_map<const Function*, Node> nodes_;
  std::vector<Function*> open_;
  uint32_t count_ = 0;
};

}  // namespace

std::vector<std::vector<Function*>> call_cycles(const ir::Module& module) {
  return Components(module).cycles;
}

}  // namespace quern::pass
