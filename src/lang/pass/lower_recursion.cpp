// Recursion without a call stack of the target. The functions of a cycle of calls become one loop over states
// in each function that is called from outside of the cycle. Their bodies are split at the calls of the
// cycle; values and variables that are used on both sides of a call live in arrays, one element per call that
// is active. Constructs without such a call stay as they are.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "lang/ir/builder.hpp"
#include "lang/pass/call_cycles.hpp"
#include "lang/pass/messages.hpp"
#include "lang/pass/pass.hpp"

namespace quern::pass {
namespace {

using ir::Block;
using ir::Function;
using ir::Inst;
using ir::Op;
using ir::Value;

constexpr uint64_t kLeastDepth = 16;
constexpr uint32_t kReturns = ~uint32_t{0};  // in place of the next state: the end of the function

// An address that costs nothing to compute again.
bool is_address_step(const Inst* i) {
  return i->is(Op::kFieldPtr) || i->is(Op::kSpaceCast) ||
         (i->is(Op::kOffset) && i->operand(1)->kind == ir::ValueKind::kConst);
}

class Machine {
 public:
  Machine(ir::Module& module, Function* entry, const std::vector<Function*>& members, uint64_t stack_bytes)
      : module_(module), entry_(entry), members_(members), stack_bytes_(stack_bytes), builder_(module) {}

  // Returns the new body of the entry function; the members are not modified.
  Block* build() {
    for (const Function* f : members_) is_member_.insert(f);
    find_fixed_params();
    for (Function* f : members_) mark_constructs(f);
    is_dry_ = true;
    write_functions();
    for (Function* f : members_) find_crossings(f);
    const uint64_t depth = std::max(kLeastDepth, stack_bytes_ / frame_bytes());
    make_loop(depth);
    is_dry_ = false;
    write_functions();
    return body_;
  }

 private:
  struct Slot {
    const ir::Type* type = nullptr;
    size_t index = 0;  // among those of its type
  };
  struct Targets {
    uint32_t exit = 0, step = 0;
  };

  const ir::Type* u32() { return module_.types().get(ir::TypeKind::kU32); }
  Value* number(uint64_t n) { return module_.constant(u32(), n); }
  bool calls_member(const Inst* i) const { return i->is(Op::kCall) && is_member_.contains(i->attr().callee); }

  // ---- analysis

  // Parameters that always have the value of one of the entry's parameters need no memory.
  void find_fixed_params() {
    for (const ir::Param* p : entry_->params) fixed_[p] = p->index;
    for (bool changed = true; changed;) {
      changed = false;
      for (const Function* f : members_) {
        ir::walk(f->body, [&](const Inst* call) {
          if (!calls_member(call)) return;
          const Function* callee = call->attr().callee;
          for (size_t i = 0; i < callee->params.size(); ++i)
            changed = meet(callee->params[i], call->operand(i)) || changed;
        });
      }
    }
  }

  bool meet(const ir::Param* param, const Value* given) {
    constexpr uint32_t kVaries = kReturns;
    uint32_t value = kVaries;
    if (given->kind == ir::ValueKind::kParam) {
      const auto known = fixed_.find(static_cast<const ir::Param*>(given));
      if (known == fixed_.end()) return false;  // not known yet: its own calls come later
      value = known->second;
    }
    const auto [at, is_new] = fixed_.try_emplace(param, value);
    if (is_new) return true;
    if (at->second == value || at->second == kVaries) return false;
    at->second = kVaries;
    return true;
  }

  Value* fixed(const ir::Param* param) const {
    const auto known = fixed_.find(param);
    return known != fixed_.end() && known->second != kReturns ? entry_->params[known->second] : nullptr;
  }

  // The constructs around calls of members are dissolved into states.
  void mark_constructs(const Function* f) {
    ir::walk(f->body, [&](const Inst* i) {
      if (!calls_member(i)) return;
      for (const Block* b = i->parent; b->owner != nullptr; b = b->owner->parent) split_.insert(b->owner);
    });
  }

  void find_crossings(const Function* f) {
    users_.clear();
    ir::walk(f->body, [&](const Inst* i) {
      for (const Value* v : i->operands) users_[v].push_back(i);
    });
    used_.clear();
    for (const ir::Param* p : f->params) {
      if (fixed(p) == nullptr) add_slot(p, slot_type(p->type));
    }
    ir::walk(f->body, [&](const Inst* i) {
      if (i->is(Op::kVar) && is_at_top(i) && escapes(i)) add_slot(i, i->attr().type);
      const uint32_t segment = calls_member(i) ? call_segment_.at(i) : segment_.at(i);
      for (const Value* v : i->operands) use(v, segment);
    });
  }

  bool is_at_top(const Inst* i) const {
    return i->parent->owner == nullptr || split_.contains(i->parent->owner);
  }

  // Whether the address of a variable may be kept beyond the instructions that use it directly.
  bool escapes(const Inst* address) const {
    const auto users = users_.find(address);
    if (users == users_.end()) return false;
    return std::any_of(users->second.begin(), users->second.end(), [&](const Inst* i) {
      if (i->is(Op::kLoad)) return false;
      if (i->is(Op::kStore)) return i->operand(1) == address;
      return !(is_address_step(i) || i->is(Op::kOffset)) || escapes(i);
    });
  }

  void use(const Value* v, uint32_t segment) {
    const Inst* i = ir::as_inst(v);
    if (i == nullptr || segment_.at(i) == segment) return;
    if (i->is(Op::kVar)) {
      add_slot(i, i->attr().type);
    } else if (is_address_step(i)) {
      for (const Value* operand : i->operands) use(operand, segment);
    } else {
      add_slot(i, slot_type(i->type));
    }
  }

  // Pointers in memory are generic.
  const ir::Type* slot_type(const ir::Type* t) {
    return t->is_ptr() ? module_.types().ptr(ir::Space::kGeneric) : t;
  }

  void add_slot(const Value* v, const ir::Type* type) {
    if (slots_.contains(v)) return;
    const size_t index = used_[type]++;
    slots_[v] = {type, index};
    size_t& most = counts_[type];
    if (index < most) return;
    most = index + 1;
    order_.push_back({type, index});
  }

  uint64_t frame_bytes() const {
    uint64_t bytes = kStateBytes;
    for (const Slot& slot : order_) bytes += slot.type->size;
    return bytes;
  }

  // ---- the loop

  void make_loop(uint64_t depth) {
    depth_limit_ = depth;
    body_ = module_.new_block(entry_, nullptr);
    builder_.at(body_);
    builder_.pos(entry_->pos);
    depth_ = builder_.var(u32(), "depth");
    state_ = builder_.var(u32(), "state");
    caller_ = builder_.var(module_.types().array(u32(), depth), "caller");
    for (const Slot& slot : order_) {
      arrays_[slot.type].push_back(builder_.var(module_.types().array(slot.type, depth), "frames"));
    }
    for (const Function* f : members_) {
      if (!f->result->is_void() && !results_.contains(f->result))
        results_[f->result] = builder_.var(f->result, "result");
    }
    builder_.store(depth_, number(0));
    builder_.store(state_, number(entries_[entry_]));
    builder_.store(element(caller_, u32(), number(0)), number(states_));
    for (ir::Param* p : entry_->params) {
      if (fixed(p) == nullptr) builder_.store(slot_address(p, number(0)), p);
    }
    loop_ = builder_.make_loop();
    builder_.at(loop_->blocks[1]);
    std::vector<ir::SwitchCase> cases;
    for (uint32_t s = 0; s < states_; ++s) cases.push_back({{s}});
    cases.push_back({});
    Value* at = builder_.load(u32(), state_);
    switch_ = builder_.make_switch(at, std::move(cases));
    builder_.at(switch_->blocks[states_]);
    builder_.exit(loop_);
    builder_.at(body_);
    if (!entry_->result->is_void()) builder_.ret(builder_.load(entry_->result, results_.at(entry_->result)));
  }

  Value* element(Value* array, const ir::Type* type, Value* index) {
    return builder_.offset(array, index, type->size);
  }

  Value* slot_address(const Value* v, Value* depth) {
    const Slot& slot = slots_.at(v);
    return element(arrays_.at(slot.type)[slot.index], slot.type, depth);
  }

  // ---- states. The same walk numbers them (is_dry_) and writes them.

  void write_functions() {
    states_ = 0;
    for (Function* f : members_) {
      entries_[f] = new_state();
    }
    for (Function* f : members_) {
      begin(entries_[f]);
      write(f->body, kReturns);
    }
  }

  uint32_t new_state() { return states_++; }

  void begin(uint32_t state) {
    current_ = state;
    if (is_dry_) return;
    values_.clear();
    builder_.at(switch_->blocks[state]);
    here_ = builder_.load(u32(), depth_);
  }

  void write(const Block* block, uint32_t next) {
    for (const Inst* i : *block) {
      builder_.pos(i->pos);
      if (is_dry_) number_segment(i);
      if (calls_member(i)) {
        write_call(i);
      } else if (split_.contains(i)) {
        write_construct(i);
      } else if (i->is(Op::kReturn)) {
        if (!is_dry_) write_return(i->operands.empty() ? nullptr : i->operand(0));
        return;
      } else if (i->is(Op::kExit)) {
        return jump(targets_.at(i->attr().target).exit);
      } else if (i->is(Op::kContinue)) {
        return jump(targets_.at(i->attr().target).step);
      } else if (i->is(Op::kYield)) {
        return choose(i->operand(0), next, left_);
      } else if (!is_dry_) {
        copy(i, 0);
      }
      if (i->is(Op::kUnreachable)) return;
    }
    if (next == kReturns) {
      if (!is_dry_) write_return(nullptr);
    } else {
      jump(next);
    }
  }

  void number_segment(const Inst* i) {
    segment_[i] = current_;
    if (split_.contains(i)) return;
    for (Block* b : i->blocks) ir::walk(b, [&](const Inst* inner) { segment_[inner] = current_; });
  }

  void jump(uint32_t state) {
    if (!is_dry_) builder_.store(state_, number(state));
  }

  void choose(Value* condition, uint32_t yes, uint32_t no) {
    if (!is_dry_) builder_.store(state_, builder_.select(value(condition), number(yes), number(no)));
  }

  void write_construct(const Inst* i) {
    switch (i->op) {
      case Op::kIf: return write_if(i);
      case Op::kSwitch: return write_switch(i);
      case Op::kLoop: return write_loop(i);
      default: {  // a scope
        const uint32_t after = new_state();
        targets_[i] = {after, after};
        write(i->blocks[0], after);
        begin(after);
      }
    }
  }

  void write_if(const Inst* i) {
    const uint32_t sides[] = {new_state(), new_state()};
    const uint32_t after = new_state();
    choose(i->operand(0), sides[0], sides[1]);
    for (size_t side = 0; side < 2; ++side) {
      begin(sides[side]);
      write(i->blocks[side], after);
    }
    begin(after);
  }

  void write_switch(const Inst* i) {
    std::vector<uint32_t> sides;
    for (size_t side = 0; side < i->blocks.size(); ++side) sides.push_back(new_state());
    const uint32_t after = new_state();
    targets_[i] = {after, after};
    if (!is_dry_) {
      Block* here = builder_.block();
      builder_.store(state_, number(after));
      const Inst* choice = builder_.make_switch(value(i->operand(0)), i->attr().cases);
      for (size_t side = 0; side < sides.size(); ++side) {
        builder_.at(choice->blocks[side]);
        builder_.store(state_, number(sides[side]));
      }
      builder_.at(here);
    }
    for (size_t side = 0; side < sides.size(); ++side) {
      begin(sides[side]);
      write(i->blocks[side], after);
    }
    begin(after);
  }

  void write_loop(const Inst* i) {
    const uint32_t head = new_state();
    const uint32_t inside = new_state();
    const uint32_t step = new_state();
    const uint32_t after = new_state();
    targets_[i] = {after, step};
    const uint32_t outer = left_;
    left_ = after;
    jump(head);
    begin(head);
    write(i->blocks[0], inside);
    begin(inside);
    write(i->blocks[1], step);
    left_ = after;
    begin(step);
    write(i->blocks[2], head);
    left_ = outer;
    begin(after);
  }

  void write_call(const Inst* call) {
    const Function* callee = call->attr().callee;
    const uint32_t after = new_state();
    if (!is_dry_) {
      std::vector<Value*> args;
      for (Value* v : call->operands) args.push_back(value(v));
      Value* deeper = builder_.binary(Op::kAdd, here_, number(1));
      check_depth(deeper, callee);
      for (size_t k = 0; k < args.size(); ++k) {
        const ir::Param* p = callee->params[k];
        if (fixed(p) == nullptr) builder_.store(slot_address(p, deeper), as_slot(args[k]));
      }
      builder_.store(element(caller_, u32(), deeper), number(after));
      builder_.store(depth_, deeper);
      jump(entries_.at(callee));
    }
    begin(after);
    if (is_dry_) {
      call_segment_[call] = std::exchange(segment_[call], after);
    } else if (!callee->result->is_void()) {
      define(call, builder_.load(callee->result, results_.at(callee->result)));
    }
  }

  // A call that does not fit ends the launch with an error.
  void check_depth(Value* deeper, const Function* callee) {
    Block* here = builder_.block();
    const Inst* full = builder_.make_if(builder_.compare(Op::kGe, deeper, number(depth_limit_)));
    builder_.at(full->blocks[0]);
    ir::Attr attr;
    attr.text = message::kRecursionDepth(callee->name, std::to_string(depth_limit_)).str();
    Value* no[] = {module_.constant_bool(false)};
    builder_.op(Op::kAssert, module_.types().get(ir::TypeKind::kVoid), no, attr);
    builder_.store(state_, number(states_limit()));
    builder_.continue_(loop_);
    builder_.at(here);
  }

  uint64_t states_limit() const { return switch_->blocks.size() - 1; }  // the state that ends the loop

  void write_return(Value* result) {
    if (result != nullptr) builder_.store(results_.at(result->type), value(result));
    builder_.store(state_, builder_.load(u32(), element(caller_, u32(), here_)));
    builder_.store(depth_, builder_.binary(Op::kSub, here_, number(1)));
  }

  // ---- instructions

  Value* as_slot(Value* v) {
    return v->type->is_ptr() && v->type->space != ir::Space::kGeneric
               ? builder_.op(Op::kSpaceCast, module_.types().ptr(ir::Space::kGeneric), {v})
               : v;
  }

  Value* reload(const Value* v, Value* address) {
    const Slot& slot = slots_.at(v);
    Value* loaded = builder_.load(slot.type, address);
    return slot.type == v->type ? loaded : builder_.op(Op::kSpaceCast, v->type, {loaded});
  }

  // The value in the current state. A value that is loaded in a nested block is not reused after it.
  Value* value(Value* v) {
    if (v->kind == ir::ValueKind::kParam) {
      if (Value* same = fixed(static_cast<ir::Param*>(v))) return same;
      return reload(v, slot_address(v, here_));
    }
    Inst* i = ir::as_inst(v);
    if (i == nullptr) return v;
    if (const auto known = values_.find(i); known != values_.end()) return known->second;
    if (i->is(Op::kVar)) return slot_address(i, here_);
    if (is_address_step(i) && segment_.at(i) != current_) return copy_inst(i);
    return reload(i, slot_address(i, here_));
  }

  void define(const Inst* source, Value* made) {
    values_[source] = made;
    if (slots_.contains(source)) builder_.store(slot_address(source, here_), as_slot(made));
  }

  Inst* copy_inst(const Inst* source) {
    std::vector<Value*> operands;
    for (Value* v : source->operands) operands.push_back(value(v));
    Inst* made = builder_.emit(source->op, source->type, operands);
    made->pos = source->pos;
    made->name = source->name;
    if (source->attr_ != nullptr) {
      made->mutable_attr() = *source->attr_;
      if (Inst* target = source->attr().target; target != nullptr) {
        const auto copied = values_.find(target);
        if (copied != values_.end()) made->mutable_attr().target = ir::as_inst(copied->second);
      }
    }
    return made;
  }

  void copy(const Inst* source, int nesting) {
    if (source->is(Op::kVar) && slots_.contains(source)) {
      values_[source] = slot_address(source, here_);
      return;
    }
    if (nesting > 0 && source->is(Op::kReturn)) {
      write_return(source->operands.empty() ? nullptr : source->operand(0));
      builder_.continue_(loop_);
      return;
    }
    if (const auto out = targets_.find(source->attr().target); out != targets_.end()) {
      jump(source->is(Op::kExit) ? out->second.exit : out->second.step);
      builder_.continue_(loop_);
      return;
    }
    Inst* made = copy_inst(source);
    if (source->blocks.empty()) {
      if (nesting == 0 && !source->type->is_void()) return define(source, made);
      values_[source] = made;
      return;
    }
    values_[source] = made;
    Block* here = builder_.block();
    for (const Block* b : source->blocks) {
      Block* inner = module_.new_block(entry_, made);
      made->blocks.push_back(inner);
      builder_.at(inner);
      for (const Inst* i : *b) {
        builder_.pos(i->pos);
        copy(i, nesting + 1);
      }
    }
    builder_.at(here);
  }

  static constexpr uint64_t kStateBytes = 4;
  ir::Module& module_;
  Function* entry_;
  const std::vector<Function*>& members_;
  uint64_t stack_bytes_;
  ir::Builder builder_;
  bool is_dry_ = true;

  std::unordered_set<const Function*> is_member_;
  std::unordered_map<const ir::Param*, uint32_t> fixed_;
  std::unordered_set<const Inst*> split_;
  std::unordered_map<const Inst*, uint32_t> segment_;       // the state that computes an instruction
  std::unordered_map<const Inst*, uint32_t> call_segment_;  // the state that makes a call
  std::unordered_map<const Value*, std::vector<const Inst*>> users_;
  std::unordered_map<const Value*, Slot> slots_;
  std::map<const ir::Type*, size_t> used_, counts_;
  std::vector<Slot> order_;
  std::map<const ir::Type*, std::vector<Inst*>> arrays_;
  std::map<const ir::Type*, Inst*> results_;

  uint64_t depth_limit_ = 0;
  Block* body_ = nullptr;
  Inst *depth_ = nullptr, *state_ = nullptr, *caller_ = nullptr, *loop_ = nullptr, *switch_ = nullptr;
  uint32_t states_ = 0, current_ = 0, left_ = 0;
  std::unordered_map<const Function*, uint32_t> entries_;
  std::unordered_map<const Inst*, Targets> targets_;
  Value* here_ = nullptr;
  std::unordered_map<const Inst*, Value*> values_;
};

}  // namespace

void lower_recursion(ir::Module& module, uint64_t stack_bytes) {
  for (const std::vector<Function*>& cycle : call_cycles(module)) {
    const std::unordered_set<const Function*> members(cycle.begin(), cycle.end());
    std::unordered_set<const Function*> called;
    for (const Function* f : module.functions) {
      if (members.contains(f)) continue;
      ir::walk(f->body, [&](const Inst* i) {
        if (i->is(Op::kCall) && members.contains(i->attr().callee)) called.insert(i->attr().callee);
      });
    }
    std::vector<std::pair<Function*, Block*>> made;
    for (Function* f : cycle) {
      if (called.contains(f)) made.push_back({f, Machine(module, f, cycle, stack_bytes).build()});
    }
    for (const auto& [function, body] : made) function->body = body;
    std::erase_if(module.functions,
                  [&](const Function* f) { return members.contains(f) && !called.contains(f); });
  }
}

}  // namespace quern::pass
