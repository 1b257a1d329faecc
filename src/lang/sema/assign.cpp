// Assignments: plain and compound, and which expressions can be assigned to.
#include "lang/sema/expression.hpp"
#include "lang/sema/messages.hpp"
#include "lang/sema/messages_expression.hpp"

namespace quern::lang {

namespace {

// The variable that an lvalue is part of, as far as the tree shows.
const VarDecl* root_variable(const Expr* e) {
  switch (e->kind) {
    case ExprKind::kVar: return as<VarExpr>(e)->var;
    case ExprKind::kField: return root_variable(as<FieldExpr>(e)->object);
    case ExprKind::kIndex: {  // an element of an array; through a pointer it is another object
      const Expr* base = as<IndexExpr>(e)->pointer;
      const bool is_array =
          base->kind == ExprKind::kCast && as<CastExpr>(base)->cast == CastKind::kArrayToPointer;
      return is_array ? root_variable(base) : nullptr;
    }
    case ExprKind::kCast: {
      const CastExpr* cast = as<CastExpr>(e);
      const bool same_object = cast->cast == CastKind::kArrayToPointer || cast->is_lvalue;
      return same_object ? root_variable(cast->operand) : nullptr;
    }
    default: return nullptr;
  }
}

// The user-defined operator= if it matches; nullptr: the class is copied member by member.
Expr* user_assign(Sema& sema, Expr* left, Expr* right, SourceLoc loc) {
  if (!left->type->is_class()) return nullptr;
  ClassDecl* decl = left->type->class_decl;
  if (!sema.complete_class(decl)) return sema.error_expr(loc);
  const auto own = decl->members->names.find(sema.idents.get("operator="));
  if (own == decl->members->names.end()) return nullptr;
  OverloadSet set;
  set.name = sema.idents.get("operator=");
  set.loc = loc;
  add_decls(set.candidates, own->second);
  Expr* args[] = {left, right};
  const Call call{.set = &set, .args = args, .is_operator = true};
  const Choice choice = choose(sema, call);
  if (choice.function == nullptr || choice.function->is_defaulted) return nullptr;
  const bool same_class = right->type->is_class() && base_distance(sema, right->type->class_decl, decl) == 0;
  if (same_class && choice.best.sequences[1].rank > Rank::kQualify)
    return nullptr;  // the implicit copy is a better match
  if (choice.rival != nullptr) {
    report_ambiguous(sema, call, choice, loc);
    return sema.error_expr(loc);
  }
  return sema.call_function(choice.function, left, {right}, loc);
}

std::string target_text(const Expr* target) {
  const std::string text = describe(target);
  return text == "the value" ? "this" : text;
}

base::MessageText cannot_assign(const std::string& target, std::string_view op) {
  if (op == "++" || op == "--") return message::kCannotChange(target);
  return op == "=" ? message::kCannotAssign(target) : message::kCannotAssignWith(target, op);
}

}  // namespace

bool check_assignable(Sema& sema, const Expr* target, std::string_view op, SourceLoc loc) {
  const uint32_t length = static_cast<uint32_t>(op.size());
  const bool changes = op == "++" || op == "--";
  if (!target->is_lvalue || target->kind == ExprKind::kMaterialize) {
    const std::string text = describe(target);
    const bool is_constant = target->kind == ExprKind::kConst;
    const std::string place = text == "the value" || is_constant ? "a value" : text;
    sema.error(
        loc, length,
        because(cannot_assign(place, op), is_constant ? message::kIsConstant() : message::kIsNotVariable()));
    return false;
  }
  if (is_const_object(target->type)) {
    sema.error(target, changes ? message::kChangeConst(target_text(target))
                               : message::kAssignToConst(target_text(target)));
    return false;
  }
  const VarDecl* root = root_variable(target);
  if (root != nullptr && root->storage == Storage::kConstant && !root->type->is_pointer() &&
      !root->type->is_ref()) {
    sema.error(target, changes ? message::kChangeConstantMemory(target_text(target), root->name->text)
                               : message::kAssignToConstantMemory(target_text(target), root->name->text));
    return false;
  }
  if (target->type->is_array()) {
    sema.error(loc, length, message::kAssignToArray(target_text(target)));
    return false;
  }
  return true;
}

Expr* assign(Sema& sema, Expr* left, Expr* right, SourceLoc loc) {
  if (Expr* e = user_assign(sema, left, right, loc)) return e;
  if (!check_assignable(sema, left, "=", loc)) return sema.error_expr(loc);
  const QualType type = left->type.unqualified();
  Expr* value = sema.convert(right, type, target_text(left) == "this" ? std::string() : target_text(left));
  if (is_error(value)) return sema.error_expr(loc);
  AssignExpr* e = make_expr<AssignExpr>(sema, left->type, loc, !is_bit_field(left));
  e->target = left;
  e->value = value;
  return e;
}

Expr* compound_assign(Sema& sema, const Operator& op, Expr* left, Expr* right, SourceLoc loc) {
  if (is_error(right)) return right;
  if (!check_assignable(sema, left, op.text, loc)) return sema.error_expr(loc);
  // The operation itself determines what is allowed; its node provides the converted operand and the type to
  // compute in.
  Operator plain = op;
  plain.is_assignment = false;
  Expr* result = builtin_binary(sema, plain, left, right, loc);
  if (is_error(result)) return result;
  const BinaryExpr* operation = as<BinaryExpr>(result);
  const QualType type = left->type.unqualified();
  const bool numbers = type->is_arithmetic() && result->type->is_arithmetic();
  if (!numbers && type.type != result->type.type) {
    sema.error(
        loc, static_cast<uint32_t>(op.text.size()),
        message::kAssignResultType(op.text, to_string(result->type), target_text(left), to_string(type)));
    return sema.error_expr(loc);
  }
  CompoundExpr* e = make_expr<CompoundExpr>(sema, left->type, loc, !is_bit_field(left));
  e->op = operation->op;
  e->target = left;
  e->value = operation->right;
  e->compute = result->type.unqualified();
  return e;
}

}  // namespace quern::lang
