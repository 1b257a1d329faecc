// Throws errors of operations as quern::Error.
#pragma once

#include "base/message.hpp"
#include "ops/messages.hpp"
#include "quern/error.hpp"

namespace quern::ops {

[[noreturn]] void fail(ErrorKind kind, const base::MessageText& message);

}  // namespace quern::ops
