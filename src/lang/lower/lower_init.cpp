// Declarations and initialisers: objects are constructed in place.
#include <algorithm>

#include "lang/ir/tensor_map.hpp"
#include "lang/lower/function_lowering.hpp"
#include "lang/lower/messages.hpp"

namespace quern::lang {
namespace {

constexpr size_t kFewStores = 16;   // up to this many missing elements are stored one by one
constexpr size_t kFewMembers = 64;  // aggregates up to this size may be values
constexpr size_t kLargeTable =
    16;  // constant array initialisers from this size on are copied from constant memory

bool is_constant_member(const Expr* e) {
  if (e == nullptr || e->kind == ExprKind::kConst || e->kind == ExprKind::kZero) return true;
  if (e->kind != ExprKind::kAggregate) return false;
  const auto* a = as<AggregateExpr>(e);
  return std::all_of(a->bases.begin(), a->bases.end(), is_constant_member) &&
         std::all_of(a->members.begin(), a->members.end(), is_constant_member);
}

}  // namespace

void FunctionLowering::init_as(QualType t, const Expr* e, ir::Value* to) {
  if (e == nullptr) {
    const ir::Type* made = type(t);
    const bool is_empty = made->is_struct() && made->fields.empty();
    if (!is_empty) builder_.store(to, module_.constant(made, 0));
    return;
  }
  if (t->is_ref()) {
    ir::Value* target = t->is_function_ref() ? value(e) : generic(address(e));
    place(e);
    builder_.store(to, target);
  } else if (e->kind == ExprKind::kString && t->is_array()) {
    init_string(as<StringExpr>(e), t, to);
  } else {
    init_into(e, to);
  }
}

void FunctionLowering::init_into(const Expr* e, ir::Value* to) {
  switch (e->kind) {
    case ExprKind::kConstruct: construct_into(as<ConstructExpr>(e), to); return;
    case ExprKind::kAggregate:
      if (e->type->is_array()) {
        init_array(as<AggregateExpr>(e), to);
      } else {
        init_aggregate(as<AggregateExpr>(e), to);
      }
      return;
    case ExprKind::kString: init_string(as<StringExpr>(e), e->type, to); return;
    case ExprKind::kMaterialize:
      if (!e->type->is_class() || is_destroyed(e->type)) break;
      init_into(as<MaterializeExpr>(e)->value, to);
      return;
    case ExprKind::kCast:
      if (as<CastExpr>(e)->cast != CastKind::kQualify || !e->type->is_class()) break;
      init_into(as<CastExpr>(e)->operand, to);
      return;
    case ExprKind::kConditional: {
      if (!e->type->is_class() || e->is_lvalue) break;
      const auto* c = as<ConditionalExpr>(e);
      ir::Value* condition = value(c->condition);
      place(e);
      ExpressionBranch branch(*this, condition);
      branch.side(0);
      init_into(c->then_value, to);
      branch.side(1);
      init_into(c->else_value, to);
      return;
    }
    default: break;
  }
  if (e->is_lvalue && copies_by_member(e->type, Copy::kConstruct)) {
    ir::Value* from = address(e);
    place(e);
    copy_object(e->type.type, from, to, Copy::kConstruct);
    return;
  }
  ir::Value* v = value(e);
  const bool is_empty = v->type->is_struct() && v->type->fields.empty();
  place(e);
  if (!is_empty) builder_.store(to, v);
}

void FunctionLowering::init_aggregate(const AggregateExpr* e, ir::Value* to) {
  ClassDecl* decl = e->type->class_decl;
  const ClassLayout* layout = shared_.types.layout(decl);
  if (layout == nullptr) {
    failed_ = true;
    return;
  }
  using Rest = AggregateExpr::Rest;
  place(e);
  if (e->rest == Rest::kZeroFirst && !layout->type->fields.empty())
    builder_.store(to, module_.constant(layout->type, 0));
  else if (layout->overlaps && e->rest == Rest::kZero)
    builder_.store(to, module_.constant(layout->type, 0));
  else if (layout->has_bits)
    clear_bits(decl, to);
  const bool leaves_missing = e->rest != Rest::kZero;
  for (size_t i = 0; i < decl->bases.size(); ++i) {
    const int field = layout->base_field[i];
    const Expr* base = i < e->bases.size() ? e->bases[i] : nullptr;
    if (field < 0 || (base == nullptr && leaves_missing)) continue;
    place(e);
    init_as(decl->bases[i].decl->type, base, builder_.field(to, layout->type, static_cast<uint32_t>(field)));
  }
  set_vptrs(decl, decl, to, 0);
  for (size_t i = 0; i < decl->fields.size(); ++i) {
    const Expr* member = i < e->members.size() ? e->members[i] : nullptr;
    if (decl->fields[i] == decl->vptr) continue;
    // Another one of the overlapping fields holds the bytes.
    if (member == nullptr && (leaves_missing || layout->overlaps)) continue;
    place(member != nullptr ? member : e);
    ir::Value* field = builder_.field(to, layout->type, layout->first_field + static_cast<uint32_t>(i));
    init_field(*decl->fields[i], member, field);
  }
}

void FunctionLowering::init_field(const FieldDecl& field, const Expr* e, ir::Value* to) {
  const bool is_aligned = is_aligned_member(field);
  if (!field.is_bit_field() && !is_aligned) return init_packed(field.type, e, to);
  if (!field.is_bit_field()) return init_as(field.type, e, to);
  if (e == nullptr) return;  // the unit was cleared before
  ir::Value* v = value(e);
  place(e);
  store_bits(field, to, v);
}

void FunctionLowering::init_array(const AggregateExpr* e, ir::Value* to) {
  const ir::Type* whole = type(e->type);
  const uint64_t count = e->type->count;
  const QualType elem = e->type->elem;
  const auto given = static_cast<uint64_t>(
      std::count_if(e->members.begin(), e->members.end(), [](const Expr* m) { return m != nullptr; }));
  place(e);
  if (given >= kLargeTable && is_constant_member(e)) {
    ConstValue constant;
    std::vector<uint8_t> bytes;
    if (evaluate(sema_, e, constant) && to_bytes(constant, bytes)) {
      ir::Value* from = shared_.constant_table(e->type, bytes, function_->name + "::table");
      builder_.emit(ir::Op::kMemCopy, nullptr,
                    {to, from, module_.constant(ir_type(ir::TypeKind::kU64), bytes.size())});
      return;
    }
  }
  const bool clears_all = count - given > kFewStores || given == 0;
  if (clears_all) builder_.store(to, module_.constant(whole, 0));
  const uint64_t last = clears_all ? e->members.size() : count;
  for (uint64_t i = 0; i < last && i < count; ++i) {
    const Expr* member = i < e->members.size() ? e->members[i] : nullptr;
    if (member == nullptr && clears_all) continue;
    place(member != nullptr ? member : e);
    ir::Value* index = module_.constant(ir_type(ir::TypeKind::kU64), i);
    init_as(elem, member, builder_.offset(to, index, size_of(elem)));
  }
}

void FunctionLowering::init_string(const StringExpr* e, QualType t, ir::Value* to) {
  place(e);
  const uint64_t count = t->count;
  ir::Value* from = shared_.string_literal(e->text, count);
  builder_.emit(ir::Op::kMemCopy, nullptr, {to, from, module_.constant(ir_type(ir::TypeKind::kU64), count)});
}

ir::Value* FunctionLowering::missing_value(const AggregateExpr* e, QualType member) {
  if (e->rest == AggregateExpr::Rest::kUndefined) return module_.undef(type(member));
  return module_.constant(type(member), 0);
}

ir::Value* FunctionLowering::aggregate_value(const AggregateExpr* e) {
  if (e->rest == AggregateExpr::Rest::kZeroFirst) return nullptr;
  std::vector<ir::Value*> members;
  if (e->type->is_array()) {
    if (e->type->count > kFewMembers) return nullptr;
    for (const Expr* m : e->members) {
      if (m != nullptr && (m->type->is_array() || m->kind == ExprKind::kString)) return nullptr;
    }
    const QualType elem = e->type->elem;
    for (size_t i = 0; i < e->type->count; ++i) {
      const Expr* m = i < e->members.size() ? e->members[i] : nullptr;
      members.push_back(m != nullptr ? value(m) : missing_value(e, elem));
    }
    place(e);
    return builder_.construct(type(e->type), members);
  }
  const ClassDecl* decl = e->type->class_decl;
  const ClassLayout* layout = shared_.types.layout(e->type->class_decl);
  if (decl->is_polymorphic) return nullptr;
  if (layout == nullptr || layout->overlaps || decl->fields.size() > kFewMembers) return nullptr;
  for (const Expr* m : e->members) {
    if (m != nullptr && (m->type->is_array() || m->kind == ExprKind::kConstruct)) return nullptr;
  }
  for (size_t i = 0; i < decl->bases.size(); ++i) {
    const Expr* b = i < e->bases.size() ? e->bases[i] : nullptr;
    if (b != nullptr && b->kind == ExprKind::kConstruct) return nullptr;
  }
  for (size_t i = 0; i < decl->bases.size(); ++i) {
    if (layout->base_field[i] < 0) continue;
    const Expr* b = i < e->bases.size() ? e->bases[i] : nullptr;
    members.push_back(b != nullptr ? value(b) : missing_value(e, decl->bases[i].decl->type));
  }
  for (size_t i = 0; i < decl->fields.size(); ++i) {
    const Expr* m = i < e->members.size() ? e->members[i] : nullptr;
    const QualType t = decl->fields[i]->type;
    members.push_back(m != nullptr ? argument(m, t) : missing_value(e, t));
  }
  place(e);
  if (members.empty()) return module_.constant(layout->type, 0);
  return builder_.construct(layout->type, members);
}

// Needs no thread-local memory: every read is a constant or accesses a constant table.
bool FunctionLowering::is_constant_local(const VarDecl* var) const {
  if (var->init == nullptr || var->type.is_volatile || !(var->is_constexpr || is_const_data(var->type)))
    return false;
  const bool is_known = var->is_constexpr || var->is_const_init;
  if (var->type->is_array()) return is_known || is_constant_member(var->init);
  return is_known && (var->type->is_arithmetic() || var->type->is_enum());
}

// Never modified, and initialized by its declaration: no memory needed.
bool FunctionLowering::is_simple(const VarDecl* var) const {
  const Type* t = var->type.type;
  if (t->is_array() || t->is_ref() || var->type.is_volatile || !usage_.is_only_read(var)) return false;
  if (t->is_class() && shared_.has_destructor(t->class_decl)) return false;
  if (t->is_class() && shared_.copies_by_member(t->class_decl, Copy::kConstruct)) return false;
  if (var->storage == Storage::kParam) return true;
  if (var->init == nullptr) return false;
  const ExprKind how = var->init->kind;
  const bool made_in_memory = t->is_class() && (how == ExprKind::kConstruct || how == ExprKind::kConditional);
  return !made_in_memory;
}

ir::Value* FunctionLowering::make_slot(const VarDecl* var) {
  const std::string_view name = var->name != nullptr ? var->name->text : std::string_view();
  if (ir::contains_tensor_map(type(var->type))) error(var->loc, message::kLocalTensorMap(name));
  return builder_.var(type(var->type), name, static_cast<uint32_t>(var->align.value_or(0)));
}

// A jump may bypass the declaration and still reach the variable's uses, so its memory is allocated before
// the jumps.
void FunctionLowering::hoist(const std::vector<Stmt*>& statements, bool all) {
  for (const Stmt* s : statements) {
    while (s != nullptr && (s->kind == StmtKind::kCase || s->kind == StmtKind::kLabel)) {
      s = s->kind == StmtKind::kCase ? as<CaseStmt>(s)->body : as<LabelStmt>(s)->body;
    }
    if (s == nullptr || s->kind != StmtKind::kDecl) continue;
    for (const VarDecl* var : as<DeclStmt>(s)->vars) {
      const bool is_needed = all || (var->init == nullptr && !var->type->is_ref());
      if (is_needed && var->storage == Storage::kLocal && !locals_.contains(var)) hoist(var);
    }
  }
}

void FunctionLowering::hoist(const VarDecl* var) {
  place(var->loc);
  if (var->type->is_ref()) {
    locals_[var].address = builder_.var(type(var->type), var->name != nullptr ? var->name->text : "");
  } else if (!is_constant_local(var)) {
    locals_[var].slot = make_slot(var);
  }
}

void FunctionLowering::declare(VarDecl* var) {
  if (var->storage != Storage::kLocal) return;  // __shared__ and static: created when used
  place(var->loc);
  if (var->type->is_function_pointer() && var->known_function != nullptr) return;
  if (var->type->is_ref()) {
    if (var->init != nullptr) declare_reference(var);
    return;
  }
  if (is_constant_local(var)) return;  // folded, or a constant table
  declare_object(var);
}

void FunctionLowering::declare_object(const VarDecl* var) {
  ir::Value* slot = locals_[var].slot;  // hoisted, or none yet
  if (slot == nullptr && is_simple(var)) {
    const FullExpression full(*this);
    ir::Value* v = pointer(var->init);
    locals_[var].value = v;
    if (ir::Inst* made = ir::as_inst(v); made != nullptr && made->name.empty() && var->name != nullptr) {
      made->name = module_.intern(var->name->text);
    }
    return;
  }
  if (slot == nullptr) slot = locals_[var].slot = make_slot(var);
  if (var->init != nullptr) {
    const FullExpression full(*this);
    init_as(var->type, var->init, slot);
  } else {
    clear_unset(var->type, slot);
  }
  if (is_destroyed(var->type)) cleanups_.push_back({var->type.type, slot, nullptr});
}

void FunctionLowering::declare_reference(const VarDecl* var) {
  ir::Value* memory = locals_[var].address;  // hoisted: the object it refers to must then live as long
  temporaries_before_ = memory != nullptr ? ir::as_inst(memory) : nullptr;
  ir::Value* target = var->type->is_function_ref() ? value(var->init) : bind_reference(var->init);
  temporaries_before_ = nullptr;
  if (memory != nullptr) {
    builder_.store(memory, generic(target));
  } else {
    locals_[var].value = target;
  }
  cleanups_.insert(cleanups_.end(), extended_cleanups_.begin(), extended_cleanups_.end());
  extended_cleanups_.clear();
}

}  // namespace quern::lang
