// The interface of a component: a small shared library for one MPI implementation. A program does not link
// MPI; it loads the component of the implementation that started it. Plain functions and data, because both
// sides may be compiled separately.
#pragma once

#include <cstddef>
#include <cstdint>

#include "quern/comm/collectives.hpp"

namespace quern::comm::mpi_component {

inline constexpr std::uint32_t kVersion = 1;
inline constexpr const char* kEntry = "quern_comm_mpi_component";

// One exchange of host memory between ranks.
struct Exchange {
  detail::Kind kind = detail::Kind::barrier;
  bool combines = false;  // combine and element are given
  ops::Combine combine = ops::Combine::sum;
  ops::Element element = ops::Element::u8;
  std::size_t element_bytes = 1;
  int peer = 0, source = 0;  // as in detail::Call
  int tag = 0;
  std::uint64_t count = 0;      // elements of a piece
  std::uint64_t out_count = 0;  // of send_receive: elements to receive
  const void* in = nullptr;     // equal to `out`: in place
  void* out = nullptr;
};

// What went wrong. Values from 0 are MPI's error codes.
enum Failure : int { kNone = 0, kOneThread = -1, kIsFinalized = -2 };

// The class of an error code.
enum class Class : std::uint8_t { kOther, kTruncated, kNoMemory, kRankFailed };

struct Component {
  std::uint32_t version = kVersion;
  const char* name = "";

  // Initializes MPI if that has not been done, and starts to duplicate the communicator, a Fortran handle or
  // null. Complete when test() says so.
  int (*connect)(const int* communicator, void** connection, int* rank, int* size) = nullptr;
  // Starts an exchange; only one is in progress per connection.
  int (*begin)(void* connection, const Exchange* exchange) = nullptr;
  // Whether it is complete.
  int (*test)(void* connection, bool* is_done, std::uint64_t* received_bytes) = nullptr;
  // Frees the connection. `is_broken`: it has failed; MPI may still use the memory of its last exchange, and
  // is not finalized when the process ends.
  void (*close)(void* connection, bool is_broken) = nullptr;
  void (*text)(int code, char* text, std::size_t size) = nullptr;
  Class (*class_of)(int code) = nullptr;
};

}  // namespace quern::comm::mpi_component
