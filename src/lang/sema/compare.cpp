#include "lang/sema/compare.hpp"

#include "lang/parse/parser.hpp"
#include "lang/sema/expression.hpp"
#include "lang/sema/messages.hpp"

namespace quern::lang {

namespace {

class Comparison {
 public:
  Comparison(Sema& sema, FunctionDecl* f)
      : sema_(sema), f_(f), outer_(sema.current_scope), is_equality_(f->name->text != "operator<=>") {
    sema_.current_scope = f->scope;
  }
  ~Comparison() { sema_.current_scope = outer_; }

  void build() {
    auto* scope = sema_.make<Scope>();
    scope->kind = Scope::Kind::kFunction;
    scope->parent = f_->scope;
    scope->function = f_;
    f_->body_scope = scope;
    declare_params(sema_, scope, f_);
    auto* body = sema_.make<BlockStmt>();
    f_->tree = body;
    Expr* left = operand(0);
    Expr* right = operand(1);
    ClassDecl* c = left != nullptr && right != nullptr ? class_of(left->type) : nullptr;
    if (c == nullptr || c != class_of(right->type)) {
      sema_.error(f_->loc, message::kDefaultComparison());
      return;
    }
    for (const BaseClass& b : c->bases) {
      compare(to_base(sema_, left, b.decl), to_base(sema_, right, b.decl), body);
    }
    for (FieldDecl* field : c->fields) {
      Decl* d = field;
      const std::span<Decl* const> one(&d, 1);
      compare(sema_.member_of_class(left, one, f_->loc, nullptr),
              sema_.member_of_class(right, one, f_->loc, nullptr), body);
    }
    finish(body);
  }

 private:
  static constexpr uint64_t kMostElements = 64;

  // The objects: *this and the parameter, or both parameters.
  Expr* operand(size_t index) {
    if (f_->is_method() && index == 0) return sema_.unary(Tok::kStar, sema_.this_expr(f_, f_->loc), f_->loc);
    const size_t param = f_->is_method() ? index - 1 : index;
    return param < f_->params.size() ? sema_.var_ref(f_->params[param], f_->loc) : nullptr;
  }

  void compare(Expr* left, Expr* right, BlockStmt* body) {
    if (is_error(left) || is_error(right)) return;
    if (left->type->is_array()) return compare_arrays(left, right, body);
    if (is_equality_) {  // if (!(left == right)) return false;
      Expr* equal = sema_.to_bool(sema_.binary(Tok::kEqualEqual, left, right, f_->loc));
      leave_if(sema_.unary(Tok::kExclaim, equal, f_->loc), sema_.bool_constant(false, f_->loc), body);
      return;
    }
    // order = left <=> right; if (order != 0) return order;
    auto* order = sema_.make<VarDecl>();
    order->name = sema_.idents.get("(order)");
    order->loc = f_->loc;
    order->parent = f_->body_scope;
    order->init = sema_.binary(Tok::kSpaceship, left, right, f_->loc);
    order->type = order->init->type;
    if (is_error(order->init)) return;
    auto* declared = sema_.make<DeclStmt>();
    declared->loc = f_->loc;
    declared->vars.push_back(order);
    body->body.push_back(declared);
    Expr* zero = sema_.int_constant(sema_.basic(TypeKind::kInt), 0, f_->loc);
    Expr* differs = sema_.binary(Tok::kExclaimEqual, sema_.var_ref(order, f_->loc), zero, f_->loc);
    note_result(order->type);
    results_.push_back(leave_if(sema_.to_bool(differs), sema_.var_ref(order, f_->loc), body));
  }

  void compare_arrays(Expr* left, Expr* right, BlockStmt* body) {
    if (left->type->count > kMostElements) {
      sema_.error(f_->loc, message::kDefaultComparisonArray(std::to_string(left->type->count)));
      return;
    }
    for (uint64_t i = 0; i < left->type->count; ++i) {
      Expr* index = sema_.int_constant(sema_.basic(TypeKind::kInt), i, f_->loc);
      const std::span<Expr* const> one(&index, 1);
      compare(sema_.subscript(left, one, f_->loc), sema_.subscript(right, one, f_->loc), body);
    }
  }

  ReturnStmt* leave_if(Expr* condition, Expr* value, BlockStmt* body) {
    auto* s = sema_.make<IfStmt>();
    s->loc = f_->loc;
    s->condition = condition;
    auto* leave = sema_.make<ReturnStmt>();
    leave->loc = f_->loc;
    leave->value = value;
    s->then_branch = leave;
    body->body.push_back(s);
    return leave;
  }

  // `auto` becomes the weakest order among the members.
  void note_result(QualType order) {
    if (!has_auto(f_->result)) return;
    const bool is_weaker =
        !weakest_ || sema_.conversion_rank(sema_.init_value(weakest_, f_->loc), order) != Rank::kNone;
    if (is_weaker) weakest_ = order.unqualified();
  }

  void finish(BlockStmt* body) {
    auto* last = sema_.make<ReturnStmt>();
    last->loc = f_->loc;
    if (is_equality_) {
      last->value = sema_.bool_constant(true, f_->loc);
    } else {
      Expr* zero = sema_.int_constant(sema_.basic(TypeKind::kInt), 0, f_->loc);
      Expr* equal = sema_.binary(Tok::kSpaceship, zero, zero, f_->loc);
      if (has_auto(f_->result)) f_->result = weakest_ ? weakest_ : equal->type;
      for (ReturnStmt* r : results_) r->value = sema_.init_copy(f_->result, r->value, "the result");
      last->value = sema_.init_copy(f_->result, equal, "the result");
    }
    body->body.push_back(last);
  }

  Sema& sema_;
  FunctionDecl* f_;
  Scope* outer_;
  bool is_equality_;
  QualType weakest_;
  std::vector<ReturnStmt*> results_;
};

}  // namespace

void compare_members(Sema& sema, FunctionDecl* f) { Comparison(sema, f).build(); }

}  // namespace quern::lang
