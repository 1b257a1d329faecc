// What went wrong. Every failure of this library is one quern::Error: a kind to branch on, one sentence, and
// what to do.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "quern/export.hpp"

namespace quern {

enum class ErrorKind {
  invalid_use,    // the program broke a rule; nothing happened
  not_found,      // a file, library, kernel or device that is not there
  unsupported,    // understood, and not possible on this device
  bad_input,      // text or data from outside that does not say anything valid
  compile,        // a kernel was refused; the message carries the diagnostics
  out_of_memory,  //
  timeout,        //
  kernel_fault,   // a kernel did something wrong while it ran
  device_lost,    // the device is gone; open another
  io,             // the operating system refused to read or write
  internal,       // a defect of ours
};

QUERN_API const char* to_string(ErrorKind kind);

class QUERN_API Error : public std::exception {
 public:
  struct Parts {
    ErrorKind kind = ErrorKind::internal;
    std::string message;       // one sentence
    std::string hint;          // what can be done; may be empty
    std::string device;        // "NVIDIA H200 (cuda)"; empty when no device is concerned
    std::string kernel;        // empty when no kernel is concerned
    std::uint32_t stream = 0;  // of its device, from 1: the device's own; 0 when none is concerned
    std::string text;          // all of it as a person reads it, several lines
  };
  explicit Error(Parts parts);
  ~Error() override;
  Error(const Error&) noexcept;
  Error& operator=(const Error&) noexcept;

  ErrorKind kind() const noexcept { return parts_->kind; }
  const std::string& message() const noexcept { return parts_->message; }
  const std::string& hint() const noexcept { return parts_->hint; }
  const std::string& device() const noexcept { return parts_->device; }
  const std::string& kernel() const noexcept { return parts_->kernel; }
  std::uint32_t stream() const noexcept { return parts_->stream; }
  const char* what() const noexcept override { return parts_->text.c_str(); }

 private:
  std::shared_ptr<const Parts> parts_;
};

// An error that the program was told before.
struct PastError {
  ErrorKind kind = ErrorKind::internal;
  std::string text;    // all of it as a person reads it, several lines
  std::string device;  // these as those of Error
  std::string kernel;
  std::uint32_t stream = 0;
  std::int64_t time = 0;  // seconds since 1970
};

// All errors that this process was told, counted by kind, and the last 32 of them.
struct QUERN_API ErrorHistory {
  std::array<std::uint64_t, static_cast<std::size_t>(ErrorKind::internal) + 1> counts{};  // by kind
  std::vector<PastError> last;                                                            // the oldest first

  std::uint64_t count(ErrorKind kind) const { return counts[static_cast<std::size_t>(kind)]; }
  std::uint64_t total() const;
  std::string to_string() const;  // a line for each kind, then the last ones
};

QUERN_API ErrorHistory error_history();
QUERN_API void clear_error_history();

}  // namespace quern
