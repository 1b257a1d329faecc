// Loops that count a variable between constants.
#pragma once

#include <optional>
#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::pass {

struct CountedLoop {
  ir::Inst* var;
  ir::Inst* step_store;
  std::vector<ir::Const*> rounds;  // the variable's value in each iteration
  ir::Const* after;                // its value after the loop
};

// Nothing if the loop has another form or more than `most` iterations. The body may exit the loop earlier.
std::optional<CountedLoop> count_rounds(ir::Module& module, ir::Function& function, ir::Inst* loop,
                                        size_t most);

// The maximum number of iterations; nothing if it is unknown or more than `most`. Also handles loops whose
// variable is halved or doubled in each iteration, whatever its initial value is.
std::optional<uint64_t> most_rounds(ir::Module& module, ir::Function& function, ir::Inst* loop, size_t most);

}  // namespace quern::pass
