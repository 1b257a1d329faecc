// The part of the CUDA driver API that is used, declared here: no header is needed, and the library is loaded
// when the driver starts. HIP has the same functions under other names; a Vendor selects the column of the
// table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace quern::cuda {

template <typename T = void>
using Result = base::Result<T>;

using DeviceId = int32_t;
using Context = struct ContextTag*;
using ModuleId = struct ModuleIdTag*;
using FunctionId = struct FunctionIdTag*;
using StreamId = struct StreamIdTag*;
using EventId = struct EventIdTag*;
using PoolId = struct PoolIdTag*;
using GraphId = struct GraphIdTag*;
using RunnableId = struct RunnableIdTag*;  // an instantiated graph
using ExternalId = struct ExternalIdTag*;  // memory of another API
using Address = uint64_t;
using HostFunction = void (*)(void*);

// Constants of cuda.h; HIP's are the same.
enum : int32_t {
  kSuccess = 0,
  kOutOfMemory = 2,
  kNotFound = 500,
  kNotReady = 600,
  kPeerAlready = 704,
  kTooLarge = 720,  // a cooperative launch
  kHostPortable = 1,
  kHostMapped = 2,
  kManagedGlobal = 1,
  kStreamNonBlocking = 1,
  kEventNoTiming = 2,
  kPointerMemoryType = 2,
  kPointerOrdinal = 9,
  kMemoryTypeHost = 1,
  kFunctionMaxThreads = 0,
  kFunctionSharedBytes = 1,
  kFunctionLocalBytes = 3,
  kFunctionRegisters = 4,
  kFunctionMaxDynamicShared = 8,
  kPoolReleaseThreshold = 4,
  kPoolReserved = 5,
  kPoolUsed = 7,
  kCaptureOfThread = 1,
  kAttributeCooperative = 2,
  kAttributeCluster = 4,
  kReadAndWrite = 3,
};

// Properties of a memory pool: pinned memory of one device.
struct PoolProperties {
  int32_t type = 1;  // pinned
  int32_t handles = 0;
  int32_t location = 1;  // a device
  int32_t device = 0;
  void* security = nullptr;
  size_t most = 0;
  std::byte reserved[56] = {};
};

// Properties of memory that cuMemCreate allocates (CUmemAllocationProp).
struct PhysicalProperties {
  int32_t type = 1;      // pinned
  int32_t handles = 1;   // POSIX file descriptors
  int32_t location = 1;  // a device
  int32_t device = 0;
  void* security = nullptr;
  std::byte flags[8] = {};
};
static_assert(sizeof(PhysicalProperties) == 32);

// Memory of another API: CUDA_EXTERNAL_MEMORY_HANDLE_DESC and CUDA_EXTERNAL_MEMORY_BUFFER_DESC.
struct ExternalMemory {
  int32_t type = 1;  // an opaque file descriptor
  int32_t padding = 0;
  int32_t descriptor = -1;
  int32_t more[3] = {};
  uint64_t bytes = 0;
  uint32_t flags = 1;  // a dedicated allocation
  uint32_t reserved[16] = {};
};
struct ExternalRange {
  uint64_t offset = 0, bytes = 0;
  uint32_t flags = 0;
  uint32_t reserved[16] = {};
};
static_assert(sizeof(ExternalMemory) == 104 && sizeof(ExternalRange) == 88);

struct IpcHandle {
  unsigned char bytes[64] = {};
};

// Access rights to a pool's memory, or to memory that is mapped explicitly.
struct PoolAccess {
  int32_t location = 1;  // a device
  int32_t device = 0;
  int32_t rights = kReadAndWrite;
};

// A launch with attributes; CUDA only.
struct LaunchAttribute {
  int32_t id = 0;
  int32_t padding = 0;
  uint32_t value[16] = {};
};
struct LaunchConfig {
  uint32_t grid[3] = {}, block[3] = {};
  uint32_t shared_bytes = 0;
  StreamId stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  uint32_t attribute_count = 0;
};
static_assert(sizeof(LaunchAttribute) == 72 && sizeof(LaunchConfig) == 56);

// clang-format off
// Name here, CUDA's name and API version, HIP's name, parameters. All return 0 or an error code.
#define QUERN_CUDA_SYMBOLS(X)                                                                                          \
  X(init, "cuInit", 2000, "hipInit", (uint32_t))                                                                       \
  X(driver_version, "cuDriverGetVersion", 2020, "hipDriverGetVersion", (int*))                                         \
  X(device_count, "cuDeviceGetCount", 2000, "hipGetDeviceCount", (int*))                                               \
  X(device_get, "cuDeviceGet", 2000, "hipDeviceGet", (DeviceId*, int))                                                 \
  X(device_name, "cuDeviceGetName", 2000, "hipDeviceGetName", (char*, int, DeviceId))                                  \
  X(device_memory, "cuDeviceTotalMem", 3020, "hipDeviceTotalMem", (size_t*, DeviceId))                                 \
  X(device_attribute, "cuDeviceGetAttribute", 2000, "hipDeviceGetAttribute", (int*, int, DeviceId))                    \
  X(device_pci, "cuDeviceGetPCIBusId", 4010, "hipDeviceGetPCIBusId", (char*, int, DeviceId))                           \
  X(context_retain, "cuDevicePrimaryCtxRetain", 7000, "hipDevicePrimaryCtxRetain", (Context*, DeviceId))               \
  X(context_use, "cuCtxSetCurrent", 4000, "hipCtxSetCurrent", (Context))                                               \
  X(memory_info, "cuMemGetInfo", 3020, "hipMemGetInfo", (size_t*, size_t*))                                            \
  X(allocate, "cuMemAlloc", 3020, "hipMalloc", (Address*, size_t))                                                     \
  X(free, "cuMemFree", 3020, "hipFree", (Address))                                                                     \
  X(allocate_host, "cuMemHostAlloc", 2020, "hipHostMalloc", (void**, size_t, uint32_t))                                \
  X(free_host, "cuMemFreeHost", 2000, "hipHostFree", (void*))                                                          \
  X(host_address, "cuMemHostGetDevicePointer", 3020, "hipHostGetDevicePointer", (Address*, void*, uint32_t))           \
  X(allocate_managed, "cuMemAllocManaged", 6000, "hipMallocManaged", (Address*, size_t, uint32_t))                     \
  X(pointer_attribute, "cuPointerGetAttribute", 4000, "hipPointerGetAttribute", (void*, int, Address))                 \
  X(upload, "cuMemcpyHtoDAsync", 3020, "hipMemcpyHtoDAsync", (Address, const void*, size_t, StreamId))                 \
  X(download, "cuMemcpyDtoHAsync", 3020, "hipMemcpyDtoHAsync", (void*, Address, size_t, StreamId))                     \
  X(copy, "cuMemcpyDtoDAsync", 3020, "hipMemcpyDtoDAsync", (Address, Address, size_t, StreamId))                       \
  X(fill8, "cuMemsetD8Async", 3020, "hipMemsetD8Async", (Address, uint8_t, size_t, StreamId))                          \
  X(fill16, "cuMemsetD16Async", 3020, "hipMemsetD16Async", (Address, uint16_t, size_t, StreamId))                      \
  X(fill32, "cuMemsetD32Async", 3020, "hipMemsetD32Async", (Address, uint32_t, size_t, StreamId))                      \
  X(module_load, "cuModuleLoadDataEx", 2010, "hipModuleLoadDataEx", (ModuleId*, const void*, uint32_t, int*, void**))  \
  X(module_unload, "cuModuleUnload", 2000, "hipModuleUnload", (ModuleId))                                              \
  X(module_function, "cuModuleGetFunction", 2000, "hipModuleGetFunction", (FunctionId*, ModuleId, const char*))        \
  X(module_global, "cuModuleGetGlobal", 3020, "hipModuleGetGlobal", (Address*, size_t*, ModuleId, const char*))        \
  X(function_attribute, "cuFuncGetAttribute", 2020, "hipFuncGetAttribute", (int*, int, FunctionId))                    \
  X(launch, "cuLaunchKernel", 4000, "hipModuleLaunchKernel", (FunctionId, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, StreamId, void**, void**)) \
  X(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor", 6050, "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor", (int*, FunctionId, int, size_t)) \
  X(stream_priorities, "cuCtxGetStreamPriorityRange", 5050, "hipDeviceGetStreamPriorityRange", (int*, int*))           \
  X(stream_create, "cuStreamCreateWithPriority", 5050, "hipStreamCreateWithPriority", (StreamId*, uint32_t, int))      \
  X(stream_destroy, "cuStreamDestroy", 4000, "hipStreamDestroy", (StreamId))                                           \
  X(stream_wait, "cuStreamWaitEvent", 3020, "hipStreamWaitEvent", (StreamId, EventId, uint32_t))                       \
  X(stream_query, "cuStreamQuery", 2000, "hipStreamQuery", (StreamId))                                                 \
  X(stream_synchronize, "cuStreamSynchronize", 2000, "hipStreamSynchronize", (StreamId))                               \
  X(event_create, "cuEventCreate", 2000, "hipEventCreateWithFlags", (EventId*, uint32_t))                              \
  X(event_destroy, "cuEventDestroy", 4000, "hipEventDestroy", (EventId))                                               \
  X(event_record, "cuEventRecord", 2000, "hipEventRecord", (EventId, StreamId))                                        \
  X(event_query, "cuEventQuery", 2000, "hipEventQuery", (EventId))                                                     \
  X(event_synchronize, "cuEventSynchronize", 2000, "hipEventSynchronize", (EventId))                                   \
  X(event_elapsed, "cuEventElapsedTime", 2000, "hipEventElapsedTime", (float*, EventId, EventId))

// Null if the library lacks the function; an empty name: the vendor does not have it.
#define QUERN_CUDA_NEWER_SYMBOLS(X)                                                                                    \
  X(error_name, "cuGetErrorName", 6000, "hipDrvGetErrorName", (int32_t, const char**))                                 \
  X(launch_cooperative, "cuLaunchCooperativeKernel", 9000, "hipModuleLaunchCooperativeKernel", (FunctionId, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, StreamId, void**)) \
  X(context_reset, "cuDevicePrimaryCtxReset", 11000, "hipDevicePrimaryCtxReset", (DeviceId))                           \
  X(launch_with, "cuLaunchKernelEx", 11060, "", (const LaunchConfig*, FunctionId, void**, void**))                     \
  X(peer_reaches, "cuDeviceCanAccessPeer", 4000, "hipDeviceCanAccessPeer", (int*, DeviceId, DeviceId))                 \
  X(peer_allow, "cuCtxEnablePeerAccess", 4000, "hipCtxEnablePeerAccess", (Context, uint32_t))                          \
  X(peer_copy, "cuMemcpyPeerAsync", 4000, "hipMemcpyPeerAsync", (Address, uintptr_t, Address, uintptr_t, size_t, StreamId)) \
  X(pool_allow, "cuMemPoolSetAccess", 11020, "hipMemPoolSetAccess", (PoolId, const PoolAccess*, size_t))               \
  X(host_register, "cuMemHostRegister", 6050, "hipHostRegister", (void*, size_t, uint32_t))                             \
  X(host_forget, "cuMemHostUnregister", 4000, "hipHostUnregister", (void*))                                            \
  X(stream_call, "cuLaunchHostFunc", 10000, "hipLaunchHostFunc", (StreamId, HostFunction, void*))                      \
  X(device_uuid, "cuDeviceGetUuid", 11040, "hipDeviceGetUuid", (void*, DeviceId))                                      \
  X(fill_rows, "cuMemsetD2D32Async", 3020, "", (Address, size_t, uint32_t, size_t, size_t, StreamId))                   \
  X(function_set, "cuFuncSetAttribute", 9000, "", (FunctionId, int, int))                                              \
  X(encode_tiled, "cuTensorMapEncodeTiled", 12000, "", (void*, int, uint32_t, Address, const uint64_t*, const uint64_t*, const uint32_t*, const uint32_t*, int, int, int, int)) \
  X(function_parameter, "cuFuncGetParamInfo", 12040, "", (FunctionId, size_t, size_t*, size_t*))                       \
  X(pool_create, "cuMemPoolCreate", 11020, "hipMemPoolCreate", (PoolId*, const PoolProperties*))                       \
  X(pool_destroy, "cuMemPoolDestroy", 11020, "hipMemPoolDestroy", (PoolId))                                            \
  X(pool_set, "cuMemPoolSetAttribute", 11020, "hipMemPoolSetAttribute", (PoolId, int, void*))                          \
  X(pool_get, "cuMemPoolGetAttribute", 11020, "hipMemPoolGetAttribute", (PoolId, int, void*))                          \
  X(pool_trim, "cuMemPoolTrimTo", 11020, "hipMemPoolTrimTo", (PoolId, size_t))                                         \
  X(pool_allocate, "cuMemAllocFromPoolAsync", 11020, "hipMallocFromPoolAsync", (Address*, size_t, PoolId, StreamId))   \
  X(pool_free, "cuMemFreeAsync", 11020, "hipFreeAsync", (Address, StreamId))                                         \
  X(occupancy_best, "cuOccupancyMaxPotentialBlockSize", 6050, "", (int*, int*, FunctionId, void*, size_t, int)) \
  X(capture_begin, "cuStreamBeginCapture", 10010, "hipStreamBeginCapture", (StreamId, int))                            \
  X(capture_end, "cuStreamEndCapture", 10000, "hipStreamEndCapture", (StreamId, GraphId*))                             \
  X(graph_destroy, "cuGraphDestroy", 10000, "hipGraphDestroy", (GraphId))                                              \
  X(graph_make, "cuGraphInstantiateWithFlags", 11040, "hipGraphInstantiateWithFlags", (RunnableId*, GraphId, uint64_t)) \
  X(graph_update, "cuGraphExecUpdate", 10020, "hipGraphExecUpdate", (RunnableId, GraphId, void**, int*))               \
  X(graph_run, "cuGraphLaunch", 10000, "hipGraphLaunch", (RunnableId, StreamId))                                       \
  X(graph_end, "cuGraphExecDestroy", 10000, "hipGraphExecDestroy", (RunnableId))                                       \
  X(ipc_get, "cuIpcGetMemHandle", 4010, "hipIpcGetMemHandle", (IpcHandle*, Address))                                    \
  X(ipc_open, "cuIpcOpenMemHandle", 11000, "hipIpcOpenMemHandle", (Address*, IpcHandle, uint32_t))                      \
  X(ipc_close, "cuIpcCloseMemHandle", 4010, "hipIpcCloseMemHandle", (Address))                                          \
  X(physical_granularity, "cuMemGetAllocationGranularity", 10020, "", (size_t*, const PhysicalProperties*, int))        \
  X(physical_create, "cuMemCreate", 10020, "", (uint64_t*, size_t, const PhysicalProperties*, uint64_t))                \
  X(physical_release, "cuMemRelease", 10020, "", (uint64_t))                                                            \
  X(physical_export, "cuMemExportToShareableHandle", 10020, "", (void*, uint64_t, int, uint64_t))                       \
  X(physical_import, "cuMemImportFromShareableHandle", 10020, "", (uint64_t*, void*, int))                              \
  X(range_reserve, "cuMemAddressReserve", 10020, "", (Address*, size_t, size_t, Address, uint64_t))                     \
  X(range_free, "cuMemAddressFree", 10020, "", (Address, size_t))                                                       \
  X(range_map, "cuMemMap", 10020, "", (Address, size_t, size_t, uint64_t, uint64_t))                                    \
  X(range_unmap, "cuMemUnmap", 10020, "", (Address, size_t))                                                            \
  X(range_allow, "cuMemSetAccess", 10020, "", (Address, size_t, const PoolAccess*, size_t))                             \
  X(external_import, "cuImportExternalMemory", 10000, "", (ExternalId*, const ExternalMemory*))                         \
  X(external_map, "cuExternalMemoryGetMappedBuffer", 10000, "", (Address*, ExternalId, const ExternalRange*))           \
  X(external_destroy, "cuDestroyExternalMemory", 10000, "", (ExternalId))
// clang-format on

struct Vendor;

struct Api {
#define X(name, cuda, version, hip, parameters) int32_t(*name) parameters = nullptr;
  QUERN_CUDA_NEWER_SYMBOLS(X)
  QUERN_CUDA_SYMBOLS(X)
#undef X
  const Vendor* vendor = nullptr;
  std::string library;

  bool has_pools() const {
    return pool_create != nullptr && pool_destroy != nullptr && pool_set != nullptr && pool_get != nullptr &&
           pool_trim != nullptr && pool_allocate != nullptr && pool_free != nullptr;
  }
  bool has_ipc() const { return ipc_get != nullptr && ipc_open != nullptr && ipc_close != nullptr; }
  bool has_physical_memory() const {
    return physical_granularity != nullptr && physical_create != nullptr && physical_release != nullptr &&
           physical_export != nullptr && physical_import != nullptr && range_reserve != nullptr &&
           range_free != nullptr && range_map != nullptr && range_unmap != nullptr && range_allow != nullptr;
  }
  bool has_external_memory() const {
    return external_import != nullptr && external_map != nullptr && external_destroy != nullptr;
  }
  bool has_graphs() const {
    return capture_begin != nullptr && capture_end != nullptr && graph_destroy != nullptr &&
           graph_make != nullptr && graph_update != nullptr && graph_run != nullptr && graph_end != nullptr;
  }
};

// Whether the program has loaded the vendor's library itself.
bool api_in_use(const Vendor& vendor);

Result<Api> load_api(const Vendor& vendor);

// Whether the error table contains the code.
bool is_known(const Vendor& vendor, int32_t code);
// Whether the error is sticky: the context, with its kernels, memory and streams, is lost.
bool is_sticky(const Vendor& vendor, int32_t code);
// "a kernel accessed an invalid address (CUDA_ERROR_ILLEGAL_ADDRESS)"
std::string describe_error(const Api& api, int32_t code);
// The error of a call that returned `code`, which is not 0: "cuMemAlloc failed: …".
base::Error failed(const Api& api, std::string_view call, int32_t code);

}  // namespace quern::cuda

// QUERN_CU(api, stream_synchronize(stream)): returns the error of the call from the enclosing function.
#define QUERN_CU(api, call)                                                        \
  do {                                                                             \
    if (const int32_t quern_cu_ = (api).call; quern_cu_ != 0) [[unlikely]] {       \
      const std::string_view quern_text_ = #call;                                  \
      return failed(api, quern_text_.substr(0, quern_text_.find('(')), quern_cu_); \
    }                                                                              \
  } while (false)
