// Where the ranks of one program meet. Thread-safe. Every wait ends when all ranks have arrived, when a rank
// fails or leaves, or at the deadline.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/operation.hpp"
#include "quern/error.hpp"

namespace quern::comm::in_process_ranks {

// A part of a result on the host, which other ranks read between two calls of sync().
struct HostParts {
  const std::byte* in = nullptr;      // the chunk of the input
  const std::byte* result = nullptr;  // what this rank combined
};

class Hub {
 public:
  explicit Hub(int size) : arrivals_(static_cast<std::size_t>(size)) {}

  int size() const { return static_cast<int>(arrivals_.size()); }

  // Waits until all ranks have called it. Throws AgreedError on all ranks if the operations differ.
  void arrive(int rank, const Operation& operation, const Deadline& deadline);
  // Waits until all ranks of the operation have called it.
  void sync(int rank, const Deadline& deadline);
  // Every rank that arrived calls it at the end, also after an error: until then, the others may use its
  // memory. After an error of any rank, waits only until the deadline.
  void end(const Deadline& deadline) noexcept;

  // Between arrive() and end(): the operation of a rank.
  const Operation& operation_of(int rank) const { return *at(rank).operation; }
  // Written by the rank itself before sync(), read by the others after it.
  HostParts& parts_of(int rank) { return at(rank).parts; }

  // Messages. The sender waits until the receiver has copied the memory and calls take().
  struct Message {
    Operation operation;
    bool is_taken = false;
    std::optional<Error> error = {};
  };
  std::shared_ptr<Message> post(int from, int to, const Operation& operation);
  std::shared_ptr<Message> wait_for_message(int from, int to, const Operation& receiver,
                                            const Deadline& deadline);
  void take(Message& message, std::optional<Error> error);
  void wait_until_taken(int to, const Message& message, const Deadline& deadline);

  // All waiting and later calls fail.
  void fail_rank(int rank, const std::string& why);
  void leave(int rank);

 private:
  struct Arrival {
    std::optional<Operation> operation;
    bool is_here = false;
    HostParts parts;
  };
  Arrival& at(int rank) { return arrivals_[static_cast<std::size_t>(rank)]; }
  const Arrival& at(int rank) const { return arrivals_[static_cast<std::size_t>(rank)]; }
  void wait_for_all(std::unique_lock<std::mutex>& lock, int rank, const Deadline& deadline, bool compares);
  void compare();
  void check(const Operation& operation) const;
  template <typename Condition>
  void wait(std::unique_lock<std::mutex>& lock, const Operation& operation, const Deadline& deadline,
            const Condition& condition, const std::string& missing);
  std::string missing_ranks() const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Arrival> arrivals_;
  std::size_t count_ = 0;            // of ranks that have arrived
  std::size_t ended_ = 0;            // of ranks that called end()
  std::uint64_t endings_ = 0;        // of operations so far
  std::uint64_t generation_ = 0;     // of meetings so far
  std::optional<Error> difference_;  // of the operations of the last meeting; its ranks throw it
  std::map<std::pair<int, int>, std::deque<std::shared_ptr<Message>>> messages_;  // by sender, receiver
  int failed_ = -1;                    // the first rank that failed or left
  std::optional<std::string> reason_;  // why it failed; none: it left
};

}  // namespace quern::comm::in_process_ranks
