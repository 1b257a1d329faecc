// Kernels that wait for other threads, for targets that do not guarantee their forward progress.
#pragma once

#include <optional>
#include <string_view>

#include "target/refusal.hpp"

namespace quern::target {

// The kernel's first loop that waits for another thread (pass::waiting_loops), and why `api` refuses it. Must
// be called before anything is lowered: exchanging a vote through shared memory hides what it waits for.
std::optional<Refusal> waiting_in(const ir::Function& kernel, std::string_view api);

}  // namespace quern::target
