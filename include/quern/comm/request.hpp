/// @file
/// Operations that run asynchronously.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "quern/comm/transport.hpp"
#include "quern/export.hpp"

namespace quern::comm {

namespace detail {
class Task;
struct Access;
}  // namespace detail

/// An operation in progress. Copies refer to the same operation. It may be destroyed before the operation is
/// complete; the operands may not. Thread-safe.
class QUERN_API Request {
 public:
  /// A complete operation.
  Request() = default;

  /// Whether the operation is complete or has failed. Does not block.
  [[nodiscard]] bool done() const;
  /// Blocks until the operation is complete. Throws its error.
  void wait() const;
  /// Waits until the operation is complete or `limit` has passed, and returns whether it is complete. Throws
  /// the operation's error.
  [[nodiscard]] bool wait_for(std::chrono::nanoseconds limit) const;
  /// The transport that carried the elements. Nothing until the operation is complete, for a barrier, and for
  /// ranks of one program.
  [[nodiscard]] std::optional<Transport> transport() const;

 private:
  friend struct detail::Access;
  explicit Request(std::shared_ptr<detail::Task> task) : task_(std::move(task)) {}
  std::shared_ptr<detail::Task> task_;
};

}  // namespace quern::comm
