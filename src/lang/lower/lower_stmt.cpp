// Statements. Control flow becomes regions; jumps name the construct that they leave or continue.
#include "lang/lower/function_lowering.hpp"
#include "lang/lower/messages.hpp"

namespace quern::lang {
namespace {

bool is_constant_bool(const Expr* e, bool wanted) {
  while (e != nullptr && e->kind == ExprKind::kCast && as<CastExpr>(e)->cast == CastKind::kNumber) {
    e = as<CastExpr>(e)->operand;
  }
  if (e == nullptr || e->kind != ExprKind::kConst || e->type->is_floating()) return false;
  return (as<ConstExpr>(e)->bits != 0) == wanted;
}

// a && b && c as a list, from left to right.
void conjuncts(const Expr* e, std::vector<const Expr*>& out) {
  if (e->kind == ExprKind::kBinary && as<BinaryExpr>(e)->op == BinaryOp::kLogicalAnd) {
    conjuncts(as<BinaryExpr>(e)->left, out);
    conjuncts(as<BinaryExpr>(e)->right, out);
  } else {
    out.push_back(e);
  }
}

const IntrinsicExpr* as_terminator(const Expr* e) {
  while (e->kind == ExprKind::kCast && as<CastExpr>(e)->cast == CastKind::kToVoid)
    e = as<CastExpr>(e)->operand;
  const bool is_it = e->kind == ExprKind::kIntrinsic && ir::has(as<IntrinsicExpr>(e)->op, ir::kTerminator);
  return is_it ? as<IntrinsicExpr>(e) : nullptr;
}

}  // namespace

void FunctionLowering::statement(const Stmt* s) {
  switch (s->kind) {
    case StmtKind::kNull: break;
    case StmtKind::kExpr: {
      const Expr* e = as<ExprStmt>(s)->expr;
      place(e);
      const FullExpression full(*this);
      if (const IntrinsicExpr* end = as_terminator(e)) {
        builder_.emit(end->op, nullptr, {});
      } else {
        discard(e);
      }
      break;
    }
    case StmtKind::kDecl:
      for (VarDecl* var : as<DeclStmt>(s)->vars) declare(var);
      break;
    case StmtKind::kBlock: {
      const size_t outside = cleanups_.size();
      list(as<BlockStmt>(s)->body);
      leave_scope(outside);
      break;
    }
    case StmtKind::kIf: if_statement(as<IfStmt>(s)); break;
    case StmtKind::kWhile:
    case StmtKind::kDo:
    case StmtKind::kFor: loop(as<LoopStmt>(s)); break;
    case StmtKind::kSwitch: switch_statement(as<SwitchStmt>(s)); break;
    case StmtKind::kCase: error(s->loc, message::kCaseOutsideSwitch()); break;
    case StmtKind::kBreak:
      place(s->loc);
      if (!breakables_.empty()) {
        jump(breakables_.back().on_break);
      } else {
        error(s->loc, message::kBreakOutsideLoop());
      }
      break;
    case StmtKind::kContinue: {
      place(s->loc);
      size_t i = breakables_.size();
      while (i > 0 && breakables_[i - 1].on_continue.inst == nullptr) --i;
      if (i > 0) {
        jump(breakables_[i - 1].on_continue);
      } else {
        error(s->loc, message::kContinueOutsideLoop());
      }
      break;
    }
    case StmtKind::kReturn: return_statement(as<ReturnStmt>(s)); break;
    case StmtKind::kGoto: goto_statement(as<GotoStmt>(s)); break;
    case StmtKind::kLabel:
      if (as<LabelStmt>(s)->body != nullptr) statement(as<LabelStmt>(s)->body);
      break;
  }
}

void FunctionLowering::list(const std::vector<Stmt*>& statements) {
  if (usage_.has_labels()) {
    list_with_labels(statements);
    return;
  }
  for (const Stmt* s : statements) {
    if (ended()) return;
    statement(s);
  }
}

// A statement with its own scope, in the current block.
void FunctionLowering::scoped(const Stmt* s) {
  const size_t outside = cleanups_.size();
  if (s != nullptr && !ended()) statement(s);
  leave_scope(outside);
}

void FunctionLowering::branch(const Stmt* s, ir::Block* block) {
  ir::Block* after = builder_.block();
  builder_.at(block);
  scoped(s);
  builder_.at(after);
}

void FunctionLowering::if_statement(const IfStmt* s) {
  const size_t outside = cleanups_.size();
  list(s->init);
  if (s->else_branch == nullptr) {
    if_guards(s->condition, s->then_branch);
  } else {
    ir::Value* condition = full_value(s->condition);
    if (const ir::Const* known = ir::as_const(condition)) {
      scoped(known->bits != 0 ? s->then_branch : s->else_branch);
    } else {
      place(s->condition);
      const ir::Inst* choice = builder_.make_if(condition);
      branch(s->then_branch, choice->blocks[0]);
      branch(s->else_branch, choice->blocks[1]);
    }
  }
  leave_scope(outside);
}

// if (a && b) where `b` must not run unless `a` is true: nested ifs rather than a variable for the result.
void FunctionLowering::if_guards(const Expr* condition, const Stmt* body) {
  std::vector<const Expr*> parts;
  if (destroys_temporaries_) {
    parts.push_back(condition);  // they live until the whole condition is evaluated
  } else {
    conjuncts(condition, parts);
  }
  ir::Block* after = builder_.block();
  ir::Value* held = full_value(parts[0]);
  for (size_t i = 1; i < parts.size(); ++i) {
    const ir::Const* known = ir::as_const(held);
    if (known != nullptr && known->bits == 0) break;
    if (known == nullptr && !usage_.is_speculable(parts[i])) {
      place(parts[i - 1]);
      builder_.at(builder_.make_if(held)->blocks[0]);
      held = value(parts[i]);
    } else {
      ir::Value* right = value(parts[i]);
      place(parts[i]);
      held = builder_.binary(ir::Op::kAnd, held, right);
    }
  }
  if (const ir::Const* known = ir::as_const(held)) {
    if (known->bits != 0) scoped(body);
    if (builder_.block() != after) builder_.at(after);
    return;
  }
  place(condition);
  branch(body, builder_.make_if(held)->blocks[0]);
  builder_.at(after);
}

void FunctionLowering::loop(const LoopStmt* s) {
  const size_t outside = cleanups_.size();
  list(s->init);
  if (s->kind == StmtKind::kDo && is_constant_bool(s->condition, false)) {
    run_once(s);
    return;
  }
  const bool never_runs =
      s->kind != StmtKind::kDo && s->condition != nullptr && is_constant_bool(s->condition, false);
  if (!never_runs && !ended()) {
    const size_t before_each = cleanups_.size();
    hoist(s->each, true);  // set again in each iteration, but its memory must be visible in the body
    place(s->loc);
    ir::Block* after = builder_.block();
    ir::Inst* inst = builder_.make_loop();
    if (s->unroll != 0) inst->mutable_attr().unroll = s->unroll;
    const auto test = [&] {
      if (s->condition == nullptr || is_constant_bool(s->condition, true)) return;
      ir::Value* condition = full_value(s->condition);
      place(s->condition);
      builder_.yield(condition);
    };
    builder_.at(inst->blocks[0]);
    if (s->kind != StmtKind::kDo) {
      list(s->each);
      test();
    }
    breakables_.push_back({{inst, false, cleanups_.size()}, {inst, true, cleanups_.size()}});
    loop_body(s, inst->blocks[1]);
    breakables_.pop_back();
    builder_.at(inst->blocks[2]);
    if (s->step != nullptr) {
      const FullExpression full(*this);
      discard(s->step);
    }
    run_cleanups(before_each);  // the next iteration creates it again
    if (s->kind == StmtKind::kDo) test();
    builder_.at(after);
  }
  leave_scope(outside);
}

void FunctionLowering::loop_body(const LoopStmt* s, ir::Block* block) {
  builder_.at(block);
  const size_t outside = cleanups_.size();
  list(s->before_body);
  scoped(s->body);
  leave_scope(outside);
}

// do { … } while (0), as in macros: not a loop, but break and continue leave it.
void FunctionLowering::run_once(const LoopStmt* s) {
  place(s->loc);
  ir::Block* after = builder_.block();
  ir::Inst* scope = builder_.make_scope();
  const Target leave{scope, false, cleanups_.size()};
  breakables_.push_back({leave, leave});
  loop_body(s, scope->blocks[0]);
  breakables_.pop_back();
  builder_.at(after);
}

void FunctionLowering::return_statement(const ReturnStmt* s) {
  const size_t outside = cleanups_.size();
  ir::Value* result = nullptr;
  ir::Value* moved = nullptr;
  if (s->value != nullptr) {
    if (function_->result->is_void()) {
      discard(s->value);
    } else if (decl_->result->is_ref()) {
      result = generic(address(s->value));
    } else if ((moved = returned_object(s->value)) != nullptr) {
      place(s->value);
      result = builder_.load(function_->result, moved);
    } else {
      result = value(s->value);
    }
  } else if (!function_->result->is_void()) {
    result = module_.undef(function_->result);
  }
  place(s->loc);
  run_cleanups(0, moved);
  cleanups_.resize(outside);
  if (!ended()) builder_.ret(result);
}

void FunctionLowering::jump(const Target& target) {
  run_cleanups(target.cleanups);
  if (ended()) return;
  if (target.state != nullptr)
    builder_.store(target.state, module_.constant(ir_type(ir::TypeKind::kU32), target.number));
  if (target.continues) {
    builder_.continue_(target.inst);
  } else {
    builder_.exit(target.inst);
  }
}

}  // namespace quern::lang
