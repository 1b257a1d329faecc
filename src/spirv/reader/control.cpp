// Structured control flow. A join block follows a scope that all edges to it leave; a loop header opens a
// loop; every other block is emitted at the position of its only incoming branch. This needs no merge
// instructions, only loops with a single entry, so it works for both models.
#include <algorithm>
#include <unordered_set>

#include "spirv/reader/instructions.hpp"
#include "spirv/reader/messages.hpp"
#include "spirv/reader/reader.hpp"

namespace quern::spirv {

namespace {

constexpr uint32_t kMostNested = 150;  // regions in regions; later passes recurse over them

bool is_phi(const Instruction& i) { return i.opcode == Opcode::kPhi; }

}  // namespace

class Flow {
 public:
  Flow(Emitter& e, const FunctionSource& source)
      : e_(e),
        binary_(e.source().binary),
        graph_(
            source, binary_, [this](const Instruction& i) { return targets(i); }, e.reader().failure()) {}

  void run() {
    if (e_.failed()) return;
    declare_phis();
    tree(0);
  }

 private:
  // The number of words of a case value.
  size_t literal_words(const Instruction& i) const {
    if (i.operands.empty()) return 1;
    const auto def = e_.source().definitions.find(i.operands[0]);
    if (def == e_.source().definitions.end()) return 1;
    const TypeInfo* t = e_.types().find(def->second->type());
    return t != nullptr && t->width == 64 ? 2 : 1;
  }

  std::vector<Id> targets(const Instruction& i) {
    std::vector<Id> all;
    const auto add = [&](size_t operand) {
      if (operand >= i.operands.size()) {
        e_.reader().failure().set(i, message::kMissingOperand());
      } else if (std::find(all.begin(), all.end(), i.operands[operand]) == all.end()) {
        all.push_back(i.operands[operand]);
      }
    };
    if (i.opcode == Opcode::kBranch) add(0);
    if (i.opcode == Opcode::kBranchConditional) add(1), add(2);
    if (i.opcode == Opcode::kSwitch) {
      add(1);
      const size_t step = literal_words(i) + 1;
      for (size_t k = 2; k < i.operands.size(); k += step) add(k + step - 1);
    }
    return all;
  }

  const Instruction& instruction(uint32_t index) const { return binary_.instructions[index]; }

  // Values of phis are kept in variables, which every predecessor sets.
  void declare_phis() {
    for (const Node& n : graph_.nodes()) {
      for (uint32_t i = n.block->first; i < n.block->last; ++i) {
        if (!is_phi(instruction(i))) continue;
        e_.at_ = &instruction(i);
        std::vector<ir::Inst*>& vars = phis_[&instruction(i)];
        for (const ir::Type* t : e_.leaf_types(e_.result_type()))
          vars.push_back(e_.variable(t, e_.source().name(instruction(i).result())));
        e_.reader().count(vars.size(), instruction(i));
      }
    }
  }

  void set_phis(uint32_t from, uint32_t to) {
    const BasicBlock& block = *graph_.nodes()[to].block;
    std::vector<std::pair<const std::vector<ir::Inst*>*, Val>> news;
    for (uint32_t i = block.first; i < block.last && !e_.failed(); ++i) {
      const Instruction& phi = instruction(i);
      if (!is_phi(phi)) continue;
      e_.at_ = &phi;
      news.emplace_back(&phis_.at(&phi), incoming(phi, graph_.nodes()[from].block->label));
    }
    for (const auto& [vars, val] : news) {
      for (size_t k = 0; k < vars->size(); ++k)
        e_.b.store((*vars)[k], e_.leaf(val, k, (*vars)[k]->attr().type));
    }
  }

  Val incoming(const Instruction& phi, Id from) {
    for (size_t k = 2; k + 1 < phi.operands.size(); k += 2) {
      if (phi.operands[k + 1] == from) return e_.value(phi.operands[k]);
    }
    e_.fail(message::kNoValueForEdge(std::to_string(from)));
    return {};
  }

  // A node with all nodes that it dominates. Successors at the same position are handled iteratively.
  void tree(uint32_t node) {
    if (nesting() > kMostNested) return e_.fail(message::kRegionsTooDeep(std::to_string(kMostNested)));
    for (std::optional<uint32_t> next = node; next.has_value() && !e_.failed();) {
      const Node& n = graph_.nodes()[*next];
      const uint32_t index = *next;
      if (n.behind_loop.empty() && !n.is_loop) {
        next = inside(index);
        continue;
      }
      next = before_joins(n.behind_loop, [&]() -> std::optional<uint32_t> {
        if (n.is_loop) open_loop(index);
        if (const std::optional<uint32_t> last = inside(index)) tree(*last);
        return std::nullopt;
      });
    }
  }

  std::optional<uint32_t> inside(uint32_t node) {
    return before_joins(graph_.nodes()[node].joins, [&] { return block(node); });
  }

  // Emits `first` within one scope per join: the first join follows the innermost scope, the last one the
  // outermost. Returns the node to continue with at the current position.
  template <typename Fn>
  std::optional<uint32_t> before_joins(const std::vector<uint32_t>& joins, Fn&& first) {
    if (joins.empty()) return first();
    std::vector<ir::Block*> behind(joins.size());
    for (size_t k = joins.size(); k-- > 0;) {
      behind[k] = e_.b.block();
      scopes_[joins[k]] = e_.b.make_scope();
      e_.b.at(scopes_[joins[k]]->blocks[0]);
    }
    if (nesting() > kMostNested) e_.fail(message::kRegionsTooDeep(std::to_string(kMostNested)));
    if (e_.failed()) return std::nullopt;
    if (const std::optional<uint32_t> next = first()) tree(*next);
    for (size_t k = 0; k + 1 < joins.size() && !e_.failed(); ++k) {
      e_.b.at(behind[k]);
      tree(joins[k]);
    }
    e_.b.at(behind.back());
    return joins.back();
  }

  uint32_t nesting() const {
    uint32_t depth = 0;
    for (const ir::Block* block = e_.b.block(); block->owner != nullptr; block = block->owner->parent)
      ++depth;
    return depth;
  }

  void open_loop(uint32_t n) {
    ir::Inst* loop = e_.b.make_loop();
    loops_[n] = loop;
    e_.b.at(loop->blocks[1]);
  }

  // Emits one block. Returns the block that continues at the same position, if it has a single such
  // successor.
  std::optional<uint32_t> block(uint32_t n) {
    const BasicBlock& block = *graph_.nodes()[n].block;
    e_.has_line_ = false;
    for (uint32_t i = block.first; i < block.last && !e_.failed(); ++i) one(instruction(i));
    if (e_.failed()) return std::nullopt;
    return terminator(n, instruction(block.last));
  }

  void one(const Instruction& i) {
    if (i.opcode == Opcode::kSelectionMerge || i.opcode == Opcode::kLoopMerge) return;
    if (!is_phi(i)) return e_.emit(i);
    e_.at_ = &i;
    e_.position(i);
    Leaves leaves;
    for (ir::Inst* v : phis_.at(&i)) leaves.push_back(e_.b.load(v->attr().type, v));
    e_.define(std::move(leaves));
  }

  std::optional<uint32_t> terminator(uint32_t n, const Instruction& i) {
    e_.at_ = &i;
    e_.position(i);
    switch (i.opcode) {
      case Opcode::kBranch: return way(n, i.operands[0]);
      case Opcode::kBranchConditional: return branch(n, i);
      case Opcode::kSwitch: return choose(n, i);
      case Opcode::kReturn: return leave();
      case Opcode::kReturnValue: return leave_with(e_.value(e_.word(0)));
      case Opcode::kUnreachable: e_.b.emit(ir::Op::kUnreachable, nullptr, {}); return std::nullopt;
      default: e_.fail(message::kEndsFragment()); return std::nullopt;
    }
  }

  std::optional<uint32_t> leave() {
    if (!e_.into_.function->result->is_void()) e_.fail(message::kReturnsNothing());
    e_.b.ret(nullptr);
    return std::nullopt;
  }

  std::optional<uint32_t> leave_with(const Val& val) {
    const ir::Type* result = e_.into_.function->result;
    if (result->is_void()) {
      e_.fail(message::kReturnsValue());
    } else if (!result->is_struct()) {
      e_.b.ret(e_.leaf(val, 0, result));
    } else {
      Leaves members;
      for (size_t k = 0; k < result->fields.size(); ++k)
        members.push_back(e_.leaf(val, k, result->fields[k].type));
      e_.b.ret(e_.b.construct(result, members));
    }
    return std::nullopt;
  }

  // Branches from a node to a label. Returns the node if it must be emitted right here.
  std::optional<uint32_t> way(uint32_t from, Id label) {
    const uint32_t to = graph_.find(label);
    set_phis(from, to);
    if (e_.failed()) return std::nullopt;
    if (Graph::is_back(from, to)) {
      e_.b.continue_(loops_.at(to));
    } else if (graph_.nodes()[to].is_join) {
      e_.b.exit(scopes_.at(to));
    } else {
      return to;
    }
    return std::nullopt;
  }

  void way_in(ir::Block* block, uint32_t from, Id label) {
    e_.b.at(block);
    if (const std::optional<uint32_t> next = way(from, label)) tree(*next);
  }

  std::optional<uint32_t> branch(uint32_t n, const Instruction& i) {
    const Id yes = i.operands[1], no = i.operands[2];
    if (yes == no) return way(n, yes);
    ir::Value* cond = e_.leaf(e_.value(i.operands[0]), 0, e_.kind(ir::TypeKind::kBool));
    ir::Inst* both = e_.b.make_if(cond);
    way_in(both->blocks[0], n, yes);
    if (!e_.failed()) way_in(both->blocks[1], n, no);
    return std::nullopt;
  }

  std::optional<uint32_t> choose(uint32_t n, const Instruction& i) {
    ir::Value* on = e_.integer_arg(0);
    const size_t literal = literal_words(i), step = literal + 1;
    if ((i.operands.size() - 2) % step != 0) e_.fail(message::kCaseWithoutTarget());
    std::unordered_set<int64_t> seen;
    std::vector<Id> labels = {i.operands[1]};
    std::vector<ir::SwitchCase> cases(1);
    for (size_t k = 2; k + literal < i.operands.size() && !e_.failed(); k += step) {
      const Id label = i.operands[k + literal];
      const int64_t value = case_value(on->type, i.operands.subspan(k, literal));
      if (!seen.insert(value).second) {
        e_.fail(message::kDuplicateCase(std::to_string(value)));
      } else if (label != labels[0]) {  // else the default case applies
        const size_t at =
            static_cast<size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin());
        if (at == labels.size()) labels.push_back(label), cases.emplace_back();
        cases[at].values.push_back(value);
      }
    }
    if (e_.failed()) return std::nullopt;
    if (labels.size() == 1) return way(n, labels[0]);
    ir::Inst* all = e_.b.make_switch(on, std::move(cases));
    for (size_t k = 0; k < labels.size() && !e_.failed(); ++k) way_in(all->blocks[k], n, labels[k]);
    return std::nullopt;
  }

  static int64_t case_value(const ir::Type* type, std::span<const uint32_t> words) {
    const uint64_t bits = words[0] | (words.size() > 1 ? uint64_t{words[1]} << 32 : 0);
    const uint32_t shift = 64 - type->bits();
    return type->is_signed() ? static_cast<int64_t>(bits << shift) >> shift
                             : static_cast<int64_t>(bits << shift >> shift);
  }

  Emitter& e_;
  const Binary& binary_;
  Graph graph_;
  std::unordered_map<const Instruction*, std::vector<ir::Inst*>> phis_;
  std::unordered_map<uint32_t, ir::Inst*> loops_;
  std::unordered_map<uint32_t, ir::Inst*> scopes_;  // the scope to leave to reach a join
};

void Emitter::declare_params(const FunctionSource& source) {
  for (const Instruction* p : source.params) {
    at_ = p;
    Val val;
    val.type = p->type();
    for (const ir::Type* t : leaf_types(result_type()))
      val.leaves.push_back(reader_.module().add_param(into_.function, t, this->source().name(p->result())));
    values_[p->result()] = std::move(val);
  }
}

void Emitter::translate(const FunctionSource& source) {
  at_ = source.head;
  declare_params(source);
  if (source.blocks.empty()) return fail(message::kNoBody());
  if (failed()) return;
  Flow(*this, source).run();
  if (failed()) return;
  ir::Block* const body = into_.function->body;
  b.at(body);
  if (!body->terminated()) b.emit(ir::Op::kUnreachable, nullptr, {});
}

}  // namespace quern::spirv
