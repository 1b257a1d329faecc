// Texts of the errors that the Vulkan driver reports.
#pragma once

#include "base/message.hpp"

namespace quern::vulkan::message {

using base::Message;

// Drivers and devices
inline constexpr std::string_view kInstall =
    "install libvulkan1 and your GPU's Vulkan driver; for the CPU: mesa-vulkan-drivers";
inline constexpr Message<2> kNoDevice{
    "'{}' found no device{}",
    "install libvulkan1 and your GPU's Vulkan driver; for the CPU: mesa-vulkan-drivers"};
inline constexpr Message<1> kNoLayer{
    "loading Vulkan failed: QUERN_VALIDATE is set, but {} was not found",
    "install vulkan-validationlayers (and libvulkan1), or unset QUERN_VALIDATE"};
inline constexpr Message<2> kNoFunction{
    "loading '{}' failed: it has no function '{}'",
    "install libvulkan1 and your GPU's Vulkan driver; for the CPU: mesa-vulkan-drivers"};
inline constexpr Message<1> kOldLibrary{
    "loading '{}' failed: it supports only Vulkan 1.0, but 1.1 is required",
    "update your GPU's Vulkan driver and libvulkan1"};
inline constexpr Message<1> kNeedsLoader{"loading '{}' failed: it cannot be used without a Vulkan loader"};
inline constexpr Message<1> kOldDevice{"{} supports only Vulkan 1.0, but 1.1 is required",
                                       "update your GPU's Vulkan driver"};
inline constexpr Message<1> kNoTimeline{"{} has no timeline semaphores", "update your GPU's Vulkan driver"};
inline constexpr Message<1> kNoComputeQueue{"{} has no compute queue", "update your GPU's Vulkan driver"};
inline constexpr Message<2> kNoDeviceFunction{"opening {} failed: it has no function '{}'",
                                              "update your GPU's Vulkan driver"};
inline constexpr Message<0> kOpenNull{
    "opening a device on a VkDevice failed: a handle or create_info is null",
    "set instance, physical_device, device, queue_family, queue and create_info"};
inline constexpr Message<0> kOpenWithoutTimeline{
    "opening a device on a VkDevice failed: it was created without timeline semaphores",
    "enable the feature timelineSemaphore in vkCreateDevice"};
inline constexpr Message<1> kOpenFamily{
    "opening a device on a VkDevice failed: queue family {} does not support compute"};

// Compilation
inline constexpr Message<3> kRejected{"{} rejected {}:\n{}"};
inline constexpr Message<3> kRejectedWithoutReason{"{} rejected {}: {}",
                                                   "set QUERN_VALIDATE=1 to see the reason"};
inline constexpr Message<2> kInvalidSpirv{"loading {} failed: it is not valid:\n{}"};

// Launches
inline constexpr Message<1> kNoReportSites{"kernel '{}' writes a report, but its code has no report sites"};
inline constexpr Message<1> kPushesTooMuch{"the code of kernel '{}' has too many push constants"};
inline constexpr Message<4> kPushLimit{
    "loading kernel '{}' failed: it has {} bytes of push constants, but the limit of {} is {}"};
inline constexpr Message<2> kTooManySets{
    "loading kernel '{}' failed: it has too many descriptor sets for {}"};
inline constexpr Message<5> kArgumentAlignment{
    "launch of kernel '{}' failed: argument {} begins at byte {} of its buffer, but {} requires a multiple "
    "of {}"};
inline constexpr Message<5> kArgumentSize{
    "launch of kernel '{}' failed: argument {} has {}, but {} binds at most {}"};
inline constexpr Message<0> kNoMemoryType{
    "allocating memory failed: no memory type supports storage buffers"};

// Interoperability
inline constexpr Message<0> kEventNotRecorded{
    "getting the native event failed: the event was never recorded"};
inline constexpr Message<0> kAdoptNullBuffer{"adopting memory failed: the VkBuffer is null"};
inline constexpr Message<3> kAdoptAlignment{
    "adopting memory failed: the offset is {} bytes, but {} requires a multiple of {}"};
inline constexpr Message<3> kAdoptRange{
    "adopting memory failed: {} bytes at offset {} exceed the VkBuffer of {} bytes"};
inline constexpr Message<0> kAdoptNullQueue{"adopting a stream failed: the VkQueue is null"};
inline constexpr Message<2> kAdoptFamily{
    "adopting a stream failed: the VkQueue is of family {}, but buffers belong to family {}"};
inline constexpr Message<1> kShareUnsupported{"sharing memory failed: {} has no VK_KHR_external_memory_fd"};
inline constexpr Message<0> kImportDescriptor{"importing memory failed: the file descriptor is not valid"};

}  // namespace quern::vulkan::message
