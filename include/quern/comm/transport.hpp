/// @file
/// How elements travel between ranks that are processes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quern/export.hpp"

namespace quern::comm {

/// A transport between the devices of processes. All ranks use the same transport for an operation.
enum class Transport : std::uint8_t {
  staged,         ///< Copies through pinned host memory; MPI exchanges the host memory. Always available.
  gpu_aware_mpi,  ///< MPI reads and writes device memory itself.
  ipc,            ///< Copies from the device memory of other processes of the same node (CUDA IPC, HIP IPC).
  nccl,           ///< NCCL or RCCL.
};
/// "staged", "gpu_aware_mpi", "ipc" or "nccl".
QUERN_API std::string_view to_string(Transport transport);

/// Whether a communicator can use a transport. Equal on all ranks.
struct TransportInfo {
  /// The transport.
  Transport transport = Transport::staged;
  bool is_available = false;  ///< Whether it was set up on all ranks.
  std::string reason;         ///< Why it is not available; else empty.
};

/// Operations for which transports are compared.
enum class TransportPattern : std::uint8_t {
  pairs,   ///< send, receive and send_receive.
  copies,  ///< broadcast, all_gather and all_to_all.
  sums,    ///< reduce, all_reduce and reduce_scatter.
};

/// The transport for one pattern and one class of sizes. Equal on all ranks.
struct TransportChoice {
  /// The operations.
  TransportPattern pattern = TransportPattern::pairs;
  std::uint64_t most_bytes = 0;             ///< Largest message of the class in bytes.
  Transport transport = Transport::staged;  ///< The fastest transport, or the one that was requested.
  /// Measured time in microseconds for each transport that was compared; empty if nothing was measured.
  std::vector<std::pair<Transport, double>> microseconds = {};
};

}  // namespace quern::comm
