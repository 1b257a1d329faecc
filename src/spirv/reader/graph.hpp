// The blocks of a function as a graph, with what is needed to write it down as regions: the order, who
// dominates whom, which blocks begin loops and where ways come together. Nodes are numbered in reverse
// post-order from 0, the entry; blocks that nothing leads to are not in it.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "spirv/reader/source.hpp"

namespace quern::spirv {

// The labels a terminator may go to, each once, in order.
using Targets = std::function<std::vector<Id>(const Instruction&)>;

struct Node {
  const BasicBlock* block = nullptr;
  std::vector<uint32_t> before;  // distinct
  std::vector<uint32_t> after;
  uint32_t dominator = 0;  // the nearest; the entry's is itself
  bool is_loop = false;    // something it dominates leads back to it
  // Several ways lead here, not counting those back, or one that leaves a loop.
  bool is_join = false;
  // The joins to be written behind this node, in order: within the loop it may begin, and behind that loop.
  std::vector<uint32_t> joins;
  std::vector<uint32_t> behind_loop;
};

class Graph {
 public:
  // Refuses loops with several entries: those have no structured form.
  Graph(const FunctionSource& function, const Binary& binary, const Targets& targets, Failure& failure);

  const std::vector<Node>& nodes() const { return nodes_; }
  uint32_t find(Id label) const { return index_.at(label); }
  bool has(Id label) const { return index_.contains(label); }
  // Whether the way from one node to the other goes back to a loop's head.
  static bool is_back(uint32_t from, uint32_t to) { return to <= from; }

 private:
  bool dominates(uint32_t a, uint32_t b) const;
  void number(const FunctionSource& function, const Binary& binary, const Targets& targets, Failure& failure);
  void find_dominators();
  void classify(const Binary& binary, Failure& failure);
  void find_loops();
  void find_joins();
  bool in_loop(uint32_t head, uint32_t node) const;

  std::vector<Node> nodes_;
  std::unordered_map<Id, uint32_t> index_;
  std::vector<uint32_t> inner_;  // the head of the innermost loop around each node
  std::vector<uint32_t> outer_;  // by head: that of the loop around its loop
};

}  // namespace quern::spirv
