// Calls of constexpr functions and the statements of their bodies.
#include <algorithm>

#include "lang/constant/const_evaluator.hpp"
#include "lang/constant/messages.hpp"
#include "lang/tree/statements.hpp"

namespace quern::lang {
namespace {

std::string name_of(const FunctionDecl* function) {
  if (function->name != nullptr) return "'" + std::string(function->name->text) + "'";
  return function->class_decl != nullptr ? "'" + function->class_decl->full_name + "'" : "a function";
}

// The statements of a switch's body, and the position of the label that `value` selects.
struct CaseTarget {
  size_t statement = 0;
  const Stmt* body = nullptr;  // after the label
};

bool holds(const CaseStmt* label, int64_t value) {
  return !label->is_default && value >= label->value && value <= std::max(label->value, label->last);
}

bool find_case(const std::vector<Stmt*>& list, int64_t value, bool want_default, CaseTarget& out) {
  for (size_t i = 0; i < list.size(); ++i) {
    for (const Stmt* s = list[i]; s->kind == StmtKind::kCase; s = as<CaseStmt>(s)->body) {
      const auto* label = as<CaseStmt>(s);
      if (want_default ? !label->is_default : !holds(label, value)) {
        if (label->body == nullptr) break;
        continue;
      }
      out = {i, label->body};
      return true;
    }
  }
  return false;
}

}  // namespace

bool ConstEvaluator::callable(FunctionDecl* function) {
  const bool allowed =
      function->is_constexpr || function->is_library || function->is_lambda_call || function->is_defaulted;
  if (!allowed) return fail(message::kNotConstexpr(name_of(function)));
  if (depth_ >= limits_.depth) {
    return fail(message::kCallsTooDeep(std::to_string(limits_.depth)));
  }
  if (function->body == Lazy::kBusy) return fail(message::kUsedBeforeBodyEnds(name_of(function)));
  if (!sema_.complete_body(function)) return fail(message::kNoBody(name_of(function)));
  return true;
}

namespace {

bool asks_for_constant(const FunctionDecl* f) {
  return f->is_library && f->name != nullptr && f->name->text == "is_constant_evaluated";
}

}  // namespace

bool ConstEvaluator::call(const CallExpr* e, ConstValue& out) {
  if (asks_for_constant(e->function) && !limits_.is_wanted) return fail(message::kNoConstantRequired());
  if (asks_for_constant(e->function)) return value(sema_.bool_constant(true, e->loc), out);
  if (e->is_virtual) return fail(message::kVirtualCall());
  ConstValue self;
  std::span<Expr* const> args = e->args;
  if (e->function->is_method()) {
    if (args.empty() || !value(args[0], self)) return false;
    args = args.subspan(1);
  }
  if (!enter(e->function, std::move(self), args, out)) return false;
  if (!e->is_lvalue && !e->type->is_void()) out.type = e->type.unqualified();
  return true;
}

bool ConstEvaluator::call_pointer(const CallPointerExpr* e, ConstValue& out) {
  ConstValue target;
  if (!value(e->pointer, target)) return false;
  if (target.function == nullptr) return fail(message::kCallsNullPointer());
  if (!enter(target.function, {}, e->args, out)) return false;
  if (!e->is_lvalue && !e->type->is_void()) out.type = e->type.unqualified();
  return true;
}

bool ConstEvaluator::construct(const ConstructExpr* e, ConstValue& out) {
  ConstValue object;
  if (!undefined_value(e->type.unqualified(), object)) return fail(message::kObjectTooLarge());
  Place where;
  where.object = new_object(std::move(object), nullptr);
  if (where.object == 0) return false;
  ConstValue ignored;
  if (!enter(e->ctor, pointer_to(where, sema_.types.pointer(e->type.unqualified())), e->args, ignored))
    return false;
  const ConstValue* made = resolve(where);
  if (made == nullptr) return false;
  out = *made;
  return true;
}

bool ConstEvaluator::enter(FunctionDecl* function, ConstValue self, std::span<Expr* const> args,
                           ConstValue& out) {
  if (!callable(function)) return false;
  const size_t before = objects_.size();
  Frame frame;
  frame.self = std::move(self);
  frame.returns_ref = function->result && function->result->is_ref();
  frame.result.type = sema_.basic(TypeKind::kVoid);
  if (!bind_arguments(function, args, frame)) return false;
  frames_.push_back(&frame);
  ++depth_;
  bool ok = run_ctor_inits(function);
  if (ok && function->tree != nullptr) ok = exec(function->tree) != Flow::kFail;
  --depth_;
  frames_.pop_back();
  if (!ok) return false;
  const bool wants_value = function->result && !function->result->is_void() && !function->is_ctor;
  if (wants_value && frame.result.type->is_void())
    return fail(message::kEndsWithoutReturn(name_of(function)));
  // Objects created by the call are destroyed, unless the result (or the constructed object) may point to a
  // temporary among its arguments, which lives until the statement ends.
  const bool keeps_nothing = frame.result.type->is_arithmetic() || frame.result.type->is_enum();
  if (keeps_nothing && !frame.returns_ref) objects_.resize(before);
  out = std::move(frame.result);
  return true;
}

bool ConstEvaluator::bind_arguments(FunctionDecl* function, std::span<Expr* const> args, Frame& frame) {
  std::vector<const VarDecl*> params;
  for (const VarDecl* param : function->params) {
    if (param->is_param_pack) {
      params.insert(params.end(), param->pack.begin(), param->pack.end());
    } else {
      params.push_back(param);
    }
  }
  if (args.size() > params.size()) return fail(message::kCallsVariadicFunction());
  for (size_t i = 0; i < args.size(); ++i) {
    Place where;
    if (params[i]->type->is_ref()) {
      if (!place(args[i], where)) return false;
    } else {
      ConstValue held;
      if (!bound(args[i], params[i]->type, held)) return false;
      // It represents that function; the passed value holds nothing.
      if (params[i]->known_function != nullptr) held.function = params[i]->known_function;
      where.object = new_object(std::move(held), params[i]);
      if (where.object == 0) return false;
    }
    frame.vars.emplace_back(params[i], std::move(where));
  }
  return true;
}

bool ConstEvaluator::run_ctor_inits(const FunctionDecl* ctor) {
  if (!ctor->is_ctor) return true;
  constexpr int kDelegates = -2;
  for (const CtorInit& init : ctor->ctor_inits) {
    Place where;
    if (!target_of(frames_.back()->self, where)) return false;
    const ClassDecl* decl = ctor->class_decl;
    QualType type = decl->type;
    if (init.field != nullptr) {
      where.path.push_back(static_cast<int64_t>(decl->bases.size() + init.field->index));
      type = init.field->type;
    } else if (init.base_index != kDelegates) {
      where.path.push_back(init.base_index);
      type = decl->bases[static_cast<size_t>(init.base_index)].decl->type;
    }
    ConstValue held;
    if (init.value == nullptr ? !zero_value(type.unqualified(), held) : !bound(init.value, type, held)) {
      return fail(message::kObjectTooLarge());
    }
    if (!write(where, std::move(held))) return false;
  }
  return true;
}

ConstEvaluator::Flow ConstEvaluator::exec(const Stmt* s) {
  if (!step()) return Flow::kFail;
  switch (s->kind) {
    case StmtKind::kNull: return Flow::kNext;
    case StmtKind::kExpr: return discard(as<ExprStmt>(s)->expr) ? Flow::kNext : Flow::kFail;
    case StmtKind::kDecl: return exec_decl(as<DeclStmt>(s));
    case StmtKind::kBlock: return exec_list(as<BlockStmt>(s)->body);
    case StmtKind::kIf: return exec_if(as<IfStmt>(s));
    case StmtKind::kWhile:
    case StmtKind::kDo:
    case StmtKind::kFor: return exec_loop(as<LoopStmt>(s));
    case StmtKind::kSwitch: return exec_switch(as<SwitchStmt>(s));
    case StmtKind::kCase: return as<CaseStmt>(s)->body != nullptr ? exec(as<CaseStmt>(s)->body) : Flow::kNext;
    case StmtKind::kLabel:
      return as<LabelStmt>(s)->body != nullptr ? exec(as<LabelStmt>(s)->body) : Flow::kNext;
    case StmtKind::kBreak: return Flow::kBreak;
    case StmtKind::kContinue: return Flow::kContinue;
    case StmtKind::kReturn: return exec_return(as<ReturnStmt>(s));
    case StmtKind::kGoto: break;
  }
  fail(message::kUsesGoto());
  return Flow::kFail;
}

ConstEvaluator::Flow ConstEvaluator::exec_list(const std::vector<Stmt*>& list, size_t from) {
  for (size_t i = from; i < list.size(); ++i) {
    const Flow flow = exec(list[i]);
    if (flow != Flow::kNext) return flow;
  }
  return Flow::kNext;
}

ConstEvaluator::Flow ConstEvaluator::exec_decl(const DeclStmt* s) {
  for (const VarDecl* var : s->vars) {
    if (var->storage != Storage::kLocal) continue;  // static constants are evaluated when they are used
    Place where;
    if (var->type->is_ref()) {
      if (var->init == nullptr || !place(var->init, where)) return Flow::kFail;
    } else {
      ConstValue held;
      if (var->init != nullptr) {
        if (!bound(var->init, var->type, held)) return Flow::kFail;
      } else if (!undefined_value(var->type.unqualified(), held)) {
        fail(message::kObjectTooLarge());
        return Flow::kFail;
      }
      where.object = new_object(std::move(held), var);
      if (where.object == 0) return Flow::kFail;
    }
    auto& vars = frames_.back()->vars;
    bool is_known = false;
    for (auto& [known, at] : vars) {
      if (known != var) continue;
      at = where;  // once more for a loop
      is_known = true;
    }
    if (!is_known) vars.emplace_back(var, std::move(where));
  }
  return Flow::kNext;
}

ConstEvaluator::Flow ConstEvaluator::exec_if(const IfStmt* s) {
  const Flow flow = exec_list(s->init);
  if (flow != Flow::kNext) return flow;
  bool taken = false;
  if (!truth(s->condition, taken)) return Flow::kFail;
  const Stmt* branch = taken ? s->then_branch : s->else_branch;
  return branch != nullptr ? exec(branch) : Flow::kNext;
}

ConstEvaluator::Flow ConstEvaluator::exec_loop(const LoopStmt* s) {
  Flow flow = exec_list(s->init);
  if (flow != Flow::kNext) return flow;
  bool is_tested = s->kind != StmtKind::kDo;
  const size_t outside = objects_.size();
  for (;;) {
    if (!step()) return Flow::kFail;
    if (is_tested) {
      bool goes_on = true;
      if (exec_list(s->each) != Flow::kNext) return Flow::kFail;
      if (s->condition != nullptr && !truth(s->condition, goes_on)) return Flow::kFail;
      if (!goes_on) break;
    }
    is_tested = true;
    flow = exec_list(s->before_body);
    if (flow == Flow::kNext && s->body != nullptr) flow = exec(s->body);
    if (flow == Flow::kReturn || flow == Flow::kFail) return flow;
    if (flow == Flow::kBreak) break;
    objects_.resize(outside);  // the body's variables
    if (s->step != nullptr && !discard(s->step)) return Flow::kFail;
  }
  return Flow::kNext;
}

ConstEvaluator::Flow ConstEvaluator::exec_switch(const SwitchStmt* s) {
  Flow flow = exec_list(s->init);
  if (flow != Flow::kNext) return flow;
  ConstValue on;
  if (!value(s->value, on)) return Flow::kFail;
  const std::vector<Stmt*> single{s->body};
  const std::vector<Stmt*>& list = s->body->kind == StmtKind::kBlock ? as<BlockStmt>(s->body)->body : single;
  if (has_inner_case(s->body)) return fail(message::kUsesInnerCase()), Flow::kFail;
  CaseTarget target;
  const auto wanted = static_cast<int64_t>(on.bits);
  if (!find_case(list, wanted, false, target) && !find_case(list, wanted, true, target)) return Flow::kNext;
  flow = target.body != nullptr ? exec(target.body) : Flow::kNext;
  if (flow == Flow::kNext) flow = exec_list(list, target.statement + 1);
  return flow == Flow::kBreak ? Flow::kNext : flow;
}

ConstEvaluator::Flow ConstEvaluator::exec_return(const ReturnStmt* s) {
  if (s->value == nullptr) return Flow::kReturn;
  Frame& frame = *frames_.back();
  if (!frame.returns_ref) return value(s->value, frame.result) ? Flow::kReturn : Flow::kFail;
  Place target;
  if (!place(s->value, target)) return Flow::kFail;
  frame.result = pointer_to(target, sema_.types.pointer(s->value->type));
  return Flow::kReturn;
}

}  // namespace quern::lang
