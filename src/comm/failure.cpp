#include "comm/failure.hpp"

#include <string>

namespace quern::comm {

Error make_error(ErrorKind kind, const base::MessageText& message) {
  Error::Parts parts;
  parts.kind = kind;
  parts.message = message.text;
  parts.hint = message.hint;
  parts.text = std::string(to_string(kind)) + ": " + message.text +
               (message.hint.empty() ? std::string() : "\n  hint: " + std::string(message.hint));
  return Error(std::move(parts));
}

void fail(ErrorKind kind, const base::MessageText& message) { throw make_error(kind, message); }

void fail_on_all(const base::MessageText& message) {
  throw AgreedError{make_error(ErrorKind::invalid_use, message)};
}

}  // namespace quern::comm
