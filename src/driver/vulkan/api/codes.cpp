// The VkResult codes.
#include "driver/support/native_code.hpp"
#include "driver/vulkan/api/api.hpp"

namespace quern::vulkan {

using base::Error;
using base::ErrorKind;

namespace {

constexpr auto kOurs = ErrorKind::internal;  // a bug in Quern's use of the API, or impossible
constexpr auto kMemory = ErrorKind::out_of_memory;
constexpr auto kUnsupported = ErrorKind::unsupported;

// All codes of Vulkan 1.4 and its extensions, including success codes: where one is returned it is an error
// here.
constexpr driver::NativeCode kCodes[] = {
    {1, "VK_NOT_READY", kOurs},
    {2, "VK_TIMEOUT", ErrorKind::timeout},
    {3, "VK_EVENT_SET", kOurs},
    {4, "VK_EVENT_RESET", kOurs},
    {5, "VK_INCOMPLETE", kOurs},
    {-1, "VK_ERROR_OUT_OF_HOST_MEMORY", kMemory},
    {-2, "VK_ERROR_OUT_OF_DEVICE_MEMORY", kMemory},
    {-3, "VK_ERROR_INITIALIZATION_FAILED", kUnsupported},
    {-4, "VK_ERROR_DEVICE_LOST", ErrorKind::device_lost},
    {-5, "VK_ERROR_MEMORY_MAP_FAILED", kMemory},
    {-6, "VK_ERROR_LAYER_NOT_PRESENT", ErrorKind::not_found},
    {-7, "VK_ERROR_EXTENSION_NOT_PRESENT", kUnsupported},
    {-8, "VK_ERROR_FEATURE_NOT_PRESENT", kUnsupported},
    {-9, "VK_ERROR_INCOMPATIBLE_DRIVER", ErrorKind::not_found},
    {-10, "VK_ERROR_TOO_MANY_OBJECTS", kMemory},
    {-11, "VK_ERROR_FORMAT_NOT_SUPPORTED", kUnsupported},
    {-12, "VK_ERROR_FRAGMENTED_POOL", kMemory},
    {-13, "VK_ERROR_UNKNOWN", kOurs},
    {-1000000000, "VK_ERROR_SURFACE_LOST_KHR", kOurs},
    {-1000000001, "VK_ERROR_NATIVE_WINDOW_IN_USE_KHR", kOurs},
    {-1000001004, "VK_ERROR_OUT_OF_DATE_KHR", kOurs},
    {-1000003001, "VK_ERROR_INCOMPATIBLE_DISPLAY_KHR", kOurs},
    {-1000011001, "VK_ERROR_VALIDATION_FAILED_EXT", kOurs},
    {-1000012000, "VK_ERROR_INVALID_SHADER_NV", ErrorKind::compile},
    {-1000023000, "VK_ERROR_IMAGE_USAGE_NOT_SUPPORTED_KHR", kOurs},
    {-1000023001, "VK_ERROR_VIDEO_PICTURE_LAYOUT_NOT_SUPPORTED_KHR", kOurs},
    {-1000023002, "VK_ERROR_VIDEO_PROFILE_OPERATION_NOT_SUPPORTED_KHR", kOurs},
    {-1000023003, "VK_ERROR_VIDEO_PROFILE_FORMAT_NOT_SUPPORTED_KHR", kOurs},
    {-1000023004, "VK_ERROR_VIDEO_PROFILE_CODEC_NOT_SUPPORTED_KHR", kOurs},
    {-1000023005, "VK_ERROR_VIDEO_STD_VERSION_NOT_SUPPORTED_KHR", kOurs},
    {-1000069000, "VK_ERROR_OUT_OF_POOL_MEMORY", kMemory},
    {-1000072003, "VK_ERROR_INVALID_EXTERNAL_HANDLE", kOurs},
    {-1000158000, "VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT", kOurs},
    {-1000161000, "VK_ERROR_FRAGMENTATION", kMemory},
    {-1000174001, "VK_ERROR_NOT_PERMITTED", kUnsupported},
    {-1000255000, "VK_ERROR_FULL_SCREEN_EXCLUSIVE_MODE_LOST_EXT", kOurs},
    {-1000257000, "VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS", kOurs},
    {-1000299000, "VK_ERROR_INVALID_VIDEO_STD_PARAMETERS_KHR", kOurs},
    {-1000338000, "VK_ERROR_COMPRESSION_EXHAUSTED_EXT", kMemory},
    {-1000483000, "VK_ERROR_NOT_ENOUGH_SPACE_KHR", kMemory},
    {1000001003, "VK_SUBOPTIMAL_KHR", kOurs},
    {1000268000, "VK_THREAD_IDLE_KHR", kOurs},
    {1000268001, "VK_THREAD_DONE_KHR", kOurs},
    {1000268002, "VK_OPERATION_DEFERRED_KHR", kOurs},
    {1000268003, "VK_OPERATION_NOT_DEFERRED_KHR", kOurs},
    {1000297000, "VK_PIPELINE_COMPILE_REQUIRED", kOurs},
    {1000482000, "VK_INCOMPATIBLE_SHADER_BINARY_EXT", kOurs},
    {1000483000, "VK_PIPELINE_BINARY_MISSING_KHR", kOurs},
};

}  // namespace

Error failed(std::string_view call, int32_t code) { return driver::failed(kCodes, call, code); }
bool is_known(int32_t code) { return driver::is_known(kCodes, code); }

}  // namespace quern::vulkan
