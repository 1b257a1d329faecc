// Texts of the errors that the cpu driver reports.
#pragma once

#include "base/message.hpp"

namespace quern::cpu::message {

using base::Message;

// Options
inline constexpr Message<1> kEffort{"opening cpu failed: option 'effort' (QUERN_CPU_EFFORT) is '{}'",
                                    "use quick, full or auto"};
inline constexpr Message<2> kWidth{"opening cpu failed: option 'width' (QUERN_CPU_WIDTH) is {}",
                                   "use a power of two up to {}"};
inline constexpr Message<2> kThreads{"opening cpu failed: option 'threads' (QUERN_CPU_THREADS) is {}",
                                     "use a number from 1 to {}"};
inline constexpr Message<2> kVectors{"opening cpu failed: option 'vectors' (QUERN_CPU_VECTORS) is '{}'",
                                     "use one of {}"};
inline constexpr Message<2> kUnknownProcessor{"unknown processor '{}'", "use one of {}"};

// Compilation
inline constexpr Message<0> kOnlyIr{"loading code failed: the cpu driver accepts only IR"};
inline constexpr Message<0> kExiting{"compiling failed: the process is exiting"};
inline constexpr Message<1> kParseFailed{"parsing the code with LLVM failed: {}"};
inline constexpr Message<1> kNoTarget{"compiling failed: LLVM does not support the processor: {}"};
inline constexpr Message<1> kPassesFailed{"running LLVM's passes failed: {}"};
inline constexpr Message<1> kEmitFailed{"emitting object code with LLVM failed: {}"};
inline constexpr Message<1> kVerifyFailed{"verifying the code with LLVM failed: {}"};
inline constexpr Message<1> kNoCodeGenerator{"compiling failed: LLVM cannot generate code for {}"};
inline constexpr Message<1> kEntryMissing{"loading a kernel failed: its object code does not define '{}'"};
inline constexpr Message<1> kOtherMachine{"loading object code failed: it is for ELF machine {}"};
inline constexpr Message<0> kOtherProcessor{"loading object code failed: it is for another processor"};
inline constexpr Message<1> kInvalidObject{"loading object code failed: it is invalid: {}"};
inline constexpr Message<2> kUnknownRelocation{
    "loading object code failed: it has an unknown relocation of kind {} for {}"};
inline constexpr Message<1> kRelocationRange{
    "loading object code failed: the target of a relocation of kind {} is out of range"};
inline constexpr Message<1> kUndefinedSymbol{"loading object code failed: '{}' is not defined"};
inline constexpr Message<0> kNoMemoryForCode{
    "allocating memory for a kernel's code failed: the system has no more memory"};
inline constexpr Message<0> kNotExecutable{
    "loading a kernel failed: the system does not allow this process to execute generated code",
    "allow it in the security policy, or use another device"};

// Findings in kernels
inline constexpr Message<0> kDivergentWarp{
    "this thread reached a warp operation that another thread of its mask skipped",
    "pass each branch the mask of the threads that take it: all of them must reach the same operation"};
inline constexpr Message<0> kDeadlock{"deadlock: threads of the kernel wait for threads that never arrive"};
inline constexpr Message<0> kNoResidentMemory{
    "out of memory for the blocks of a cooperative launch, which must all be resident"};
inline constexpr Message<0> kNoBlockMemory{"out of memory for a block of the kernel"};

// Memory and streams
inline constexpr Message<1> kNoStreamThread{"starting a thread for a stream failed: {}"};
inline constexpr Message<1> kNoHostMemory{"allocating a buffer of {} failed: the host has no more memory"};
inline constexpr Message<2> kSystemCall{"{} failed: {}"};
inline constexpr Message<0> kAdoptNull{"adopting memory failed: the pointer is null"};
inline constexpr Message<2> kImportSize{
    "importing memory failed: the file has {} bytes, but its description says {}"};

}  // namespace quern::cpu::message
