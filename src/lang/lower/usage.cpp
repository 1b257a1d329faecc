#include "lang/lower/usage.hpp"

namespace quern::lang {
void Usage::scan(const FunctionDecl* function) {
  returns_ref_ = function->result && function->result->is_ref();
  for (const CtorInit& init : function->ctor_inits) {
    if (init.value != nullptr) bind(init.value, init.field != nullptr ? init.field->type : init.value->type);
  }
  if (function->tree != nullptr) statement(function->tree);
}

void Usage::statements(const std::vector<Stmt*>& list) {
  for (const Stmt* s : list) statement(s);
}

void Usage::statement(const Stmt* s) {
  switch (s->kind) {
    case StmtKind::kExpr: expression(as<ExprStmt>(s)->expr); break;
    case StmtKind::kDecl:
      for (const VarDecl* var : as<DeclStmt>(s)->vars) initialiser(var);
      break;
    case StmtKind::kIf: expression(as<IfStmt>(s)->condition); break;
    case StmtKind::kWhile:
    case StmtKind::kDo:
    case StmtKind::kFor:
      if (as<LoopStmt>(s)->condition != nullptr) expression(as<LoopStmt>(s)->condition);
      if (as<LoopStmt>(s)->step != nullptr) expression(as<LoopStmt>(s)->step);
      break;
    case StmtKind::kSwitch: expression(as<SwitchStmt>(s)->value); break;
    case StmtKind::kReturn: {
      const Expr* value = as<ReturnStmt>(s)->value;
      if (value != nullptr) expression(value, returns_ref_ ? Access::kTouch : Access::kRead);
      break;
    }
    case StmtKind::kLabel: has_labels_ = true; break;
    default: break;
  }
  for_each_child(s, [this](const Stmt* child) { statement(child); });
}

void Usage::initialiser(const VarDecl* var) {
  if (var->init != nullptr) bind(var->init, var->type);
}

void Usage::bind(const Expr* e, QualType to) { expression(e, to->is_ref() ? Access::kTouch : Access::kRead); }

void Usage::call(const CallExpr* e) {
  const size_t self = e->function->is_method() ? 1 : 0;
  size_t i = 0;
  for (; i < self && i < e->args.size(); ++i) expression(e->args[i]);
  const auto argument = [&](const VarDecl* param) {
    if (i < e->args.size()) bind(e->args[i++], param->type);
  };
  for (const VarDecl* param : e->function->params) {
    if (!param->is_param_pack) {
      argument(param);
    } else {
      for (const VarDecl* part : param->pack) argument(part);
    }
  }
  for (; i < e->args.size(); ++i) expression(e->args[i]);
}

void Usage::aggregate(const AggregateExpr* e) {
  for (const Expr* base : e->bases) {
    if (base != nullptr) expression(base);
  }
  const bool is_class = e->type->is_class();
  for (size_t i = 0; i < e->members.size(); ++i) {
    if (e->members[i] == nullptr) continue;
    const bool is_field = is_class && i < e->type->class_decl->fields.size();
    bind(e->members[i], is_field ? e->type->class_decl->fields[i]->type : e->members[i]->type);
  }
}

void Usage::expression(const Expr* e, Access access) {
  if (!e->is_lvalue && e->type && e->type->is_class()) made_.insert(e->type->class_decl);
  switch (e->kind) {
    case ExprKind::kVar:
      if (access == Access::kTouch) touched_.insert(as<VarExpr>(e)->var);
      break;
    case ExprKind::kField: {
      const auto* f = as<FieldExpr>(e);
      const bool stops = f->field->type->is_ref();  // the referenced object is accessed, not the reference
      expression(f->object, stops ? Access::kRead : access);
      break;
    }
    case ExprKind::kDeref: expression(as<DerefExpr>(e)->pointer); break;
    case ExprKind::kIndex:
      expression(as<IndexExpr>(e)->pointer);
      expression(as<IndexExpr>(e)->index);
      break;
    case ExprKind::kAddress: expression(as<AddressExpr>(e)->object, Access::kTouch); break;
    case ExprKind::kUnary: expression(as<UnaryExpr>(e)->operand); break;
    case ExprKind::kIncDec: expression(as<IncDecExpr>(e)->object, Access::kTouch); break;
    case ExprKind::kBinary:
      expression(as<BinaryExpr>(e)->left);
      expression(as<BinaryExpr>(e)->right, access);
      break;
    case ExprKind::kAssign:
      expression(as<AssignExpr>(e)->target, Access::kTouch);
      expression(as<AssignExpr>(e)->value);
      break;
    case ExprKind::kCompound:
      expression(as<CompoundExpr>(e)->target, Access::kTouch);
      expression(as<CompoundExpr>(e)->value);
      break;
    case ExprKind::kCast: {
      const auto* c = as<CastExpr>(e);
      const bool needs_memory = c->cast == CastKind::kArrayToPointer || c->cast == CastKind::kReinterpret ||
                                c->cast == CastKind::kBaseToDerived;
      expression(c->operand, needs_memory ? Access::kTouch : access);
      break;
    }
    case ExprKind::kConditional:
      expression(as<ConditionalExpr>(e)->condition);
      expression(as<ConditionalExpr>(e)->then_value, access);
      expression(as<ConditionalExpr>(e)->else_value, access);
      break;
    case ExprKind::kCall: call(as<CallExpr>(e)); break;
    case ExprKind::kCallPointer: {
      const auto* c = as<CallPointerExpr>(e);
      expression(c->pointer);
      const std::vector<QualType>& params = c->pointer->type->elem->params;
      for (size_t i = 0; i < c->args.size(); ++i) bind(c->args[i], params[i]);
      break;
    }
    case ExprKind::kIntrinsic:
      for (const Expr* arg : as<IntrinsicExpr>(e)->args)
        expression(arg, as<IntrinsicExpr>(e)->op == ir::Op::kPtx ? Access::kTouch : Access::kRead);
      break;
    case ExprKind::kConstruct: {
      const auto* c = as<ConstructExpr>(e);
      size_t i = 0;
      for (const VarDecl* param : c->ctor->params) {
        if (param->is_param_pack) {
          for (const VarDecl* part : param->pack) {
            if (i < c->args.size()) bind(c->args[i++], part->type);
          }
        } else if (i < c->args.size()) {
          bind(c->args[i++], param->type);
        }
      }
      break;
    }
    case ExprKind::kAggregate: aggregate(as<AggregateExpr>(e)); break;
    case ExprKind::kMaterialize: expression(as<MaterializeExpr>(e)->value); break;
    case ExprKind::kNew:
      expression(as<NewExpr>(e)->place);
      if (as<NewExpr>(e)->init != nullptr) expression(as<NewExpr>(e)->init);
      break;
    case ExprKind::kDestroy: expression(as<DestroyExpr>(e)->pointer); break;
    default: break;
  }
}

bool Usage::is_speculable(const Expr* e) const {
  int budget = 12;  // about the cost of a branch
  return is_cheap(e, budget);
}

bool Usage::is_cheap(const Expr* e, int& budget) const {
  if (--budget < 0 || e->type.is_volatile) return false;
  switch (e->kind) {
    case ExprKind::kConst:
    case ExprKind::kThis:
    case ExprKind::kFunction:
    case ExprKind::kZero: return true;
    case ExprKind::kVar:
    case ExprKind::kField: return e->type->is_scalar() && is_safe_place(e, budget);
    case ExprKind::kAddress: return is_safe_place(as<AddressExpr>(e)->object, budget);
    case ExprKind::kUnary: return is_cheap(as<UnaryExpr>(e)->operand, budget);
    case ExprKind::kBinary: {
      const auto* b = as<BinaryExpr>(e);
      const bool may_fail = b->op == BinaryOp::kDiv || b->op == BinaryOp::kRem;
      return !may_fail && !b->is_lvalue && is_cheap(b->left, budget) && is_cheap(b->right, budget);
    }
    case ExprKind::kCast: {
      const auto* c = as<CastExpr>(e);
      if (c->cast == CastKind::kArrayToPointer) return is_safe_place(c->operand, budget);
      const bool is_plain = c->cast != CastKind::kReinterpret && c->cast != CastKind::kToVoid;
      return is_plain && e->type->is_scalar() && is_cheap(c->operand, budget);
    }
    case ExprKind::kConditional: {
      const auto* c = as<ConditionalExpr>(e);
      return is_cheap(c->condition, budget) && is_cheap(c->then_value, budget) &&
             is_cheap(c->else_value, budget);
    }
    case ExprKind::kIntrinsic: {
      const auto* i = as<IntrinsicExpr>(e);
      const bool is_simple = ir::has(i->op, ir::kPure) && !ir::has(i->op, ir::kMath) &&
                             i->op != ir::Op::kDiv && i->op != ir::Op::kRem;
      if (!is_simple) return false;
      for (const Expr* arg : i->args) {
        if (!is_cheap(arg, budget)) return false;
      }
      return true;
    }
    default: return false;
  }
}

// Memory that can be read at any time: a variable of this function that is initialized by its declaration.
bool Usage::is_safe_place(const Expr* e, int& budget) const {
  if (--budget < 0) return false;
  if (e->kind == ExprKind::kField) {
    const auto* f = as<FieldExpr>(e);
    return !f->field->type->is_ref() && is_safe_place(f->object, budget);
  }
  if (e->kind != ExprKind::kVar) return false;
  const VarDecl* var = as<VarExpr>(e)->var;
  if (var->type->is_ref()) return false;
  return var->storage == Storage::kParam || (var->storage == Storage::kLocal && var->init != nullptr) ||
         (var->is_const_init && e->type->is_scalar());
}

void for_each_declaration(const Stmt* s, const std::function<void(const VarDecl*)>& fn) {
  if (s->kind == StmtKind::kDecl) {
    for (const VarDecl* var : as<DeclStmt>(s)->vars) fn(var);
  }
  for_each_child(s, [&](const Stmt* child) { for_each_declaration(child, fn); });
}

void for_each_label(const Stmt* s, const std::function<void(const LabelStmt*)>& fn) {
  if (s->kind == StmtKind::kLabel) fn(as<LabelStmt>(s));
  for_each_child(s, [&](const Stmt* child) { for_each_label(child, fn); });
}

bool contains_goto(const Stmt* s, const Ident* label) {
  if (s->kind == StmtKind::kGoto) return as<GotoStmt>(s)->label == label;
  bool found = false;
  for_each_child(s, [&](const Stmt* child) { found = found || contains_goto(child, label); });
  return found;
}

}  // namespace quern::lang
