// Objects that are constructed and destroyed at an address: new, delete, and calls of destructors.
#include "lang/lower/function_lowering.hpp"

namespace quern::lang {

ir::Value* FunctionLowering::new_object(const NewExpr* e) {
  ir::Value* memory = generic(value(e->place));
  place(e);
  if (e->init == nullptr) return memory;
  if (!e->is_checked) {
    init_into(e->init, memory);
    return memory;
  }
  ir::Value* is_there = builder_.compare(ir::Op::kNe, memory, module_.constant(memory->type, 0));
  ExpressionBranch branch(*this, is_there);
  branch.side(0);
  init_into(e->init, memory);
  return memory;
}

void FunctionLowering::destroy_object(const DestroyExpr* e) {
  ir::Value* object = generic(value(e->pointer));
  place(e);
  const Type* of = e->pointer->type->elem.type;
  if (e->how == DestroyExpr::How::kStatic) {
    if (is_destroyed(of)) destroy(of, object);
    return;
  }
  const bool frees = e->how == DestroyExpr::How::kDelete;
  ir::Function* callee = shared_.virtual_table.destroyer(of->class_decl, frees);
  ir::Value* args[] = {object};
  ir::Block* after = builder_.block();
  if (frees) {
    ir::Value* is_there = builder_.compare(ir::Op::kNe, object, module_.constant(object->type, 0));
    builder_.at(builder_.make_if(is_there)->blocks[0]);
  }
  emit_call(callee, args);
  builder_.at(after);
}

}  // namespace quern::lang
