// How a kernel's code was generated and how it is run. Recipes are cached on disk next to the objects, keyed
// by the IR, so that a kernel that was compiled once can be launched without generating its code again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "driver/cpu/compiler.hpp"
#include "target/llvm/emit.hpp"

namespace quern::cpu {

struct Recipe {
  llvm::Options own;  // as compiled, which may be less than requested
  Effort effort = Effort::kFull;
  uint64_t patience = 0;  // see Variant
  uint64_t record_bytes = 0;
  bool is_abreast = false, is_by_rows = false;
  std::string entry, object_key;
};

std::string to_text(const Recipe& recipe);
// Returns nothing if the text is invalid. `asked`: the requested options.
std::optional<Recipe> recipe_from(std::string_view text, const llvm::Options& asked);

// Cache key of a recipe. `machine`: what the object depends on besides its text; `declarations`: of the
// kernel's module. Empty if the build of this library cannot be identified, or if the code must be generated
// because it is inspected.
std::string recipe_key(const std::string& machine, const std::string& declarations,
                       const ir::Function& kernel, const llvm::Options& asked, std::optional<Effort> effort);

// The build id of the program or library that contains this code; empty if it has none.
std::string build_id();

}  // namespace quern::cpu
