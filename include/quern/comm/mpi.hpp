/// @file
/// Ranks that are processes of an MPI program.
#pragma once

#include <optional>
#include <string>

#include "quern/comm/communicator.hpp"
#include "quern/device.hpp"
#include "quern/export.hpp"

namespace quern::comm {

/// Options of mpi().
struct MpiOptions : Options {
  /// A communicator of the program: MPI_Comm_c2f(communicator). Default: MPI_COMM_WORLD. It is duplicated.
  std::optional<int> communicator = {};
  /// "openmpi", "mpich", or the path of a component. Default: QUERN_MPI, then the implementation whose mpirun
  /// started the process.
  std::string implementation = {};
  /// The transport of all operations that it supports; others use Transport::staged. All ranks must pass the
  /// same. Default: QUERN_COMM_TRANSPORT ("staged", "gpu_aware_mpi", "ipc", "nccl"), then the fastest.
  std::optional<Transport> transport = {};
};

/// Connects this process to the others that mpirun started. `device` is the device of this rank. All ranks of
/// the MPI communicator must call it.
///
/// The component of the MPI implementation is loaded at run time. MPI is initialized if the program has not
/// done so, and is then finalized when the process exits. A program that initializes MPI itself must request
/// MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE; with MPI_THREAD_SERIALIZED, it must not call MPI while an
/// operation is in progress.
///
/// On devices of `cuda` and `hip`, it sets up all transports that the ranks have (Transport) and measures
/// them once; Communicator::transports() returns why a transport is not available. Other devices use
/// Transport::staged: while a chunk is exchanged, the next is copied from the device and the previous one to
/// the device. Memory that the host can access is exchanged in place.
///
/// Throws Error with kind `not_found` if there is no component for the implementation, and `unsupported` if
/// MPI was initialized for one thread only, or if the requested transport is not available.
[[nodiscard]] QUERN_API Communicator mpi(const Device& device, const MpiOptions& options = {});

}  // namespace quern::comm
