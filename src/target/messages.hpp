// Texts of the targets: why a device cannot run a kernel, and why a target language cannot express it.
#pragma once

#include "base/message.hpp"

namespace quern::target::message {

using base::Message;

// Kernels that need more than the device has
inline constexpr Message<4> kFeatureMissing{"kernel '{}' needs {}, which {} ({}) does not have",
                                            "`quern devices -v` lists what each device has"};
inline constexpr Message<5> kSharedMemoryExceeded{
    "kernel '{}' needs {} of shared memory, and the limit is {} on {} ({})",
    "`quern devices -v` lists what each device has"};
inline constexpr Message<5> kArgumentBytesExceeded{
    "kernel '{}' needs {} of arguments, and the limit is {} on {} ({})",
    "`quern devices -v` lists what each device has"};
inline constexpr Message<5> kBuffersExceeded{"kernel '{}' needs {}, and the limit is {} on {} ({})",
                                             "`quern devices -v` lists what each device has"};
inline constexpr Message<4> kTensorMapMissing{
    "kernel '{}' takes a tensor map ('{}'), and {} ({}) has no tensor copies",
    "use an NVIDIA device with compute capability 9.0 or later (sm_90)"};
inline constexpr Message<2> kCannotRun{"{} cannot run '{}'"};
inline constexpr Message<1> kNoCompiler{
    "kernels cannot be compiled to {}: the device has no compiler and accepts only precompiled programs"};
inline constexpr Message<3> kLoopLimit{
    "the loops of one thread run more than {} iterations, after which {} ({}) ends every loop: results are "
    "wrong",
    "use the device 'cpu'"};
inline constexpr Message<1> kPtxArchitecture{"'{}' is not an architecture that PTX can be generated for",
                                             "use sm_75 or another architecture from sm_50 on"};
inline constexpr Message<0> kSpirvNeedsInt64{"SPIR-V can be generated only for devices with 64-bit integers"};

// Reasons to refuse a kernel. Their subject is the kernel: "kernel 'k' does …"
inline constexpr Message<3> kRefused{"kernel '{}' {}{}"};
inline constexpr Message<2> kCannotExpress{"does '{}', which {} cannot express"};
inline constexpr Message<0> kNestingTooDeep{"nests its blocks too deeply"};
inline constexpr Message<0> kCallNotInlined{"calls a function that is not inlined"};
inline constexpr Message<0> kSelectedPointerStruct{
    "takes a struct with pointers that are selected at run time"};
inline constexpr Message<2> kTooManyBuffers{"takes {} buffers, and Metal allows {}"};
inline constexpr Message<0> kParameterTooLarge{"takes a parameter of more than 4096 scalars"};

// Refused: variables and types
inline constexpr Message<1> kTypeLayout{"uses a type whose layout cannot be expressed: {}"};
inline constexpr Message<1> kMemberNotAligned{"a member of '{}' is not aligned"};
inline constexpr Message<1> kInitialAddresses{"uses '{}', whose initial value contains addresses"};
inline constexpr Message<1> kInitialLiteralAddresses{
    "uses '{}', whose initial value contains addresses of literals"};
inline constexpr Message<1> kInitialAddressesNotAligned{
    "uses '{}', whose initial value contains addresses that are not aligned"};
inline constexpr Message<1> kInitialValueAsBytes{"uses '{}', whose initial value can only be given as bytes"};
inline constexpr Message<0> kStructValueTooLarge{"has a struct of more than 16 KiB as a value"};
inline constexpr Message<0> kCopyTooLarge{"copies a value of more than 4096 scalars"};
inline constexpr Message<0> kLoadTooLarge{"loads a value of more than 4096 scalars", "use a reference to it"};
inline constexpr Message<0> kStoreTooLarge{"stores a value of more than 4096 scalars",
                                           "use a reference to it"};

// Refused: pointers and memory
inline constexpr Message<1> kNeedsPointers{"cannot be expressed without pointers: {}"};
inline constexpr Message<1> kPointerFromMemory{
    "uses a pointer that comes from memory or from a struct, and {} has no pointers"};
inline constexpr Message<0> kPointersNotComparable{
    "compares pointers that cannot be distinguished without addresses"};
inline constexpr Message<0> kSeveralSpaces{"uses a pointer that may point to several address spaces"};
inline constexpr Message<0> kSeveralSpacesOnDevice{
    "uses a pointer that may point to several address spaces, which the device does not support"};
inline constexpr Message<1> kPointerNotExpressible{"makes a pointer in a way that {} cannot express"};
inline constexpr Message<0> kVulkanPointer{"uses a pointer that Vulkan cannot express"};
inline constexpr Message<0> kPointerWithoutVariables{
    "uses a pointer to shared or local memory but has no such variables"};
inline constexpr Message<0> kVariableWithoutAddress{"uses the address of a variable that has none"};
inline constexpr Message<0> kQueriesSpace{"queries the address space of a pointer"};
inline constexpr Message<0> kQueriesConstantSpace{"queries whether a pointer is in constant memory"};
inline constexpr Message<0> kWritesConst{"writes through a pointer to const"};
inline constexpr Message<0> kWritesConstantData{"writes to constant data"};
inline constexpr Message<0> kWritesUnaligned{"writes a number to unaligned memory"};
inline constexpr Message<0> kWritesPartOfWord{"writes part of a word of a struct that is not a variable"};

// Refused: atomic operations
inline constexpr Message<0> kAtomicByte{"does an atomic operation on a byte"};
inline constexpr Message<0> kAtomic64{"does a 64-bit atomic operation"};
inline constexpr Message<1> kAtomicBitsOnMetal{
    "does an atomic operation on {} bits, and Metal supports 32 bits only"};
inline constexpr Message<1> kAtomicBitsMissing{"does a {}-bit atomic operation, which the device lacks"};
inline constexpr Message<0> kAtomic64Increment{"does a 64-bit atomicInc or atomicDec"};
inline constexpr Message<0> kAtomic16Arithmetic{"does atomic arithmetic on 16-bit integers"};
inline constexpr Message<0> kAtomic16Store{"stores 16 bits atomically"};
inline constexpr Message<0> kAtomicOnLocal{"does an atomic operation on a local variable"};
inline constexpr Message<0> kAtomicMaybeOnLocal{
    "does an atomic operation through a pointer that may point to a local variable"};
inline constexpr Message<0> kAtomicSeveralSpaces{
    "does an atomic operation through a pointer that may point to several address spaces"};
inline constexpr Message<0> kAtomic64InMixedShared{
    "does a 64-bit atomic operation in shared memory that is also used as other types"};

// Refused: arithmetic
inline constexpr Message<1> kDoublePrecision{"uses double precision, which {} does not support"};
inline constexpr Message<0> kInt64Wgsl{"uses 64-bit integers, which WGSL does not support"};
inline constexpr Message<2> kNoFunction{"calls {}, which {} has no function for"};
inline constexpr Message<2> kNoExactFunction{"calls {}, which {} has no exact function for"};
inline constexpr Message<1> kNoFunctionInWgsl{"uses {}, which WGSL has no function for"};
inline constexpr Message<0> kFusesBfloat16{"fuses bfloat16 numbers, which takes double precision"};
inline constexpr Message<1> kRoundsConversion{"rounds a conversion to {} in a given direction"};
inline constexpr Message<0> kRoundsHalf{"rounds half precision arithmetic in a given direction"};
inline constexpr Message<0> kRounds{"rounds arithmetic in a given direction"};

// Refused: threads
inline constexpr Message<0> kDivergentBarrier{
    "has a barrier that not all threads of a block are guaranteed to reach"};
inline constexpr Message<0> kDivergentFence{
    "has a fence that not all threads of a block are guaranteed to reach, and WGSL has fences only as part "
    "of barriers"};
inline constexpr Message<1> kDivergentWarpBarrier{
    "has a warp barrier that not all threads of the block are guaranteed to reach, and {} has no subgroups "
    "of 32 threads"};
inline constexpr Message<1> kDivergentWarpOperation{
    "does a warp operation that not all threads of the block are guaranteed to reach, and {} has no "
    "subgroups of 32 threads"};
inline constexpr Message<0> kNoSimdGroups{
    "does a warp operation, and the device has no SIMD-groups of 32 threads"};
inline constexpr Message<0> kLaneInLibrary{"asks for its lane in a function of the library"};
inline constexpr Message<0> kGridBarrier{"synchronizes the whole grid"};
inline constexpr Message<1> kGridBarrierMissing{"synchronizes the whole grid, which {} does not support"};
inline constexpr Message<1> kClustersMissing{"uses thread block clusters, which {} does not support"};
inline constexpr Message<0> kClustersNeedSm90{"uses thread block clusters, which need sm_90 or newer"};
inline constexpr Message<1> kPtxOfNvidia{"uses the PTX instruction '{}', which only NVIDIA devices have"};
inline constexpr Message<1> kTensorMapNeedsSm90{
    "takes a tensor map ('{}'), which only NVIDIA devices from sm_90 on can read"};
inline constexpr Message<0> kFenceNeedsMetal32{"uses a memory fence, which needs Metal 3.2 or newer"};
inline constexpr Message<0> kDeviceFenceInWgsl{
    "uses a device-wide memory fence, and WGSL orders memory only within a block"};
inline constexpr Message<1> kWaitsForThread{
    "waits in a loop for another thread, and {} does not guarantee forward progress of other threads"};
inline constexpr Message<0> kReadsClock{"reads a clock"};
inline constexpr Message<1> kClockIsExtension{"reads a clock, which {} has only as an extension"};
inline constexpr Message<0> kClockMissing{"reads a clock, which the device lacks"};
inline constexpr Message<0> kNanosecondClock{
    "reads the time in nanoseconds, which Vulkan's clocks do not provide"};

// Refused: printf
inline constexpr Message<0> kPrintsUnknownString{"prints a string that is not known at compile time"};
inline constexpr Message<0> kPrintsAddress{"prints an address"};
inline constexpr Message<0> kPrintsWidth{
    "prints with a width that is an argument ('*'), which CUDA's printf does not support"};
inline constexpr Message<1> kPrintsTooMany{
    "prints {} values in one call, and CUDA's printf takes at most 32"};

// Internal errors
inline constexpr Message<1> kMetalFunction{"a function for Metal {}"};
inline constexpr Message<1> kKernelLost{"kernel '{}' is lost in a copy"};
inline constexpr Message<2> kKernelFailed{"kernel '{}': {}"};
inline constexpr Message<3> kKernelFailedAtLine{"kernel '{}', line {}: {}"};
inline constexpr Message<0> kCallLeft{"a call was not inlined"};
inline constexpr Message<0> kNotLegalized{"matrices, barriers or copies were not legalized"};
inline constexpr Message<1> kNotStraightLine{"'{}' is not straight-line code"};
inline constexpr Message<0> kUnknownIntegerOperation{"unknown integer operation"};
inline constexpr Message<0> kUsedBeforeDefinition{"a value is used before its definition"};
inline constexpr Message<0> kTwoRepresentations{"a value has two representations"};

}  // namespace quern::target::message
