// The connection of a rank to the others through a component: exchanges of host memory with a time limit.
// Transports use it for data and for control. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "comm/mpi/component.hpp"
#include "comm/operation.hpp"
#include "quern/comm/mpi.hpp"

namespace quern::comm {

class Link {
 public:
  // Connects to the other ranks. Throws Error.
  explicit Link(const MpiOptions& options);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  const char* name() const { return component_.name; }

  // Exchanges memory, which must not be freed if this throws. Throws Error at the deadline.
  void exchange(const char* operation, const mpi_component::Exchange& exchange, const Deadline& deadline,
                std::uint64_t* received = nullptr);

  // The following copy their arguments, which may be freed at any time.

  // The largest of the ranks' words, for each word.
  void maximum(const char* operation, std::uint64_t* words, std::size_t count, const Deadline& deadline);
  // `bytes` of every rank, in the order of the ranks.
  void gather(const char* operation, const void* own, std::size_t bytes, void* all, const Deadline& deadline);
  template <typename T>
  std::vector<T> gather(const char* operation, const T& own, const Deadline& deadline) {
    std::vector<T> all(static_cast<std::size_t>(size_));
    gather(operation, &own, sizeof own, all.data(), deadline);
    return all;
  }
  // Sends `bytes` to one rank and receives as many from another; -1: there is none.
  void swap(const char* operation, int to, int from, int tag, const void* sent, void* received,
            std::size_t bytes, const Deadline& deadline);

  // Memory for exchange() that lives as long as MPI may use it.
  template <typename T>
  T& memory() {
    if (memory_ == nullptr) memory_ = std::make_shared<T>();
    return *static_cast<T*>(memory_.get());
  }

  bool has_ended = false;  // all ranks know that one has failed
  bool is_broken = false;  // an exchange is not complete, or the ranks are not at the same one

 private:
  [[noreturn]] void fail_with(const char* operation, int code) const;
  void finish(const char* operation, const Deadline& deadline, std::uint64_t* received);

  const mpi_component::Component& component_;
  void* connection_ = nullptr;
  int rank_ = 0, size_ = 1;
  struct Words {
    std::vector<std::byte> in, out;
  };
  std::unique_ptr<Words> words_ = std::make_unique<Words>();
  std::shared_ptr<void> memory_;
};

// Waits that begin short and become longer. They sleep: ranks may share processors, and a thread that yields
// to a busy one waits for the rest of its time slice.
class Backoff {
 public:
  void pause();

 private:
  int count_ = 0;
};

}  // namespace quern::comm
