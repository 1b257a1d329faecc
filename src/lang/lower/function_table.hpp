// Functions whose address is taken. A pointer to a function is a 64-bit number, and a call through it is a
// call of a dispatcher: a function with a switch over all functions of that type in the module. This needs
// nothing of the target: pointers to functions work on every device.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lang/ir/builder.hpp"
#include "lang/ir/ir.hpp"
#include "lang/tree/decl.hpp"

namespace quern::lang {

class ModuleLowering;

// A number that depends on the text only; below 2^31, so that a switch over numbers needs no 64-bit integers.
uint64_t stable_number(std::string_view text);

// Ends the launch with an error that names the violated condition.
void never(ir::Builder& builder, std::string_view condition);

class FunctionTable {
 public:
  explicit FunctionTable(ModuleLowering& shared) : shared_(shared) {}

  // The number of a function; it depends on its name and position only, so that kernels that are compiled
  // separately agree on it. 0: an error was reported at `loc`.
  uint64_t number(FunctionDecl* function, SourceLoc loc, uint32_t length);

  // The function of that number and type, or nullptr.
  ir::Function* find(uint64_t number, const Type* type) const;

  // The function that calls through a pointer of that type: its parameters are the pointer and the
  // arguments. nullptr: the result or a parameter has no size.
  ir::Function* dispatcher(const Type* type);

  // Writes the dispatchers' bodies, once all functions are known.
  void finish();

 private:
  struct Entry {
    const Type* type = nullptr;
    ir::Function* function = nullptr;
  };
  struct Dispatcher {
    const Type* type = nullptr;
    ir::Function* function = nullptr;
  };

  void fill(const Dispatcher& dispatcher);

  ModuleLowering& shared_;
  std::unordered_map<const FunctionDecl*, uint64_t> numbers_;
  std::unordered_map<uint64_t, size_t> index_;  // of a number, in entries_
  std::vector<std::pair<uint64_t, Entry>> entries_;
  std::vector<Dispatcher> dispatchers_;
};

}  // namespace quern::lang
