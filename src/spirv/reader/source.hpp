// The contents of a module besides types, constants and code, collected in one pass: names, decorations,
// entry points, and the positions of functions and basic blocks.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/ir/ir.hpp"
#include "spirv/reader/binary.hpp"

namespace quern::spirv {

struct Decorations {
  std::optional<uint32_t> spec_id, array_stride, builtin, binding, set, rounding;
  // Of struct members.
  std::optional<uint32_t> offset, matrix_stride;
  bool row_major = false;
  bool is_block = false, is_buffer_block = false, is_packed = false, is_read_only = false,
       is_volatile = false, is_by_value = false;
  bool is_saturated = false;
  void add(const Decorations& other);
};

// The extended instruction set that an import refers to.
enum class ExtendedSet : uint8_t { kGlsl, kOpenCl, kShaderDebug, kIgnored };

struct BasicBlock {
  Id label = 0;
  uint32_t first = 0, last = 0;  // instructions after the label; the last is the terminator
};

struct FunctionSource {
  Id id = 0;
  const Instruction* head = nullptr;
  Id type = 0;
  std::vector<const Instruction*> params;
  std::vector<BasicBlock> blocks;
};

struct EntryPoint {
  std::string name;
  Id function = 0;
  bool is_kernel_model = false;
  const Instruction* at = nullptr;
  std::optional<std::array<uint32_t, 3>> local_size;
  std::optional<std::array<Id, 3>> local_size_ids;
};

class Source {
 public:
  static base::Result<std::unique_ptr<Source>> collect(std::span<const uint32_t> words,
                                                       const std::string& module_name);

  const Decorations& decorations(Id id) const;
  const Decorations& member(Id structure, uint32_t index) const;
  std::string name(Id id) const;                                // empty: none
  std::string member_name(Id structure, uint32_t index) const;  // "_2" if it has none
  // The index in file_list of the file that an OpString names; absent if there is no such string.
  std::optional<uint16_t> file(Id string);

  Binary binary;
  bool is_physical = false;  // Physical64 addressing, as in the Kernel model
  std::vector<EntryPoint> entries;
  std::vector<const Instruction*> declarations;  // types, constants and variables of the module, in order
  std::vector<FunctionSource> functions;
  std::unordered_map<Id, size_t> function_at;
  std::unordered_map<Id, ExtendedSet> extended_sets;
  std::vector<ir::File> file_list;  // the first is the module itself, with its listing as text
  std::unordered_map<Id, const Instruction*> definitions;  // every result of the module

 private:
  friend class Collector;
  std::unordered_map<Id, std::string> strings_;
  std::unordered_map<Id, uint16_t> files_;
  std::unordered_map<Id, Decorations> decorations_;
  std::map<std::pair<Id, uint32_t>, Decorations> member_decorations_;
  std::unordered_map<Id, std::string> names_;
  std::map<std::pair<Id, uint32_t>, std::string> member_names_;
};

// The first error. After it, the reader continues with harmless values until the failure is checked.
class Failure {
 public:
  // `what` completes a sentence that begins with the instruction: "names type %7, which is not defined".
  void set(const Instruction& at, const base::MessageText& what);
  explicit operator bool() const { return error_.has_value(); }
  base::Error take() { return *std::move(error_); }

 private:
  std::optional<base::Error> error_;
};

}  // namespace quern::spirv
