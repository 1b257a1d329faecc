// The typed, structured IR of all kernels. A Module holds functions and variables; a function is a block; a
// block is a list of instructions, some of which own further blocks (if, loop, switch, scope). Control flow
// consists of nested regions, not of a graph of basic blocks. An instruction's result may be used by later
// instructions of the same block and of blocks nested in it. Everything is allocated in the Module's arena
// and destroyed with it. Not thread-safe; a finished Module may be shared read-only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lang/ir/op.hpp"
#include "lang/ir/pool.hpp"
#include "lang/ir/small_vector.hpp"
#include "lang/ir/type.hpp"

namespace quern::ir {

struct Block;
struct Function;
struct Inst;

// A position in the user's text. line 0: unknown. `length` is the number of bytes that a caret line
// underlines.
struct Pos {
  uint32_t line = 0;
  uint16_t column = 0;
  uint16_t length = 1;
  uint16_t file = 0;  // index into Module::files
  bool operator==(const Pos&) const = default;
};

enum class ValueKind : uint8_t { kInst, kParam, kConst, kUndef, kGlobal };

struct Value {
  ValueKind kind;
  const Type* type = nullptr;

 protected:
  explicit Value(ValueKind k, const Type* t) : kind(k), type(t) {}
};

// A number, bool, or (bits 0) a null pointer, or (aggregate types, bits 0) all zero. Interned per Module.
// bits: two's complement, zero-extended from the type's width; floats by their IEEE bits.
struct Const : Value {
  uint64_t bits = 0;
  Const(const Type* t, uint64_t b) : Value(ValueKind::kConst, t), bits(b) {}
};

struct Undef : Value {
  explicit Undef(const Type* t) : Value(ValueKind::kUndef, t) {}
};

struct Param : Value {
  std::string name;
  Pos pos;
  // For pointer parameters, what the user declared; used by checks, readable emission and launch code.
  const Type* elem = nullptr;  // pointee; nullptr for void*
  std::string spelling;        // the user's type, e.g. "const float*"
  bool is_const_elem = false;  // pointee is const
  bool is_restrict = false;
  uint32_t index = 0;
  Param(const Type* t) : Value(ValueKind::kParam, t) {}
};

struct Global;

// A pointer in the initial data of a variable: byte `at` holds the address of `target` plus `distance`.
struct Relocation {
  uint64_t at = 0;
  Global* target = nullptr;
  int64_t distance = 0;
};

// A variable that is not local to a thread; its value is its address (a pointer in its address space).
struct Global : Value {
  std::string name;  // unique in the module; the user's name (with :: and a suffix for function statics)
  const Type* object = nullptr;  // an array of count 0 is dynamic shared memory (all such alias, at offset 0)
  Space space = Space::kGlobal;  // kShared, kConstant (host may write), kGlobal (__device__)
  uint64_t align = 0;            // at least the type's
  std::vector<uint8_t> init;     // empty: zero (shared: undefined); otherwise exactly the size of the object
  std::vector<Relocation>
      pointers;  // within init, whose bytes are zero there; for global or constant variables
  bool is_literal =
      false;  // internal constant data (string literals, constant tables): the host cannot set it
  Pos pos;
  Global(const Type* ptr_type) : Value(ValueKind::kGlobal, ptr_type) {}
};

struct SwitchCase {
  std::vector<int64_t> values;  // empty: the default case (at most one, anywhere)
};

// Attributes of an instruction in addition to its operands. attributes(op) says which members are used.
struct Attr {
  const Type* type = nullptr;  // var, field
  uint64_t scale = 1;          // offset, ptr_diff
  uint32_t index = 0;          // field, extract, insert, thread_id …: dimension
  uint32_t align = 0;  // load, store: known alignment in bytes; var: requested alignment; 0: that of the type
  bool is_volatile = false;
  bool fast = false;   // approximate form allowed; fence: acquire-release instead of sequentially consistent
  bool stray = false;  // load/store is a by-name access that the checker exempts (none at present)
  Rmw rmw = Rmw::kAdd;
  Scope scope = Scope::kDevice;
  ShuffleKind shuffle = ShuffleKind::kIndex;
  Rounding round = Rounding::kNearest;
  Space space = Space::kGeneric;  // is_space
  int32_t unroll = 0;             // loop: 0 no request, 1 never, n that many times, -1 fully
  Inst* target = nullptr;         // exit, continue
  Function* callee = nullptr;     // call
  std::string text;               // printf format, assert condition
  std::vector<SwitchCase> cases;  // switch
};

struct Inst : Value {
  Op op;
  Pos pos;
  Block* parent = nullptr;
  Inst* prev = nullptr;
  Inst* next = nullptr;
  std::string_view name;  // the user's name for a var (or a value that came from one); may be empty
  SmallVector<Value*, 2> operands;
  SmallVector<Block*, 1> blocks;
  std::unique_ptr<Attr> attr_;  // absent: all defaults
  uint32_t id = 0;              // scratch field for passes; number() sets it to the index in program order

  Inst(Op o, const Type* t) : Value(ValueKind::kInst, t), op(o) {}
  const Attr& attr() const;  // the defaults when absent
  Attr& mutable_attr();
  Value* operand(size_t i) const { return operands[i]; }
  bool is(Op o) const { return op == o; }
};

// A list of instructions. Owned by a function (its body) or by a control instruction.
struct Block {
  Inst* first = nullptr;
  Inst* last = nullptr;
  Inst* owner = nullptr;  // nullptr: the function's body
  Function* function = nullptr;

  void append(Inst* inst);
  void insert_before(Inst* inst, Inst* where);  // where == nullptr appends
  void remove(Inst* inst);                      // unlinks; the instruction may be inserted elsewhere
  bool terminated() const;                      // ends in a terminator

  struct Iterator {
    Inst* at;
    Inst* operator*() const { return at; }
    Iterator& operator++();
    bool operator!=(const Iterator& o) const { return at != o.at; }
  };
  Iterator begin() const { return {first}; }
  Iterator end() const { return {nullptr}; }
};

struct Function {
  std::string name;  // unique: "saxpy", "ns::step<float, 256>"
  bool is_kernel = false;
  const Type* result = nullptr;
  std::vector<Param*> params;
  Block* body = nullptr;
  Pos pos;
  // __launch_bounds__; 0: not specified.
  uint32_t max_threads = 0;
  uint32_t min_blocks = 0;
  std::array<uint32_t, 3> cluster{};  // __cluster_dims__; 0: not specified
  bool no_inline = false;
};

struct File {
  std::string name;
  std::shared_ptr<const std::string> text;  // for showing source lines; may be absent
};

class Module {
 public:
  Module();
  ~Module();
  Module(Module&&) noexcept;
  Module& operator=(Module&&) noexcept;

  TypeTable& types() { return *types_; }
  const TypeTable& types() const { return *types_; }

  std::vector<Function*> functions;
  std::vector<Global*> globals;
  std::vector<File> files;

  Function* add_function(std::string name);
  Function* find_function(std::string_view name) const;  // nullptr if it does not exist
  Global* add_global(std::string name, const Type* object, Space space);
  Global* find_global(std::string_view name) const;
  Param* add_param(Function* function, const Type* type, std::string name);
  Block* new_block(Function* function, Inst* owner);
  Inst* new_inst(Op op, const Type* type, Pos pos);
  std::string_view intern(std::string_view text);  // text that lives as long as the module

  Const* constant(const Type* type, uint64_t bits);  // bits beyond the type's width are truncated
  Const* constant_int(TypeKind kind, int64_t value);
  Const* constant_float(const Type* type, double value);  // rounded to the type
  Const* constant_bool(bool value);
  Undef* undef(const Type* type);

  // An independent copy (for passes that rewrite in place): of everything, or of one function of this module
  // with everything it uses. The copy contains no pointers into this module.
  Module clone() const;
  Module clone(const Function& function) const;
  // Gives `into`, a function of this module without a body, a copy of the body of `function`, which belongs
  // to `other`, has the same parameters and calls nothing. Variables that it uses are copied too, once each.
  void adopt(const Module& other, const Function& function, Function& into);

 private:
  std::unique_ptr<TypeTable> types_;
  Pool<Function> function_storage_;
  Pool<Global> global_storage_;
  Pool<Param> param_storage_;
  Pool<Block> block_storage_;
  Pool<Inst> inst_storage_;
  Pool<Const> const_storage_;
  Pool<Undef> undef_storage_;
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

inline Inst* as_inst(Value* v) { return v->kind == ValueKind::kInst ? static_cast<Inst*>(v) : nullptr; }
inline const Inst* as_inst(const Value* v) {
  return v->kind == ValueKind::kInst ? static_cast<const Inst*>(v) : nullptr;
}
inline Const* as_const(Value* v) { return v->kind == ValueKind::kConst ? static_cast<Const*>(v) : nullptr; }
inline const Const* as_const(const Value* v) {
  return v->kind == ValueKind::kConst ? static_cast<const Const*>(v) : nullptr;
}

// Reads a constant: sign- or zero-extended by its type; floats as double.
int64_t int_value(const Const* c);
double float_value(const Const* c);

// Whether all members of Attr that `op` uses are equal.
bool same_attr(Op op, const Attr& a, const Attr& b);

// Numbers the instructions of a function (Inst::id) from 0 in program order; returns how many there are.
uint32_t number(Function& function);

// Visits every instruction of a block and of the blocks below it, in program order.
template <typename Fn>
void walk(Block* block, Fn&& fn) {
  for (Inst* i = block->first; i != nullptr;) {
    Inst* next = i->next;  // fn may remove i
    fn(i);
    for (Block* b : i->blocks) walk(b, fn);
    i = next;
  }
}

}  // namespace quern::ir
