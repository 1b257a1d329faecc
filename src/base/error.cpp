#include "base/error.hpp"

#include <utility>

namespace quern::base {

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalidUse: return "invalid use";
    case ErrorKind::kNotFound: return "not found";
    case ErrorKind::kUnsupported: return "unsupported";
    case ErrorKind::kBadInput: return "bad input";
    case ErrorKind::kCompile: return "does not compile";
    case ErrorKind::kOutOfMemory: return "out of memory";
    case ErrorKind::kTimeout: return "timeout";
    case ErrorKind::kKernelFault: return "kernel fault";
    case ErrorKind::kDeviceLost: return "device lost";
    case ErrorKind::kIo: return "input/output";
    case ErrorKind::kInternal: return "internal error";
  }
  return "unknown error";
}

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
  std::string text(base::to_string(kind()));
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

}  // namespace quern::base
