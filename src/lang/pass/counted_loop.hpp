// Loops that count a variable between constants.
#pragma once

#include <optional>
#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::pass {

struct CountedLoop {
  ir::Inst* var;
  ir::Inst* step_store;
  std::vector<ir::Const*> rounds;  // the variable's value in each round
  ir::Const* after;                // its value after the loop
};

// Nothing where the loop has another form or more than `most` rounds. A body may leave it earlier.
std::optional<CountedLoop> count_rounds(ir::Module& module, ir::Function& function, ir::Inst* loop,
                                        size_t most);

// How many rounds the loop makes at most; nothing where that is not known or is more than `most`. Also knows
// loops whose variable is halved or doubled in each round, from whatever value it begins with.
std::optional<uint64_t> most_rounds(ir::Module& module, ir::Function& function, ir::Inst* loop, size_t most);

}  // namespace quern::pass
