// Throws errors of this library as quern::Error.
#pragma once

#include <string>

#include "quern/error.hpp"
#include "ring/messages.hpp"

namespace quern::ring {

[[noreturn]] inline void fail(ErrorKind kind, const std::string& message, const std::string& hint = {}) {
  Error::Parts parts;
  parts.kind = kind;
  parts.message = message;
  parts.hint = hint;
  parts.text = std::string(to_string(kind)) + ": " + message + (hint.empty() ? "" : "\n  hint: " + hint);
  throw Error(std::move(parts));
}

[[noreturn]] inline void fail(ErrorKind kind, const base::MessageText& message) {
  fail(kind, message.text, message.hint);
}

}  // namespace quern::ring
