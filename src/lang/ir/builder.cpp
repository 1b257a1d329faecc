#include "lang/ir/builder.hpp"

#include <utility>

namespace quern::ir {

Value* Builder::op(Op op, const Type* result, std::initializer_list<Value*> operands) {
  return this->op(op, result, std::span<Value* const>(operands.begin(), operands.size()), Attr());
}

Value* Builder::op(Op op, const Type* result, std::span<Value* const> operands, const Attr& attr) {
  if (Value* known = fold_value(module_, op, result, operands, attr)) return known;
  Inst* inst = emit(op, result, operands);
  if (!same_attr(op, attr, Attr())) inst->mutable_attr() = attr;
  return inst;
}

Inst* Builder::emit(Op op, const Type* result, std::span<Value* const> operands) {
  Inst* inst = module_.new_inst(op, result, pos_);
  inst->operands = operands;
  block_->insert_before(inst, where_);
  return inst;
}

Inst* Builder::emit(Op op, const Type* result, std::initializer_list<Value*> operands) {
  return emit(op, result, std::span<Value* const>(operands.begin(), operands.size()));
}

Value* Builder::convert(Value* v, const Type* to) { return v->type == to ? v : op(Op::kConvert, to, {v}); }

Value* Builder::bitcast(Value* v, const Type* to) { return v->type == to ? v : op(Op::kBitcast, to, {v}); }

Inst* Builder::var(const Type* object, std::string_view name, uint32_t align) {
  Inst* inst = emit(Op::kVar, types().ptr(Space::kLocal), {});
  inst->mutable_attr().type = object;
  if (align > object->align) inst->mutable_attr().align = align;
  inst->name = module_.intern(name);
  return inst;
}

Value* Builder::load(const Type* type, Value* ptr, uint32_t align, bool is_volatile) {
  Inst* inst = emit(Op::kLoad, type, {ptr});
  if (align != 0) inst->mutable_attr().align = align;
  if (is_volatile) inst->mutable_attr().is_volatile = true;
  return inst;
}

Inst* Builder::store(Value* ptr, Value* value, uint32_t align, bool is_volatile) {
  Inst* inst = emit(Op::kStore, nullptr, {ptr, value});
  if (align != 0) inst->mutable_attr().align = align;
  if (is_volatile) inst->mutable_attr().is_volatile = true;
  return inst;
}

Value* Builder::offset(Value* ptr, Value* index, uint64_t scale) {
  Attr attr;
  attr.scale = scale;
  Value* operands[] = {ptr, index};
  return op(Op::kOffset, ptr->type, operands, attr);
}

Value* Builder::field(Value* ptr, const Type* struct_type, uint32_t index) {
  Inst* inst = emit(Op::kFieldPtr, ptr->type, {ptr});
  inst->mutable_attr().type = struct_type;
  inst->mutable_attr().index = index;
  return inst;
}

Value* Builder::extract(Value* aggregate, uint32_t index) {
  // Look through the construction of the aggregate: most extracts read a member that was just inserted.
  for (Inst* inst = as_inst(aggregate); inst != nullptr; inst = as_inst(aggregate)) {
    if (inst->is(Op::kConstruct)) return inst->operand(index);
    if (!inst->is(Op::kInsert)) break;
    if (inst->attr().index == index) return inst->operand(1);
    aggregate = inst->operand(0);
  }
  const Type* type = aggregate->type;
  const Type* member = type->is_array() ? type->elem : type->fields[index].type;
  Attr attr;
  attr.index = index;
  return op(Op::kExtract, member, std::span<Value* const>(&aggregate, 1), attr);
}

Value* Builder::insert(Value* aggregate, Value* member, uint32_t index) {
  Inst* inst = emit(Op::kInsert, aggregate->type, {aggregate, member});
  inst->mutable_attr().index = index;
  return inst;
}

Value* Builder::construct(const Type* type, std::span<Value* const> members) {
  return op(Op::kConstruct, type, members, Attr());
}

Value* Builder::index_op(Op o, uint32_t dimension) {
  Inst* inst = emit(o, type(TypeKind::kU32), {});
  if (dimension != 0) inst->mutable_attr().index = dimension;
  return inst;
}

Inst* Builder::control(Op o, std::span<Value* const> operands, size_t blocks) {
  Inst* inst = emit(o, nullptr, operands);
  inst->blocks.reserve(blocks);
  for (size_t i = 0; i < blocks; ++i) inst->blocks.push_back(module_.new_block(block_->function, inst));
  return inst;
}

Inst* Builder::make_if(Value* cond) { return control(Op::kIf, std::span<Value* const>(&cond, 1), 2); }

Inst* Builder::make_loop() { return control(Op::kLoop, {}, 3); }

Inst* Builder::make_scope() { return control(Op::kScope, {}, 1); }

Inst* Builder::make_switch(Value* on, std::vector<SwitchCase> cases) {
  Inst* inst = control(Op::kSwitch, std::span<Value* const>(&on, 1), cases.size());
  inst->mutable_attr().cases = std::move(cases);
  return inst;
}

void Builder::exit(Inst* target) { emit(Op::kExit, nullptr, {})->mutable_attr().target = target; }

void Builder::continue_(Inst* target) { emit(Op::kContinue, nullptr, {})->mutable_attr().target = target; }

void Builder::yield(Value* cond) { emit(Op::kYield, nullptr, {cond}); }

void Builder::ret(Value* value) {
  if (value != nullptr) {
    emit(Op::kReturn, nullptr, {value});
  } else {
    emit(Op::kReturn, nullptr, {});
  }
}

}  // namespace quern::ir
