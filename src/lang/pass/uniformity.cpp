// Divergence analysis on regions. A value varies if it is computed from varying values; a variable varies if
// a varying value is stored to it, or if only some of the threads that share it store to it. Flags are only
// ever set, so repeated walks in program order reach a fixed point.
#include <algorithm>

#include "lang/pass/loop_shape.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {

using ir::Inst;
using ir::Op;
using ir::Value;
using ir::ValueKind;

class UniformityAnalysis {
 public:
  UniformityAnalysis(const ir::Function& kernel, Uniformity::Group group, uint32_t same_thread_ids,
                     uint32_t line, Uniformity& out)
      : kernel_(kernel),
        is_vector_(group == Uniformity::Group::kVector),
        is_grid_(group == Uniformity::Group::kGrid),
        same_thread_ids_(same_thread_ids),
        line_(line),
        index_(out.index_) {}

  std::vector<uint8_t> run() {
    collect();
    do {
      changed_ = false;
      for (uint32_t n = 0; n < nodes_.size(); ++n) visit(n);
    } while (changed_);
    return flags();
  }

 private:
  // A place from which only some threads continue: the inside of a divergent construct, or the rest of a
  // loop's body after some threads have continued.
  struct Split {
    uint32_t control = kNone;
    bool is_body = false;
    bool none() const { return control == kNone; }
  };
  struct Node {
    const Inst* inst = nullptr;
    uint32_t parent = kNone;  // the construct around it
    bool in_body = false;     // it is in the body of the loop `parent`
    uint32_t end = 0;         // one past the last nested instruction
    uint32_t loop = kNone;    // nearest loop around it
    uint32_t root = kNone;    // pointers: the var it points into
    uint32_t first_operand = 0;
    Split split;  // innermost around it; set on each visit
    bool varying = false;
    bool divergent = false;  // control: its condition varies, or some threads leave it earlier than others
    uint32_t apart_from = kNone;         // control: after this node, threads that entered it are missing
    bool body_divergent = false;         // loop: some threads continue early
    bool is_lost = false;                // var: its contents vary, or others may write it
    std::vector<uint32_t> stored_under;  // var: divergent constructs around stores to it
  };

  // --- set up ---

  void collect() {
    std::vector<uint32_t> open;
    traverse(
        kernel_.body,
        [&](Inst* i) {
          add(i, open.empty() ? kNone : open.back());
          if (!i->blocks.empty()) open.push_back(static_cast<uint32_t>(nodes_.size() - 1));
        },
        [&](Inst*) {
          nodes_[open.back()].end = static_cast<uint32_t>(nodes_.size());
          open.pop_back();
        });
  }

  void add(const Inst* inst, uint32_t parent) {
    const auto n = static_cast<uint32_t>(nodes_.size());
    index_.emplace(inst, n);
    Node node;
    node.inst = inst;
    node.parent = parent;
    if (parent != kNone) {
      const Inst* around = nodes_[parent].inst;
      node.in_body = around->is(Op::kLoop) && around->blocks[kLoopBody] == inst->parent;
      node.loop = around->is(Op::kLoop) ? parent : nodes_[parent].loop;
    }
    node.end = n + 1;
    node.first_operand = static_cast<uint32_t>(operands_.size());
    for (const Value* v : inst->operands) {
      const Inst* i = ir::as_inst(v);
      operands_.push_back(i != nullptr ? index_.at(i) : kNone);
    }
    if (inst->is(Op::kVar)) node.root = n;
    nodes_.push_back(std::move(node));
    track_addresses(n);
  }

  void track_addresses(uint32_t n) {
    Node& node = nodes_[n];
    for (size_t k = 0; k < node.inst->operands.size(); ++k) {
      const uint32_t root = root_at(n, k);
      if (root == kNone) continue;
      const Op op = node.inst->op;
      const bool derives = op == Op::kOffset || op == Op::kFieldPtr || op == Op::kSpaceCast;
      if (derives) {
        node.root = root;
      } else if (!is_access(op) || (k != 0 && op != Op::kMemCopy)) {
        nodes_[root].is_lost = true;
      }
    }
  }

  static bool is_access(Op op) {
    switch (op) {
      case Op::kLoad:
      case Op::kStore:
      case Op::kMemSet:
      case Op::kMemCopy:
      case Op::kAtomicRmw:
      case Op::kAtomicCas:
      case Op::kAtomicLoad:
      case Op::kAtomicStore: return true;
      default: return false;
    }
  }

  uint32_t operand_node(uint32_t n, size_t k) const { return operands_[nodes_[n].first_operand + k]; }
  uint32_t root_at(uint32_t n, size_t k) const {
    const uint32_t o = operand_node(n, k);
    return o != kNone ? nodes_[o].root : kNone;
  }
  bool varies(uint32_t n, size_t k) const {
    const uint32_t o = operand_node(n, k);
    return o != kNone && nodes_[o].varying;
  }
  bool any_varies(uint32_t n) const {
    for (size_t k = 0; k < nodes_[n].inst->operands.size(); ++k) {
      if (varies(n, k)) return true;
    }
    return false;
  }

  // --- one visit ---

  void raise(bool& flag) {
    changed_ |= !flag;
    flag = true;
  }

  // From node `from` on, the threads in `control` are no longer converged.
  void part(uint32_t control, uint32_t from) {
    Node& node = nodes_[control];
    raise(node.divergent);
    if (from >= node.apart_from) return;
    node.apart_from = from;
    changed_ = true;
  }

  void visit(uint32_t n) {
    Node& node = nodes_[n];
    node.split = split_around(n);
    switch (node.inst->op) {
      case Op::kIf:
      case Op::kSwitch:
        if (varies(n, 0)) part(n, n);
        return;
      case Op::kYield:
        if (varies(n, 0)) part(node.parent, node.parent);
        return;
      case Op::kExit: return visit_exit(n);
      case Op::kContinue: return visit_continue(node);
      case Op::kReturn:
        if (!node.split.none()) apart_from_ = std::min(apart_from_, first_reached(n, kNone));
        return;
      case Op::kStore:
      case Op::kMemSet:
      case Op::kMemCopy:
      case Op::kAtomicStore:
      case Op::kAtomicRmw:
      case Op::kAtomicCas: visit_store(n); break;
      default: break;
    }
    if (!node.varying && result_varies(n)) raise(node.varying);
  }

  Split split_around(uint32_t n) const {
    const Node& node = nodes_[n];
    if (node.parent == kNone) return {};
    const Node& around = nodes_[node.parent];
    if (node.in_body && around.body_divergent) return {node.parent, true};
    if (around.divergent && n > around.apart_from) return {node.parent, false};
    return around.split;
  }

  // Whether threads diverge somewhere between the construct `outer` and the node.
  static bool splits_below(const Node& node, uint32_t outer) {
    const Split& s = node.split;
    return !s.none() && (outer == kNone || s.control > outer || (s.control == outer && s.is_body));
  }

  void visit_exit(uint32_t n) {
    const uint32_t target = index_.at(nodes_[n].inst->attr().target);
    if (!splits_below(nodes_[n], target)) return;
    part(target, nodes_[target].inst->is(Op::kLoop) ? target : first_reached(n, target));
  }

  // The first place where threads that leave at node n may be missing: loops inside of `outer` repeat from
  // their start.
  uint32_t first_reached(uint32_t n, uint32_t outer) const {
    uint32_t from = n;
    for (uint32_t loop = nodes_[n].loop; loop != kNone && (outer == kNone || loop > outer);
         loop = nodes_[loop].loop) {
      from = loop;
    }
    return from;
  }

  void visit_continue(const Node& node) {
    const uint32_t loop = index_.at(node.inst->attr().target);
    const bool is_below = !node.split.none() && node.split.control > loop;
    if (is_below) raise(nodes_[loop].body_divergent);
  }

  void visit_store(uint32_t n) {
    const uint32_t root = root_at(n, 0);
    if (root == kNone) return;
    Node& var = nodes_[root];
    if (var.is_lost) return;
    const Op op = nodes_[n].inst->op;
    const bool yields = op == Op::kAtomicRmw || op == Op::kAtomicCas || op == Op::kMemCopy;
    if (any_varies(n) || yields) return raise(var.is_lost);
    const Split& split = nodes_[n].split;
    if (split.none() || (var.parent != kNone && split.control <= var.parent)) return;
    const uint32_t loop = nodes_[split.control].loop;
    const bool comes_round = split.is_body || (loop != kNone && (var.parent == kNone || loop > var.parent));
    if (comes_round) return raise(var.is_lost);
    if (std::find(var.stored_under.begin(), var.stored_under.end(), split.control) != var.stored_under.end())
      return;
    var.stored_under.push_back(split.control);
    changed_ = true;
  }

  // --- results ---

  bool result_varies(uint32_t n) const {
    const Inst* inst = nodes_[n].inst;
    switch (inst->op) {
      case Op::kThreadId: return (same_thread_ids_ >> inst->attr().index & 1) == 0;
      case Op::kBlockId: return is_grid_;
      case Op::kLaneId:
      case Op::kMma:
      case Op::kPtx:
      case Op::kMatrixRows:
      case Op::kClock:
      case Op::kGlobalTimer: return true;
      case Op::kCall: return any_varies(n) || !only_computes(*inst->attr().callee);
      case Op::kShuffle: return !is_broadcast(n);
      case Op::kLoad: return load_varies(n);
      case Op::kPtrToInt: return any_varies(n) || root_at(n, 0) != kNone;
      case Op::kDiv:
      case Op::kShr: return any_varies(n) && !is_number_of_group(inst);
      default: break;
    }
    if (inst->type->is_void()) return any_varies(n);
    switch (ir::group(inst->op)) {
      case ir::OpGroup::kAtomic: return true;
      case ir::OpGroup::kBlockVote: return is_grid_;
      case ir::OpGroup::kWarp: return !has_property(inst->op, ir::kSameInWarp) || !is_vector_ || varies(n, 0);
      default: return any_varies(n);
    }
  }

  // Expressions such as thread_id.x / 32: the quotient changes only between groups.
  bool is_number_of_group(const Inst* inst) const {
    const ir::Const* by = ir::as_const(inst->operand(1));
    const Inst* of = ir::as_inst(inst->operand(0));
    if (of != nullptr && of->is(Op::kConvert) && of->type->is_int() && of->type->size >= 4)
      of = ir::as_inst(of->operand(0));
    if (line_ == 0 || by == nullptr || of == nullptr || !of->is(Op::kThreadId) || of->attr().index != 0)
      return false;
    constexpr uint64_t kMostThreads = 1024;
    const uint64_t size = inst->is(Op::kDiv) ? by->bits : by->bits < 11 ? uint64_t{1} << by->bits : 0;
    return size != 0 && size <= kMostThreads && size % line_ == 0;
  }

  // Whether a function's result depends only on its arguments.
  static bool only_computes(const ir::Function& callee) {
    bool only = true;
    traverse(callee.body, [&](const Inst* i) {
      const bool is_local = !i->operands.empty() && (i->operand(0)->type->space == ir::Space::kLocal ||
                                                     i->operand(0)->type->space == ir::Space::kConstant);
      const bool is_memory = i->is(Op::kLoad) || i->is(Op::kStore);
      const bool is_place = i->operands.empty() && !i->is(Op::kVar) && has_property(i->op, ir::kPure);
      const bool is_plain =
          has_property(i->op, ir::kPure | ir::kControl | ir::kTerminator) || i->is(Op::kVar);
      only = only && !is_place && (is_memory ? is_local : is_plain || i->is(Op::kCall));
      if (i->is(Op::kCall)) only = only && only_computes(*i->attr().callee);
    });
    return only;
  }

  // One lane's value for the whole warp.
  bool is_broadcast(uint32_t n) const {
    const Inst* inst = nodes_[n].inst;
    const ir::Const* width = ir::as_const(inst->operand(3));
    const bool whole =
        width != nullptr && width->bits == 32 && inst->attr().shuffle == ir::ShuffleKind::kIndex;
    return is_vector_ && whole && !varies(n, 0) && !varies(n, 2);
  }

  bool load_varies(uint32_t n) const {
    const Inst* inst = nodes_[n].inst;
    if (varies(n, 0)) return true;
    const uint32_t root = root_at(n, 0);
    if (root != kNone) return var_varies(nodes_[root], n);
    if (inst->attr().is_volatile) return true;
    return !is_vector_ && !is_read_only(inst->operand(0));
  }

  // A load inside of the same divergent construct as the store is executed by the same threads.
  bool var_varies(const Node& var, uint32_t load) const {
    if (var.is_lost) return true;
    return std::any_of(var.stored_under.begin(), var.stored_under.end(),
                       [&](uint32_t control) { return load < control || load >= nodes_[control].end; });
  }

  // Memory that is not written while the kernel runs.
  static bool is_read_only(const Value* pointer) {
    if (pointer->type->space == ir::Space::kConstant) return true;
    while (const Inst* i = ir::as_inst(pointer)) {
      if (!i->is(Op::kOffset) && !i->is(Op::kFieldPtr) && !i->is(Op::kSpaceCast)) return false;
      pointer = i->operand(0);
      if (pointer->type->space == ir::Space::kConstant) return true;
    }
    if (pointer->kind != ValueKind::kParam) return false;
    const auto* param = static_cast<const ir::Param*>(pointer);
    return param->type->is_ptr() && param->is_const_elem && param->is_restrict;
  }

  std::vector<uint8_t> flags() const {
    std::vector<uint8_t> flags(nodes_.size());
    for (uint32_t n = 0; n < nodes_.size(); ++n) {
      const Node& node = nodes_[n];
      const bool is_apart = !node.split.none() || n > apart_from_;
      flags[n] = static_cast<uint8_t>((node.varying ? Uniformity::kVarying : 0) |
                                      (node.divergent ? Uniformity::kDivergent : 0) |
                                      (is_apart ? Uniformity::kApart : 0));
    }
    return flags;
  }

  const ir::Function& kernel_;
  const bool is_vector_;
  const bool is_grid_;
  const uint32_t same_thread_ids_;
  const uint32_t line_;
  std::unordered_map<const Inst*, uint32_t>& index_;
  std::vector<Node> nodes_;         // in program order
  std::vector<uint32_t> operands_;  // of all nodes: the node, or kNone for constants, parameters and globals
  uint32_t apart_from_ = kNone;     // after this, some threads may have returned
  bool changed_ = false;
};

Uniformity::Uniformity(const ir::Function& kernel, Group group, uint32_t same_thread_ids, uint32_t line) {
  flags_ = UniformityAnalysis(kernel, group, same_thread_ids, line, *this).run();
}

uint8_t Uniformity::flags_of(const Inst* inst) const {
  const auto at = index_.find(inst);
  return at != index_.end() ? flags_[at->second] : uint8_t{kVarying | kDivergent | kApart};
}

bool Uniformity::is_uniform(const Value* value) const {
  const Inst* inst = ir::as_inst(value);
  return inst == nullptr || (flags_of(inst) & kVarying) == 0;
}

bool Uniformity::is_uniform_branch(const Inst* control) const {
  return (flags_of(control) & kDivergent) == 0;
}

bool Uniformity::is_converged(const Inst* inst) const { return (flags_of(inst) & kApart) == 0; }

}  // namespace quern::pass
