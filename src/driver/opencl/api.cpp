#include "driver/opencl/api.hpp"

#include "base/environment.hpp"
#include "base/shared_library.hpp"
#include "driver/support/native_code.hpp"

namespace quern::opencl {

using base::Error;
using base::ErrorKind;

Result<Api> Api::load() {
  const std::optional<std::string> chosen = base::env_text("QUERN_OPENCL_LIBRARY");
  const std::string_view names[] = {chosen ? std::string_view(*chosen) : "libOpenCL.so.1",
                                    chosen ? std::string_view(*chosen) : "libOpenCL.so"};
  QUERN_TRY_ASSIGN(
      const base::SharedLibrary library,
      base::SharedLibrary::open(names, "install your GPU's OpenCL driver; for the CPU: pocl-opencl-icd"));
  Api api;
  api.library = library.name();
#define X(result, name, parameters) QUERN_TRY(library.load(#name, api.name));
  QUERN_OPENCL_SYMBOLS(X)
#undef X
#define X(result, name, parameters) (void)library.load(#name, api.name).ok();
  QUERN_OPENCL_NEWER_SYMBOLS(X)
#undef X
  return api;
}

Api Api::with_extensions(Platform platform) const {
  Api api = *this;
  if (clGetExtensionFunctionAddressForPlatform == nullptr) return api;
#define X(result, name, parameters)                                                              \
  if (void* found = clGetExtensionFunctionAddressForPlatform(platform, #name); found != nullptr) \
    api.name = reinterpret_cast<result(*) parameters>(found);
  QUERN_OPENCL_EXTENSIONS(X)
#undef X
  // The library may have the first without that this platform has it.
  if (api.clCreateProgramWithILKHR != nullptr) api.clCreateProgramWithIL = api.clCreateProgramWithILKHR;
  return api;
}

namespace {

// clang-format off
constexpr driver::NativeCode kCodes[] = {
    {-1, "CL_DEVICE_NOT_FOUND", ErrorKind::kNotFound}, {-2, "CL_DEVICE_NOT_AVAILABLE", ErrorKind::kDeviceLost},
    {-3, "CL_COMPILER_NOT_AVAILABLE", ErrorKind::kUnsupported}, {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE", ErrorKind::kOutOfMemory},
    {-5, "CL_OUT_OF_RESOURCES", ErrorKind::kOutOfMemory}, {-6, "CL_OUT_OF_HOST_MEMORY", ErrorKind::kOutOfMemory},
    {-7, "CL_PROFILING_INFO_NOT_AVAILABLE", ErrorKind::kUnsupported}, {-8, "CL_MEM_COPY_OVERLAP", ErrorKind::kInvalidUse},
    {-11, "CL_BUILD_PROGRAM_FAILURE", ErrorKind::kCompile},
    {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", ErrorKind::kDeviceLost},
    {-19, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE", ErrorKind::kUnsupported}, {-30, "CL_INVALID_VALUE", ErrorKind::kInternal},
    {-32, "CL_INVALID_PLATFORM", ErrorKind::kInternal},
    {-33, "CL_INVALID_DEVICE", ErrorKind::kInternal}, {-34, "CL_INVALID_CONTEXT", ErrorKind::kInternal},
    {-35, "CL_INVALID_QUEUE_PROPERTIES", ErrorKind::kInternal}, {-36, "CL_INVALID_COMMAND_QUEUE", ErrorKind::kInternal},
    {-37, "CL_INVALID_HOST_PTR", ErrorKind::kInternal}, {-38, "CL_INVALID_MEM_OBJECT", ErrorKind::kInternal},
    {-42, "CL_INVALID_BINARY", ErrorKind::kBadInput}, {-43, "CL_INVALID_BUILD_OPTIONS", ErrorKind::kInternal},
    {-44, "CL_INVALID_PROGRAM", ErrorKind::kInternal}, {-45, "CL_INVALID_PROGRAM_EXECUTABLE", ErrorKind::kInternal},
    {-46, "CL_INVALID_KERNEL_NAME", ErrorKind::kNotFound}, {-47, "CL_INVALID_KERNEL_DEFINITION", ErrorKind::kInternal},
    {-48, "CL_INVALID_KERNEL", ErrorKind::kInternal}, {-49, "CL_INVALID_ARG_INDEX", ErrorKind::kInternal},
    {-50, "CL_INVALID_ARG_VALUE", ErrorKind::kInternal}, {-51, "CL_INVALID_ARG_SIZE", ErrorKind::kInternal},
    {-52, "CL_INVALID_KERNEL_ARGS", ErrorKind::kInternal}, {-53, "CL_INVALID_WORK_DIMENSION", ErrorKind::kInternal},
    {-54, "CL_INVALID_WORK_GROUP_SIZE", ErrorKind::kInvalidUse}, {-55, "CL_INVALID_WORK_ITEM_SIZE", ErrorKind::kInvalidUse},
    {-56, "CL_INVALID_GLOBAL_OFFSET", ErrorKind::kInternal}, {-57, "CL_INVALID_EVENT_WAIT_LIST", ErrorKind::kInternal},
    {-58, "CL_INVALID_EVENT", ErrorKind::kInternal}, {-59, "CL_INVALID_OPERATION", ErrorKind::kUnsupported},
    {-61, "CL_INVALID_BUFFER_SIZE", ErrorKind::kOutOfMemory}, {-63, "CL_INVALID_GLOBAL_WORK_SIZE", ErrorKind::kInvalidUse},
    {-64, "CL_INVALID_PROPERTY", ErrorKind::kInternal},
    {-72, "CL_MAX_SIZE_RESTRICTION_EXCEEDED", ErrorKind::kUnsupported}, {-1001, "CL_PLATFORM_NOT_FOUND_KHR", ErrorKind::kNotFound},
    {-9999, "an illegal access by a kernel (-9999)", ErrorKind::kDeviceLost},
};
// clang-format on

}  // namespace

Error failed(std::string_view call, int32_t code) { return driver::failed(kCodes, call, code); }

}  // namespace quern::opencl
