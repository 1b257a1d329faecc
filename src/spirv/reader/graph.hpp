// The control flow graph of a function, with what is needed to structure it: order, dominators, loop headers
// and join points. Nodes are numbered in reverse post-order from 0, the entry; unreachable blocks are
// excluded.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "spirv/reader/source.hpp"

namespace quern::spirv {

// The successor labels of a terminator, without duplicates, in order.
using Targets = std::function<std::vector<Id>(const Instruction&)>;

struct Node {
  const BasicBlock* block = nullptr;
  std::vector<uint32_t> before;  // distinct
  std::vector<uint32_t> after;
  uint32_t dominator = 0;  // the immediate dominator; the entry's is itself
  bool is_loop = false;    // a node that it dominates branches back to it
  // Several edges lead here, not counting back edges, or one that leaves a loop.
  bool is_join = false;
  // The joins to be emitted after this node, in order: within the loop it may begin, and after that loop.
  std::vector<uint32_t> joins;
  std::vector<uint32_t> behind_loop;
};

class Graph {
 public:
  // Rejects irreducible loops (several entries): they have no structured form.
  Graph(const FunctionSource& function, const Binary& binary, const Targets& targets, Failure& failure);

  const std::vector<Node>& nodes() const { return nodes_; }
  uint32_t find(Id label) const { return index_.at(label); }
  bool has(Id label) const { return index_.contains(label); }
  // Whether the edge between the nodes is a back edge.
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
  std::vector<uint32_t> inner_;  // header of the innermost loop around each node
  std::vector<uint32_t> outer_;  // by header: the header of the enclosing loop
};

}  // namespace quern::spirv
