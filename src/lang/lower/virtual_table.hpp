// Virtual calls. An object of a polymorphic class holds a number that identifies its dynamic type, in the
// place of the host's pointer to a table; a virtual call is a switch over the classes of the module that are
// constructed. As with pointers to functions, this needs nothing of the target.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "lang/ir/builder.hpp"
#include "lang/ir/ir.hpp"
#include "lang/tree/decl.hpp"

namespace quern::lang {

class ModuleLowering;

class VirtualTable {
 public:
  explicit VirtualTable(ModuleLowering& shared) : shared_(shared) {}

  // The number that the field at byte `at` of an object of class `whole` holds. The class counts as
  // constructed from then on.
  uint64_t number(ClassDecl* whole, uint64_t at);

  // The function that calls the final overrider of `f`, with its parameters.
  ir::Function* dispatcher(FunctionDecl* f);

  // The function that destroys the whole object that a pointer to class `c` is a part of, and frees it.
  ir::Function* destroyer(ClassDecl* c, bool frees);

  // Finds the functions that calls may reach; whether there were new ones, which must be lowered then.
  bool collect();

  // Writes the dispatchers' bodies, once collect() finds nothing more.
  void finish();

 private:
  struct DynamicType {
    ClassDecl* whole = nullptr;
    uint64_t at = 0;
    uint64_t number = 0;
  };
  struct Target {
    uint64_t number = 0;
    int64_t shift = 0;  // from the object of the call to that of the function
    FunctionDecl* decl = nullptr;
    ir::Function* function = nullptr;  // nullptr: a pure virtual function
  };
  struct Dispatcher {
    FunctionDecl* decl = nullptr;  // nullptr: a destroyer
    ClassDecl* of = nullptr;       // the class of the object
    TemplateDecl* destroys = nullptr;
    ir::Function* function = nullptr;
    std::vector<Target> targets;
    size_t seen = 0;  // of types_
  };

  void add_target(Dispatcher& dispatcher, const DynamicType& type);
  void add_destroyed(Dispatcher& dispatcher, const DynamicType& type);
  void fill(const Dispatcher& dispatcher);
  ir::Value* load_number(ir::Builder& builder, ClassDecl* c, ir::Value* object);
  ir::Value* as_result(ir::Builder& builder, const FunctionDecl* from, const FunctionDecl* to, ir::Value* v);

  ModuleLowering& shared_;
  std::map<std::pair<const ClassDecl*, uint64_t>, uint64_t> numbers_;
  std::unordered_set<uint64_t> taken_;
  std::vector<DynamicType> types_;
  std::vector<Dispatcher> dispatchers_;
};

}  // namespace quern::lang
