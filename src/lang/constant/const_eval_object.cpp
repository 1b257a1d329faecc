// Objects of the evaluator: variables, temporaries, and the pointers between them.
#include <algorithm>

#include "lang/constant/const_evaluator.hpp"
#include "lang/constant/messages.hpp"

namespace quern::lang {
namespace {

// The declared type of member `index` of a class or array; empty if there is none.
QualType member_type(QualType whole, int64_t index) {
  if (index < 0) return {};
  const auto i = static_cast<uint64_t>(index);
  if (whole->is_array()) return i < whole->count ? whole->elem : QualType();
  if (!whole->is_class()) return {};
  const ClassDecl* decl = whole->class_decl;
  if (i < decl->bases.size()) return decl->bases[i].decl->type;
  const uint64_t field = i - decl->bases.size();
  return field < decl->fields.size() ? decl->fields[field]->type : QualType();
}

// Gives a device object its members, all undefined.
bool make_members(ConstValue& object) {
  constexpr uint64_t kMostMembers = 1u << 20;
  const Type* t = object.type.type;
  const uint64_t count = t->is_array()   ? t->count
                         : t->is_class() ? t->class_decl->bases.size() + t->class_decl->fields.size()
                                         : 0;
  if (count > kMostMembers) return false;
  object.members.resize(count);
  return true;
}

bool has_constant_address(const VarDecl* var) {
  const bool is_sized = !(var->type->is_array() && var->type->is_unsized) && !var->type->is_ref();
  return is_sized && (var->storage == Storage::kDevice || var->storage == Storage::kConstant);
}

// The indices on the path from a class to one of its bases.
bool base_path(const ClassDecl* from, const Type* base, std::vector<int64_t>& path) {
  for (size_t i = 0; i < from->bases.size(); ++i) {
    path.push_back(static_cast<int64_t>(i));
    if (from->bases[i].decl->type == base || base_path(from->bases[i].decl, base, path)) return true;
    path.pop_back();
  }
  return false;
}

// All objects of such a class are the same.
bool holds_nothing(QualType type) {
  if (!type || !type->is_class() || type->class_decl->state != Lazy::kDone || type->class_decl->is_union)
    return false;
  const ClassDecl* c = type->class_decl;
  return c->fields.empty() && std::all_of(c->bases.begin(), c->bases.end(),
                                          [](const BaseClass& b) { return holds_nothing(b.decl->type); });
}

}  // namespace

uint64_t ConstEvaluator::new_object(ConstValue value, const VarDecl* var) {
  if (objects_.size() >= kMaxObjects) {
    fail(message::kTooManyVariables());
    return 0;
  }
  objects_.push_back({var, nullptr, std::move(value)});
  return objects_.size();
}

ConstValue* ConstEvaluator::resolve(const Place& place) {
  const bool is_static = place.object >= kStatic;
  const uint64_t number = is_static ? place.object - kStatic : place.object;
  std::deque<Object>& all = is_static ? statics_ : objects_;
  if (number == 0 || number > all.size()) {
    fail(message::kReadsEndedObject());
    return nullptr;
  }
  ConstValue* at = &all[number - 1].value;
  for (const int64_t index : place.path) {
    if (at->type && at->members.empty() && !make_members(*at)) {
      fail(message::kObjectTooLarge());
      return nullptr;
    }
    const QualType type = at->type ? member_type(at->type, index) : QualType();
    if (!type || static_cast<uint64_t>(index) >= at->members.size()) {
      fail(at->type && at->type->is_array() ? message::kIndexOutsideArray() : message::kReadsOutsideObject());
      return nullptr;
    }
    ConstValue* member = &at->members[static_cast<size_t>(index)];
    // A member of a union that was not active has no parts yet.
    if (!member->type && (type->is_class() || type->is_array())) undefined_value(type, *member);
    at = member;
  }
  return at;
}

bool ConstEvaluator::read(const Place& place, QualType type, ConstValue& out) {
  const ConstValue* slot = resolve(place);
  if (slot == nullptr) return false;
  if (is_undefined(*slot)) {
    const VarDecl* var = place.object > kStatic ? statics_[place.object - kStatic - 1].var : nullptr;
    if (var == nullptr || var->name == nullptr) return fail(message::kReadsUninitialized());
    return fail(message::kNotKnownAtCompileTime(var->name->text));
  }
  if (slot->type.type != type.type) return fail(message::kReadsAsAnotherType());
  out = *slot;
  out.type = type.unqualified();
  return true;
}

bool ConstEvaluator::write(const Place& place, ConstValue value) {
  if (place.object >= kStatic) return fail(message::kWritesStaticVariable());
  ConstValue* slot = resolve(place);
  if (slot == nullptr) return false;
  const FieldDecl* field = nullptr;
  if (!place.path.empty()) {
    Place whole = place;
    whole.path.pop_back();
    ConstValue* parent = resolve(whole);
    if (parent->type->is_class() && parent->type->class_decl->is_union) {
      for (ConstValue& other : parent->members) {
        if (&other != slot) other = {};
      }
    }
    if (parent->type->is_class()) {
      const ClassDecl* decl = parent->type->class_decl;
      const auto index = static_cast<size_t>(place.path.back());
      if (index >= decl->bases.size()) field = decl->fields[index - decl->bases.size()];
    }
  }
  *slot = std::move(value);
  if (field != nullptr) fit_bits(*slot, field);
  return true;
}

ConstValue ConstEvaluator::pointer_to(const Place& place, QualType pointer_type) {
  ConstValue pointer;
  pointer.type = pointer_type;
  pointer.bits = place.object;
  pointer.path = place.path;
  return pointer;
}

bool ConstEvaluator::target_of(const ConstValue& pointer, Place& out) {
  if (pointer.bits == 0) return fail(message::kReadsThroughNull());
  out.object = pointer.bits;
  out.path = pointer.path;
  return true;
}

bool ConstEvaluator::points_to_element(const Place& place) {
  if (place.path.empty()) return false;
  Place whole = place;
  whole.path.pop_back();
  const ConstValue* array = resolve(whole);
  return array != nullptr && array->type && array->type->is_array();
}

bool ConstEvaluator::move_pointer(ConstValue& pointer, int64_t by) {
  if (by == 0) return true;
  Place place;
  if (!target_of(pointer, place)) return false;
  if (!points_to_element(place)) return fail(message::kMovesPointerOutside());
  if (__builtin_add_overflow(pointer.path.back(), by, &pointer.path.back())) {
    return fail(message::kMovesPointerOutside());
  }
  return true;
}

bool ConstEvaluator::compare_pointers(BinaryOp op, const ConstValue& a, const ConstValue& b, bool& out) {
  const bool is_same = a.bits == b.bits && a.path == b.path && a.function == b.function;
  if (op == BinaryOp::kEq || op == BinaryOp::kNe) {
    out = is_same == (op == BinaryOp::kEq);
    return true;
  }
  if (a.bits != b.bits || a.function != nullptr || b.function != nullptr) {
    return fail(message::kOrdersUnrelatedPointers());
  }
  const bool is_less = a.path < b.path;
  switch (op) {
    case BinaryOp::kLt: out = is_less; break;
    case BinaryOp::kLe: out = is_less || is_same; break;
    case BinaryOp::kGt: out = !is_less && !is_same; break;
    default: out = !is_less; break;
  }
  return true;
}

bool ConstEvaluator::to_base(const Type* derived, const Type* base, Place& place) {
  if (derived == base) return true;
  if (derived->is_class() && base_path(derived->class_decl, base, place.path)) return true;
  return fail(message::kConvertsUnrelatedClasses());
}

bool ConstEvaluator::to_derived(const Type* base, const Type* derived, Place& place) {
  std::vector<int64_t> path;
  if (!derived->is_class() || !base_path(derived->class_decl, base, path) ||
      path.size() > place.path.size() || !std::equal(path.rbegin(), path.rend(), place.path.rbegin())) {
    return fail(message::kConvertsToOtherClass());
  }
  place.path.resize(place.path.size() - path.size());
  return true;
}

// Constants outside of the evaluation: evaluated at their first use and cached until the evaluation ends.
bool ConstEvaluator::static_object(const VarDecl* var, Place& out) {
  if (const auto known = static_of_.find(var); known != static_of_.end()) {
    out = known->second;
    return out.object != 0 || fail(message::kDependsOnItself(var->name->text));
  }
  const std::string name = var->name != nullptr ? std::string(var->name->text) : std::string("a variable");
  if (var->state != Lazy::kDone && !sema_.complete_var(const_cast<VarDecl*>(var))) {
    return fail(message::kVariableHasError(name));
  }
  const bool is_constant = var->init != nullptr && (var->is_constexpr || var->is_const_init);
  if (!is_constant && holds_nothing(var->type)) {  // std::integral_constant, a lambda without captures
    ConstValue value;
    if (!zero_value(var->type.unqualified(), value)) return false;
    statics_.push_back({var, nullptr, std::move(value)});
    out.object = kStatic + statics_.size();
    static_of_[var] = out;
    return true;
  }
  if (!is_constant) {
    return has_constant_address(var) ? unknown_object(var, out) : fail(message::kNotKnownAtCompileTime(name));
  }
  static_of_[var] = {};
  Frame outside;
  frames_.push_back(&outside);
  ConstValue value;
  Place target;
  bool ok = var->type->is_ref() ? place(var->init, target) : bound(var->init, var->type, value);
  frames_.pop_back();
  if (ok && var->type->is_ref() && target.object < kStatic) ok = fail(message::kRefersToTemporary(name));
  if (!ok) {
    static_of_.erase(var);
    return false;
  }
  if (!var->type->is_ref()) {
    statics_.push_back({var, nullptr, std::move(value)});
    target.object = kStatic + statics_.size();
  }
  out = static_of_[var] = target;
  return true;
}

// Device memory: its address is known, its contents are not.
bool ConstEvaluator::unknown_object(const VarDecl* var, Place& out) {
  ConstValue value;
  // A number stays undefined; the members of other types are created on demand.
  if (var->type->is_class() || var->type->is_array()) value.type = var->type.unqualified();
  statics_.push_back({var, nullptr, std::move(value)});
  out = {};
  out.object = kStatic + statics_.size();
  static_of_[var] = out;
  return true;
}

// Pointers in the final value refer to variables; those to temporaries are meaningless outside.
bool ConstEvaluator::detach(ConstValue& value) {
  for (ConstValue& member : value.members) {
    if (!detach(member)) return false;
  }
  if (!value.type || !(value.type->is_pointer() || value.type->is_ref()) || value.bits == 0) return true;
  if (value.bits < kStatic) return fail(message::kResultPointsToTemporary());
  const Object& object = statics_[value.bits - kStatic - 1];
  value.pointee = object.var;
  value.literal = object.literal;
  value.bits = 0;
  return true;
}

}  // namespace quern::lang
