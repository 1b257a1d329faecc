#include "base/error.hpp"

#include <utility>

namespace quern {

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_use: return "invalid use";
    case ErrorKind::not_found: return "not found";
    case ErrorKind::unsupported: return "unsupported";
    case ErrorKind::bad_input: return "bad input";
    case ErrorKind::compile: return "does not compile";
    case ErrorKind::out_of_memory: return "out of memory";
    case ErrorKind::timeout: return "timeout";
    case ErrorKind::kernel_fault: return "kernel fault";
    case ErrorKind::device_lost: return "device lost";
    case ErrorKind::io: return "input/output";
    case ErrorKind::internal: return "internal error";
  }
  return "unknown error";
}

namespace base {

Error::Error(ErrorKind kind, std::string message)
    : detail_(std::make_unique<Detail>(Detail{kind, std::move(message), {}, {}})) {}

Error::Error(ErrorKind kind, MessageText message)
    : detail_(std::make_unique<Detail>(Detail{kind, std::move(message.text), std::move(message.hint), {}})) {}

Error::Error(const Error& other) : detail_(std::make_unique<Detail>(*other.detail_)) {}

Error& Error::operator=(const Error& other) {
  detail_ = std::make_unique<Detail>(*other.detail_);
  return *this;
}

Error& Error::add_hint(std::string hint) & {
  detail_->hint = std::move(hint);
  return *this;
}

Error&& Error::add_hint(std::string hint) && { return std::move(add_hint(std::move(hint))); }

Error& Error::add_context(std::string doing) & {
  detail_->context.push_back(std::move(doing));
  return *this;
}

Error&& Error::add_context(std::string doing) && { return std::move(add_context(std::move(doing))); }

std::string Error::to_string() const {
  std::string text(quern::to_string(kind()));
  text += ": ";
  text += message();
  for (const std::string& doing : context()) {
    text += "\n  while ";
    text += doing;
  }
  if (!hint().empty()) {
    text += "\n  hint: ";
    text += hint();
  }
  return text;
}

}  // namespace base
}  // namespace quern
