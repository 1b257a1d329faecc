#include "spirv/reader/graph.hpp"

#include <algorithm>

#include "spirv/reader/messages.hpp"

namespace quern::spirv {

namespace {
constexpr uint32_t kNone = ~0u;
}  // namespace

Graph::Graph(const FunctionSource& function, const Binary& binary, const Targets& targets, Failure& failure) {
  number(function, binary, targets, failure);
  if (failure) return;
  find_dominators();
  classify(binary, failure);
}

// A depth-first traversal with its own stack; nodes are numbered in reverse post-order.
void Graph::number(const FunctionSource& function, const Binary& binary, const Targets& targets,
                   Failure& failure) {
  std::unordered_map<Id, size_t> place;
  for (size_t i = 0; i < function.blocks.size(); ++i) place[function.blocks[i].label] = i;
  std::vector<std::vector<size_t>> after(function.blocks.size());
  std::vector<bool> seen(function.blocks.size(), false);
  std::vector<size_t> left;
  struct Visit {
    size_t block;
    size_t next;
  };
  std::vector<Visit> open;
  const auto enter = [&](size_t block) {
    seen[block] = true;
    const Instruction& end = binary.instructions[function.blocks[block].last];
    for (const Id label : targets(end)) {
      const auto at = place.find(label);
      if (at == place.end()) return failure.set(end, message::kUnknownBlock(std::to_string(label)));
      after[block].push_back(at->second);
    }
    open.push_back({block, 0});
  };
  enter(0);
  while (!open.empty() && !failure) {
    Visit& v = open.back();
    if (v.next == after[v.block].size()) {
      left.push_back(v.block);
      open.pop_back();
      continue;
    }
    const size_t to = after[v.block][v.next++];
    if (!seen[to]) enter(to);
  }
  if (failure) return;
  nodes_.resize(left.size());
  for (size_t i = 0; i < left.size(); ++i) {
    const BasicBlock& block = function.blocks[left[left.size() - 1 - i]];
    nodes_[i].block = &block;
    index_[block.label] = static_cast<uint32_t>(i);
  }
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    for (const size_t to : after[place[nodes_[i].block->label]]) {
      const uint32_t t = index_[function.blocks[to].label];
      nodes_[i].after.push_back(t);
      nodes_[t].before.push_back(i);
    }
  }
}

void Graph::find_dominators() {
  for (size_t i = 1; i < nodes_.size(); ++i) nodes_[i].dominator = kNone;
  const auto meet = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      if (a > b) {
        a = nodes_[a].dominator;
      } else {
        b = nodes_[b].dominator;
      }
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 1; i < nodes_.size(); ++i) {
      uint32_t found = kNone;
      for (const uint32_t p : nodes_[i].before) {
        if (nodes_[p].dominator == kNone) continue;
        found = found == kNone ? p : meet(found, p);
      }
      changed |= nodes_[i].dominator != found;
      nodes_[i].dominator = found;
    }
  }
}

bool Graph::dominates(uint32_t a, uint32_t b) const {
  while (b > a) b = nodes_[b].dominator;
  return a == b;
}

void Graph::classify(const Binary& binary, Failure& failure) {
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    Node& n = nodes_[i];
    uint32_t ways = i == 0 ? 1 : 0;
    for (const uint32_t p : n.before) {
      if (!is_back(p, i)) {
        ++ways;
      } else if (dominates(i, p)) {
        n.is_loop = true;
      } else {
        return failure.set(binary.instructions[nodes_[p].block->last],
                           message::kBranchIntoLoop(std::to_string(n.block->label)));
      }
    }
    n.is_join = ways > 1;
  }
  find_loops();
  find_joins();
}

// From the inner loops to the outer: all nodes that reach the header without passing it.
void Graph::find_loops() {
  inner_.assign(nodes_.size(), kNone);
  outer_.assign(nodes_.size(), kNone);
  for (auto head = static_cast<uint32_t>(nodes_.size()); head-- > 0;) {
    if (!nodes_[head].is_loop) continue;
    inner_[head] = head;
    std::vector<uint32_t> open;
    for (const uint32_t p : nodes_[head].before) {
      if (is_back(p, head)) open.push_back(p);
    }
    while (!open.empty()) {
      uint32_t n = open.back();
      open.pop_back();
      if (inner_[n] == kNone) {
        inner_[n] = head;
      } else {
        n = inner_[n];
        while (outer_[n] != kNone) n = outer_[n];
        if (n == head) continue;
        outer_[n] = head;
      }
      open.insert(open.end(), nodes_[n].before.begin(), nodes_[n].before.end());
    }
  }
}

bool Graph::in_loop(uint32_t head, uint32_t node) const {
  uint32_t loop = inner_[node];
  while (loop != kNone && loop != head) loop = outer_[loop];
  return loop == head;
}

// Nodes that are reached by leaving loops follow the outermost of them.
void Graph::find_joins() {
  for (uint32_t i = 1; i < nodes_.size(); ++i) {
    Node& n = nodes_[i];
    uint32_t left = kNone;
    for (uint32_t loop = inner_[n.dominator]; loop != kNone && !in_loop(loop, i); loop = outer_[loop])
      left = loop;
    if (left != kNone) {
      n.is_join = true;
      nodes_[left].behind_loop.push_back(i);
    } else if (n.is_join) {
      nodes_[n.dominator].joins.push_back(i);
    }
  }
}

}  // namespace quern::spirv
