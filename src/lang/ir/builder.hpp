// Appends instructions to a block, with simple folding that keeps generated IR tidy (constants, x+0, select
// of a constant). Used by the front end, readers and passes.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::ir {

class Builder {
 public:
  explicit Builder(Module& module) : module_(module) {}

  Module& module() { return module_; }
  TypeTable& types() { return module_.types(); }
  const Type* type(TypeKind kind) { return module_.types().get(kind); }

  // The insertion point: the end of `block`, or before `where`.
  void at(Block* block, Inst* where = nullptr) { block_ = block, where_ = where; }
  Block* block() const { return block_; }
  Inst* where() const { return where_; }
  void pos(Pos pos) { pos_ = pos; }
  Pos pos() const { return pos_; }

  // Any operation. Folds pure operations on constants to constants (with the IR's exact semantics).
  Value* op(Op op, const Type* result, std::initializer_list<Value*> operands);
  Value* op(Op op, const Type* result, std::span<Value* const> operands, const Attr& attr);
  Inst* emit(Op op, const Type* result, std::span<Value* const> operands);  // no folding
  Inst* emit(Op op, const Type* result, std::initializer_list<Value*> operands);

  Value* binary(Op o, Value* a, Value* b) { return op(o, a->type, {a, b}); }
  Value* unary(Op o, Value* a) { return op(o, a->type, {a}); }
  Value* compare(Op o, Value* a, Value* b) { return op(o, type(TypeKind::kBool), {a, b}); }
  Value* convert(Value* v, const Type* to);  // no-op if the types are equal
  Value* bitcast(Value* v, const Type* to);
  Value* select(Value* c, Value* a, Value* b) { return op(Op::kSelect, a->type, {c, a, b}); }

  Inst* var(const Type* object, std::string_view name, uint32_t align = 0);
  Value* load(const Type* type, Value* ptr, uint32_t align = 0, bool is_volatile = false);
  Inst* store(Value* ptr, Value* value, uint32_t align = 0, bool is_volatile = false);
  Value* offset(Value* ptr, Value* index, uint64_t scale);
  Value* field(Value* ptr, const Type* struct_type, uint32_t index);
  Value* extract(Value* aggregate, uint32_t index);
  Value* insert(Value* aggregate, Value* member, uint32_t index);
  Value* construct(const Type* type, std::span<Value* const> members);
  Value* index_op(Op o, uint32_t dimension);  // thread_id, block_id, …

  // Control instructions are created with empty blocks; move the insertion point with at().
  Inst* make_if(Value* cond);
  Inst* make_loop();
  Inst* make_scope();
  Inst* make_switch(Value* on, std::vector<SwitchCase> cases);
  void exit(Inst* target);
  void continue_(Inst* target);
  void yield(Value* cond);
  void ret(Value* value);  // nullptr: no value

 private:
  Inst* control(Op o, std::span<Value* const> operands, size_t blocks);

  Module& module_;
  Block* block_ = nullptr;
  Inst* where_ = nullptr;
  Pos pos_;
};

// The value of a pure operation on constants, or nullptr when it is not folded (not all constant, or a
// function whose last bit depends on the platform's libm).
Const* fold(Module& module, Op op, const Type* result, std::span<Value* const> operands, const Attr& attr);

// As fold, and also the exact identities (x + 0, x * 1, select of equal arms, …). Returns a constant or an
// existing value, or nullptr. Never creates an instruction.
Value* fold_value(Module& module, Op op, const Type* result, std::span<Value* const> operands,
                  const Attr& attr);

}  // namespace quern::ir
