// Reasons why a kernel cannot be lowered for a target: sentences without their subject, the kernel.
#pragma once

#include "base/message.hpp"

namespace quern::expand::message {

using base::Message;

// The target library
inline constexpr Message<1> kLibraryNotCompiled{"the target library does not compile: {}"};
inline constexpr Message<1> kLibraryFunctionMissing{"the target library has no function '{}'"};
inline constexpr Message<2> kOperationUnsupported{"uses {} on {}, for which the target has no function"};

// Warps and barriers
inline constexpr Message<0> kDivergentBarrier{
    "has a barrier that not all threads of a block are guaranteed to reach"};
inline constexpr Message<0> kDivergentWarpOperation{
    "does a warp operation that not all threads of the block are guaranteed to reach, and the target has no "
    "subgroups of 32 threads"};

// Structs and unions as values
inline constexpr Message<0> kUnionParameter{"takes a union as a parameter"};
inline constexpr Message<1> kTooManyScalars{"has a value of more than {} scalars"};
inline constexpr Message<0> kReadsWideFromUnion{"reads 64 bits out of a union that is a value"};
inline constexpr Message<0> kWritesWideToUnion{"writes 64 bits into a union that is a value"};
inline constexpr Message<0> kPassesStruct{"passes a struct as a value"};

// Half precision
inline constexpr Message<0> kRoundsHalfConversion{
    "rounds a conversion of a 64-bit integer to half precision in a given direction"};
inline constexpr Message<0> kRoundsHalfArithmetic{"rounds half precision arithmetic in a given direction"};

// 64-bit integers
inline constexpr Message<0> kWideAtomicUnsupported{
    "does a 64-bit atomic operation, which the target does not support"};
inline constexpr Message<0> kWideAddressUnsupported{
    "uses an address as an integer, and the target has no 64-bit addresses"};
inline constexpr Message<0> kClockUnsupported{"reads a clock, which the target does not support"};
inline constexpr Message<1> kWideOperationUnsupported{
    "uses {} on a 64-bit integer, for which the target has no function"};
inline constexpr Message<0> kRoundsWideConversion{
    "rounds a conversion of a 64-bit integer in a given direction"};

// Memory of 32-bit words
inline constexpr Message<0> kAddressAsInteger{"uses an address as an integer"};
inline constexpr Message<0> kComparesPointers{
    "compares pointers that cannot be distinguished without addresses"};
inline constexpr Message<0> kPointerInMemory{"keeps a pointer in memory, and the target has no addresses"};
inline constexpr Message<0> kPointerFromMemory{
    "uses a pointer that comes from memory or from a struct, and the target has none"};
inline constexpr Message<0> kWideAtomic{"does a 64-bit atomic operation"};
inline constexpr Message<0> kWideAccess{"does a single 64-bit memory access"};

}  // namespace quern::expand::message
