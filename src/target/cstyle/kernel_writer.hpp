// Writes one kernel. Values that are used once and may move are written in the expression that uses them
// (fold.hpp); the others are variables with the user's names. The parts are in separate files: values,
// conversions, memory, atomics, threads, matrices, control.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/pass/pass.hpp"
#include "target/cstyle/expression.hpp"
#include "target/cstyle/flow_writer.hpp"
#include "target/cstyle/unit.hpp"
#include "target/known_values.hpp"

namespace quern::target::cstyle {

// The target of a pointer: an object (its address is &text), or a pointer.
struct Place {
  Expr text;
  bool is_object = false;
  const ir::Type* type = nullptr;  // of the object, or of the pointee; null: bytes
  ir::Space space = ir::Space::kGlobal;
  bool is_const = false;  // in a table, which is declared const: its address is cast
};

struct Rounds;

inline ir::TypeKind unsigned_kind(const ir::Type* t) {
  return t->size == 8 ? ir::TypeKind::kU64 : ir::TypeKind::kU32;
}

class KernelWriter : public FlowWriter {
 public:
  KernelWriter(Unit& unit, ir::Function& function, const driver::KernelInfo& info);

  // The whole definition.
  virtual std::string write(const std::string& entry);

 protected:
  // kernel_writer.cpp
  virtual std::string signature(const std::string& entry);
  std::string parameter(const ir::Param& p);
  std::string pointer_parameter(const ir::Param& p, const std::string& name);
  std::vector<std::string> hidden_parameters() const;
  virtual void shared_variables();
  bool only_loads(const ir::Value* pointer, const std::vector<const ir::Inst*>& uses) const;
  bool is_too_deep() const;
  std::string pretty(std::string_view wanted) { return names_.make(wanted.empty() ? "t" : wanted); }
  void refuse(const ir::Inst* at, const base::MessageText& reason) { unit_.refuse(at->pos, reason); }

  // write_values.cpp
  Expr value(const ir::Value* v);
  Expr unsigned_value(const ir::Value* v);  // of an integer, as the unsigned type of its width or wider
  Expr literal(const ir::Type* type, uint64_t bits);
  virtual Expr zero(const ir::Type* type);
  Expr render(const ir::Inst* i);
  Expr integer(const ir::Inst* i);
  Expr divide(const ir::Inst* i);
  Expr shift(const ir::Inst* i, bool as_unsigned);
  Expr unsigned_arithmetic(const ir::Inst* i);
  Expr logical(const ir::Inst* i);
  Expr compare(const ir::Inst* i);
  virtual Expr compare_pointers(const ir::Inst* i);
  virtual Expr pointer_number(const ir::Inst* i);
  Expr select(const ir::Inst* i);
  Expr bits_function(const ir::Inst* i);
  Expr min_max(const ir::Inst* i);
  Expr mul_hi(const ir::Inst* i);
  Expr real(const ir::Inst* i);
  Expr real_op(const ir::Inst* i, ir::TypeKind kind, const std::vector<Expr>& in);
  std::optional<Expr> times_zero(const ir::Inst* i, ir::TypeKind kind, const std::vector<Expr>& in);
  Expr real_function(const ir::Inst* i, ir::TypeKind kind, const std::vector<Expr>& in);
  Expr glsl_function(const ir::Inst* i, ir::TypeKind kind, const std::vector<Expr>& in);
  Expr half(const ir::Inst* i);
  Expr rounded(const ir::Inst* i);
  virtual Expr extract(const ir::Inst* i);
  virtual ir::Space memory_of(const ir::Value*) const { return ir::Space::kLocal; }  // a value with a name

  // write_convert.cpp
  Expr cast(ir::TypeKind kind, const Expr& e) const;
  Expr convert(const ir::Inst* i);
  Expr convert_rounded(const ir::Inst* i);
  Expr to_integer(const ir::Type* to, ir::TypeKind from, const Expr& e);
  bool is_plainly_signed(ir::Op op) const;
  Expr to_float(const ir::Inst* at, const ir::Type* to, const ir::Type* from, const Expr& e);
  Expr to_half(const ir::Inst* at, const ir::Type* to, const ir::Type* from, const Expr& e);
  Expr bitcast(const ir::Type* to, const ir::Type* from, const Expr& e);
  Expr widened(const ir::Type* type, const Expr& e);  // half and bfloat16 as float
  Expr narrowed(const ir::Type* type, const Expr& e);
  virtual Expr as_word(const ir::Type* type, const Expr& e);  // any number's bits as u64
  virtual Expr from_word(const ir::Type* type, const Expr& e);

  // write_memory.cpp
  Place place(const ir::Value* pointer);
  Place place_of(const ir::Inst* i);
  Place offset(const ir::Inst* i);
  Place narrowed_pointer(Place p, ir::Space space);
  Place field(const ir::Inst* i);
  Place field(const Place& at, const ir::Type* type, uint32_t index);
  Place descend(Place at, const ir::Type* to);  // to the first member of that type
  Expr address(const Place& p);
  Expr address_as(const Place& p, const ir::Type* to, bool is_volatile = false);
  Expr byte_address(const Place& p) { return address_as(p, nullptr); }
  Expr access(const Place& p, const ir::Type* type, bool is_volatile, uint32_t align);
  virtual Expr load(const ir::Inst* i);  // not of a plain variable
  Expr loaded(const ir::Type* type, const Expr& lvalue);
  Expr to_store(const ir::Type* type, const ir::Value* v);
  const ir::Type* pointee(const ir::Inst* pointer_var);
  void store(const ir::Inst* i);
  virtual void copy(const ir::Inst* i);
  virtual void set(const ir::Inst* i);
  virtual void variable(const ir::Inst* var);
  std::string variable_type(const ir::Inst* var);
  Expr variable_value(const ir::Inst* var, const ir::Value* v);
  Expr pointer_difference(const ir::Inst* i);

  // write_atomics.cpp
  virtual Expr atomic(const ir::Inst* i);
  Expr atomic_loop(const ir::Inst* i, const std::string& value);
  Expr atomic_native(const ir::Inst* i, const std::string& function);
  Expr combined_atomic(const ir::Inst* i);
  Expr atomic16(const ir::Inst* i);
  Expr compare_and_swap(const ir::Inst* i);

  // write_threads.cpp
  virtual Expr thread_value(const ir::Inst* i);
  virtual Expr warp(const ir::Inst* i);
  Expr warp_native(const ir::Inst* i);
  Expr warp_hip(const ir::Inst* i);
  std::string own_helper(const ir::Inst* i);
  Expr warp_emulated(const ir::Inst* i);
  Expr reduction(const ir::Inst* i);
  bool all_arrive(const ir::Inst* i);
  bool is_before_divergent_branch(const ir::Inst* barrier);
  virtual void barrier(const ir::Inst* i);
  Expr barrier_vote(const ir::Inst* i);
  bool has_clusters(const ir::Inst* i);
  Expr barrier_object(const ir::Inst* i);
  void copy_beside(const ir::Inst* i);
  virtual void fence(const ir::Inst* i);
  void print(const ir::Inst* i);
  void print_native(const ir::Inst* i);
  void fail(const ir::Inst* i);
  virtual std::string report_failure(uint32_t site);
  uint32_t site(const ir::Inst* i);

  // write_matrices.cpp
  Expr multiplied(const ir::Inst* i);
  Expr rows(const ir::Inst* i);

  // write_ptx.cpp
  void inline_ptx(const ir::Inst* i);

  // write_control.cpp
  void statement(const ir::Inst* i) override;
  std::string value_text(const ir::Value* v) override { return value(v).text; }
  std::string inverted_text(const ir::Value* v) override { return unary("!", value(v)).text; }
  void define(const ir::Inst* i);  // a variable for its value
  virtual void define_pointer(const ir::Inst* i);
  bool must_be_precise(const ir::Type* t) const;
  virtual void aggregate(const ir::Inst* i);
  void effect(const ir::Inst* i);
  void leave(const ir::Inst* i);
  Expr called(const ir::Inst* i);
  void loop(const ir::Inst* i);
  void unroll_mark(const ir::Inst* loop);
  void counted_loop(const ir::Inst* i, const Round& round, const Rounds& rounds);
  void for_loop(const ir::Inst* i, const std::string& condition, const std::string& step);
  void general_loop(const ir::Inst* i, bool continues);
  void leave_unless(const ir::Block* b);
  void choose(const ir::Inst* i);
  void scope(const ir::Inst* i);
  std::string assignment(const ir::Inst* store) override;
  bool has_jump(const ir::Inst* to, ir::Op jump) const;

  Unit& unit_;
  const Dialect& dialect_;
  ir::Function& function_;
  const driver::KernelInfo& info_;
  Names names_;
  KnownValues known_;
  std::unordered_map<const ir::Value*, const ir::Type*> pointees_;
  std::unordered_map<const ir::Inst*, bool> jumped_;  // exits and continues, by target and kind
  std::optional<pass::Uniformity> uniformity_;
  bool uses_warp_ = false, uses_count_ = false, has_barrier_ = false;
  const ir::Inst* current_ = nullptr;  // the current statement
};

}  // namespace quern::target::cstyle
