/// @file
/// Collective operations on device memory, between the devices of a program and between processes. See
/// docs/distributed.md.
///
/// @code
/// const comm::Communicator ranks = comm::mpi(gpu);           // mpirun -n 4 ./program
/// ranks.all_reduce(gpu, comm::Combine::sum, gradient, gradient);
/// @endcode
///
/// Rules for all operations:
/// - Every rank calls the same operations in the same order.
/// - The first argument is a device or a stream (On). Inputs come next, results last.
/// - Operands are buffers or slices on the device of the communicator.
/// - An operation starts after the work that was submitted to the stream before, and is complete when it
///   returns. Communicator::async() returns immediately instead.
/// - An operation that does not complete within Options::timeout throws; it never blocks forever.
#pragma once

#include "quern/comm/checkpoint.hpp"
#include "quern/comm/collectives.hpp"
#include "quern/comm/communicator.hpp"
#include "quern/comm/in_process.hpp"
#include "quern/comm/mpi.hpp"
#include "quern/comm/rank_device.hpp"
#include "quern/comm/request.hpp"
#include "quern/comm/transport.hpp"
