// Texts of the errors that decorators of devices report.
#pragma once

#include "base/message.hpp"

namespace quern::decorators::message {

using base::Message;

// Checked: violations of the driver interface by the caller
inline constexpr Message<3> kObjectIsOther{"driver call {} names {} that is {}"};
inline constexpr Message<2> kObjectIsNull{"driver call {} names {} that is null"};
inline constexpr Message<2> kObjectWasDestroyed{"driver call {} names {} that was destroyed"};
inline constexpr Message<2> kObjectIsForeign{"driver call {} names {} that does not belong to this device"};
inline constexpr Message<1> kBeforeStart{"driver call {} was made before start succeeded"};
inline constexpr Message<2> kAllocationExceedsLimit{"driver call allocate requests {}, but the limit is {}"};
inline constexpr Message<0> kCopyOverlaps{"driver call copy copies between overlapping parts of a buffer"};
inline constexpr Message<1> kFillWidth{"driver call fill repeats {} bytes", "1, 2, 4 and 8 are allowed"};
inline constexpr Message<2> kFillSize{"driver call fill sets {} bytes with a value of {} bytes"};
inline constexpr Message<4> kOutOfBuffer{
    "driver call {} touches {} bytes at offset {} of a buffer of {} bytes"};
inline constexpr Message<1> kNoHostMemory{"driver call {} has no host memory"};
inline constexpr Message<1> kStreamOverlap{"driver call {} overlaps another call on the same stream"};
inline constexpr Message<0> kNoFunctionToCall{"driver call call has no function to call"};
inline constexpr Message<0> kEventNotRecorded{"driver call time uses an event that was never recorded"};
inline constexpr Message<0> kDestroysForeign{
    "driver call destroy got an object that does not belong to this device"};
inline constexpr Message<0> kModuleDestroyed{"driver call launch runs a kernel whose module was destroyed"};
inline constexpr Message<2> kLaunchWith{"driver call launch runs kernel '{}' with {}"};
inline constexpr Message<3> kSizeOutside{"{} {}, outside (1,1,1) to {}"};
inline constexpr Message<2> kCompiledForBlock{"block {}, but its code is compiled for {}"};
inline constexpr Message<2> kThreadsExceedLimit{"{} threads per block, but the limit is {}"};
inline constexpr Message<3> kSharedExceedsLimit{
    "{} bytes of dynamic and {} of static shared memory, but a block has {}"};
inline constexpr Message<0> kNotCooperative{"a non-cooperative launch, but it uses grid barriers"};
inline constexpr Message<2> kArgumentCount{"{} arguments, but it takes {}"};
inline constexpr Message<3> kParameterSet{"parameter '{}' ({}) set to {}"};
inline constexpr Message<0> kValueForPlace{"a value, not a place"};
inline constexpr Message<0> kPlaceForValue{"a place, not a value"};
inline constexpr Message<2> kArgumentSize{"{} bytes, but its size is {}"};
inline constexpr Message<0> kNoValue{"no value"};
inline constexpr Message<2> kLoadOfKind{"driver call load gives {} code to {}, which does not support it"};
inline constexpr Message<1> kLoadWithoutModule{"driver call load gives {} code without its module"};
inline constexpr Message<2> kLoadTwoKernels{"driver call load gives {} code with two kernels '{}'"};
inline constexpr Message<4> kLoadNeedsFeature{
    "driver call load gives {} code with kernel '{}', which needs {}, to {}, which does not support it"};
inline constexpr Message<0> kStreamBusy{"a stream is destroyed before its work is known to be done"};
inline constexpr Message<1> kObjectBusy{"{} is destroyed while work in flight may use it"};
inline constexpr Message<0> kModuleBeforeKernel{"a module is destroyed before its kernel"};
inline constexpr Message<1> kObjectsAlive{"the device was closed while objects were still alive: {}"};

// Checked: violations by the driver
inline constexpr Message<1> kOtherBuffer{
    "driver {} allocated a buffer of another size or kind than requested"};
inline constexpr Message<1> kEventNotReached{
    "driver {} reports an event that was never recorded as not reached"};
inline constexpr Message<2> kSucceededAfterLoss{"driver {} lost the device, but {} succeeded afterwards"};
inline constexpr Message<1> kNoObject{"driver {} reported success but returned no object"};

// Faulty: injected faults
inline constexpr Message<4> kUnknownFaultWord{"invalid fault '{}': '{}' is not a known {}", "{}"};
inline constexpr Message<1> kFaultForm{
    "invalid fault '{}': expected CALL:NUMBER=EFFECT",
    "for example launch:3=lost or allocate:0=memory; calls are numbered from 0"};
inline constexpr Message<2> kFaultNumber{"invalid fault '{}': '{}' is not a call number"};
inline constexpr Message<0> kInjectedLoss{"the device was lost by an injected fault"};
inline constexpr Message<2> kInjectedFault{"{} {} failed (injected fault)"};
inline constexpr Message<1> kDidYouMean{"did you mean '{}'?"};
inline constexpr Message<1> kUseOneOf{"use one of {}"};

// Limited: time limits
inline constexpr Message<2> kMarkedLost{"{} is marked lost: a call exceeded its time limit of {}"};
inline constexpr Message<2> kTimeLimitExceeded{
    "{} exceeded its time limit of {} and is marked lost",
    "a kernel may loop forever: run it with --on sim,time_limit=10 to see which"};

// Recording
inline constexpr Message<0> kRecordedNativeHandles{
    "using native handles failed: the calls to the device are recorded, and a recording cannot contain the "
    "work of other libraries",
    "unset QUERN_RECORD"};
inline constexpr Message<2> kRecordedCodeWithoutIr{"recording '{}' failed: its {} code has no IR"};
inline constexpr Message<1> kCannotWrite{"cannot write the recording '{}'"};
inline constexpr Message<1> kNotARecording{"'{}' is not a recording"};
inline constexpr Message<3> kRecordingInvalid{"the recording '{}' {}", "{}"};
inline constexpr Message<0> kDataAfterEnd{"has data after its end"};
inline constexpr Message<0> kIsEmpty{"is empty"};
inline constexpr Message<1> kChecksum{"is corrupted: record {} does not match its checksum"};
inline constexpr Message<1> kUnexpectedContents{"is invalid: record {} has unexpected contents"};
inline constexpr Message<1> kTruncatedInRecord{
    "is truncated in record {}",
    "record it again: the program was killed while writing, or the file was not copied completely"};
inline constexpr Message<0> kTruncated{"is truncated"};
inline constexpr Message<3> kOtherVersion{"has version {}, but this program reads version {}", "{}"};
inline constexpr Message<0> kRecordAgain{"record the program again with QUERN_RECORD"};
inline constexpr Message<0> kReplayWithOther{"replay it with the version of quern that recorded it"};
inline constexpr Message<1> kUnknownCall{"contains the unknown call '{}'"};
inline constexpr Message<3> kRecordedIr{"cannot parse the IR of '{}': line {}: {}"};
inline constexpr Message<1> kCheckParameters{"kernel '{}' does not have the parameters of check mode"};
inline constexpr Message<1> kUnknownCodeKind{"it contains code of the unknown kind '{}'"};
inline constexpr Message<0> kUnknownMath{"it contains an unknown math mode"};
inline constexpr Message<0> kIncompleteModule{"it contains an incomplete module"};

// Replay
inline constexpr Message<2> kCall{"call {} ({})"};
inline constexpr Message<2> kCannotReplay{"{} of the recording cannot be replayed: {}"};
inline constexpr Message<2> kUnknownNumbered{"it uses {} {}, which does not exist"};
inline constexpr Message<1> kUnknownObject{"it uses object {}, which does not exist"};
inline constexpr Message<0> kArgumentsOfCall{"its arguments do not match the call"};
inline constexpr Message<0> kNotADeviceCall{"it is not a device call"};
inline constexpr Message<0> kUnknownMemoryKind{"it requests an unknown kind of memory"};
inline constexpr Message<3> kCodeNotAccepted{"'{}' is {} code, which {} does not accept"};
inline constexpr Message<0> kKernelNotInModule{"it uses a kernel that its module does not have"};
inline constexpr Message<0> kBeyondBuffer{"it requests more than the buffer's size"};
inline constexpr Message<0> kOtherDataSize{"its data has another size"};
inline constexpr Message<0> kTooMuchUnknownData{"it downloads too much without data to compare"};
inline constexpr Message<2> kParameterCount{"it passes {} arguments to a kernel with {} parameters"};
inline constexpr Message<0> kStructTooSmall{"it passes a struct that is too small"};
inline constexpr Message<2> kModuleBeforeItsKernel{"it destroys module {} before its kernel {}"};
inline constexpr Message<3> kFailedWhenRecorded{
    "{} failed when it was recorded ({}: {}) but succeeded in the replay"};
inline constexpr Message<4> kFailedDifferently{"{} failed differently when it was recorded ({})",
                                               "in the replay it failed with {}: {}"};
inline constexpr Message<3> kSucceededWhenRecorded{
    "{} succeeded when it was recorded, but failed in the replay with {}: {}"};
inline constexpr Message<5> kOtherData{"{} returned different data: byte {} of {} is {}, but was {}"};
inline constexpr Message<0> kSharesMemory{"the program shares memory with the device",
                                          "host writes to it are not recorded"};
inline constexpr Message<1> kReadsAddresses{"kernel '{}' reads addresses from memory",
                                            "they are not translated"};
inline constexpr Message<1> kAmbiguousAddress{"argument {} contains an address of two recorded buffers"};
inline constexpr Message<1> kUntranslatedAddress{
    "argument {} contains an address outside of all recorded buffers", "replay it on 'sim'"};
inline constexpr Message<0> kRecordedTensorMap{
    "a tensor map contains the address of a recorded buffer, which cannot be replaced"};
inline constexpr Message<1> kForeignAddress{
    "argument {} of a launch contains an address outside of all recorded buffers", "it is not translated"};

// Recoverable: devices that survive a loss
inline constexpr Message<0> kActorsRun{
    "a buffer of recoverable persistent actors is used while the actors run",
    "pause the actors first, or use driven actors"};
inline constexpr Message<0> kHostWritesNotRecoverable{
    "memory that the host modifies in place cannot be recovered after a loss",
    "allocate device memory and copy, or open the device without a session"};
inline constexpr Message<0> kPinnedNotRecoverable{
    "a kernel on a session's device cannot use pinned memory in place",
    "copy it to device memory: writes to pinned memory cannot be recovered after a loss"};
inline constexpr Message<1> kUnknownVariable{"the module has no variable '{}'"};
inline constexpr Message<1> kCannotAccessHostMemory{"{} cannot access memory that survives its loss"};
inline constexpr Message<0> kNoHostMemoryLeft{"the system could not allocate host memory for the device"};
inline constexpr Message<3> kNotRecovered{
    "the device was lost ({}) and could not be recovered in {} attempts: {}",
    "the same work may lose every device: set QUERN_SYNC=1 to find the kernel"};
inline constexpr Message<3> kCodeForOther{"'{}' is code for {} and cannot be compiled for {}"};
inline constexpr Message<0> kPersistentKernelLost{"the device on which a persistent kernel ran was lost"};

}  // namespace quern::decorators::message
