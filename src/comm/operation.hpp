// A call after its checks, as providers carry it out.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "quern/comm/collectives.hpp"
#include "quern/comm/communicator.hpp"

namespace quern::comm {

// Operands consist of pieces of `count` elements: one, or one for each rank.
struct Operation {
  detail::Call call;
  std::uint64_t count = 0;
  int in_pieces = 0, out_pieces = 0;  // of this rank; 0: it has no such operand
  Options options;

  detail::Kind kind() const { return call.kind; }
  std::uint64_t piece_bytes() const { return count * call.element_bytes; }
  // Elements `first` to `first + length - 1` of a piece of an operand.
  quern::detail::Bytes part(const detail::Range& range, int piece, std::uint64_t first,
                            std::uint64_t length) const {
    return quern::detail::slice(range.bytes, static_cast<std::uint64_t>(piece) * count + first, length,
                                call.element_bytes);
  }
  quern::detail::Bytes piece(const detail::Range& range, int number) const {
    return part(range, number, 0, count);
  }
};

const char* name_of(detail::Kind kind);  // "all_reduce"
// "all_reduce (sum) of 5 elements of 4 bytes, type float"
std::string description_of(const Operation& operation);
bool is_combining(detail::Kind kind);  // it has a Combine and an Element
bool has_root(detail::Kind kind);
bool is_collective(detail::Kind kind);  // all ranks call it

// Operands that go through the host are divided into chunks of this many elements of each piece; equal on all
// ranks.
std::uint64_t chunk_elements(const Operation& operation, int size);

// Checks the call and divides the operands. Throws Error.
Operation checked(const detail::Call& call, const Options& options, int rank, int size);

// Whether the ranges share memory.
bool overlaps(const quern::detail::Bytes& a, const quern::detail::Bytes& b);

// When an operation has to be complete.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Deadline(std::chrono::nanoseconds limit) : limit_(limit), end_(end_after(limit)) {}
  bool has_passed() const { return Clock::now() >= end_; }
  Clock::time_point end() const { return end_; }
  std::string seconds() const;  // the limit, for messages: "2.5"

 private:
  static Clock::time_point end_after(std::chrono::nanoseconds limit);
  std::chrono::nanoseconds limit_;
  Clock::time_point end_;
};

}  // namespace quern::comm
