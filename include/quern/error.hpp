/// @file
/// Errors. Every failure of the library throws quern::Error.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "quern/export.hpp"
#include "quern/types/error.hpp"

namespace quern {

/// An error of the library. Cheap to copy.
class QUERN_API Error : public std::exception {
 public:
  /// The fields of an error.
  struct Parts {
    /// The kind.
    ErrorKind kind = ErrorKind::internal;
    std::string message;       ///< One sentence.
    std::string hint;          ///< What can be done about it; may be empty.
    std::string device;        ///< "NVIDIA H200 (cuda)"; empty if no device is involved.
    std::string kernel;        ///< Empty if no kernel is involved.
    std::uint32_t stream = 0;  ///< Number of the stream: 1 is the default stream, 0 none.
    std::string text;          ///< All of it as text, several lines.
  };
  /// An error with these fields.
  explicit Error(Parts parts);
  /// Destroys this copy.
  ~Error() override;
  /// Shares the fields.
  Error(const Error&) noexcept;
  /// Shares the fields.
  Error& operator=(const Error&) noexcept;

  /// The kind.
  ErrorKind kind() const noexcept { return parts_->kind; }
  /// One sentence.
  const std::string& message() const noexcept { return parts_->message; }
  /// What can be done about it; may be empty.
  const std::string& hint() const noexcept { return parts_->hint; }
  /// "NVIDIA H200 (cuda)"; empty if no device is involved.
  const std::string& device() const noexcept { return parts_->device; }
  /// Empty if no kernel is involved.
  const std::string& kernel() const noexcept { return parts_->kernel; }
  /// Number of the stream: 1 is the default stream, 0 none.
  std::uint32_t stream() const noexcept { return parts_->stream; }
  /// Message, location, context and hint; several lines.
  const char* what() const noexcept override { return parts_->text.c_str(); }

 private:
  std::shared_ptr<const Parts> parts_;
};

/// An earlier error of the process.
struct PastError {
  /// The kind.
  ErrorKind kind = ErrorKind::internal;
  std::string text;    ///< As Error::what().
  std::string device;  ///< As in Error.
  /// As in Error.
  std::string kernel;
  /// As in Error.
  std::uint32_t stream = 0;
  std::int64_t time = 0;  ///< Seconds since 1970.
};

/// The errors of this process: counts by kind, and the 32 most recent ones.
struct QUERN_API ErrorHistory {
  std::array<std::uint64_t, static_cast<std::size_t>(ErrorKind::internal) + 1> counts{};  ///< By kind.
  std::vector<PastError> last;                                                            ///< Oldest first.

  /// Errors of one kind.
  std::uint64_t count(ErrorKind kind) const { return counts[static_cast<std::size_t>(kind)]; }
  /// Errors of all kinds.
  std::uint64_t total() const;
  /// One line for each kind, then the most recent errors.
  std::string to_string() const;
};

/// A copy of the process's error history. Thread-safe.
QUERN_API ErrorHistory error_history();
/// Empties the history. Thread-safe.
QUERN_API void clear_error_history();

}  // namespace quern
