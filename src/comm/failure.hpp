// Throws errors of communicators as quern::Error.
#pragma once

#include <utility>

#include "base/message.hpp"
#include "comm/messages.hpp"
#include "quern/error.hpp"

namespace quern::comm {

[[nodiscard]] Error make_error(ErrorKind kind, const base::MessageText& message);
[[noreturn]] void fail(ErrorKind kind, const base::MessageText& message);

// An error that all ranks have, or that has no effect on the others: the communicator remains usable.
struct AgreedError {
  Error error;
};
[[noreturn]] void fail_on_all(const base::MessageText& message);

}  // namespace quern::comm
