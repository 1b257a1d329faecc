// Writes one function of a module as IR. A value of SPIR-V is kept as its scalars ("leaves"), so that
// vectors, matrices, structs and arrays need no IR of their own and layouts matter for memory only. What the
// instructions mean stands in the files of instructions.hpp; control flow in control.cpp.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/ir/builder.hpp"
#include "spirv/reader/graph.hpp"
#include "spirv/reader/types.hpp"

namespace quern::spirv {

class Reader;

using Leaves = std::vector<ir::Value*>;

struct Val {
  Id type = 0;
  Leaves leaves;
  bool is_zero = false;  // all zero, and too large to stand as leaves
  // Of pointers, as far as it is known:
  bool is_table = false;  // an array of buffers: the leaf points to their addresses, in local memory
  Shape shape;
  Id buffer = 0;                      // the variable it points into
  ir::Value* buffer_index = nullptr;  // which of the buffers, when the variable is an array of them
};

// What a function wants from its caller for a variable of the module: its address, or its size in bytes.
struct Need {
  Id variable = 0;
  bool is_length = false;
  bool operator==(const Need&) const = default;
};

struct Translated {
  ir::Function* function = nullptr;
  std::vector<Need> needs;  // the last parameters
  bool is_done = false;
};

class Emitter {
 public:
  Emitter(Reader& reader, Translated& into);

  void translate(const FunctionSource& source);
  // One instruction outside of control flow.
  void emit(const Instruction& instruction);
  // Of the set NonSemantic.Shader.DebugInfo.100: places in the source; the rest says nothing here.
  void debug_instruction(uint32_t number);

  // For code that no instruction asks for, but that stands for one.
  void stand_at(const Instruction& instruction) { at_ = &instruction; }

  // ---- the instruction at hand. Operands are counted behind result type and result.
  const Instruction& at() const { return *at_; }
  void fail(const std::string& what);
  bool failed() const;
  bool has(size_t operand) const;
  uint32_t word(size_t operand);
  std::span<const uint32_t> words(size_t from) const;
  const TypeInfo& result_type();
  Val arg(size_t operand) { return value(word(operand)); }
  void define(Leaves leaves);
  void define(Val val);

  // ---- what ids stand for
  const TypeInfo& type(Id id);
  Val value(Id id);
  std::optional<uint64_t> constant(Id id);
  uint64_t constant_arg(size_t operand);  // an integer constant; fails otherwise
  const Decorations& decorations(Id id) const;

  // ---- scalars, always of the type asked for: what does not fit fails and becomes zero
  ir::Value* leaf(const Val& val, size_t index, const ir::Type* as);
  ir::Value* as(ir::Value* v, const ir::Type* type);  // an integer changes its sign only
  ir::Value* scalar_arg(size_t operand, const ir::Type* as) { return leaf(arg(operand), 0, as); }
  ir::Value* integer_arg(size_t operand);  // of whatever integer type
  ir::Value* pointer_leaf(const Val& val);
  ir::Value* zero(const ir::Type* type);
  ir::Value* number(const ir::Type* type, uint64_t n);  // an integer, or a float of that value
  ir::Value* real(const ir::Type* type, double n);
  const ir::Type* signed_type(const ir::Type* type);
  const ir::Type* unsigned_type(const ir::Type* type);
  const ir::Type* kind(ir::TypeKind kind) { return b.type(kind); }
  std::vector<const ir::Type*> leaf_types(const TypeInfo& type);
  const ir::Type* integer_result();  // of an instruction that yields one integer; u32 when it does not
  const TypeInfo* pointee(const Val& pointer);  // nullptr, and a failure, when it is no pointer

  // A variable at the function's start, where all of it can see it.
  ir::Inst* variable(const ir::Type* type, std::string_view name);
  // The address (or size) of a module's variable, from the function's caller.
  ir::Value* need(Id variable, bool is_length);

  Types& types();
  Reader& reader() { return reader_; }
  const Source& source() const;

  ir::Builder b;

 private:
  friend class Flow;
  ir::Value* visible(ir::Value* v);
  void declare_params(const FunctionSource& source);
  void position(const Instruction& instruction);

  Reader& reader_;
  Translated& into_;
  const Instruction* at_ = nullptr;
  std::unordered_map<Id, Val> values_;
  std::unordered_map<const ir::Inst*, ir::Inst*> kept_;  // values that are used outside of their block
  bool has_line_ = false;
  ir::Pos line_;
};

}  // namespace quern::spirv
