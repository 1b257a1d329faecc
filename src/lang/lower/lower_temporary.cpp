// Objects with destructors: named ones live until their scope ends, temporaries until their full expression
// ends or, bound to a reference, as long as the reference.
#include "lang/lower/function_lowering.hpp"
#include "lang/sema/expression.hpp"

namespace quern::lang {
namespace {

// The temporary whose lifetime `const T& r = e` extends: e itself or the object that it is a part of.
const Expr* extended_by_reference(const Expr* e) {
  for (;;) {
    switch (e->kind) {
      case ExprKind::kMaterialize: e = as<MaterializeExpr>(e)->value; break;
      case ExprKind::kField:
        if (as<FieldExpr>(e)->field->type->is_ref()) return nullptr;
        e = as<FieldExpr>(e)->object;
        break;
      case ExprKind::kCast: {
        const CastKind cast = as<CastExpr>(e)->cast;
        const bool is_part = cast == CastKind::kQualify || cast == CastKind::kDerivedToBase;
        if (!is_part) return e->is_lvalue ? nullptr : e;
        e = as<CastExpr>(e)->operand;
        break;
      }
      default: return e->is_lvalue ? nullptr : e;
    }
  }
}

}  // namespace

FunctionLowering::FullExpression::FullExpression(FunctionLowering& lowering)
    : lowering_(lowering), outside_(lowering.cleanups_.size()) {}

FunctionLowering::FullExpression::~FullExpression() { lowering_.leave_scope(outside_); }

FunctionLowering::ExpressionBranch::ExpressionBranch(FunctionLowering& lowering, ir::Value* condition)
    : lowering_(lowering),
      after_(lowering.builder_.block()),
      choice_(lowering.builder_.make_if(condition)),
      was_conditional_(lowering.is_conditional_),
      memory_before_(lowering.temporaries_before_) {
  lowering_.is_conditional_ = true;
  if (memory_before_ == nullptr) lowering_.temporaries_before_ = choice_;
}

FunctionLowering::ExpressionBranch::~ExpressionBranch() {
  lowering_.is_conditional_ = was_conditional_;
  lowering_.temporaries_before_ = memory_before_;
  lowering_.builder_.at(after_);
}

void FunctionLowering::ExpressionBranch::side(size_t i) { lowering_.builder_.at(choice_->blocks[i]); }

// Memory that lives as long as any object of the full expression, whichever branch created it.
ir::Inst* FunctionLowering::temporary_memory(const ir::Type* t) {
  if (temporaries_before_ == nullptr) return builder_.var(t, {});
  ir::Block* here = builder_.block();
  builder_.at(temporaries_before_->parent, temporaries_before_);
  ir::Inst* memory = builder_.var(t, {});
  builder_.at(here);
  return memory;
}

// A prvalue in memory that is not destroyed here: the consumer of the value destroys it.
ir::Inst* FunctionLowering::in_memory(const Expr* e) {
  place(e);
  ir::Inst* memory = temporary_memory(type(e->type));
  init_into(e, memory);
  return memory;
}

ir::Value* FunctionLowering::temporary(const Expr* e) {
  const bool is_kept = e == extended_;
  ir::Inst* memory = in_memory(e);
  if (!is_destroyed(e->type)) return memory;
  Cleanup cleanup{e->type.type, memory, nullptr};
  if (is_conditional_) {
    const ir::Type* flag = ir_type(ir::TypeKind::kBool);
    ir::Block* here = builder_.block();
    builder_.at(temporaries_before_->parent, temporaries_before_);
    cleanup.made = builder_.var(flag, {});
    builder_.store(cleanup.made, module_.constant_bool(false));
    builder_.at(here);
    builder_.store(cleanup.made, module_.constant_bool(true));
  }
  (is_kept ? extended_cleanups_ : cleanups_).push_back(cleanup);
  return memory;
}

ir::Value* FunctionLowering::full_value(const Expr* e) {
  const FullExpression full(*this);
  return value(e);
}

// The object that a reference is bound to; the lifetime of a temporary is extended.
ir::Value* FunctionLowering::bind_reference(const Expr* e) {
  const FullExpression full(*this);
  extended_ = extended_by_reference(e);
  ir::Value* target = address(e);
  extended_ = nullptr;
  return target;
}

bool FunctionLowering::is_destroyed(QualType t) {
  const Type* of = t.type;
  while (of->is_array()) of = of->elem.type;
  return of->is_class() && shared_.has_destructor(of->class_decl);
}

void FunctionLowering::destroy(const Type* t, ir::Value* object) {
  if (t->is_array()) {
    for_each_element(t, true, [&](ir::Value* index) {
      destroy(t->elem.type, builder_.offset(object, index, size_of(t->elem)));
    });
    return;
  }
  ClassDecl* decl = t->class_decl;
  const FunctionDecl* dtor = decl->dtor;
  if (dtor == nullptr || dtor->is_defaulted) {
    const std::vector<Cleanup> parts = parts_to_destroy(decl, object);
    for (size_t i = parts.size(); i-- > 0;) destroy(parts[i].type, parts[i].address);
    return;
  }
  const bool is_callable = check_callable(sema_, decl->dtor, placed_);
  ir::Function* callee = is_callable ? shared_.function(decl->dtor, dtor->loc, 1) : nullptr;
  if (callee == nullptr) {
    failed_ = true;
    return;
  }
  ir::Value* args[] = {generic(object)};
  emit_call(callee, args);
}

// The bases and members of an object that have destructors, in the order of their construction.
std::vector<FunctionLowering::Cleanup> FunctionLowering::parts_to_destroy(ClassDecl* decl,
                                                                          ir::Value* object) {
  std::vector<Cleanup> parts;
  const ClassLayout* layout = shared_.types.layout(decl);
  if (layout == nullptr || decl->is_union) return parts;
  for (size_t i = 0; i < decl->bases.size(); ++i) {
    if (!shared_.has_destructor(decl->bases[i].decl)) continue;
    const int field = layout->base_field[i];
    ir::Value* base = field < 0 ? object : builder_.field(object, layout->type, static_cast<uint32_t>(field));
    parts.push_back({decl->bases[i].decl->type, base, nullptr});
  }
  for (const FieldDecl* field : decl->fields) {
    if (field->type->is_ref() || !is_destroyed(field->type)) continue;
    ir::Value* member = builder_.field(object, layout->type, layout->first_field + field->index);
    parts.push_back({field->type.type, member, nullptr});
  }
  return parts;
}

// Destroys, in reverse order, everything created since `down_to`; `moved` is returned to the caller and is
// not destroyed.
void FunctionLowering::run_cleanups(size_t down_to, const ir::Value* moved) {
  for (size_t i = cleanups_.size(); i-- > down_to && !ended();) {
    const Cleanup cleanup = cleanups_[i];
    if (cleanup.address == moved) continue;
    if (cleanup.made == nullptr) {
      destroy(cleanup.type, cleanup.address);
      continue;
    }
    ir::Block* after = builder_.block();
    const ir::Inst* choice = builder_.make_if(builder_.load(ir_type(ir::TypeKind::kBool), cleanup.made));
    builder_.at(choice->blocks[0]);
    destroy(cleanup.type, cleanup.address);
    builder_.store(cleanup.made, module_.constant_bool(false));  // a loop may get here again
    builder_.at(after);
  }
}

void FunctionLowering::leave_scope(size_t outside) {
  run_cleanups(outside);
  cleanups_.resize(outside);
}

// The object of this function that `return e` returns without a copy; nullptr: e is something else.
ir::Value* FunctionLowering::returned_object(const Expr* e) {
  if (e->kind == ExprKind::kConstruct) {
    const auto* c = as<ConstructExpr>(e);
    if (c->args.size() != 1 || !is_copy_constructor(c->ctor)) return nullptr;
    e = c->args[0];
  }
  while (e->kind == ExprKind::kCast && as<CastExpr>(e)->cast == CastKind::kQualify)
    e = as<CastExpr>(e)->operand;
  if (e->kind != ExprKind::kVar || !e->type->is_class()) return nullptr;
  const VarDecl* var = as<VarExpr>(e)->var;
  const Local* here = local(var);
  const bool is_own = var->storage == Storage::kLocal && !var->type->is_ref() && !var->type.is_volatile &&
                      shared_.types.get(e->type) == function_->result;
  return is_own && here != nullptr ? here->slot : nullptr;
}

}  // namespace quern::lang
