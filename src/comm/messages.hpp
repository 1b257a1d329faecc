// Messages of communicators.
#pragma once

#include "base/message.hpp"

namespace quern::comm::message {

using base::Message;

// Calls, checked for all providers.
inline constexpr Message<1> kNoCommunicator{"comm::{} failed: the communicator is empty",
                                            "create it with comm::in_process or comm::mpi"};
inline constexpr Message<3> kNoRank{"comm::{} failed: rank {} does not exist in a communicator of {} ranks"};
inline constexpr Message<2> kOwnRank{"comm::{} failed: rank {} is this rank",
                                     "use send_receive, or a copy on the device"};
inline constexpr Message<3> kWrongDevice{
    "comm::{} failed: the stream is on device '{}', and the communicator on '{}'",
    "pass a stream of the communicator's device"};
inline constexpr Message<3> kWrongCounts{"comm::{} failed: the input has {} elements, and the result {}",
                                         "make both equally long"};
inline constexpr Message<4> kWrongParts{
    "comm::{} failed: {} elements are not {} times {} elements, one part for each rank"};
inline constexpr Message<3> kUnequalParts{
    "comm::{} failed: {} elements cannot be divided into {} equal parts",
    "pass a multiple of the number of ranks"};
inline constexpr Message<1> kOverlap{"comm::{} failed: the input and the result overlap",
                                     "use separate memory"};
inline constexpr Message<0> kNoDevices{"comm::in_process failed: the list of devices is empty"};
inline constexpr Message<2> kClosedDevice{"comm::{} failed: the device of {} is not open",
                                          "open it with quern::open"};
inline constexpr Message<1> kBadTimeout{"comm::{} failed: the time limit is not positive",
                                        "choose a longer Options::timeout"};
inline constexpr Message<1> kNegativeRank{"comm::device_of_rank failed: the local rank {} is negative"};

// Differences between ranks.
inline constexpr Message<5> kDifferentCalls{"comm::{} failed: rank {} calls {}, and rank {} calls {}",
                                            "call the same operations in the same order on all ranks"};
inline constexpr Message<2> kDifferentWords{"comm::{} failed: the ranks pass different {}",
                                            "call the same operations in the same order on all ranks"};
inline constexpr Message<4> kWrongLength{
    "comm::{} failed: rank {} sends {} bytes, and the receiver has memory for {}", "make both equally long"};

// Errors of this rank.
inline constexpr Message<1> kNoHostMemory{"comm::{} failed: the host has no memory for the chunks"};
inline constexpr Message<2> kUnexpected{"comm::{} failed: {}"};

// Ranks that are missing.
inline constexpr Message<3> kTimeout{"comm::{} failed: {} did not take part within {} s",
                                     "check whether a rank has ended or hangs, or raise Options::timeout"};
inline constexpr Message<2> kLeft{"comm::{} failed: the communicator of rank {} was destroyed"};
inline constexpr Message<3> kRankFailed{"comm::{} failed: rank {} has failed: {}"};
inline constexpr Message<1> kSomeRankFailed{"comm::{} failed: another rank has failed",
                                            "see the error of that rank"};

// Checkpoints.
inline constexpr Message<2> kCheckpointName{"comm::{} failed: '{}' is no name of an array",
                                            "use 1 to 100 characters, without spaces"};
inline constexpr Message<2> kCheckpointTwice{"comm::{} failed: two arrays are named '{}'"};
inline constexpr Message<4> kCheckpointFile{"comm::{} failed: {} '{}' failed: {}"};
inline constexpr Message<2> kCheckpointRank{"comm::{} failed: rank {} cannot read or write its part",
                                            "see the error of that rank"};
inline constexpr Message<1> kCheckpointDiffers{"comm::{} failed: the ranks pass different arrays",
                                               "pass the same names, types and steps on all ranks"};
inline constexpr Message<1> kCheckpointBadManifest{
    "comm::restore failed: '{}' is not a manifest of this version, or is damaged"};
inline constexpr Message<2> kCheckpointNoArray{
    "comm::restore failed: the checkpoint has no array '{}' of "
    "elements of {} bytes, spread in the same way"};
inline constexpr Message<3> kCheckpointSize{
    "comm::restore failed: array '{}' has {} elements in the checkpoint, and {} on the ranks together"};
inline constexpr Message<2> kCheckpointDamaged{"comm::restore failed: array '{}' in '{}' is damaged",
                                               "restore an older copy of the folder"};

// Actors of other ranks.
inline constexpr Message<2> kMessageTooLong{"sending to an actor failed: {} bytes exceed the window of {}",
                                            "send fewer messages, or raise NodeOptions::window_bytes"};
inline constexpr Message<0> kNodeClosed{"sending to an actor failed: the node is closed"};
inline constexpr Message<0> kNoRemoteActor{"sending to an actor failed: the handle is empty",
                                           "create it with ActorNode::actor or ActorNode::remote"};
inline constexpr Message<0> kNoCall{"waiting for a reply failed: there is no call"};
inline constexpr Message<2> kReplySize{"taking a reply failed: it has {} bytes instead of {}",
                                       "use the types of the actor"};
inline constexpr Message<2> kRemoteFailed{"calling an actor of rank {} failed: {}"};
inline constexpr Message<0> kNotPublished{"no actor of this name is published"};
inline constexpr Message<2> kMessageSize{"messages have {} bytes, those of the actor have {}"};
inline constexpr Message<1> kRankIsDead{"the ranks are no longer connected: it was not confirmed by rank {}"};
inline constexpr Message<0> kBadNodeOptions{"comm::ActorNode failed: the frame or the window is too small",
                                            "use at least 1024 bytes for NodeOptions::window_bytes"};

// MPI.
inline constexpr Message<2> kNoComponent{
    "comm::mpi failed: the component '{}' cannot be loaded: {}",
    "install Open MPI or MPICH, build quern with it, and set QUERN_MPI to the component's path"};
inline constexpr Message<1> kUnknownMpi{"comm::mpi failed: '{}' is no MPI implementation",
                                        "use openmpi, mpich or the path of a component"};
inline constexpr Message<1> kOldComponent{"comm::mpi failed: '{}' is not a component of this version",
                                          "build it from the same sources as the program"};
inline constexpr Message<0> kOneThread{
    "comm::mpi failed: MPI was initialized for one thread",
    "call MPI_Init_thread with MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE"};
inline constexpr Message<0> kFinalized{"comm::mpi failed: MPI is finalized",
                                       "create communicators before MPI_Finalize"};
// Transports between processes. The reasons why one is not available become part of kTransportMissing.
inline constexpr Message<1> kBadTransport{"comm::mpi failed: '{}' is no transport",
                                          "set QUERN_COMM_TRANSPORT to staged, gpu_aware_mpi, ipc or nccl"};
inline constexpr Message<2> kTransportMissing{"comm::mpi failed: the transport '{}' is not available: {}",
                                              "choose another transport, or none for the fastest"};
inline constexpr Message<1> kTransportDriver{"devices of the driver '{}' do not support it"};
inline constexpr Message<0> kTransportNoGpu{"not all devices are GPUs of the drivers cuda or hip"};
inline constexpr Message<0> kTransportOneRank{"the communicator has only one rank"};
inline constexpr Message<1> kTransportRequested{"the transport '{}' was requested"};
inline constexpr Message<1> kTransportOtherDrivers{"rank {} uses another driver than rank 0"};
inline constexpr Message<1> kTransportWrong{"its {} returned wrong results in the self-test"};
inline constexpr Message<1> kIpcOtherNode{"rank {} is on another node than rank 0"};
inline constexpr Message<0> kGpuAwareOff{"QUERN_MPI_GPU is off"};
inline constexpr Message<1> kNotGpuAware{"{} does not report that it accepts device memory",
                                         "set QUERN_MPI_GPU=1 if it does"};
inline constexpr Message<2> kNcclMissing{"loading '{}' failed: {}", "set QUERN_NCCL_LIBRARY to its path"};
inline constexpr Message<2> kNcclOld{"'{}' has no function {}", "install NCCL 2.14 or newer"};
inline constexpr Message<2> kNcclSameGpu{"ranks {} and {} use the same GPU, which NCCL does not allow"};
inline constexpr Message<3> kNcclVersions{"rank 0 has version {} of the library, and rank {} has {}"};
inline constexpr Message<4> kNcclError{"comm::{} failed: {} reports '{}' ({})"};

inline constexpr Message<3> kMpiError{"comm::{} failed: {} reports '{}'"};

}  // namespace quern::comm::message
