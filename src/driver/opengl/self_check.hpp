// Runs a few lines on a new context. Some drivers on the processor make instructions that it does not have;
// the first look at a driver happens in a process of its own, which then dies instead of the user's.
#pragma once

#include "driver/opengl/context.hpp"

namespace quern::opengl {

// On the context's thread.
Result<> self_check(const Context& context, bool is_es);

}  // namespace quern::opengl
