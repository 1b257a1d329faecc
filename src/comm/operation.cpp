#include "comm/operation.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "comm/failure.hpp"

namespace quern::comm {

using detail::Call;
using detail::Kind;

namespace {

struct Traits {
  const char* name;
  bool is_combining, has_root, is_collective;
};

// In the order of Kind.
constexpr std::array<Traits, 10> kTraits{{{"barrier", false, false, true},
                                          {"broadcast", false, true, true},
                                          {"reduce", true, true, true},
                                          {"all_reduce", true, false, true},
                                          {"all_gather", false, false, true},
                                          {"reduce_scatter", true, false, true},
                                          {"all_to_all", false, false, true},
                                          {"send", false, false, false},
                                          {"receive", false, false, false},
                                          {"send_receive", false, false, false}}};

const Traits& traits_of(Kind kind) { return kTraits[static_cast<std::size_t>(kind)]; }

std::string text(std::uint64_t number) { return std::to_string(number); }
std::string text(int number) { return std::to_string(number); }

void check_rank(const Call& call, int number, int rank, int size) {
  const char* const name = name_of(call.kind);
  if (number < 0 || number >= size)
    fail(ErrorKind::invalid_use, message::kNoRank(name, text(number), text(size)));
  // The other half of it could only be called after this half is complete.
  const bool is_half = call.kind == Kind::send || call.kind == Kind::receive;
  if (is_half && number == rank) fail(ErrorKind::invalid_use, message::kOwnRank(name, text(number)));
}

void check_same_counts(const Call& call) {
  if (call.in.count != call.out.count)
    fail(ErrorKind::invalid_use,
         message::kWrongCounts(name_of(call.kind), text(call.in.count), text(call.out.count)));
}

void check_parts(const Call& call, std::uint64_t whole, std::uint64_t part, int size) {
  if (whole != part * static_cast<std::uint64_t>(size))
    fail(ErrorKind::invalid_use,
         message::kWrongParts(name_of(call.kind), text(whole), text(size), text(part)));
}

void check_separate(const Call& call) {
  if (overlaps(call.in.bytes, call.out.bytes))
    fail(ErrorKind::invalid_use, message::kOverlap(name_of(call.kind)));
}

// Equal memory is allowed.
void check_not_shifted(const Call& call) {
  if (call.in.bytes.offset != call.out.bytes.offset) check_separate(call);
}

void divide(Operation& operation, std::uint64_t count, int in_pieces, int out_pieces) {
  operation.count = count;
  operation.in_pieces = in_pieces;
  operation.out_pieces = out_pieces;
}

void divide_exchange(Operation& operation, int size) {
  const Call& call = operation.call;
  check_same_counts(call);
  check_separate(call);
  const auto parts = static_cast<std::uint64_t>(size);
  if (call.in.count % parts != 0)
    fail(ErrorKind::invalid_use, message::kUnequalParts(name_of(call.kind), text(call.in.count), text(size)));
  divide(operation, call.in.count / parts, size, size);
}

void divide_gather(Operation& operation, int rank, int size) {
  const Call& call = operation.call;
  check_parts(call, call.out.count, call.in.count, size);
  divide(operation, call.in.count, 1, size);
  const quern::detail::Bytes own = operation.piece(call.out, rank);
  if (call.in.bytes.memory != own.memory || call.in.bytes.offset != own.offset) check_separate(call);
}

void divide_operands(Operation& operation, int rank, int size) {
  const Call& call = operation.call;
  switch (call.kind) {
    case Kind::barrier: break;
    case Kind::broadcast:
      divide(operation, call.in.count, call.peer == rank ? 1 : 0, call.peer == rank ? 0 : 1);
      break;
    case Kind::reduce:
      divide(operation, call.in.count, 1, call.peer == rank ? 1 : 0);
      if (call.peer != rank) break;
      check_same_counts(call);
      check_not_shifted(call);
      break;
    case Kind::all_reduce:
      check_same_counts(call);
      check_not_shifted(call);
      divide(operation, call.in.count, 1, 1);
      break;
    case Kind::all_gather: divide_gather(operation, rank, size); break;
    case Kind::reduce_scatter:
      check_separate(call);
      check_parts(call, call.in.count, call.out.count, size);
      divide(operation, call.out.count, size, 1);
      break;
    case Kind::all_to_all: divide_exchange(operation, size); break;
    case Kind::send: divide(operation, call.in.count, 1, 0); break;
    case Kind::receive: divide(operation, call.out.count, 0, 1); break;
    case Kind::send_receive: check_separate(call); break;  // operands of different sizes
  }
}

}  // namespace

const char* name_of(Kind kind) { return traits_of(kind).name; }
bool is_combining(Kind kind) { return traits_of(kind).is_combining; }
bool has_root(Kind kind) { return traits_of(kind).has_root; }
bool is_collective(Kind kind) { return traits_of(kind).is_collective; }

std::uint64_t chunk_elements(const Operation& operation, int size) {
  const Kind kind = operation.kind();
  const bool has_parts = kind == Kind::all_gather || kind == Kind::reduce_scatter || kind == Kind::all_to_all;
  const std::uint64_t row = operation.call.element_bytes * (has_parts ? static_cast<std::uint64_t>(size) : 1);
  constexpr std::uint64_t kMost = 1 << 30;  // MPI counts bytes in an int
  return std::max<std::uint64_t>(std::min<std::uint64_t>(operation.options.chunk_bytes, kMost) / row, 1);
}

std::string description_of(const Operation& operation) {
  static constexpr std::array<const char*, 4> kCombines = {"sum", "product", "min", "max"};
  static constexpr std::array<const char*, 12> kElements = {"double",   "float",    "half",     "bfloat16",
                                                            "int64_t",  "int32_t",  "int16_t",  "int8_t",
                                                            "uint64_t", "uint32_t", "uint16_t", "uint8_t"};
  const Call& call = operation.call;
  std::string out = name_of(call.kind);
  if (call.kind == Kind::barrier) return out;
  if (is_combining(call.kind))
    out += std::string(" (") + kCombines[static_cast<std::size_t>(call.combine)] + ")";
  out += " of " + text(operation.count) + " elements of ";
  out +=
      call.element ? kElements[static_cast<std::size_t>(*call.element)] : text(call.element_bytes) + " bytes";
  if (has_root(call.kind)) out += " with root " + text(call.peer);
  return out;
}

Operation checked(const Call& call, const Options& options, int rank, int size) {
  if (options.timeout <= std::chrono::nanoseconds::zero())
    fail(ErrorKind::invalid_use, message::kBadTimeout(name_of(call.kind)));
  const bool has_peer = has_root(call.kind) || !is_collective(call.kind);
  if (has_peer) check_rank(call, call.peer, rank, size);
  if (call.kind == Kind::send_receive) check_rank(call, call.source, rank, size);
  Operation operation{.call = call, .options = options};
  divide_operands(operation, rank, size);
  return operation;
}

bool overlaps(const quern::detail::Bytes& a, const quern::detail::Bytes& b) {
  return a.memory == b.memory && a.size != 0 && b.size != 0 && a.offset < b.offset + b.size &&
         b.offset < a.offset + a.size;
}

std::string Deadline::seconds() const {
  std::array<char, 32> out{};
  std::snprintf(out.data(), out.size(), "%g", std::chrono::duration<double>(limit_).count());
  return out.data();
}

Deadline::Clock::time_point Deadline::end_after(std::chrono::nanoseconds limit) {
  const Clock::time_point now = Clock::now();
  return limit < Clock::time_point::max() - now ? now + std::chrono::duration_cast<Clock::duration>(limit)
                                                : Clock::time_point::max();
}

}  // namespace quern::comm
