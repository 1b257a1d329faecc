// Reads a whole module: types, constants and variables first, then the entry points with the functions they
// call.
#pragma once

#include <map>
#include <unordered_map>

#include "spirv/reader/emitter.hpp"
#include "spirv/reader/spirv.hpp"

namespace quern::spirv {

// A variable of the module.
struct Variable {
  Id id = 0;
  const Instruction* at = nullptr;
  const TypeInfo* pointer = nullptr;
  const TypeInfo* object = nullptr;  // of an array of buffers: one element
  uint64_t buffers = 0;              // number of buffers if it is an array of them; else 0
  ir::Global* global = nullptr;      // shared by all threads; nullptr: each entry point provides it
  const Val* initial = nullptr;
};

class Reader {
 public:
  Reader(Source& source, const Options& options);
  base::Result<Program> run();

  Source& source() { return source_; }
  Types& types() { return types_; }
  ir::Module& module() { return program_.module; }
  Failure& failure() { return failure_; }

  const Val* constant(Id id) const;                      // nullptr: not a constant of the module
  const Variable* variable(Id id) const;                 // nullptr: not a variable of the module
  Translated* function(Id id, const Instruction& call);  // translated on demand; nullptr: failed
  ir::Global* constant_table(const std::vector<uint8_t>& bytes, const ir::Type* type);
  // Counts the values, so that a small module cannot expand to a huge one.
  void count(size_t leaves, const Instruction& at);

 private:
  void declare(const Instruction& i);
  void declare_constant(const Instruction& i);
  void declare_number(const Instruction& i, const TypeInfo& type, Val& val);
  void declare_composite(const Instruction& i, const TypeInfo& type, Val& val);
  void declare_spec_op(const Instruction& i, Val& val);
  uint64_t specialized(const Instruction& i, const TypeInfo& type, uint64_t bits);
  void declare_variable(const Instruction& i);
  void make_global(Variable& v);
  bool is_array_of_buffers(const TypeInfo& pointer, const TypeInfo& object) const;
  std::optional<uint64_t> integer(Id id) const;
  const ir::Type* result_type(const FunctionSource& source);
  std::optional<LocalSize> local_size(const EntryPoint& entry);

  Source& source_;
  const Options& options_;
  Program program_;
  Failure failure_;
  Types types_;
  std::unordered_map<Id, Val> constants_;
  std::unordered_map<Id, Variable> variables_;
  std::unordered_map<Id, Translated> functions_;
  uint32_t depth_ = 0;  // of calls being written
  uint64_t leaves_ = 0;
  std::map<std::pair<const ir::Type*, std::vector<uint8_t>>, ir::Global*> tables_;
};

// Writes the kernel of an entry point (entry.cpp).
Entry make_kernel(Reader& reader, const EntryPoint& entry, Translated& body,
                  std::optional<LocalSize> local_size);

}  // namespace quern::spirv
