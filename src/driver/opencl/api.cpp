#include "driver/opencl/api.hpp"

#include <algorithm>

#include "base/environment.hpp"
#include "base/shared_library.hpp"
#include "base/text.hpp"
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
  // The library may have the function even if this platform does not support the extension.
  if (api.clCreateProgramWithILKHR != nullptr) api.clCreateProgramWithIL = api.clCreateProgramWithILKHR;
  return api;
}

namespace {

constexpr auto kOurs = ErrorKind::internal;  // a bug in Quern's use of the API, or impossible
constexpr auto kMemory = ErrorKind::out_of_memory;
constexpr auto kUnsupported = ErrorKind::unsupported;

// All codes of OpenCL 3.0 and of the extensions that are not specific to Windows.
constexpr driver::NativeCode kCodes[] = {
    {-1, "CL_DEVICE_NOT_FOUND", ErrorKind::not_found},
    {-2, "CL_DEVICE_NOT_AVAILABLE", ErrorKind::device_lost},
    {-3, "CL_COMPILER_NOT_AVAILABLE", kUnsupported},
    {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE", kMemory},
    {-5, "CL_OUT_OF_RESOURCES", kMemory},
    {-6, "CL_OUT_OF_HOST_MEMORY", kMemory},
    {-7, "CL_PROFILING_INFO_NOT_AVAILABLE", kUnsupported},
    {-8, "CL_MEM_COPY_OVERLAP", ErrorKind::invalid_use},
    {-9, "CL_IMAGE_FORMAT_MISMATCH", kOurs},
    {-10, "CL_IMAGE_FORMAT_NOT_SUPPORTED", kUnsupported},
    {-11, "CL_BUILD_PROGRAM_FAILURE", ErrorKind::compile},
    {-12, "CL_MAP_FAILURE", kMemory},
    {-13, "CL_MISALIGNED_SUB_BUFFER_OFFSET", kOurs},
    {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", ErrorKind::device_lost},
    {-15, "CL_COMPILE_PROGRAM_FAILURE", ErrorKind::compile},
    {-16, "CL_LINKER_NOT_AVAILABLE", kUnsupported},
    {-17, "CL_LINK_PROGRAM_FAILURE", ErrorKind::compile},
    {-18, "CL_DEVICE_PARTITION_FAILED", kUnsupported},
    {-19, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE", kUnsupported},
    {-30, "CL_INVALID_VALUE", kOurs},
    {-31, "CL_INVALID_DEVICE_TYPE", kOurs},
    {-32, "CL_INVALID_PLATFORM", kOurs},
    {-33, "CL_INVALID_DEVICE", kOurs},
    {-34, "CL_INVALID_CONTEXT", kOurs},
    {-35, "CL_INVALID_QUEUE_PROPERTIES", kOurs},
    {-36, "CL_INVALID_COMMAND_QUEUE", kOurs},
    {-37, "CL_INVALID_HOST_PTR", kOurs},
    {-38, "CL_INVALID_MEM_OBJECT", kOurs},
    {-39, "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR", kOurs},
    {-40, "CL_INVALID_IMAGE_SIZE", kOurs},
    {-41, "CL_INVALID_SAMPLER", kOurs},
    {-42, "CL_INVALID_BINARY", ErrorKind::bad_input},
    {-43, "CL_INVALID_BUILD_OPTIONS", kOurs},
    {-44, "CL_INVALID_PROGRAM", kOurs},
    {-45, "CL_INVALID_PROGRAM_EXECUTABLE", kOurs},
    {-46, "CL_INVALID_KERNEL_NAME", ErrorKind::not_found},
    {-47, "CL_INVALID_KERNEL_DEFINITION", kOurs},
    {-48, "CL_INVALID_KERNEL", kOurs},
    {-49, "CL_INVALID_ARG_INDEX", kOurs},
    {-50, "CL_INVALID_ARG_VALUE", kOurs},
    {-51, "CL_INVALID_ARG_SIZE", kOurs},
    {-52, "CL_INVALID_KERNEL_ARGS", kOurs},
    {-53, "CL_INVALID_WORK_DIMENSION", kOurs},
    {-54, "CL_INVALID_WORK_GROUP_SIZE", ErrorKind::invalid_use},
    {-55, "CL_INVALID_WORK_ITEM_SIZE", ErrorKind::invalid_use},
    {-56, "CL_INVALID_GLOBAL_OFFSET", kOurs},
    {-57, "CL_INVALID_EVENT_WAIT_LIST", kOurs},
    {-58, "CL_INVALID_EVENT", kOurs},
    {-59, "CL_INVALID_OPERATION", kUnsupported},
    {-60, "CL_INVALID_GL_OBJECT", kOurs},
    {-61, "CL_INVALID_BUFFER_SIZE", kMemory},
    {-62, "CL_INVALID_MIP_LEVEL", kOurs},
    {-63, "CL_INVALID_GLOBAL_WORK_SIZE", ErrorKind::invalid_use},
    {-64, "CL_INVALID_PROPERTY", kOurs},
    {-65, "CL_INVALID_IMAGE_DESCRIPTOR", kOurs},
    {-66, "CL_INVALID_COMPILER_OPTIONS", kOurs},
    {-67, "CL_INVALID_LINKER_OPTIONS", kOurs},
    {-68, "CL_INVALID_DEVICE_PARTITION_COUNT", kOurs},
    {-69, "CL_INVALID_PIPE_SIZE", kOurs},
    {-70, "CL_INVALID_DEVICE_QUEUE", kOurs},
    {-71, "CL_INVALID_SPEC_ID", kOurs},
    {-72, "CL_MAX_SIZE_RESTRICTION_EXCEEDED", kUnsupported},
    {-1000, "CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR", kOurs},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR", ErrorKind::not_found},
    {-1057, "CL_DEVICE_PARTITION_FAILED_EXT", kUnsupported},
    {-1058, "CL_INVALID_PARTITION_COUNT_EXT", kOurs},
    {-1059, "CL_INVALID_PARTITION_NAME_EXT", kOurs},
    {-1092, "CL_EGL_RESOURCE_NOT_ACQUIRED_KHR", kOurs},
    {-1093, "CL_INVALID_EGL_OBJECT_KHR", kOurs},
    {-1138, "CL_INVALID_COMMAND_BUFFER_KHR", kOurs},
    {-1139, "CL_INVALID_SYNC_POINT_WAIT_LIST_KHR", kOurs},
    {-1140, "CL_INCOMPATIBLE_COMMAND_QUEUE_KHR", kOurs},
    {-1141, "CL_INVALID_MUTABLE_COMMAND_KHR", kOurs},
    {-1142, "CL_INVALID_SEMAPHORE_KHR", kOurs},
    {-9999, "an illegal memory access by a kernel (-9999)", ErrorKind::device_lost},  // NVIDIA only
};

}  // namespace

Error failed(std::string_view call, int32_t code) { return driver::failed(kCodes, call, code); }
bool is_known(int32_t code) { return driver::is_known(kCodes, code); }

std::string text_of(const std::function<int32_t(size_t bytes, void* to, size_t* size)>& query) {
  size_t size = 0;
  if (query(0, nullptr, &size) != 0 || size == 0) return {};
  std::string out(size, '\0');
  if (query(size, out.data(), nullptr) != 0) return {};
  out.resize(std::min(out.find('\0'), size));
  return std::string(base::trim(out));
}

}  // namespace quern::opencl
