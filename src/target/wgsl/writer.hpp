// Writes one function, a kernel or a library function, in WGSL. Integers of 8 and 16 bits are held in 32,
// half and bfloat16 as their bits.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/ir/ir.hpp"
#include "target/cstyle/flow_writer.hpp"
#include "target/refusal.hpp"
#include "target/wgsl/helpers.hpp"
#include "target/wgsl/lower.hpp"
#include "target/wgsl/objects.hpp"

namespace quern::target::wgsl {

// A subexpression; in parentheses if it is part of another, unless it is a single word or call.
struct Expr {
  std::string text;
  bool is_atom = true;
  std::string in() const { return is_atom ? text : "(" + text + ")"; }
};

// Last part of Options::version: the grid is run in several dispatches. The last row of the arguments is then
// { 0, the first block of the dispatch in x, the blocks of the grid in x, 0 }.
inline constexpr std::string_view kWide = " wide";
inline bool is_wide(std::string_view version) { return version.ends_with(kWide); }

// State shared by the functions of one kernel.
struct Unit : FirstRefusal {
  Unit(const ir::Module& m, const ir::Function& k, const Options& o, Objects& all, Names& outer)
      : module(m), kernel(k), options(o), objects(all), names(outer) {}

  const ir::Module& module;
  const ir::Function& kernel;
  const Options& options;
  Objects& objects;
  Names& names;
  Helpers helpers;
  std::string declarations;  // of objects, as they are used
  std::set<std::string> declared;
  bool uses_arguments = false;
  bool uses_dynamic = false;
  bool uses_report = false;
  bool uses_subgroups = false;
  bool uses_thread = false, uses_block = false, uses_grid = false;  // in functions other than the kernel
  std::vector<uint64_t> offsets;  // of the kernel's parameters in the block of arguments
};

class Writer final : public cstyle::FlowWriter {
 public:
  Writer(Unit& unit, ir::Function& function);

  std::string write_function(const std::string& name);
  std::string write_kernel(const std::string& name);

 private:
  // write_control.cpp
  void statement(const ir::Inst* i) override;
  std::string value_text(const ir::Value* v) override { return value(v).text; }
  std::string inverted_text(const ir::Value* v) override { return "!" + value(v).in(); }
  void define(const ir::Inst* i);
  void effect(const ir::Inst* i);
  void loop(const ir::Inst* i);
  bool for_loop(const ir::Inst* i);
  void choose(const ir::Inst* i);
  void scope(const ir::Inst* i);
  void leave(const ir::Inst* i);

  // write_values.cpp
  Expr value(const ir::Value* v);
  Expr literal(const ir::Type* type, uint64_t bits);
  Expr render(const ir::Inst* i);
  Expr real(const ir::Inst* i);
  Expr integer(const ir::Inst* i);
  Expr divide(const ir::Inst* i);
  Expr compare(const ir::Inst* i);
  Expr convert(const ir::Inst* i);
  Expr bitcast(const ir::Type* to, const ir::Type* from, const Expr& e);
  Expr cut(const ir::Type* type, const Expr& e);  // a 32-bit number truncated to the width of its type
  Expr mul_hi(const ir::Inst* i);
  Expr member(const ir::Inst* i);
  Expr index_value(const ir::Inst* i);
  bool must_keep(const ir::Inst* i) const;
  Expr hidden(const ir::Value* v);
  Expr operand(const ir::Inst* i, size_t k);
  Expr call(const std::string& function, const std::vector<Expr>& arguments) const;
  Expr helper(std::string_view name, const std::vector<Expr>& arguments);
  static Expr binary(const Expr& a, std::string_view op, const Expr& b);

  // write_memory.cpp
  Object& object_at(const ir::Value* pointer);
  Expr element(const ir::Value* pointer);
  Expr index(const ir::Value* pointer, const Object& object);
  Expr load(const ir::Inst* i);
  std::string assignment(const ir::Inst* i) override;
  Expr atomic(const ir::Inst* i);
  Expr atomic_rmw(const ir::Inst* i, const Object& object);
  void variable(const ir::Inst* i);
  Expr argument(const ir::Value* v);
  Expr argument_at(const ir::Type* type, uint64_t offset);
  Expr to_word(const Object& object, const ir::Type* type, const Expr& e);
  Expr from_word(const Object& object, const ir::Type* type, const Expr& e);

  // write_threads.cpp
  void barrier();
  Expr vote(const ir::Inst* i);
  Expr exchange(const ir::Inst* i);  // between the threads of a subgroup
  void print(const ir::Inst* i);
  void fail(const ir::Inst* i);
  Expr builtin(const char* name, bool Unit::*in_function);
  std::string entry_parameters() const;
  std::string wide_indices();

  // Whether results must be exactly those of the operations as written.
  bool is_exact() const { return unit_.options.math != driver::Math::fast; }
  void refuse(const ir::Inst* i, const base::MessageText& reason) { unit_.refuse(i->pos, reason); }
  std::string pretty(std::string_view wanted) { return make_name(names_, wanted.empty() ? "v" : wanted); }

  Unit& unit_;
  ir::Function& function_;
  bool is_kernel_;
  bool waits_ = false;  // the function has barriers
  Names names_;
  std::string own_;  // arrays of this function
  bool uses_thread_ = false, uses_block_ = false, uses_grid_ = false, uses_linear_ = false;
  bool uses_size_ = false;
};

// The type of a value.
std::string_view type_name(const ir::Type* type);

}  // namespace quern::target::wgsl
