// Texts of the errors that the public API reports.
#pragma once

#include "base/message.hpp"

namespace quern::detail::message {

using base::Message;

// Devices and streams
inline constexpr std::string_view kReopen =
    "open the device again, or another one; a Session does this and repeats the work";
inline constexpr Message<0> kNotOpen{"using a device failed: it is not open", "open it with quern::open()"};
inline constexpr Message<0> kMayInclude{
    "compiling failed: may_include = false requires SourceKind::portable, because the device's own compiler "
    "reads the headers of other languages"};
inline constexpr Message<0> kEmptyStream{"using a stream failed: it is empty (never created)"};
inline constexpr Message<0> kDeviceClosed{"using a stream failed: its device is closed"};
inline constexpr Message<0> kEmptyFunction{"calling a host function failed: the function is empty"};
inline constexpr Message<0> kEventNotRecorded{"reading the time of an event failed: it was never recorded"};
inline constexpr Message<0> kEmptyRecording{"recording a graph failed: the function is empty"};
inline constexpr Message<0> kEmptyGraph{"using a graph failed: it is empty (never recorded)",
                                        "record one with device.record(...)"};

// Buffers
inline constexpr Message<0> kEmptyBuffer{
    "using a buffer failed: it holds no memory (never allocated, or moved from)"};
inline constexpr Message<3> kElementCount{"{} failed: {} elements given, the buffer has {}"};
inline constexpr Message<0> kDanglingSlice{
    "using a slice failed: its Buffer was destroyed",
    "keep the Buffer while the Slice is used: a Slice does not own memory"};
inline constexpr Message<3> kSliceExceeds{
    "slice failed: {} elements from element {} exceed the buffer of {} elements"};
inline constexpr Message<3> kSliceOutside{
    "slice failed: elements {} to {} are outside the buffer of {} elements"};
inline constexpr Message<2> kAddressSpace{
    "allocating a buffer failed: {} elements of {} bytes exceed the address space"};

// Textures
inline constexpr Message<3> kTexelBytes{"{} failed: {} bytes given, the texels have {} bytes"};
inline constexpr Message<3> kTextureMemory{
    "creating a texture failed: its texels have {} bytes, the memory has {} bytes at offset {}",
    "use memory that starts at a multiple of 4 bytes and holds all texels"};

// Kernels
inline constexpr Message<1> kEmptyObject{"using a {} failed: it is empty (never loaded, or moved from)"};
inline constexpr Message<0> kEmptyKernel{"launch failed: the kernel is empty (never loaded)"};
inline constexpr Message<1> kNegativeSize{"launch failed: the size {} is negative"};
inline constexpr Message<2> kSizeExceeds{"launch failed: the size {} exceeds the maximum of {} per dimension",
                                         "process several elements per thread, or split the launch"};
inline constexpr Message<3> kReadOnlyArgument{
    "launch of kernel '{}' failed: argument {} is read-only, but the kernel may write to parameter '{}'",
    "pass a buffer that is not const, or declare the parameter as const"};
inline constexpr Message<3> kTooManyArguments{
    "launch of kernel '{}' failed: {} arguments were given, the limit is {}"};

// Sessions
inline constexpr Message<0> kMovedSession{"using a session failed: it was moved from"};
inline constexpr Message<1> kKeepFailed{"keeping a buffer failed: {}"};
inline constexpr Message<3> kNotSaved{"loading '{}' failed: it has no buffer '{}' of {} bytes"};

// Interoperability
inline constexpr Message<0> kHandlesNotOpen{"using native handles failed: the device is not open",
                                            "open the device with quern::open()"};
inline constexpr Message<0> kHandlesOfSession{
    "using native handles failed: the device belongs to a Session, which may replace it",
    "open the device with quern::open()"};
inline constexpr Message<0> kHandlesOfEmptyBuffer{
    "using native handles failed: the buffer is empty (never allocated, or moved from)"};
inline constexpr Message<2> kBufferSize{"creating a buffer failed: it would have {} elements of {} bytes"};
inline constexpr Message<0> kNoHostPointer{"getting the host pointer failed: the buffer is in device memory",
                                           "allocate it with MemoryKind::shared"};
inline constexpr Message<0> kEmptyEvent{"getting the native event failed: the event is empty",
                                        "use an event that Stream::record returned"};
inline constexpr Message<2> kHandleOfOtherApi{
    "getting a native handle failed: the requested type is of another API than the device, which is one of "
    "{}",
    "request a type of namespace quern::interop::{}"};
inline constexpr Message<3> kImportSize{
    "importing memory failed: it has {} bytes of an allocation of {}, and elements have {}"};
inline constexpr Message<1> kNoDeviceAddress{"getting the device address failed: {}"};
inline constexpr const char* kClosedSocket = "the other end closed the connection";
inline constexpr const char* kForeignMessage = "the message was not sent by interop::send";
inline constexpr Message<2> kSocketFailed{"{} shared memory over a socket failed: {}"};

}  // namespace quern::detail::message
