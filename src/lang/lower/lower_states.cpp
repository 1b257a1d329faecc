// Jumps that regions cannot express: case labels inside of nested blocks, goto into a block. The statements
// become a loop over states; each label, and each place where paths meet, begins a state. Statements without
// such labels are lowered as everywhere else.
#include <algorithm>

#include "lang/lower/function_lowering.hpp"
#include "lang/lower/messages.hpp"

namespace quern::lang {
namespace {

using Variables = std::vector<const VarDecl*>;

// Calls fn(statement, initialised variables that are in scope there) for `s` and everything below it.
void walk_scopes(const Stmt* s, Variables& live,
                 const std::function<void(const Stmt*, const Variables&)>& fn) {
  fn(s, live);
  if (s->kind == StmtKind::kDecl) {
    for (const VarDecl* var : as<DeclStmt>(s)->vars) {
      if (var->storage == Storage::kLocal && var->init != nullptr && !var->is_constexpr) live.push_back(var);
    }
    return;
  }
  const size_t outside = live.size();
  for_each_child(s, [&](const Stmt* child) { walk_scopes(child, live, fn); });
  const bool is_label = s->kind == StmtKind::kLabel || s->kind == StmtKind::kCase;
  if (!is_label) live.resize(outside);
}

std::string_view spelling_of(const VarDecl* var) {
  return var->name != nullptr ? var->name->text : std::string_view();
}

}  // namespace

// A jump must not enter the scope of a variable after its initialisation.
bool FunctionLowering::check_gotos(const Stmt* body) {
  std::unordered_map<const Ident*, Variables> at_label;
  Variables live;
  walk_scopes(body, live, [&](const Stmt* s, const Variables& here) {
    if (s->kind == StmtKind::kLabel) at_label[as<LabelStmt>(s)->label] = here;
  });
  bool fits = true;
  live.clear();
  walk_scopes(body, live, [&](const Stmt* s, const Variables& here) {
    if (s->kind != StmtKind::kGoto || !fits) return;
    const Ident* label = as<GotoStmt>(s)->label;
    for (const VarDecl* var : at_label[label]) {
      if (std::find(here.begin(), here.end(), var) != here.end() || !fits) continue;
      error(s->loc, message::kGotoPastInitialization(label->text, spelling_of(var)));
      fits = false;
    }
  });
  return fits;
}

bool FunctionLowering::check_cases(const SwitchStmt* s) {
  bool fits = true;
  Variables live;
  walk_scopes(s->body, live, [&](const Stmt* inner, const Variables& here) {
    if (!machine_->entries.contains(inner) || inner->kind != StmtKind::kCase || here.empty() || !fits) return;
    error(inner->loc, message::kCasePastInitialization(std::string(spelling_of(here.back()))));
    fits = false;
  });
  return fits;
}

uint32_t FunctionLowering::new_state() {
  ir::Inst* choice = machine_->choice;
  const auto number = static_cast<uint32_t>(choice->blocks.size());
  choice->blocks.push_back(module_.new_block(function_, choice));
  choice->mutable_attr().cases.push_back({{number}});
  return number;
}

FunctionLowering::Target FunctionLowering::state_target(uint32_t state) {
  return {machine_->loop, true, cleanups_.size(), machine_->state, state};
}

void FunctionLowering::go_to_state(uint32_t state) {
  if (!ended()) jump(state_target(state));
}

// Code that reaches this place continues in the state.
void FunctionLowering::begin_state(uint32_t state) {
  go_to_state(state);
  builder_.at(machine_->choice->blocks[state]);
}

void FunctionLowering::choose_state(const Expr* condition, uint32_t yes, uint32_t no) {
  if (ended()) return;
  ir::Value* held = full_value(condition);
  place(condition);
  const ir::Type* t = ir_type(ir::TypeKind::kU32);
  builder_.store(machine_->state, builder_.select(held, module_.constant(t, yes), module_.constant(t, no)));
  builder_.continue_(machine_->loop);
}

// Runs `body` with a new loop over states. The objects of the statements have no destructors.
void FunctionLowering::with_states(const Stmt* s, const std::function<void()>& body) {
  bool is_plain = true;
  for_each_declaration(s, [&](const VarDecl* var) {
    if (var->storage != Storage::kLocal || locals_.contains(var)) return;
    is_plain = is_plain && !is_destroyed(var->type);
    if (is_plain) hoist(var);
  });
  if (!is_plain) {
    error(s->loc, message::kJumpPastDestructor());
    return;
  }
  place(s->loc);
  ir::Block* after = builder_.block();
  const ir::Type* t = ir_type(ir::TypeKind::kU32);
  Machine machine;
  machine.outer = machine_;
  machine.state = builder_.var(t, "state");
  builder_.store(machine.state, module_.constant(t, 0));
  machine.loop = builder_.make_loop();
  builder_.at(machine.loop->blocks[1]);
  machine.choice = builder_.make_switch(builder_.load(t, machine.state), {});
  machine_ = &machine;
  builder_.at(machine.choice->blocks[new_state()]);
  body();
  if (!ended()) builder_.exit(machine.loop);
  machine_ = machine.outer;
  builder_.at(after);
}

bool FunctionLowering::has_entry(const Stmt* s) const {
  if (s->kind == StmtKind::kLabel && machine_->takes_labels) return true;
  if (machine_->entries.contains(s)) return true;
  bool found = false;
  for_each_child(s, [&](const Stmt* child) { found = found || has_entry(child); });
  return found;
}

void FunctionLowering::with_entries(const Stmt* s) {
  if (s == nullptr) return;
  if (!has_entry(s)) {
    if (!ended()) statement(s);
    return;
  }
  switch (s->kind) {
    case StmtKind::kBlock:
      for (const Stmt* child : as<BlockStmt>(s)->body) with_entries(child);
      break;
    case StmtKind::kCase:
      begin_state(machine_->entries.at(s));
      with_entries(as<CaseStmt>(s)->body);
      break;
    case StmtKind::kLabel:
      begin_state(machine_->entries.at(s));
      with_entries(as<LabelStmt>(s)->body);
      break;
    case StmtKind::kIf: if_with_entries(as<IfStmt>(s)); break;
    case StmtKind::kWhile:
    case StmtKind::kDo:
    case StmtKind::kFor: loop_with_entries(as<LoopStmt>(s)); break;
    case StmtKind::kSwitch: {
      const auto* inner = as<SwitchStmt>(s);
      if (!ended()) list(inner->init);
      ir::Value* on = ended() ? undef(inner->value->type) : full_value(inner->value);
      switch_with_entries(inner, on);
      break;
    }
    default: break;
  }
}

void FunctionLowering::if_with_entries(const IfStmt* s) {
  const uint32_t yes = new_state();
  const uint32_t no = new_state();
  const uint32_t after = new_state();
  if (!ended()) list(s->init);
  choose_state(s->condition, yes, no);
  builder_.at(machine_->choice->blocks[yes]);
  with_entries(s->then_branch);
  go_to_state(after);
  builder_.at(machine_->choice->blocks[no]);
  with_entries(s->else_branch);
  begin_state(after);
}

void FunctionLowering::loop_with_entries(const LoopStmt* s) {
  const uint32_t head = new_state();
  const uint32_t body = new_state();
  const uint32_t step = new_state();
  const uint32_t after = new_state();
  const auto test = [&] {
    if (s->condition == nullptr) return go_to_state(body);
    choose_state(s->condition, body, after);
  };
  if (!ended()) list(s->init);
  go_to_state(s->kind == StmtKind::kDo ? body : head);
  builder_.at(machine_->choice->blocks[head]);
  list(s->each);
  test();
  builder_.at(machine_->choice->blocks[body]);
  breakables_.push_back({state_target(after), state_target(step)});
  list(s->before_body);
  with_entries(s->body);
  breakables_.pop_back();
  begin_state(step);
  if (s->step != nullptr) {
    const FullExpression full(*this);
    discard(s->step);
  }
  go_to_state(head);
  builder_.at(machine_->choice->blocks[after]);
}

// The function's body, whose labels may be anywhere.
void FunctionLowering::body_with_labels(const Stmt* body) {
  if (!check_gotos(body)) return;
  with_states(body, [&] {
    machine_->takes_labels = true;
    const size_t outside = labels_.size();
    for_each_label(body, [&](const LabelStmt* label) {
      const uint32_t state = new_state();
      machine_->entries[label] = state;
      labels_.push_back({label->label, state_target(state)});
    });
    with_entries(body);
    labels_.resize(outside);
  });
}

}  // namespace quern::lang
