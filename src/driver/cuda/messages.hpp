// Texts of the errors that the drivers cuda and hip report.
#pragma once

#include "base/message.hpp"

namespace quern::cuda::message {

using base::Message;

// Drivers and devices
inline constexpr Message<4> kTooOld{"loading {}'s driver failed: it is too old, {} has no function '{}'",
                                    "{}"};
inline constexpr Message<3> kNoDeviceNode{"{}'s driver found no device: {} does not exist", "{}"};
inline constexpr Message<2> kNoDevice{"{}'s driver found no device", "{}"};
inline constexpr Message<1> kProhibited{"opening {} failed: its compute mode is 'prohibited'",
                                        "run nvidia-smi -c 0 as administrator"};
inline constexpr std::string_view kFindKernel =
    "set QUERN_SYNC=1 to wait for each launch and find the kernel";
inline constexpr std::string_view kUseSession =
    "use a Session to continue on another device, or start a new process";

// Compilation
inline constexpr Message<1> kNoCompilerVersion{"loading '{}' failed: it does not report its version"};
inline constexpr Message<3> kNoCompiler{"compiling kernels failed: {} {}", "{}"};
inline constexpr Message<3> kNoCompilerResult{"{} returned no {}: {}"};
inline constexpr Message<2> kArchitectureDropped{"compiling kernels failed: {} no longer supports sm_{}",
                                                 "set QUERN_NVRTC to an older version"};
inline constexpr Message<2> kNoProgram{"{} failed to create a program: {}"};
inline constexpr Message<3> kCompileFailed{"{} failed to compile {}:{}"};
inline constexpr Message<3> kRegisterLimit{
    "compiling {} failed: {} does not support a register limit, and max_registers is {}",
    "use __launch_bounds__ instead"};
inline constexpr Message<4> kStaticShared{"kernel '{}' has {} of static shared memory, but {} allows {}",
                                          "use dynamic shared memory"};
inline constexpr Message<0> kCachedCodeTruncated{"loading cached code failed: it is truncated"};
inline constexpr Message<5> kLoadFailed{"{} failed to load {}: {}{}", "{}"};
inline constexpr Message<1> kUnknownParameters{
    "loading kernel '{}' failed: the driver does not report its parameters"};
inline constexpr Message<0> kPtxNotStored{
    "storing compiled code failed: the driver compiled it from PTX and caches it itself"};

// Memory and launches
inline constexpr Message<2> kOutOfMemory{"allocating {} bytes failed: {} is out of memory"};
inline constexpr Message<4> kTooManyBlocks{
    "launch of kernel '{}' failed: it synchronizes all of its {} blocks, but {} holds only {} of this size "
    "at a time",
    "launch fewer or smaller blocks"};
inline constexpr Message<3> kTooManyArguments{
    "launch of kernel '{}' failed: it takes {} arguments, but the limit is {}"};
inline constexpr Message<0> kEventNotRecorded{
    "reading the time of an event failed: the event was never recorded"};

// Interoperability
inline constexpr Message<0> kNoIpc{"sharing memory failed: the driver has no IPC functions"};
inline constexpr Message<1> kNotShareable{"sharing memory failed: IPC cannot share {}",
                                          "allocate the memory with interop::allocate_shared"};
inline constexpr Message<1> kAdoptUnknownAddress{
    "adopting memory failed: the driver does not know the address {}"};
inline constexpr Message<2> kAdoptOtherDevice{
    "adopting memory failed: it belongs to device {}, and this is device {}"};

}  // namespace quern::cuda::message
