// Kernels that wait for other threads, for targets that do not guarantee their forward progress.
#pragma once

#include <optional>
#include <string>

#include "lang/ir/ir.hpp"

namespace quern::target {

struct Waiting {
  ir::Pos pos;
  std::string reason;  // follows "kernel 'k' "
};

// The kernel's first loop that waits for another thread (pass::waiting_loops), and why `api` refuses it. Must
// be called before anything is lowered: exchanging a vote through shared memory hides what it waits for.
std::optional<Waiting> waiting_in(const ir::Function& kernel, std::string_view api);

}  // namespace quern::target
