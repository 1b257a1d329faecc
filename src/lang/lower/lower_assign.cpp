// Expressions that modify a variable.
#include "lang/lower/function_lowering.hpp"

namespace quern::lang {

FunctionLowering::Changed FunctionLowering::assign(const AssignExpr* e) {
  Changed changed;
  if (e->target->type->is_class() && copies_by_member(e->target->type, Copy::kAssign))
    return assign_members(e);
  changed.after = makes_destroyed(e->value) ? load(e->value, temporary(e->value)) : value(e->value);
  changed.address = address(e->target);
  place(e);
  changed.after = store(e->target, changed.address, changed.after);
  return changed;
}

FunctionLowering::Changed FunctionLowering::assign_members(const AssignExpr* e) {
  Changed changed;
  ir::Value* from = address(e->value);
  changed.address = address(e->target);
  place(e);
  copy_object(e->target->type.type, from, changed.address, Copy::kAssign);
  changed.after = load(e->target, changed.address);
  return changed;
}

FunctionLowering::Changed FunctionLowering::compound(const CompoundExpr* e) {
  ir::Value* right = value(e->value);
  Changed changed;
  changed.address = address(e->target);
  place(e);
  changed.before = load(e->target, changed.address);
  if (e->target->type->is_pointer()) {
    changed.after = pointer_add(changed.before, e->target->type.type, right, e->op == BinaryOp::kPtrSub);
  } else {
    ir::Value* left = number_cast(changed.before, e->compute);
    changed.after = number_cast(arithmetic(e->op, left, right), e->target->type);
  }
  changed.after = store(e->target, changed.address, changed.after);
  return changed;
}

FunctionLowering::Changed FunctionLowering::inc_dec(const IncDecExpr* e) {
  Changed changed;
  changed.address = address(e->object);
  place(e);
  changed.before = load(e->object, changed.address);
  const ir::Type* t = changed.before->type;
  if (t->is_ptr()) {
    ir::Value* one = module_.constant_int(ir::TypeKind::kI32, 1);
    changed.after = pointer_add(changed.before, e->object->type.type, one, !e->is_increment);
  } else if (t->is_bool()) {
    changed.after = module_.constant_bool(e->is_increment);
  } else {
    ir::Value* one = t->is_float() ? module_.constant_float(t, 1) : module_.constant(t, 1);
    changed.after = builder_.binary(e->is_increment ? ir::Op::kAdd : ir::Op::kSub, changed.before, one);
  }
  changed.after = store(e->object, changed.address, changed.after);
  return changed;
}

}  // namespace quern::lang
