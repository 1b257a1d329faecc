// Texts of the errors that the OpenCL driver reports.
#pragma once

#include "base/message.hpp"

namespace quern::opencl::message {

using base::Message;

// Drivers and devices
inline constexpr Message<1> kNoPlatform{"the OpenCL library found no platform{}",
                                        "install your GPU's OpenCL driver; for the CPU: pocl-opencl-icd"};
inline constexpr Message<2> kTooOld{
    "{} supports {}, but OpenCL 1.2 is required",
    "update or install your GPU's OpenCL driver; for the CPU: pocl-opencl-icd"};
inline constexpr Message<0> kNoDevice{
    "no OpenCL platform has a device",
    "update or install your GPU's OpenCL driver; for the CPU: pocl-opencl-icd"};
inline constexpr Message<1> kNotAvailable{
    "opening {} failed: the device is not available (CL_DEVICE_AVAILABLE)"};
inline constexpr Message<2> kCodeOption{"opening {} failed: it {}", "omit the option 'code'"};
inline constexpr Message<0> kOpenContext{
    "opening a device on a cl_context failed: the context is null, or the device is not listed",
    "use a context and a cl_device_id of a device that `quern devices` lists"};

// Compilation
inline constexpr Message<5> kCompilerAborted{
    "compiling {}{} failed: the compiler of {} ({}) aborted: {}",
    "run this kernel on another device, or set POCL_WORK_GROUP_METHOD=cbs"};
inline constexpr Message<3> kCompileFailed{"compiling {} for {} failed: {}"};
inline constexpr Message<1> kLocalPointer{
    "loading kernel '{}' failed: parameters that are __local pointers are not supported"};

// Memory and streams
inline constexpr Message<1> kSvmFailed{
    "allocating {} bytes of shared virtual memory failed: clSVMAlloc returned null"};
inline constexpr Message<1> kNoTimestamps{"reading the time of an event failed: {} has no timestamps"};

// Interoperability
inline constexpr Message<0> kEventNotRecorded{
    "getting the native event failed: the event was never recorded"};
inline constexpr Message<0> kAdoptImage{"adopting a cl_mem failed: it is an image or a pipe, not a buffer"};
inline constexpr Message<0> kAdoptOtherContext{
    "adopting a cl_mem failed: it belongs to another cl_context",
    "create it in the context of interop::get<interop::opencl::Device>(device), or open the device on your "
    "context with interop::open"};
inline constexpr Message<3> kAdoptRange{
    "adopting a cl_mem failed: {} bytes at offset {} exceed the object of {} bytes"};
inline constexpr Message<0> kAdoptNullQueue{"adopting a cl_command_queue failed: it is null"};
inline constexpr Message<0> kAdoptOtherQueue{
    "adopting a cl_command_queue failed: it belongs to another cl_context or cl_device_id"};
inline constexpr Message<0> kAdoptOutOfOrder{"adopting a cl_command_queue failed: it executes out of order",
                                             "create an in-order queue"};
inline constexpr Message<0> kAdoptOneHandle{
    "adopting memory failed: `mem` and `svm` are both set or both null", "set exactly one of them"};
inline constexpr Message<1> kOffsetAlignment{
    "using a cl_mem at offset {} failed: the offset is not a multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN"};
inline constexpr Message<1> kAdoptWithoutSvm{"adopting memory failed: {} has no shared virtual memory"};

}  // namespace quern::opencl::message
