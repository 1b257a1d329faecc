// State that the lowering of all functions of a module shares: types, global variables, names, positions, and
// the queue of functions that are called but not yet lowered.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/message.hpp"
#include "lang/ir/ir.hpp"
#include "lang/lower/function_table.hpp"
#include "lang/lower/lower.hpp"
#include "lang/lower/virtual_table.hpp"

namespace quern::lang {

// The layout of a class in its IR struct.
struct ClassLayout {
  const ir::Type* type = nullptr;
  std::vector<int> base_field;  // per base class; -1: an empty base has no field
  uint32_t first_field = 0;     // of the class's own fields
  bool overlaps = false;        // fields share bytes: values can only be read from memory
  bool has_bits = false;        // some are bit-fields
  bool is_packed = false;       // some are not aligned for their type
};

enum class Copy : uint8_t { kConstruct, kAssign };

// Maps C++ types to IR types. Sema completes classes when they are first used.
class TypeLowering {
 public:
  TypeLowering(Sema& sema, ir::Module& module) : sema_(sema), module_(module) {}

  const ir::Type* get(QualType type);  // nullptr: it has no size (void, functions, classes never defined)
  const ClassLayout* layout(ClassDecl* decl);
  const ir::Type* bit_unit(const FieldDecl& field);  // the integer that a bit-field is a part of

 private:
  const ir::Type* make(QualType type);
  bool pack_field(const ClassDecl& decl, ir::Field& field);
  const ir::Type* struct_type(ClassDecl* decl, std::vector<ir::Field> fields);

  Sema& sema_;
  ir::Module& module_;
  std::unordered_map<const Type*, const ir::Type*> types_;
  std::unordered_map<const ClassDecl*, ClassLayout> layouts_;
};

class ModuleLowering {
 public:
  ModuleLowering(Sema& s, ir::Module& m)
      : sema(s), module(m), types(s, m), function_table(*this), virtual_table(*this) {}

  std::vector<std::string> run(std::span<FunctionDecl* const> kernels, std::span<const std::string> names,
                               const std::function<std::vector<LaunchedKernel>()>& more);

  Sema& sema;
  ir::Module& module;
  TypeLowering types;
  FunctionTable function_table;
  VirtualTable virtual_table;

  // The IR function of a declaration; created, and queued for its body, at the first call. nullptr: it has no
  // body or its body has errors (reported at `loc`, the place of use).
  ir::Function* function(FunctionDecl* decl, SourceLoc loc, uint32_t length);

  // A function of the module that no declaration stands for; its body is empty.
  ir::Function* add_helper(const std::string& name);
  void add_params(FunctionDecl* decl, ir::Function* function);  // and the result

  // The module variable of a declaration: __shared__, __constant__, __device__, static locals, and constant
  // tables. `owner` is the function that is being lowered. nullptr: an error was reported.
  ir::Global* global(VarDecl* var, const ir::Function& owner, const Expr* at);
  ir::Global* string_literal(const std::string& text, uint64_t size);
  ir::Global* constant_table(QualType type, const std::vector<uint8_t>& bytes, const std::string& name);

  // The IR position of a source location; `otherwise` if the location is not in a file of the user.
  ir::Pos position(SourceLoc loc, uint32_t length, ir::Pos otherwise);

  // Whether the destructor of this class runs code.
  bool has_destructor(const ClassDecl* decl);

  // The user-defined function that copies objects of this class, or nullptr; and whether, without one,
  // copying still runs code, namely that of a base or member.
  FunctionDecl* copier(ClassDecl* decl, Copy how);
  bool copies_by_member(ClassDecl* decl, Copy how);

  void error(SourceLoc loc, uint32_t length, const base::MessageText& message);

 private:
  struct Pending {
    FunctionDecl* decl = nullptr;
    ir::Function* function = nullptr;
  };

  ir::Function* add_root(FunctionDecl* kernel, const std::string& name);
  ir::Function* declare(FunctionDecl* decl, std::string name);
  void add_param(const VarDecl* var, ir::Function* function);
  void lower_queue();
  std::vector<std::string> drop_failed(const std::vector<ir::Function*>& kernels);
  void fail(const ir::Function* function, std::string reason);
  std::string first_error_since(size_t before) const;  // "file:line:column: message"
  std::string function_name(const FunctionDecl* decl);
  std::string unique_global_name(std::string name);
  ir::Global* make_global(VarDecl* var, const ir::Function& owner, const Expr* at);
  bool initialise(ir::Global* global, const VarDecl* var, const ir::Function& owner, const Expr* at);
  bool add_pointer(ir::Global* global, const ConstAddress& address, const ir::Function& owner,
                   const Expr* at);
  bool is_constant_table(const VarDecl* var) const;

  std::unordered_map<const FunctionDecl*, ir::Function*> functions_;
  std::unordered_map<const ir::Function*, std::string> failed_;  // with the first reason
  const ir::Function* current_ = nullptr;                        // being lowered
  std::deque<Pending> queue_;
  std::unordered_map<const VarDecl*, ir::Global*> globals_;
  std::unordered_map<const VarDecl*, size_t> global_errors_;  // index in the log
  std::unordered_map<std::string, ir::Global*> strings_;
  std::unordered_map<const ClassDecl*, bool> destructors_;
  std::unordered_map<const ClassDecl*, bool> by_member_[2];  // by Copy
  std::unordered_set<std::string> function_names_;
  std::unordered_set<std::string> global_names_;
};

// "ns::Class::name", without template arguments.
std::string qualified_name(const Decl* decl);

// The parameters that receive arguments of a call: packs are replaced by their elements.
std::vector<VarDecl*> call_params(const FunctionDecl* function);

bool is_const_data(QualType type);  // const, or an array of const elements

}  // namespace quern::lang
