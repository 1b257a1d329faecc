#include "lang/constant/const_eval.hpp"

#include "lang/constant/const_evaluator.hpp"
#include "lang/constant/messages.hpp"

namespace quern::lang {

bool evaluate(Sema& sema, const Expr* expr, ConstValue& out, std::string* why,
              const ConstEvalLimits& limits) {
  if (expr->kind == ExprKind::kConst) {  // by far the most frequent case
    const auto* c = as<ConstExpr>(expr);
    out = {};
    out.type = c->type.unqualified();
    out.bits = c->bits;
    out.number = c->number;
    return true;
  }
  ConstEvaluator evaluator(sema, limits);
  if (evaluator.run(expr, out)) return true;
  if (why != nullptr) *why = evaluator.why();
  return false;
}

bool ConstEvaluator::run(const Expr* expr, ConstValue& out) {
  Frame outermost;
  frames_.push_back(&outermost);
  const bool ok = value(expr, out) && detach(out);
  frames_.pop_back();
  return ok;
}

bool ConstEvaluator::fail(base::MessageText why) {
  if (why_.empty()) why_ = std::move(why.text);
  return false;
}

bool ConstEvaluator::step() {
  if (++steps_ <= limits_.steps) return true;
  return fail(message::kTooManySteps(std::to_string(limits_.steps)));
}

bool ConstEvaluator::value(const Expr* e, ConstValue& out) {
  if (!step()) return false;
  if (nesting_ >= kMaxNesting) return fail(message::kEvaluationTooDeep());
  ++nesting_;
  const bool ok = value_of(e, out);
  --nesting_;
  return ok;
}

bool ConstEvaluator::place(const Expr* e, Place& out) {
  if (!step()) return false;
  if (nesting_ >= kMaxNesting) return fail(message::kEvaluationTooDeep());
  ++nesting_;
  const bool ok = place_of(e, out);
  --nesting_;
  return ok;
}

bool ConstEvaluator::value_of(const Expr* e, ConstValue& out) {
  if (e->type->is_class() && e->type->class_decl->is_polymorphic) return fail(message::kPolymorphicObject());
  switch (e->kind) {
    case ExprKind::kError: return fail(message::kHasError());
    case ExprKind::kConst:
      out = {};
      out.type = e->type.unqualified();
      out.bits = as<ConstExpr>(e)->bits;
      out.number = as<ConstExpr>(e)->number;
      return true;
    case ExprKind::kFunction:
      out = {};
      out.type = e->type.unqualified();
      out.function = as<FunctionExpr>(e)->function;
      return true;
    case ExprKind::kThis:
      if (frames_.back()->self.bits == 0) return fail(message::kThisNotConstant());
      out = frames_.back()->self;
      out.type = e->type.unqualified();
      return true;
    case ExprKind::kAddress: {
      Place target;
      if (!place(as<AddressExpr>(e)->object, target)) return false;
      out = pointer_to(target, e->type.unqualified());
      return true;
    }
    case ExprKind::kField:
      if (!e->is_lvalue) return field_value(as<FieldExpr>(e), out);
      break;
    case ExprKind::kUnary: return unary(as<UnaryExpr>(e), out);
    case ExprKind::kBinary:
      if (!e->is_lvalue) return binary(as<BinaryExpr>(e), out);
      break;
    case ExprKind::kIncDec: {
      const auto* inc = as<IncDecExpr>(e);
      Place target;
      if (!inc_dec(inc, target, out)) return false;
      return !inc->is_prefix || read(target, e->type, out);
    }
    case ExprKind::kCast:
      if (!e->is_lvalue) return cast(as<CastExpr>(e), out);
      break;
    case ExprKind::kConditional: {
      const auto* c = as<ConditionalExpr>(e);
      bool taken = false;
      return truth(c->condition, taken) && value(taken ? c->then_value : c->else_value, out);
    }
    case ExprKind::kCall:
      if (!e->is_lvalue) return call(as<CallExpr>(e), out);
      break;
    case ExprKind::kCallPointer:
      if (!e->is_lvalue) return call_pointer(as<CallPointerExpr>(e), out);
      break;
    case ExprKind::kIntrinsic: return intrinsic(as<IntrinsicExpr>(e), out);
    case ExprKind::kConstruct: return construct(as<ConstructExpr>(e), out);
    case ExprKind::kAggregate: return aggregate(as<AggregateExpr>(e), out);
    case ExprKind::kZero: return zero_value(e->type.unqualified(), out) || fail(message::kObjectTooLarge());
    case ExprKind::kMaterialize:
      if (!e->is_lvalue) return value(as<MaterializeExpr>(e)->value, out);
      break;
    default: break;
  }
  Place target;
  return place(e, target) && read(target, e->type, out);
}

bool ConstEvaluator::place_of(const Expr* e, Place& out) {
  switch (e->kind) {
    case ExprKind::kError: return fail(message::kHasError());
    case ExprKind::kVar: return variable(as<VarExpr>(e), out);
    case ExprKind::kString: return materialize(e, out);
    case ExprKind::kDeref: {
      ConstValue pointer;
      return value(as<DerefExpr>(e)->pointer, pointer) && target_of(pointer, out);
    }
    case ExprKind::kIndex: {
      ConstValue pointer;
      ConstValue index;
      if (!value(as<IndexExpr>(e)->pointer, pointer) || !value(as<IndexExpr>(e)->index, index)) return false;
      return move_pointer(pointer, static_cast<int64_t>(index.bits)) && target_of(pointer, out);
    }
    case ExprKind::kField: {
      const auto* f = as<FieldExpr>(e);
      if (!place(f->object, out)) return false;
      const ClassDecl* decl = f->object->type->class_decl;
      out.path.push_back(static_cast<int64_t>(decl->bases.size() + f->field->index));
      if (!f->field->type->is_ref()) return true;
      const ConstValue* address = resolve(out);
      return address != nullptr && target_of(ConstValue(*address), out);
    }
    case ExprKind::kBinary: {  // a comma
      const auto* b = as<BinaryExpr>(e);
      return discard(b->left) && place(b->right, out);
    }
    case ExprKind::kIncDec: {
      ConstValue before;
      return inc_dec(as<IncDecExpr>(e), out, before);
    }
    case ExprKind::kAssign: return assign(as<AssignExpr>(e), out);
    case ExprKind::kCompound: return compound(as<CompoundExpr>(e), out);
    case ExprKind::kCast: return cast_place(as<CastExpr>(e), out);
    case ExprKind::kConditional: {
      const auto* c = as<ConditionalExpr>(e);
      bool taken = false;
      return truth(c->condition, taken) && place(taken ? c->then_value : c->else_value, out);
    }
    case ExprKind::kCall: {
      ConstValue reference;
      if (!e->is_lvalue) return materialize(e, out);
      return call(as<CallExpr>(e), reference) && target_of(reference, out);
    }
    case ExprKind::kCallPointer: {
      ConstValue reference;
      if (!e->is_lvalue) return materialize(e, out);
      return call_pointer(as<CallPointerExpr>(e), reference) && target_of(reference, out);
    }
    case ExprKind::kMaterialize: return materialize(as<MaterializeExpr>(e)->value, out);
    default: return materialize(e, out);
  }
}

bool ConstEvaluator::variable(const VarExpr* e, Place& out) {
  for (const auto& [var, where] : frames_.back()->vars) {
    if (var == e->var) {
      out = where;
      return true;
    }
  }
  return static_object(e->var, out);
}

// A temporary that holds the value. String literals are kept for the whole evaluation, so that they have one
// address.
bool ConstEvaluator::materialize(const Expr* e, Place& out) {
  out = {};
  ConstValue held;
  if (e->kind != ExprKind::kString) {
    if (!value(e, held)) return false;
    out.object = new_object(std::move(held), nullptr);
    return out.object != 0;
  }
  if (const auto known = static_of_.find(e); known != static_of_.end()) {
    out = known->second;
    return true;
  }
  const std::string& text = as<StringExpr>(e)->text;
  held.type = e->type.unqualified();
  for (uint64_t i = 0; i < e->type->count; ++i) {
    const auto byte = i < text.size() ? static_cast<signed char>(text[i]) : static_cast<signed char>(0);
    held.members.push_back(scalar_value(e->type->elem.unqualified(), static_cast<uint64_t>(int64_t{byte})));
  }
  statics_.push_back({nullptr, as<StringExpr>(e), std::move(held)});
  out.object = kStatic + statics_.size();
  static_of_[e] = out;
  return true;
}

bool ConstEvaluator::field_value(const FieldExpr* e, ConstValue& out) {
  ConstValue object;
  if (!value(e->object, object)) return false;
  const size_t index = e->object->type->class_decl->bases.size() + e->field->index;
  if (index >= object.members.size()) return fail(message::kReadsOutsideObject());
  if (is_undefined(object.members[index])) return fail(message::kReadsUninitialized());
  out = ConstValue(std::move(object.members[index]));
  out.type = e->type.unqualified();
  return true;
}

bool ConstEvaluator::aggregate(const AggregateExpr* e, ConstValue& out) {
  if (!zero_value(e->type.unqualified(), out)) return fail(message::kObjectTooLarge());
  const bool is_class = e->type->is_class();
  const size_t bases = is_class ? e->type->class_decl->bases.size() : 0;
  for (size_t i = 0; i < e->bases.size() && i < bases; ++i) {
    if (e->bases[i] != nullptr && !value(e->bases[i], out.members[i])) return false;
  }
  for (size_t i = 0; i < e->members.size() && bases + i < out.members.size(); ++i) {
    if (e->members[i] == nullptr) continue;
    const QualType type = is_class ? e->type->class_decl->fields[i]->type : e->type->elem;
    if (!bound(e->members[i], type, out.members[bases + i])) return false;
    if (is_class) fit_bits(out.members[bases + i], e->type->class_decl->fields[i]);
  }
  return true;
}

bool ConstEvaluator::bound(const Expr* e, QualType type, ConstValue& out) {
  if (type->is_ref()) {
    Place target;
    if (!place(e, target)) return false;
    out = pointer_to(target, type);
    return true;
  }
  if (!value(e, out)) return false;
  if (type->is_array() && out.members.size() < type->count) {  // a string shorter than its array
    ConstValue zero;
    if (!zero_value(type->elem.unqualified(), zero) || !step()) return fail(message::kObjectTooLarge());
    out.members.resize(type->count, zero);
  }
  out.type = type.unqualified();
  return true;
}

bool ConstEvaluator::truth(const Expr* e, bool& out) {
  ConstValue condition;
  const size_t before = objects_.size();
  if (!value(e, condition)) return false;
  objects_.resize(before);
  out = condition.bits != 0;
  return true;
}

bool ConstEvaluator::discard(const Expr* e) {
  const size_t before = objects_.size();
  ConstValue ignored;
  Place nowhere;
  const bool ok = e->is_lvalue ? place(e, nowhere) : value(e, ignored);
  if (ok) objects_.resize(before);
  return ok;
}

}  // namespace quern::lang
