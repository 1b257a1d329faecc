// switch: one block per case if no case falls through, otherwise a chain of conditions on the entered case.
#include <algorithm>
#include <unordered_set>

#include "lang/lower/function_lowering.hpp"
#include "lang/lower/messages.hpp"

namespace quern::lang {

// The statements from one label (or stack of labels) up to the next.
struct FunctionLowering::Segment {
  std::vector<int64_t> values;
  bool is_default = false;
  std::vector<Stmt*> statements;
};

namespace {

constexpr uint64_t kMaxRange = 4096;  // values of a GNU case range

bool never_falls_off(const Stmt* s);

bool never_falls_off(const std::vector<Stmt*>& list) {
  return std::any_of(list.begin(), list.end(), [](const Stmt* s) { return never_falls_off(s); });
}

bool never_falls_off(const Stmt* s) {
  if (s == nullptr) return false;
  switch (s->kind) {
    case StmtKind::kBreak:
    case StmtKind::kContinue:
    case StmtKind::kReturn:
    case StmtKind::kGoto: return true;
    case StmtKind::kBlock: return never_falls_off(as<BlockStmt>(s)->body);
    case StmtKind::kIf:
      return never_falls_off(as<IfStmt>(s)->then_branch) && never_falls_off(as<IfStmt>(s)->else_branch);
    case StmtKind::kLabel: return never_falls_off(as<LabelStmt>(s)->body);
    case StmtKind::kExpr: {
      const Expr* e = as<ExprStmt>(s)->expr;
      return e->kind == ExprKind::kIntrinsic && ir::has(as<IntrinsicExpr>(e)->op, ir::kTerminator);
    }
    default: return false;
  }
}

void collect_cases(const Stmt* s, std::vector<const CaseStmt*>& out) {
  if (s->kind == StmtKind::kCase) out.push_back(as<CaseStmt>(s));
  for_each_child(s, [&](const Stmt* child) {
    if (child->kind != StmtKind::kSwitch) collect_cases(child, out);
  });
}

// The value converted to the type of the switch condition.
int64_t fit(int64_t value, const ir::Type* type) {
  if (type->size >= 8) return value;
  const uint32_t unused = 64 - type->bits();
  const uint64_t high = static_cast<uint64_t>(value) << unused;
  return type->is_signed() ? static_cast<int64_t>(high) >> unused : static_cast<int64_t>(high >> unused);
}

}  // namespace

void FunctionLowering::switch_statement(const SwitchStmt* s) {
  const size_t outside = cleanups_.size();
  list(s->init);
  ir::Value* on = full_value(s->value);
  std::vector<Segment> segments;
  if (on->type->is_bool()) on = builder_.convert(on, ir_type(ir::TypeKind::kI32));
  if (has_inner_case(s->body)) {
    with_states(s->body, [&] { switch_with_entries(s, on); });
  } else if (split_cases(s, segments)) {
    if (s->body->kind == StmtKind::kBlock) hoist(as<BlockStmt>(s->body)->body, false);
    place(s->loc);
    bool falls = ir::as_const(on) != nullptr;  // then the chain folds to the statements that run
    for (size_t i = 0; i + 1 < segments.size(); ++i)
      falls = falls || !never_falls_off(segments[i].statements);
    if (falls) {
      falling_switch(s, on, segments);
    } else if (!segments.empty()) {
      plain_switch(s, on, segments);
    }
  }
  leave_scope(outside);
}

bool FunctionLowering::split_cases(const SwitchStmt* s, std::vector<Segment>& segments) {
  const std::vector<Stmt*> single{s->body};
  const std::vector<Stmt*>& body = s->body->kind == StmtKind::kBlock ? as<BlockStmt>(s->body)->body : single;
  const VarDecl* initialised = nullptr;
  for (Stmt* item : body) {
    Stmt* inner = item;
    if (item->kind == StmtKind::kCase) {
      if (initialised != nullptr) {
        const std::string name(initialised->name != nullptr ? initialised->name->text : std::string_view());
        error(item->loc, message::kCasePastInitialization(name));
        return false;
      }
      if (segments.empty() || !segments.back().statements.empty()) segments.emplace_back();
      for (; inner != nullptr && inner->kind == StmtKind::kCase; inner = as<CaseStmt>(inner)->body) {
        if (!add_labels(as<CaseStmt>(inner), segments.back())) return false;
      }
    }
    if (inner == nullptr) continue;
    if (inner->kind == StmtKind::kDecl) {
      for (const VarDecl* var : as<DeclStmt>(inner)->vars) {
        if (var->storage == Storage::kLocal && var->init != nullptr && !var->is_constexpr) initialised = var;
      }
    }
    if (!segments.empty()) segments.back().statements.push_back(inner);
  }
  return true;
}

bool FunctionLowering::add_labels(const CaseStmt* label, Segment& segment) {
  if (label->is_default) {
    segment.is_default = true;
    return true;
  }
  const int64_t last = std::max(label->value, label->last);
  if (static_cast<uint64_t>(last) - static_cast<uint64_t>(label->value) >= kMaxRange) {
    error(label->loc, message::kCaseRangeTooLarge(std::to_string(kMaxRange)));
    return false;
  }
  for (int64_t v = label->value;; ++v) {
    segment.values.push_back(v);
    if (v == last) return true;
  }
}

std::vector<ir::SwitchCase> FunctionLowering::case_values(const std::vector<Segment>& segments,
                                                          const ir::Type* type) {
  std::vector<ir::SwitchCase> cases;
  std::unordered_set<int64_t> seen;
  for (const Segment& segment : segments) {
    ir::SwitchCase& made = cases.emplace_back();
    if (segment.is_default) continue;  // its other labels lead there anyway
    for (const int64_t v : segment.values) {
      const int64_t fitted = fit(v, type);
      if (seen.insert(fitted).second) made.values.push_back(fitted);
    }
  }
  return cases;
}

void FunctionLowering::plain_switch(const SwitchStmt* s, ir::Value* on,
                                    const std::vector<Segment>& segments) {
  ir::Block* after = builder_.block();
  ir::Inst* inst = builder_.make_switch(on, case_values(segments, on->type));
  breakables_.push_back({{inst, false, cleanups_.size()}, {}});
  for (size_t i = 0; i < segments.size(); ++i) {
    builder_.at(inst->blocks[i]);
    const size_t outside = cleanups_.size();
    std::vector<Stmt*> statements = segments[i].statements;
    if (!statements.empty() && statements.back()->kind == StmtKind::kBreak) statements.pop_back();
    list(statements);
    leave_scope(outside);
  }
  breakables_.pop_back();
  builder_.at(after);
  place(s->loc);
}

// scope {
//   entry = switch (on) { the number of the segment that the value enters; one too many when none }
//   if (entry <= 0) { segment 0 }  if (entry <= 1) { segment 1 }  …
// }
void FunctionLowering::falling_switch(const SwitchStmt* s, ir::Value* on,
                                      const std::vector<Segment>& segments) {
  const ir::Type* index_type = ir_type(ir::TypeKind::kI32);
  const auto number = [&](size_t i) { return module_.constant(index_type, i); };
  const std::vector<ir::SwitchCase> cases = case_values(segments, on->type);
  size_t otherwise = segments.size();
  for (size_t i = 0; i < segments.size(); ++i) {
    if (segments[i].is_default) otherwise = i;
  }
  ir::Block* after = builder_.block();
  ir::Inst* scope = builder_.make_scope();
  builder_.at(scope->blocks[0]);
  ir::Value* entered = nullptr;
  if (const ir::Const* known = ir::as_const(on)) {
    size_t at = otherwise;
    for (size_t i = 0; i < cases.size(); ++i) {
      if (std::ranges::find(cases[i].values, ir::int_value(known)) != cases[i].values.end()) at = i;
    }
    entered = number(at);
  } else {
    ir::Inst* entry = builder_.var(index_type, {});
    builder_.store(entry, number(otherwise));
    std::vector<ir::SwitchCase> explicit_cases;
    std::vector<size_t> segment_of;
    for (size_t i = 0; i < cases.size(); ++i) {
      if (cases[i].values.empty()) continue;
      explicit_cases.push_back(cases[i]);
      segment_of.push_back(i);
    }
    const ir::Inst* choice = builder_.make_switch(on, std::move(explicit_cases));
    for (size_t i = 0; i < segment_of.size(); ++i) {
      builder_.at(choice->blocks[i]);
      builder_.store(entry, number(segment_of[i]));
    }
    builder_.at(scope->blocks[0]);
    entered = builder_.load(index_type, entry);
  }
  breakables_.push_back({{scope, false, cleanups_.size()}, {}});
  for (size_t i = 0; i < segments.size() && !ended(); ++i) {
    ir::Value* runs = builder_.compare(ir::Op::kLe, entered, number(i));
    const ir::Const* known = ir::as_const(runs);
    if (known != nullptr && known->bits == 0) continue;
    const size_t outside = cleanups_.size();
    if (known == nullptr) builder_.at(builder_.make_if(runs)->blocks[0]);
    list(segments[i].statements);
    leave_scope(outside);
    builder_.at(scope->blocks[0]);
  }
  breakables_.pop_back();
  builder_.at(after);
  place(s->loc);
}

// In a loop over states: each label is one.
void FunctionLowering::switch_with_entries(const SwitchStmt* s, ir::Value* on) {
  std::vector<const CaseStmt*> labels;
  collect_cases(s->body, labels);
  std::vector<Segment> segments;
  for (const CaseStmt* label : labels) {
    if (!add_labels(label, segments.emplace_back())) return;
    machine_->entries[label] = new_state();
  }
  if (!check_cases(s)) return;
  const uint32_t after = new_state();
  uint32_t otherwise = after;
  std::vector<ir::SwitchCase> cases;
  std::vector<uint32_t> states;
  const std::vector<ir::SwitchCase> all = case_values(segments, on->type);
  for (size_t i = 0; i < all.size(); ++i) {
    const uint32_t state = machine_->entries.at(labels[i]);
    if (segments[i].is_default) otherwise = state;
    if (all[i].values.empty()) continue;
    cases.push_back(all[i]);
    states.push_back(state);
  }
  if (!ended()) {
    const ir::Type* t = ir_type(ir::TypeKind::kU32);
    ir::Block* here = builder_.block();
    builder_.store(machine_->state, module_.constant(t, otherwise));
    const ir::Inst* choice = builder_.make_switch(on, std::move(cases));
    for (size_t i = 0; i < states.size(); ++i) {
      builder_.at(choice->blocks[i]);
      builder_.store(machine_->state, module_.constant(t, states[i]));
    }
    builder_.at(here);
    builder_.continue_(machine_->loop);
  }
  breakables_.push_back({state_target(after), {}});
  with_entries(s->body);
  breakables_.pop_back();
  begin_state(after);
}

}  // namespace quern::lang
