#include "quern/error.hpp"

#include "api/state.hpp"

namespace quern {

const char* to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_use: return "invalid use";
    case ErrorKind::not_found: return "not found";
    case ErrorKind::unsupported: return "unsupported";
    case ErrorKind::bad_input: return "bad input";
    case ErrorKind::compile: return "compile error";
    case ErrorKind::out_of_memory: return "out of memory";
    case ErrorKind::timeout: return "timeout";
    case ErrorKind::kernel_fault: return "kernel fault";
    case ErrorKind::device_lost: return "device lost";
    case ErrorKind::io: return "input or output error";
    case ErrorKind::internal: return "internal error";
  }
  return "error";
}

Error::Error(Parts parts) : parts_(std::make_shared<const Parts>(std::move(parts))) {}
Error::~Error() = default;
Error::Error(const Error&) noexcept = default;
Error& Error::operator=(const Error&) noexcept = default;

namespace detail {

namespace {

ErrorKind public_kind(base::ErrorKind kind) {
  switch (kind) {
    case base::ErrorKind::kInvalidUse: return ErrorKind::invalid_use;
    case base::ErrorKind::kNotFound: return ErrorKind::not_found;
    case base::ErrorKind::kUnsupported: return ErrorKind::unsupported;
    case base::ErrorKind::kBadInput: return ErrorKind::bad_input;
    case base::ErrorKind::kCompile: return ErrorKind::compile;
    case base::ErrorKind::kOutOfMemory: return ErrorKind::out_of_memory;
    case base::ErrorKind::kTimeout: return ErrorKind::timeout;
    case base::ErrorKind::kKernelFault: return ErrorKind::kernel_fault;
    case base::ErrorKind::kDeviceLost: return ErrorKind::device_lost;
    case base::ErrorKind::kIo: return ErrorKind::io;
    case base::ErrorKind::kInternal: return ErrorKind::internal;
  }
  return ErrorKind::internal;
}

}  // namespace

void raise(const base::Error& error, const runtime::Device* device, const std::string& kernel) {
  Error::Parts parts;
  parts.kind = public_kind(error.kind());
  parts.message = error.message();
  parts.hint = error.hint();
  if (device != nullptr) parts.device = device->label();
  parts.kernel = kernel;
  parts.text = error.to_string();
  throw Error(std::move(parts));
}

}  // namespace detail
}  // namespace quern
