// What comes of writing a kernel's code besides the code: which way it was written and how it is run. It is
// kept on disk beside the object, under the IR that it was made from, so that a kernel that was compiled once
// is launched without its code being written again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "driver/cpu/compiler.hpp"
#include "target/llvm/emit.hpp"

namespace quern::cpu {

struct Recipe {
  llvm::Options own;  // what the code is made with, which may be less than was asked for
  Effort effort = Effort::kFull;
  uint64_t patience = 0;  // see Variant
  uint64_t record_bytes = 0;
  bool is_abreast = false, is_by_rows = false;
  std::string entry, object_key;
};

std::string to_text(const Recipe& recipe);
// Nothing where the text is none. `asked`: what was asked for.
std::optional<Recipe> recipe_from(std::string_view text, const llvm::Options& asked);

// All that a recipe depends on. `machine`: what the object depends on besides its text; `declarations`: of
// the kernel's module. Empty where it cannot be told which build of this library writes the code, or where
// code must be written because somebody looks at it.
std::string recipe_key(const std::string& machine, const std::string& declarations,
                       const ir::Function& kernel, const llvm::Options& asked, std::optional<Effort> effort);

// The linker's fingerprint of the program or library that this code is in; empty where it has none.
std::string build_id();

}  // namespace quern::cpu
