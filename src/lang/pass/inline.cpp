// Inlining: callees first, so that each body is copied once into each of its callers, already free of calls.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "lang/ir/builder.hpp"
#include "lang/pass/clone.hpp"
#include "lang/pass/messages.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/recursion.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {
namespace {

using ir::Block;
using ir::Function;
using ir::Inst;
using ir::Op;
using ir::Value;

// How a body's returns are rewritten when it replaces a call.
enum class Shape {
  kStraight,  // at most one return, the last instruction: its operand is the call's value
  kTail,      // every return is in tail position: each stores its value, then reaches the end
  kScope,     // some return early: they exit a scope around the body
};

struct Node {
  std::vector<Function*> callees;  // in order of first call, once each
  std::vector<std::pair<Function*, size_t>> calls;
  size_t own = 0;    // instructions but calls
  size_t total = 0;  // with everything inlined
  Shape shape = Shape::kStraight;
  uint32_t size = 0;  // instructions, numbered, once the body is final
  bool is_called = false;
  enum { kNew, kOpen, kDone } state = kNew;
};

class Inliner {
 public:
  Inliner(ir::Module& module, size_t limit, const FunctionSet& stay)
      : module_(module), limit_(limit), stay_(stay), builder_(module) {}

  std::string run() {
    for (Function* f : module_.functions) {
      if (!f->is_kernel) continue;
      if (std::string error = order_from(f); !error.empty()) return error;
    }
    for (Function* f : order_) {
      Node& node = nodes_[f];
      add_up(node);
      if (f->is_kernel && node.total > limit_) return too_large(f);
    }
    for (Function* f : order_) expand(f);
    drop_unused();
    return {};
  }

 private:
  // Depth-first over the call graph: appends to order_, callees before callers.
  std::string order_from(Function* root) {
    struct Frame {
      Function* function;
      size_t next;
    };
    if (nodes_[root].state == Node::kDone) return {};
    std::vector<Frame> path;
    const auto open = [&](Function* f) {
      scan(f, nodes_[f]);
      nodes_[f].state = Node::kOpen;
      path.push_back({f, 0});
    };
    open(root);
    while (!path.empty()) {
      Frame& top = path.back();
      Node& node = nodes_[top.function];
      if (top.next == node.callees.size()) {
        node.state = Node::kDone;
        order_.push_back(top.function);
        path.pop_back();
        continue;
      }
      Function* callee = node.callees[top.next++];
      nodes_[callee].is_called = true;
      const auto state = nodes_[callee].state;
      if (state == Node::kOpen) {
        std::vector<const Function*> cycle;
        for (size_t i = path.size(); i-- > 0;) {
          cycle.insert(cycle.begin(), path[i].function);
          if (path[i].function == callee) break;
        }
        return recursion_text(cycle);
      }
      if (state == Node::kNew) open(callee);
    }
    return {};
  }

  void scan(Function* f, Node& node) const {
    std::unordered_map<Function*, size_t> seen;
    traverse(f->body, [&](Inst* i) {
      if (!i->is(Op::kCall) || stay_.count(i->attr().callee) != 0) {
        ++node.own;
        return;
      }
      Function* callee = i->attr().callee;
      const auto [at, fresh] = seen.try_emplace(callee, node.calls.size());
      if (fresh) {
        node.callees.push_back(callee);
        node.calls.push_back({callee, 0});
      }
      ++node.calls[at->second].second;
    });
  }

  std::string too_large(const Function* kernel) const {
    return message::kTooLargeInlined(kernel->name, std::to_string(limit_)).str();
  }

  // Saturates: totals can grow exponentially with the depth of the call graph.
  void add_up(Node& node) {
    constexpr size_t kFrame = 4;  // result variable, scope, load, and a store
    const size_t cap = limit_ + 1;
    node.total = std::min(cap, node.own);
    for (const auto& [callee, count] : node.calls) {
      const size_t each = nodes_[callee].total + kFrame;
      node.total = count > cap / each ? cap : std::min(cap, node.total + count * each);
    }
  }

  // Replaces all calls in `f`. Their callees are final.
  void expand(Function* f) {
    Node& node = nodes_[f];
    if (!node.calls.empty()) {
      std::vector<Value*> instead(number_insts(*f), nullptr);
      traverse(f->body, [&](Inst* i) {
        for (Value*& v : i->operands) {
          const Inst* def = ir::as_inst(v);
          if (def != nullptr && instead[def->id] != nullptr) v = instead[def->id];
        }
        if (i->is(Op::kCall) && stay_.count(i->attr().callee) == 0) instead[i->id] = expand_call(i);
      });
    }
    if (!node.is_called) return;
    node.size = number_insts(*f);
    node.shape = shape_of(f);
  }

  static Shape shape_of(const Function* f) {
    Block* body = f->body;
    if (body->terminated() && !body->last->is(Op::kReturn)) return Shape::kScope;
    Shape shape = Shape::kStraight;
    traverse(body, [&](Inst* i) {
      if (!i->is(Op::kReturn) || i == body->last || shape == Shape::kScope) return;
      shape = in_tail_position(i, body) ? Shape::kTail : Shape::kScope;
    });
    return shape;
  }

  // Inserts the callee's body before the call, unlinks the call, and returns the replacement of its value.
  Value* expand_call(Inst* call) {
    Function* callee = call->attr().callee;
    const Node& node = nodes_[callee];
    Block* block = call->parent;
    const bool has_value = !callee->result->is_void();
    Inst* result = nullptr;
    Inst* scope = nullptr;
    builder_.at(block, call);
    builder_.pos(call->pos);
    if (has_value && node.shape != Shape::kStraight)
      result = builder_.var(callee->result, module_.intern(callee->name));
    if (node.shape == Shape::kScope) scope = builder_.make_scope();
    Value* value = copy_body(callee, call, result, scope);
    builder_.at(block, call);
    if (result != nullptr) value = builder_.load(callee->result, result);
    if (has_value && value == nullptr) value = module_.undef(callee->result);
    block->remove(call);
    return value;
  }

  Value* copy_body(const Function* callee, Inst* call, Inst* result, Inst* scope) {
    Cloner cloner(module_, nodes_[callee].size, call->parent->function);
    cloner.place(call->pos);
    for (size_t i = 0; i < callee->params.size(); ++i) cloner.bind(callee->params[i], call->operand(i));
    Value* value = nullptr;
    const auto on_return = [&](const Inst* ret, Block* to, Inst* where) {
      Value* returned = ret->operands.empty() ? nullptr : cloner.mapped(ret->operand(0));
      builder_.at(to, where);
      builder_.pos(ret->pos.line != 0 ? ret->pos : call->pos);
      if (result != nullptr && returned != nullptr) builder_.store(result, returned);
      if (result == nullptr) value = returned;
      if (scope != nullptr && !in_tail_position(ret, callee->body)) builder_.exit(scope);
    };
    if (scope != nullptr) {
      cloner.copy(callee->body, scope->blocks[0], nullptr, on_return);
    } else {
      cloner.copy(callee->body, call->parent, call, on_return);
    }
    return value;
  }

  void drop_unused() {
    std::erase_if(module_.functions, [&](const Function* f) { return !f->is_kernel && stay_.count(f) == 0; });
  }

  ir::Module& module_;
  size_t limit_;
  const FunctionSet& stay_;
  ir::Builder builder_;
  std::unordered_map<const Function*, Node> nodes_;
  std::vector<Function*> order_;
};

}  // namespace

void drop_unused(ir::Module& module) {
  std::unordered_set<const Function*> used;
  std::vector<Function*> work;
  for (Function* f : module.functions) {
    if (f->is_kernel && used.insert(f).second) work.push_back(f);
  }
  while (!work.empty()) {
    Function* f = work.back();
    work.pop_back();
    traverse(f->body, [&](Inst* i) {
      if (i->is(Op::kCall) && used.insert(i->attr().callee).second) work.push_back(i->attr().callee);
    });
  }
  std::erase_if(module.functions, [&](const Function* f) { return !used.contains(f); });
}

std::string inline_calls(ir::Module& module, size_t limit, const FunctionSet& stay) {
  return Inliner(module, limit, stay).run();
}

}  // namespace quern::pass
