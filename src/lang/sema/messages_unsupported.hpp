// Diagnostics of names of CUDA and the standard library that kernels cannot use.
#pragma once

#include "base/message.hpp"

namespace quern::lang::message {

using base::Message;

// Device features
inline constexpr Message<1> kNoCubemaps{"'{}' is not supported: cubemaps are not available",
                                        "use 6 layers of a two-dimensional texture"};
inline constexpr Message<1> kNoSurfaceReferences{
    "'{}' is not supported: surface references are not available",
    "pass a cudaSurfaceObject_t to the kernel"};
inline constexpr Message<1> kNoSmallFloats{
    "'{}' is not supported: of the floats with 8 or fewer bits, only E4M3 and E5M2 are available"};
inline constexpr Message<1> kNoHeap{"'{}' is not supported: memory cannot be allocated inside a kernel",
                                    "pass a buffer"};
inline constexpr Message<1> kNoAlloca{
    "'{}' is not supported: the size of an array must be known at compile time", "pass a buffer"};

// Functions of the host
inline constexpr Message<1> kNoStreams{"'{}' is not supported: streams in kernels can only be launched on",
                                       "use cudaStreamTailLaunch for work after a child kernel"};
inline constexpr Message<1> kNothingToWaitFor{
    "'{}' is not supported: a kernel cannot wait for the kernels that it launches",
    "use a tail launch: kernel<<<grid, block, 0, cudaStreamTailLaunch>>>(…) runs after them"};
inline constexpr Message<1> kNoEvents{"'{}' is not supported: events belong to the host"};
inline constexpr Message<1> kNoGraphs{"'{}' is not supported: graphs are created by the host"};
inline constexpr Message<1> kNoMultiGrid{"'{}' is not supported: a grid runs on one device"};

// Libraries
inline constexpr Message<1> kNoDeviceWide{
    "'{}' is not supported: it is host code that launches its own kernels",
    "kernels can use the block and warp parts of cub"};
inline constexpr Message<1> kNoThrust{
    "'{}' is not supported: the library thrust is not available in kernels"};
inline constexpr Message<1> kNoCurand{
    "'{}' is not supported: kernels have the generators and distributions of curand_kernel.h only"};
inline constexpr Message<1> kNoCufft{"'{}' is not supported: the library cufft is not available in kernels"};
inline constexpr Message<1> kNoCublas{
    "'{}' is not supported: the library cublas is not available in kernels"};
inline constexpr Message<1> kHostOnly{"'{}' is not supported: it exists only on the host",
                                      "pass a pointer and a size"};
inline constexpr Message<1> kPrintWithPrintf{"'{}' is not supported: kernels print with printf"};

// Features of the language
inline constexpr Message<1> kNoWideCharacters{"'{}' is not supported: characters in kernels have 1 byte",
                                              "use char"};
inline constexpr Message<1> kNoCoroutines{"'{}' is not supported: coroutines are not available in kernels"};
inline constexpr Message<1> kNoVariadicFunctions{
    "'{}' is not supported: functions with variable arguments are not available in kernels"};

}  // namespace quern::lang::message
