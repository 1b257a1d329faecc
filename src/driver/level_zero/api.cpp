#include "driver/level_zero/api.hpp"

#include "base/environment.hpp"
#include "base/shared_library.hpp"
#include "driver/support/native_code.hpp"

namespace quern::level_zero {

using base::ErrorKind;

Result<Api> Api::load() {
  const std::optional<std::string> chosen = base::env_text("QUERN_LEVEL_ZERO_LIBRARY");
  const std::string_view names[] = {chosen ? std::string_view(*chosen) : "libze_loader.so.1"};
  QUERN_TRY_ASSIGN(const base::SharedLibrary library,
                   base::SharedLibrary::open(names,
                                             "install the Level Zero loader (libze1) and your GPU's "
                                             "driver (intel-level-zero-gpu or libze-intel-gpu1)"));
  Api api;
  api.library = library.name();
#define X(name, parameters) QUERN_TRY(library.load(#name, api.name));
  QUERN_LEVEL_ZERO_SYMBOLS(X)
#undef X
#define X(name, parameters) (void)library.load(#name, api.name).ok();
  QUERN_LEVEL_ZERO_OPTIONAL(X)
#undef X
  return api;
}

namespace {

constexpr auto kOurs = ErrorKind::internal;  // an invalid call, or a function that is not used
constexpr auto kUnsupported = ErrorKind::unsupported;
constexpr auto kLost = ErrorKind::device_lost;

constexpr std::string_view kReopen = "open the device again, or use a recoverable session";
constexpr std::string_view kUpdate = "update the GPU's Level Zero driver and the loader (libze1)";
constexpr std::string_view kLess = "free memory, or split the work";
constexpr std::string_view kReport = "report this with the output of 'quern probe'";
constexpr std::string_view kGroup = "add the user to the groups 'render' and 'video', and log in again";

// Every ze_result_t up to version 1.17 of the specification but success.
constexpr driver::NativeCode kCodes[] = {
    {0x1, "ZE_RESULT_NOT_READY", ErrorKind::timeout, kReport},
    {0x70000001, "ZE_RESULT_ERROR_DEVICE_LOST", kLost, kReopen},
    {0x70000002, "ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY", ErrorKind::out_of_memory, kLess},
    {0x70000003, "ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY", ErrorKind::out_of_memory, kLess},
    {0x70000004, "ZE_RESULT_ERROR_MODULE_BUILD_FAILURE", ErrorKind::compile, kUpdate},
    {0x70000005, "ZE_RESULT_ERROR_MODULE_LINK_FAILURE", ErrorKind::compile, kUpdate},
    {0x70000006, "ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET", kLost, "reset the GPU, or restart the machine"},
    {0x70000007, "ZE_RESULT_ERROR_DEVICE_IN_LOW_POWER_STATE", kLost, "wake the GPU, then open it again"},
    {0x7FF00001, "ZE_RESULT_EXP_ERROR_DEVICE_IS_NOT_VERTEX", kOurs, kReport},
    {0x7FF00002, "ZE_RESULT_EXP_ERROR_VERTEX_IS_NOT_DEVICE", kOurs, kReport},
    {0x7FF00003, "ZE_RESULT_EXP_ERROR_REMOTE_DEVICE", kUnsupported, "use a device of this machine"},
    {0x7FF00004, "ZE_RESULT_EXP_ERROR_OPERANDS_INCOMPATIBLE", kOurs, kReport},
    {0x7FF00005, "ZE_RESULT_EXP_RTAS_BUILD_RETRY", kOurs, kReport},
    {0x7FF00006, "ZE_RESULT_EXP_RTAS_BUILD_DEFERRED", kOurs, kReport},
    {0x70010000, "ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS", kUnsupported, kGroup},
    {0x70010001, "ZE_RESULT_ERROR_NOT_AVAILABLE", kUnsupported,
     "end the program that uses the GPU exclusively"},
    {0x70020000, "ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE", kUnsupported,
     "install the libraries that the GPU's driver needs: the compiler (libigc) and libigdgmm"},
    {0x70020001, "ZE_RESULT_WARNING_DROPPED_DATA", kOurs, kReport},
    {0x78000001, "ZE_RESULT_ERROR_UNINITIALIZED", ErrorKind::not_found,
     "install the GPU's Level Zero driver (intel-level-zero-gpu or libze-intel-gpu1)"},
    {0x78000002, "ZE_RESULT_ERROR_UNSUPPORTED_VERSION", kUnsupported, kUpdate},
    {0x78000003, "ZE_RESULT_ERROR_UNSUPPORTED_FEATURE", kUnsupported, kUpdate},
    {0x78000004, "ZE_RESULT_ERROR_INVALID_ARGUMENT", kOurs, kReport},
    {0x78000005, "ZE_RESULT_ERROR_INVALID_NULL_HANDLE", kOurs, kReport},
    {0x78000006, "ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE", kOurs, kReport},
    {0x78000007, "ZE_RESULT_ERROR_INVALID_NULL_POINTER", kOurs, kReport},
    {0x78000008, "ZE_RESULT_ERROR_INVALID_SIZE", kOurs, kReport},
    {0x78000009, "ZE_RESULT_ERROR_UNSUPPORTED_SIZE", ErrorKind::out_of_memory,
     "allocate less at a time ('quern devices -v' shows the largest buffer)"},
    {0x7800000A, "ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT", kOurs, kReport},
    {0x7800000B, "ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT", kOurs, kReport},
    {0x7800000C, "ZE_RESULT_ERROR_INVALID_ENUMERATION", kOurs, kReport},
    {0x7800000D, "ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION", kUnsupported, kUpdate},
    {0x7800000E, "ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT", kOurs, kReport},
    {0x7800000F, "ZE_RESULT_ERROR_INVALID_NATIVE_BINARY", ErrorKind::bad_input,
     "compile the kernel again ('quern cache clear')"},
    {0x78000010, "ZE_RESULT_ERROR_INVALID_GLOBAL_NAME", ErrorKind::not_found, kReport},
    {0x78000011, "ZE_RESULT_ERROR_INVALID_KERNEL_NAME", ErrorKind::not_found, "check the name of the kernel"},
    {0x78000012, "ZE_RESULT_ERROR_INVALID_FUNCTION_NAME", ErrorKind::not_found, kReport},
    {0x78000013, "ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION", ErrorKind::invalid_use,
     "launch with smaller blocks"},
    {0x78000014, "ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION", ErrorKind::invalid_use,
     "launch a smaller grid"},
    {0x78000015, "ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX", kOurs, kReport},
    {0x78000016, "ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE", kOurs, kReport},
    {0x78000017, "ZE_RESULT_ERROR_INVALID_KERNEL_ATTRIBUTE_VALUE", kOurs, kReport},
    {0x78000018, "ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED", kUnsupported,
     "link the module before it is loaded"},
    {0x78000019, "ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE", kOurs, kReport},
    {0x7800001A, "ZE_RESULT_ERROR_OVERLAPPING_REGIONS", ErrorKind::invalid_use,
     "copy between ranges that do not overlap"},
    {0x7800001B, "ZE_RESULT_WARNING_ACTION_REQUIRED", kOurs, kReport},
    {0x7800001C, "ZE_RESULT_ERROR_INVALID_KERNEL_HANDLE", kOurs, kReport},
    {0x7800001D, "ZE_RESULT_EXT_RTAS_BUILD_RETRY", kOurs, kReport},
    {0x7800001E, "ZE_RESULT_EXT_RTAS_BUILD_DEFERRED", kOurs, kReport},
    {0x7800001F, "ZE_RESULT_EXT_ERROR_OPERANDS_INCOMPATIBLE", kOurs, kReport},
    {0x78000020, "ZE_RESULT_ERROR_SURVIVABILITY_MODE_DETECTED", kLost, "update the GPU's firmware"},
    {0x78000021, "ZE_RESULT_ERROR_ADDRESS_NOT_FOUND", kOurs, kReport},
    {0x78000022, "ZE_RESULT_QUERY_TRUE", kOurs, kReport},
    {0x78000023, "ZE_RESULT_QUERY_FALSE", kOurs, kReport},
    {0x78000024, "ZE_RESULT_ERROR_INVALID_GRAPH", kOurs, kReport},
    {0x78000025, "ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED", kOurs, kReport},
    {0x78000026, "ZE_RESULT_ERROR_GRAPH_CAPTURE_INVALIDATED", kOurs, kReport},
    {0x78000027, "ZE_RESULT_ERROR_GRAPH_CAPTURE_MERGE_ATTEMPT", kOurs, kReport},
    {0x78000028, "ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING", kOurs, kReport},
    {0x78000029, "ZE_RESULT_ERROR_GRAPH_UNJOINED_FORKS", kOurs, kReport},
    {0x7800002A, "ZE_RESULT_ERROR_GRAPH_INTERNAL_EVENT", kOurs, kReport},
    {0x7FFFFFFE, "ZE_RESULT_ERROR_UNKNOWN", kOurs, kReport},
};

}  // namespace

base::Error failed(std::string_view call, ZeResult code) { return driver::failed(kCodes, call, code); }
bool is_known(ZeResult code) { return driver::is_known(kCodes, code); }

}  // namespace quern::level_zero
