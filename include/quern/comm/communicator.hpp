/// @file
/// A group of ranks that exchange device memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "quern/comm/collectives.hpp"
#include "quern/comm/request.hpp"
#include "quern/comm/transport.hpp"
#include "quern/device.hpp"
#include "quern/export.hpp"

namespace quern::comm {

/// Options of a communicator.
struct Options {
  /// Time limit of an operation. It starts when this rank's stream has reached the operation and all earlier
  /// operations are complete. After it, the operation throws Error with kind `timeout`.
  std::chrono::nanoseconds timeout = std::chrono::seconds(60);
  /// Whether the ranks compare their calls before each collective operation, so that different operations,
  /// counts or types throw an error on all ranks. It costs one small message between processes.
  bool check = true;
  /// Operands that are copied through the host are divided into chunks of at most this many bytes.
  std::size_t chunk_bytes = std::size_t{4} << 20;
};

namespace detail {
class Member;
struct Access;
}  // namespace detail

/// The asynchronous operations of a communicator. They return immediately. Work that uses the result must be
/// submitted after Request::wait(). The operations of one communicator run in the order of the calls. The
/// operands must not be destroyed, or used by other work, until the operation is complete.
class QUERN_API AsyncCollectives : public Collectives<AsyncCollectives, Request> {
 private:
  friend class Communicator;
  friend class Collectives<AsyncCollectives, Request>;
  AsyncCollectives(std::shared_ptr<detail::Member> member, const Options& options)
      : member_(std::move(member)), options_(options) {}
  Request submit(const On& on, const detail::Call& call) const;

  std::shared_ptr<detail::Member> member_;
  Options options_;
};

/// One rank of a group of ranks, with the operations between them (Collectives).
///
/// A cheap handle: copies refer to the same rank. Thread-safe, but the ranks must call their operations in
/// the same order. The last handle waits for its asynchronous operations. Created by in_process() and mpi().
class QUERN_API Communicator : public Collectives<Communicator, void> {
 public:
  /// No rank: operations throw.
  Communicator() = default;
  /// Whether it is a rank.
  explicit operator bool() const { return member_ != nullptr; }

  /// Number of this rank, from 0.
  int rank() const;
  /// Number of ranks.
  int size() const;
  /// The device of this rank.
  Device device() const;
  /// How the ranks are connected: "in process", "MPI (Open MPI)" or "MPI (MPICH)".
  std::string provider() const;
  /// The transports between processes, and why some are not available. Empty for ranks of one program.
  std::vector<TransportInfo> transports() const;
  /// The transport for each pattern and class of sizes. Empty for ranks of one program.
  std::vector<TransportChoice> transport_choices() const;
  /// The transport of the last operation that has ended; nothing before the first operation, after a barrier,
  /// and for ranks of one program. Request::transport() returns it for one operation.
  std::optional<Transport> last_transport() const;

  /// The asynchronous operations.
  AsyncCollectives async() const { return {member_, options_}; }
  /// The same rank with another time limit.
  Communicator with_timeout(std::chrono::nanoseconds timeout) const {
    Communicator other = *this;
    other.options_.timeout = timeout;
    return other;
  }
  /// The options.
  const Options& options() const { return options_; }

 private:
  friend struct detail::Access;
  friend class Collectives<Communicator, void>;
  Communicator(std::shared_ptr<detail::Member> member, const Options& options)
      : member_(std::move(member)), options_(options) {}
  void submit(const On& on, const detail::Call& call) const;

  std::shared_ptr<detail::Member> member_;
  Options options_;
};

}  // namespace quern::comm
