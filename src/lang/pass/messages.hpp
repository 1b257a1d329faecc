// Reasons of passes for rejecting a kernel.
#pragma once

#include "base/message.hpp"

namespace quern::pass::message {

using base::Message;

// Inlining
inline constexpr Message<2> kRecursion{"'{}' calls {}", "kernels cannot recurse: write a loop"};
inline constexpr Message<2> kRecursionDepth{"recursive calls of '{}' are at most {} deep"};
inline constexpr Message<2> kTooLargeInlined{
    "kernel '{}' exceeds {} instructions after inlining: call large functions from fewer places, for example "
    "from a loop"};

// Pointers on targets without addresses
inline constexpr Message<0> kPointerFromMemory{
    "the pointer is read from memory, and this target has no addresses: pass the buffer as a parameter"};
inline constexpr Message<0> kPointerFromInteger{
    "the pointer is made from an integer, and this target has no addresses: compute with an index"};
inline constexpr Message<0> kPointerFromCall{"the pointer is the result of a call that is not inlined"};
inline constexpr Message<0> kPointerInSelectedStruct{
    "the pointer is in a struct that is selected at run time: choose between the pointers instead"};
inline constexpr Message<0> kPointerInLocalStruct{
    "the pointer is held in a local struct or union that has to stay in memory: keep it in a separate "
    "variable"};
inline constexpr Message<0> kPointerToMemory{
    "a pointer is written to memory, and this target has no addresses: keep an index instead"};
inline constexpr Message<0> kPointerIsNull{"the pointer is always null"};
inline constexpr Message<0> kPointerIsDangling{
    "the pointer is null or points to a variable whose lifetime has ended"};
inline constexpr Message<0> kLaunchPointer{
    "a pointer that is an argument of a launch must point into a pointer parameter or a __device__ variable, "
    "since this target has no addresses"};
inline constexpr Message<0> kPointerAsInteger{
    "the address is used as an integer, and this target has no addresses"};

// Kernels that are split at grid barriers
inline constexpr Message<0> kAddressAcrossGridBarrier{
    "keeps the address of a local or shared variable across a grid barrier, where the kernel is split",
    "take the address again after the barrier, or keep an index"};
inline constexpr Message<0> kAddressInAggregate{
    "keeps a struct or an array with pointers across a grid barrier, where the kernel is split",
    "keep the pointers in separate variables"};

}  // namespace quern::pass::message
