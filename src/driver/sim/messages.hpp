// Texts of the errors of the simulator, and of its reports on kernels.
#pragma once

#include "base/message.hpp"

namespace quern::sim::message {

using base::Message;

// Options
inline constexpr Message<1> kCheckOption{"opening sim failed: option 'check' is '{}'",
                                         "use overflow, shifts, all or none"};
inline constexpr Message<1> kSeedOption{"opening sim failed: option 'seed' is '{}'", "use a number"};
inline constexpr Message<1> kTimeLimitOption{"opening sim failed: option 'time_limit' is '{}'",
                                             "use a number of seconds above 0"};

// Modules and variables
inline constexpr Message<0> kNoModuleInCode{"loading code failed: it has no module"};
inline constexpr Message<0> kNoModule{"loading a module failed: the module is null"};
inline constexpr Message<0> kOtherDevice{"launch failed: the module was loaded onto another device"};
inline constexpr Message<1> kSmallVariable{
    "loading a module failed: variable '{}' is smaller than its initial value"};
inline constexpr Message<0> kForeignVariable{
    "loading a module failed: a variable points to a variable that is not in the module"};
inline constexpr Message<4> kVariableRange{
    "accessing variable '{}' failed: it has {} bytes, but {} bytes at offset {} were requested"};
inline constexpr Message<1> kUnknownEntry{"the module has no entry point '{}'"};
inline constexpr Message<3> kResourceCount{"entry point '{}' has {}, but {} were given"};
inline constexpr Message<1> kNoSpecialization{
    "the module has no specialization constants, but '{}' was given"};
inline constexpr Message<2> kUnknownSpecialization{"the module has no specialization constant '{}'",
                                                   "use one of {}"};
inline constexpr Message<3> kSpecialization{"specialization constant '{}' is a {}, but '{}' was given"};

// Launches
inline constexpr Message<2> kEmptyGrid{"launch of kernel '{}' failed: grid {}: each size must be at least 1"};
inline constexpr Message<2> kEmptyBlock{
    "launch of kernel '{}' failed: block {}: each size must be at least 1"};
inline constexpr Message<2> kLargeGrid{
    "launch of kernel '{}' failed: grid {}: the limit is (2147483647,65535,65535)"};
inline constexpr Message<3> kLargeBlock{
    "launch of kernel '{}' failed: block {}: the limit is (1024,1024,64) and {} threads in total"};
inline constexpr Message<3> kLaunchBounds{
    "launch of kernel '{}' failed: {} threads per block requested, but its __launch_bounds__ allow {}"};
inline constexpr Message<3> kTooManyThreads{
    "launch of kernel '{}' failed: {} blocks of {} threads requested, but the simulator supports about 2^32 "
    "threads"};
inline constexpr Message<3> kDynamicShared{
    "launch of kernel '{}' failed: {} of dynamic shared memory requested, but the limit is {}"};
inline constexpr Message<3> kArgumentCount{"launch of kernel '{}' failed: it takes {}, but {} were given"};
inline constexpr Message<6> kArgumentSize{
    "launch failed: argument {} ('{}') of kernel '{}' is a {} of {} bytes, but {} bytes were given"};
inline constexpr Message<3> kCooperativeMemory{
    "launch of kernel '{}' failed: it synchronizes blocks, so all {} blocks must be resident, which takes {}",
    "launch fewer blocks"};
inline constexpr Message<0> kStopped{"the simulator stopped the kernel"};
inline constexpr Message<1> kNoSharedStorage{
    "allocating {} for a block's shared memory failed: the host has no more memory"};
inline constexpr Message<1> kNoThreadStorage{
    "allocating {} for the threads of a block failed: the host has no more memory"};

// Memory
inline constexpr Message<1> kTooManyAllocations{
    "allocating a buffer failed: the simulator has {} live allocations, which is its limit"};
inline constexpr Message<3> kLargeAllocation{
    "allocating {} ({}) failed: the simulator's largest allocation is {}"};
inline constexpr Message<4> kOutOfMemory{"allocating {} ({}) failed: only {} of the simulator's {} are free"};
inline constexpr Message<2> kNoHostMemory{"allocating {} ({}) failed: the host has no more memory"};
inline constexpr Message<1> kNotAllocation{
    "freeing memory failed: {} is not the start of an allocation of the simulator"};
inline constexpr Message<1> kFreedTwice{"freeing {} failed: it was already freed"};
inline constexpr Message<1> kFreesVariable{"freeing {} failed: it is a variable of a module"};
inline constexpr Message<1> kNotAddress{"{} is not an address of the simulator"};
inline constexpr Message<1> kFreed{"{} has been freed"};
inline constexpr Message<4> kOutsideAllocation{"bytes {} to {} are outside {} of {} bytes"};

// Translation of kernels
inline constexpr Message<2> kTooDeep{"kernel '{}' is nested more than {} blocks deep"};
inline constexpr Message<1> kTooManyRegisters{"kernel '{}' needs more registers than the simulator has"};
inline constexpr Message<0> kTooLong{"the kernel is too long for the simulator"};
inline constexpr Message<4> kLargeParameter{
    "parameter '{}' of kernel '{}' has {}, but the simulator supports at most {}"};
inline constexpr Message<1> kLargeValue{"a value of {} is too large for the simulator"};
inline constexpr Message<0> kVariableNotInModule{"internal error: a variable is not in the module"};
inline constexpr Message<3> kLargeShared{
    "shared variable '{}' has {}, but the simulator supports at most {}"};
inline constexpr Message<0> kAllSharedTooLarge{
    "the kernel's shared variables are too large for the simulator"};
inline constexpr Message<0> kUseBeforeDefinition{"internal error: a value is used before it is defined"};
inline constexpr Message<1> kUnknownOperation{"internal error: the simulator does not support '{}'"};
inline constexpr Message<2> kCallRemains{"internal error: kernel '{}' still calls '{}'",
                                         "run pass::prepare first"};
inline constexpr Message<2> kLargeLocal{
    "local variable '{}' does not fit in the simulator's local memory of {}"};
inline constexpr Message<1> kUnknownPtx{"the simulator does not execute the inline PTX '{}'"};
inline constexpr Message<0> kAtomicNotScalar{"internal error: an atomic on a value that is not a scalar"};
inline constexpr Message<0> kPureForm{"internal error: a pure operation of unexpected form"};

// Reports: accesses. The second argument is "read" or "written".
inline constexpr Message<1> kNullPointer{"memory is {} through a null pointer"};
inline constexpr Message<2> kNotDeviceAddress{"{} is {}, but it is not a device address"};
inline constexpr Message<3> kForeignLocal{"local variable {} of thread {} is {} by another thread",
                                          "pass values between threads through shared memory"};
inline constexpr Message<2> kFreedMemory{"{} is {}, but its memory has been freed"};
inline constexpr Message<1> kConstantMemory{"{} is written, but it is constant"};
inline constexpr Message<3> kNoClusterBlock{
    "{} of block {} of the cluster is {}, but the cluster has no such block"};
inline constexpr Message<3> kEndedClusterBlock{
    "{} of block {} of the cluster is {}, but that block has ended",
    "call cluster.sync() at the end of every block"};
inline constexpr Message<4> kOutsideObject{"{} is {}, but {} has {}"};
inline constexpr Message<3> kOutsideBuffer{"{} is {}, but the buffer has {}"};
inline constexpr Message<3> kOutsideDynamicShared{"{} is {}, but the launch has {} of dynamic shared memory"};
inline constexpr Message<5> kDeclaredAlignment{"{} bytes are {} at {}, which is aligned only to {} bytes",
                                               "declare it with __align__({})"};
inline constexpr Message<5> kMisaligned{
    "{} bytes are {} at {}, whose address is {} bytes past a multiple of {}"};
inline constexpr Message<1> kNeverWritten{"{} is read, but was never written"};
inline constexpr Message<1> kUninitializedVariable{"'{}' is used before it is initialized"};
inline constexpr Message<1> kPendingCopy{
    "{} is read before the asynchronous copy to it was waited for",
    "wait with cp.async.wait_group, then synchronize the threads that read it"};
inline constexpr Message<2> kPendingLoad{"{} is read, but the asynchronous copy to it may still be running",
                                         "wait for the phase of mbarrier {} that the copy belongs to"};
inline constexpr Message<3> kEarlierPhase{
    "{} is read before the asynchronous copy to it is complete: the wait for parity {} of mbarrier {} "
    "returned immediately, because the phase before has that parity",
    "wait for the other parity, and invert it after each phase"};
inline constexpr Message<1> kPendingStore{"{} is read, but the bulk copy to it was not waited for",
                                          "wait with cp.async.bulk.wait_group (without .read)"};
inline constexpr Message<1> kPendingProduct{
    "{} is read before the matrix product that writes it was waited for", "wait with wgmma.wait_group"};
inline constexpr Message<1> kNoMbarrier{"mbarrier {} is used, but it was not initialized",
                                        "call mbarrier.init, then __syncthreads()"};
inline constexpr Message<0> kUninitializedValue{"an uninitialized value is used"};

// Reports: races, and their hints
inline constexpr Message<1> kThreadsWrite{
    "two threads write {} without an atomic operation or a barrier between them"};
inline constexpr Message<1> kBlocksWrite{"threads of two blocks write {} without an atomic operation"};
inline constexpr Message<3> kThreadsReadAndWrite{
    "{} is {} by one thread and {} by another, with no barrier between them"};
inline constexpr Message<3> kBlocksReadAndWrite{
    "{} is {} by one block and {} by another, and the blocks are not synchronized"};
inline constexpr Message<2> kInsertBarrier{"insert __syncthreads() between line {} and line {}"};
inline constexpr Message<1> kUseAtomic{"use {} for the update"};
inline constexpr Message<3> kWriteAtomic{"write {}(&{}, {})"};

// Reports: barriers and warps
inline constexpr Message<0> kDifferentBarriers{
    "threads of one block wait at different barriers",
    "move __syncthreads() out of the condition: every thread of the block must reach it"};
inline constexpr Message<0> kDifferentGridBarriers{
    "threads of the grid wait at different barriers",
    "move the barrier out of the condition: every thread of the grid must reach it"};
inline constexpr Message<0> kSkippedGridBarrier{
    "some blocks wait at this barrier, but another one has ended",
    "move the barrier out of the condition: every block of the grid must reach it"};
inline constexpr Message<1> kNeverArrive{"threads wait at {} for threads that never arrive"};
inline constexpr Message<2> kWaitForEachOther{"threads wait for each other, some at {} and others at {}"};
inline constexpr Message<2> kNotInMask{
    "lane {} calls a warp operation with mask {}, which does not include the lane"};
inline constexpr Message<0> kInactiveLane{"the shuffle reads a lane that did not take part in it"};
inline constexpr Message<1> kShuffleWidth{
    "the width of a shuffle is {}, which is not a power of two up to 32"};

// Reports: barriers of inline PTX
inline constexpr Message<1> kBarrierNumber{"the number of a barrier is {}, but it must be below 16"};
inline constexpr Message<2> kBarrierCount{
    "barrier {} waits for {} threads, which is not a positive multiple of 32", "count whole warps"};
inline constexpr Message<3> kBarrierTooMany{"barrier {} waits for {} threads, but the block has {}"};
inline constexpr Message<3> kBarrierCounts{
    "a thread arrives at barrier {} with a count of {}, but others have arrived with a count of {}"};
inline constexpr Message<3> kBarrierNeverCompletes{
    "threads wait at barrier {} for threads that never arrive: {} of {} have arrived",
    "check that the count is the number of threads that execute bar.sync and bar.arrive"};
inline constexpr Message<3> kPhaseNeverCompletes{
    "threads wait at mbarrier {} for a phase that never completes: {} arrivals and {} bytes are pending"};
inline constexpr Message<1> kArrivalCount{
    "the count of an mbarrier is {}, but it must be between 1 and 1048575"};
inline constexpr Message<1> kMbarrierAgain{"mbarrier {} is initialized twice",
                                           "call mbarrier.inval before its memory is used again"};
inline constexpr Message<4> kTooManyArrivals{
    "{}: an arrival counts {}, but {} of {} arrivals of the phase are pending"};
inline constexpr Message<1> kCompletes{"an arrival with .noComplete completes the phase of mbarrier {}"};
inline constexpr Message<2> kTxOverflow{"mbarrier {} expects {} bytes, but the limit is 1048575"};
inline constexpr Message<2> kTxUnderflow{"mbarrier {} gets {} bytes more than it expects",
                                         "pass the bytes of all copies of the phase to expect_tx"};
inline constexpr Message<1> kLateBytes{
    "the copy completes after the phase of mbarrier {} in which it was issued",
    "call expect_tx before the last arrival of the phase"};
inline constexpr Message<3> kForeignState{
    "the state belongs to phase {} of mbarrier {}, but only phase {} and the one before can be waited for"};
inline constexpr Message<1> kForeignWait{"mbarrier {} of another block is waited for",
                                         "wait for an mbarrier of the own block"};
inline constexpr Message<0> kArrivesTwice{"the thread arrives at the cluster's barrier twice without waiting",
                                          "call barrier.cluster.wait after each barrier.cluster.arrive"};
inline constexpr Message<0> kWaitsWithoutArrival{
    "the thread waits at the cluster's barrier without having arrived", "call barrier.cluster.arrive first"};

// Reports: asynchronous copies and matrix products of inline PTX
inline constexpr Message<1> kNotShared{"{} is not in shared memory"};
inline constexpr Message<1> kNotGlobal{"{} is not in global memory"};
inline constexpr Message<2> kNoSuchRank{"the rank of a block is {}, but the cluster has {} blocks"};
inline constexpr Message<1> kBulkSize{"an asynchronous copy has {} bytes, which is not a multiple of 16"};
inline constexpr Message<1> kNoInitFence{
    "mbarrier {} counts an asynchronous copy, but no fence follows its initialization",
    "call fence.mbarrier_init or fence.proxy.async after mbarrier.init, before the threads synchronize"};
inline constexpr Message<1> kNoProxyFence{
    "{} is written by a thread and then read asynchronously, without fence.proxy.async in between",
    "call fence.proxy.async after the writes, before the threads synchronize"};
inline constexpr Message<1> kTargetWritten{"{} is written while an asynchronous copy to it is running"};
inline constexpr Message<1> kSourceWritten{"{} is written before the asynchronous copy from it has read it",
                                           "wait with cp.async.bulk.wait_group.read"};
inline constexpr Message<1> kMatrixWritten{
    "{} is written before the matrix product that reads it was waited for", "wait with wgmma.wait_group"};
inline constexpr Message<0> kEndsBeforeLoad{
    "the block ends before its asynchronous copy to shared memory is complete",
    "wait for the mbarrier of the copy"};
inline constexpr Message<0> kEndsBeforeRead{
    "the block ends before its asynchronous copy from shared memory was waited for",
    "call cp.async.bulk.commit_group, and wait with cp.async.bulk.wait_group.read"};
inline constexpr Message<0> kPartOfWarpgroup{
    "a product of matrices needs all 128 threads of a warpgroup, but some do not reach it"};
inline constexpr Message<0> kDifferentProducts{
    "threads of a warpgroup wait at different products of matrices"};
inline constexpr Message<0> kDifferentDescriptors{
    "the matrix descriptor differs between the threads of a warpgroup"};
inline constexpr Message<0> kReservedBits{
    "reserved bits of the matrix descriptor are set",
    "encode addresses and offsets as (bytes & 0x3ffff) >> 4, at bits 0, 16 and 32"};
inline constexpr Message<2> kPatternAlignment{
    "the matrix begins {} bytes past a multiple of {}, after which its swizzle pattern repeats, and the base "
    "offset "
    "of the descriptor says otherwise",
    "align the matrix, or set the base offset"};
inline constexpr Message<0> kNoWgmmaFence{"no wgmma.fence precedes the first product of matrices",
                                          "call wgmma.fence after the registers were written"};
inline constexpr Message<0> kChangedAfterFence{
    "an accumulator is written after wgmma.fence and then used by wgmma",
    "call wgmma.fence after the registers were written"};
inline constexpr Message<0> kAccumulatorWritten{
    "an accumulator is written while the matrix product that writes it is running",
    "wait with wgmma.wait_group"};
inline constexpr Message<1> kRegisterCount{
    "setmaxnreg with {} registers: the number must be a multiple of 8 between 24 and 256"};

// Reports: arithmetic and limits
inline constexpr Message<1> kDividedByZero{"{} is divided by zero"};
inline constexpr Message<1> kModuloZero{"{} is taken modulo zero"};
inline constexpr Message<2> kOverflow{"{} does not fit into {} bits"};
inline constexpr Message<2> kShiftAmount{"a value of {} bits is shifted by {}"};
inline constexpr Message<3> kHeapFreed{"{} bytes are {} in a block of {} bytes that was freed"};
inline constexpr Message<4> kHeapOutside{"{} bytes are {} at byte {} of a block of {} bytes from malloc"};
inline constexpr Message<2> kHeapNoBlock{"{} bytes are {} in the heap outside of all allocated blocks"};
inline constexpr Message<0> kFreedAlready{"the block was freed before"};
inline constexpr Message<0> kFreesNoBlock{"the pointer is not the start of an allocated block",
                                          "free only pointers that malloc or new returned"};
inline constexpr Message<0> kLaunchOfNothing{
    "the grid and the block of a launch must be at least 1 in x, y and z",
    "launch nothing if there is nothing to do"};
inline constexpr Message<1> kLaunchBlock{"a launch with {} threads per block",
                                         "the limits are 1024 threads, and 1024, 1024 and 64 in x, y and z"};
inline constexpr Message<2> kLaunchGrid{"a launch with {} blocks in y and {} in z",
                                        "the limit is 65535 in both"};
inline constexpr Message<1> kLaunchShared{"a launch with {} bytes of dynamic shared memory",
                                          "the limit is 49152 bytes"};
inline constexpr Message<2> kLaunchPending{
    "{} launches are pending, and the limit is {}",
    "launch from fewer threads, or raise the limit: -D QUERN_PENDING_LAUNCHES=N"};
inline constexpr Message<0> kTextureUnbound{"the kernel uses a texture or surface without texels",
                                            "pass a texture, or bind the reference before the launch"};
inline constexpr Message<2> kTextureType{
    "the kernel reads {}, but the texture returns {}",
    "use the texture's type in the call, or Sampler::normalized_values to read integers as floats"};
inline constexpr Message<2> kTextureChannels{"the kernel reads {} channels, but the texture has {}"};
inline constexpr Message<2> kTextureShape{"the kernel accesses a {} texture, but this one is {}"};
inline constexpr Message<2> kSurfaceColumn{"the surface is accessed at byte {} of a row of {} bytes",
                                           "multiply the column by the size of a texel, and check its range"};
inline constexpr Message<2> kSurfaceRow{"the surface is accessed in row {} of {}"};
inline constexpr Message<2> kSurfaceLayer{"the surface is accessed in layer or slice {} of {}"};
inline constexpr Message<0> kUnreachable{"control reached code that is marked unreachable"};
inline constexpr Message<1> kUnfinished{"the launch did not finish within {}"};
inline constexpr Message<1> kUnfinishedLoop{
    "the launch did not finish within {}, and a thread is in this loop",
    "check that the loop's condition becomes false"};

}  // namespace quern::sim::message
