// Builds a module: types and constants are created once each, capabilities follow from what is used, and the
// sections are written in the order that SPIR-V requires.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "spirv/writer/words.hpp"

namespace quern::spirv {

// The kind of module: its header words.
struct Environment {
  uint32_t version;
  AddressingModel addressing;
  MemoryModel memory_model;
  ExecutionModel execution_model;
  std::string_view functions;  // the set of extended instructions
  std::vector<Capability> capabilities;
};

class Builder {
 public:
  explicit Builder(const Environment& environment);

  Id fresh() { return next_++; }

  void need(Capability capability) { capabilities_.insert(static_cast<uint32_t>(capability)); }
  bool needs(Capability capability) const {
    return capabilities_.count(static_cast<uint32_t>(capability)) != 0;
  }
  void need_extension(const std::string& name) { extensions_.insert(name); }
  // Part of Vulkan's memory model: every access must state whether other threads can see it.
  void use_cooperative_matrices();
  bool has_vulkan_memory() const;

  Id void_type() { return made(Opcode::kTypeVoid, {}); }
  Id bool_type() { return made(Opcode::kTypeBool, {}); }
  Id int_type(uint32_t bits);
  Id float_type(uint32_t bits);
  Id bfloat_type();
  Id vector_type(Id element, uint32_t count) { return made(Opcode::kTypeVector, {element, count}); }
  Id array_type(Id element, Id length) { return made(Opcode::kTypeArray, {element, length}); }
  Id unbounded_array_type(Id element) { return made(Opcode::kTypeRuntimeArray, {element}); }
  Id pointer_type(StorageClass storage, Id to) {
    return made(Opcode::kTypePointer, {static_cast<uint32_t>(storage), to});
  }
  // Of a subgroup; `use` as in the specification: a, b, sum.
  Id matrix_type(Id component, uint32_t rows, uint32_t columns, uint32_t use) {
    const auto subgroup = static_cast<uint32_t>(Scope::kSubgroup);
    return made(Opcode::kTypeCooperativeMatrixKHR,
                {component, u32(subgroup), u32(rows), u32(columns), u32(use)});
  }
  Id function_type(Id result, const std::vector<Id>& params);
  // Every call creates a new type: members carry decorations.
  Id struct_type(const std::vector<Id>& members);

  Id u32(uint32_t n) { return typed(Opcode::kConstant, int_type(32), {n}); }
  Id u64(uint64_t n);
  Id number(Id type, uint32_t bits, uint64_t value);
  Id boolean(bool b) { return typed(b ? Opcode::kConstantTrue : Opcode::kConstantFalse, bool_type(), {}); }
  Id null(Id type) { return typed(Opcode::kConstantNull, type, {}); }
  Id composite(Id type, const std::vector<Id>& members) {
    return typed(Opcode::kConstantComposite, type, members);
  }

  Id spec_u32(uint32_t spec_id, uint32_t value, std::string_view name);
  Id spec_op(Id type, Opcode op, const std::vector<Id>& operands);
  Id block_size();  // of this dimension: a specialisation constant
  Id block_size(uint32_t dimension);
  Id global_variable(StorageClass storage, Id type, std::string_view name, Id initial = 0);
  Id builtin(BuiltIn which, std::string_view name, uint32_t bits = 32);  // the variable, of three numbers
  std::vector<Id> builtins() const;                                      // all that were requested
  Id functions();                                                        // the set of extended instructions
  Id file(const std::string& name);

  void name(Id id, std::string_view text) { names_.add(Opcode::kName, {id}, text); }
  void member_name(Id type, uint32_t index, std::string_view text) {
    names_.add(Opcode::kMemberName, {type, index}, text);
  }
  void decorate(Id id, Decoration what, std::initializer_list<uint32_t> operands = {});
  void decorate_member(Id id, uint32_t member, Decoration what, std::initializer_list<uint32_t> operands);
  void add_entry(Id function, const std::string& name, const std::vector<Id>& interface);
  void add_mode(Id function, std::initializer_list<uint32_t> mode);
  void add_source(uint32_t language, uint32_t version) { strings_.add(Opcode::kSource, {language, version}); }
  void add_function(const Words& words) { functions_.append(words); }

  std::string bytes() const;

 private:
  Id made(Opcode code, const std::vector<uint32_t>& operands);
  Id typed(Opcode code, Id type, const std::vector<uint32_t>& operands);

  const Environment& environment_;
  Id next_ = 1;
  std::set<uint32_t> capabilities_;
  std::set<std::string> extensions_;
  Words imports_, entries_, modes_, strings_, names_, decorations_, globals_, functions_;
  std::map<std::vector<uint32_t>, Id> known_;
  std::map<BuiltIn, Id> builtins_;
  std::map<std::string, Id> files_;
  Id set_ = 0;
  Id block_size_[4] = {0, 0, 0, 0};
};

}  // namespace quern::spirv
