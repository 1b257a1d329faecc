// Texts of the errors that the driver interface reports for operations that a driver does not implement, and
// of the findings in kernels that several drivers report.
#pragma once

#include "base/message.hpp"

namespace quern::driver::message {

using base::Message;

// Devices
inline constexpr Message<1> kNoTimestamps{
    "reading the time of an event failed: {} devices have no timestamps"};
inline constexpr Message<1> kNoPeerCopies{
    "copying between devices failed: {} devices do not support peer copies"};
inline constexpr Message<1> kNoHostAccess{"importing host memory failed: {} kernels cannot access it"};
inline constexpr Message<2> kNoTensorMaps{
    "creating a tensor map failed: {} ({}) has no tensor copies",
    "use an NVIDIA device with compute capability 9.0 or later (sm_90), without a Session"};
inline constexpr Message<0> kUnknownCommand{"internal error: unknown kind of command"};

// Modules
inline constexpr Message<1> kUnknownVariable{"the module has no variable '{}'"};
inline constexpr Message<1> kNoBinary{"storing compiled code failed: {} modules have no binary"};

// Interoperability
inline constexpr Message<1> kInteropUnsupported{
    "{} failed: the driver does not support it",
    "see docs/interop.md for the operations that each driver supports"};
inline constexpr Message<3> kOtherApi{
    "{} failed: the handle belongs to another API, and the device is one of {}",
    "use a handle of namespace quern::interop::{}"};
inline constexpr Message<2> kShareKind{"sharing memory failed: the kind '{}' is not supported", "use {}"};
inline constexpr Message<0> kNotExportable{
    "exporting memory failed: the buffer was not allocated for sharing",
    "allocate it with interop::allocate_shared"};

// Findings in kernels
inline constexpr Message<1> kAssertion{"assertion '{}' fails"};
inline constexpr Message<0> kTrap{"the kernel calls __trap()"};
inline constexpr Message<0> kSkippedBarrier{
    "some threads of the block wait at this barrier, but others never reach it",
    "move __syncthreads() out of the condition: every thread of the block must reach it"};

}  // namespace quern::driver::message
