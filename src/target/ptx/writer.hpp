// Writes one kernel, or a library function that kernels call. Every value is a register that is assigned
// once, where the IR computes it; variables that are only loaded and stored are registers too, all others are
// in one array of local memory. Blocks of the IR become labels and branches. The parts are in separate files:
// values, floats, conversions, aggregates, addresses, accesses, atomics, threads, matrices, reports, control.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lang/pass/pass.hpp"
#include "target/ptx/unit.hpp"

namespace quern::target::ptx {

using Reg = std::string;  // the name of a register, or a constant if the instruction accepts one
using Regs = std::vector<Reg>;

// The state space of an address in PTX.
enum class Form : uint8_t { kGeneric, kGlobal, kShared, kLocal, kConst };

struct Address {
  Reg base;  // a register, or the name of a variable
  int64_t offset = 0;
  Form form = Form::kGeneric;
  bool is_symbol = false;  // base is a name
};

struct Access {
  uint32_t align = 1;
  bool is_volatile = false;
  bool is_read_only = false;  // not written while the kernel runs
};

std::string parameter_name(size_t index);

class Writer {
 public:
  Writer(Unit& unit, ir::Function& function, driver::KernelInfo info);

  // The whole definition.
  std::string write();

 private:
  // writer.cpp
  std::string signature() const;
  std::string function_signature() const;
  Reg parameter(const ir::Type* type, const std::string& at);
  void parameters();
  void place_variables();
  bool is_plain(const ir::Inst* var, const std::vector<const ir::Inst*>& uses) const;
  void mark(const ir::Pos& pos);
  void refuse(const ir::Inst* at, const base::MessageText& reason) { unit_.refuse(at->pos, reason); }
  uint64_t reserve_local(uint64_t bytes, uint64_t align);

  // Text.
  Reg fresh(Class c);
  void put(const std::string& line) { body_ += "\t" + line + ";\n"; }
  void put(std::string_view code, std::initializer_list<Reg> operands);
  Reg make(Class c, std::string_view code, std::initializer_list<Reg> operands);  // code d, operands
  Reg word(std::string_view code, std::initializer_list<Reg> operands) {
    return make(Class::kB32, code, operands);
  }
  Reg wide(std::string_view code, std::initializer_list<Reg> operands) {
    return make(Class::kB64, code, operands);
  }
  Reg test(std::string_view code, std::initializer_list<Reg> operands) {
    return make(Class::kPredicate, code, operands);
  }
  void label(const std::string& name) { body_ += name + ":\n"; }
  std::string new_label() { return "$L" + std::to_string(labels_++); }
  void move(Class c, const Reg& to, const Reg& from);
  bool has(int architecture) const { return unit_.architecture >= architecture; }

  // write_values.cpp
  Regs value(const ir::Value* v);
  Reg operand(const ir::Value* v) { return value(v).at(0); }  // may be a constant
  Reg reg(const ir::Value* v);                                // never a constant
  Reg in_register(Class c, const Reg& r);
  Reg constant(const ir::Type* type, uint64_t bits);
  Regs zero(const ir::Type* type);
  void define(const ir::Inst* i, Regs regs) { values_[i] = std::move(regs); }
  void define(const ir::Inst* i, Reg reg) { values_[i] = {std::move(reg)}; }
  bool pure(const ir::Inst* i);
  Reg scalar_op(const ir::Inst* i);  // empty: there is no such operation
  Reg integer(const ir::Inst* i);
  Reg divide(const ir::Inst* i);
  Reg shift(const ir::Inst* i);
  Reg mul_hi(const ir::Inst* i);
  Reg logical(const ir::Inst* i);
  Reg bits_function(const ir::Inst* i);
  Reg compare(const ir::Inst* i);
  Reg compare_pointers(const ir::Inst* i);
  Reg selected(Class c, const Reg& condition, const Reg& yes, const Reg& no);
  Reg trimmed(const ir::Type* type, const Reg& r);  // back to the representation of a narrow type
  Reg negated(const Reg& predicate) { return test("not.pred", {predicate}); }

  // write_reals.cpp
  Reg real(const ir::Inst* i);
  Reg half(const ir::Inst* i);
  Reg rounded(const ir::Inst* i);
  Reg approximate(const ir::Inst* i);
  Reg class_test(const ir::Inst* i);

  // write_convert.cpp
  Reg convert(const ir::Type* to, const ir::Type* from, const Reg& r);
  Reg convert_rounded(const ir::Inst* i);
  Reg to_integer(const ir::Type* to, const ir::Type* from, std::string_view mode, const Reg& r);
  Reg to_real(const ir::Type* to, const ir::Type* from, std::string_view mode, const Reg& r);
  Reg to_bfloat(const Reg& single);
  Reg resized(const Reg& r, const ir::Type* from, const ir::Type* to);
  Reg bitcast(const ir::Type* to, const ir::Type* from, const Reg& r);

  // write_aggregate.cpp
  Regs construct(const ir::Inst* i);
  Regs extract(const ir::Inst* i);
  Regs insert(const ir::Inst* i);
  Address scratch(const ir::Type* type);
  Regs load_all(const Address& from, const ir::Type* type, Access how);
  void store_all(const Address& to, const ir::Type* type, const Regs& regs, Access how);

  // write_address.cpp
  Form form_of(const ir::Value* pointer) const;
  Address address(const ir::Value* pointer);
  Reg materialised(const Address& a);
  Reg pointer(const ir::Value* v) { return materialised(address(v)); }
  Reg pointer_as(const ir::Value* v, Form form);
  Reg held_pointer(const ir::Value* v);  // according to its type
  Reg cast(const Reg& r, Form from, Form to, bool may_be_null);
  void step(const ir::Inst* i);
  Reg pointer_value(const ir::Inst* i);
  Reg pointer_difference(const ir::Inst* i);
  bool is_never_null(const ir::Value* v) const;

  // write_memory.cpp
  void load(const ir::Inst* i);
  void store(const ir::Inst* i);
  Reg load_leaf(const Address& a, const ir::Type* type, Access how);
  Reg load_parts(const Address& a, const ir::Type* type, Access how);
  void store_leaf(const Address& a, const ir::Type* type, const Reg& r, Access how);
  void store_parts(const Address& a, const ir::Type* type, const Reg& r, Access how);
  std::string place(const Address& a);  // "[%d1+4]"
  size_t vector_at(const std::vector<Leaf>& leaves, size_t first, uint32_t align) const;
  bool is_read_only(const ir::Value* pointer) const;

  // write_atomics.cpp
  void atomic(const ir::Inst* i);

  // write_threads.cpp
  Reg thread_value(const ir::Inst* i);
  void barrier(const ir::Inst* i);
  Reg grid_word();
  void grid_barrier();
  void need_clusters(const ir::Inst* i);
  void cluster_barrier(const ir::Inst* i);
  Reg barrier_object(const ir::Inst* i);
  std::string in_shared(const ir::Value* pointer);
  void copy_beside(const ir::Inst* i);
  Reg barrier_vote(const ir::Inst* i);
  Reg warp(const ir::Inst* i);
  Reg shuffle(const ir::Inst* i);
  Reg shuffled(const Reg& r, const std::string& kind, const Reg& by, const Reg& bounds, const Reg& mask);
  Reg match(const ir::Inst* i);
  Reg match_by_looking(const ir::Inst* i, const Reg& r, const Reg& mask);
  Reg reduced(const ir::Inst* i);
  bool all_arrive(const ir::Inst* i);

  // write_matrices.cpp
  Regs packed(const ir::Value* fragment);
  Regs unpacked(const Regs& regs, const ir::Type* element);
  Regs multiplied(const ir::Inst* i);
  Regs rows(const ir::Inst* i);

  // write_ptx.cpp
  void inline_ptx(const ir::Inst* i);
  std::string shortened(const std::string& word);  // the lower 16 bits, in a register of that size

  // write_report.cpp
  void print(const ir::Inst* i);
  void fail(const ir::Inst* i);
  Reg text(const std::string& text);  // its address
  // Calls a function; the result is empty if it returns nothing.
  Reg call(std::string_view function, const ir::Type* result,
           const std::vector<std::pair<Class, Reg>>& arguments);

  // write_control.cpp
  void block(const ir::Block* b);
  void statement(const ir::Inst* i);
  bool effect(const ir::Inst* i);
  void fence(const ir::Inst* i);
  void branch(const ir::Inst* i);
  void loop(const ir::Inst* i);
  void loop_part(const ir::Block* b, const std::string& leave);
  void switch_on(const ir::Inst* i);
  void scope(const ir::Inst* i);
  void library_call(const ir::Inst* i);
  void leave(const ir::Inst* i);
  void jump(const std::string& to);

  Unit& unit_;
  ir::Function& function_;
  const driver::KernelInfo info_;  // of a kernel
  std::string body_;
  uint32_t counts_[4] = {1, 1, 1, 1};  // of registers
  uint32_t labels_ = 0;
  std::unordered_map<const ir::Value*, Regs> values_;
  std::unordered_map<const ir::Inst*, Address> steps_;    // addresses that are not constants
  std::unordered_map<const ir::Inst*, Regs> variables_;   // those that are registers
  std::unordered_map<const ir::Inst*, uint64_t> places_;  // the others: their offsets
  uint64_t local_bytes_ = 0, local_align_ = 1;
  std::unordered_map<const ir::Inst*, std::string> exits_, continues_;
  uint64_t print_at_ = UINT64_MAX;  // where arguments of printf lie
  bool is_open_ = true;             // the next instruction is reachable
  ir::Pos marked_;
  std::unique_ptr<pass::Uniformity> uniformity_;
};

}  // namespace quern::target::ptx
