// The part of the OpenCL C API that is used, declared here: no header is needed, and the library is loaded
// when the driver starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace quern::opencl {

template <typename T = void>
using Result = base::Result<T>;

using Platform = struct PlatformTag*;
using DeviceId = struct DeviceIdTag*;
using Context = struct ContextTag*;
using CommandQueue = struct CommandQueueTag*;
using Mem = struct MemTag*;
using ProgramId = struct ProgramIdTag*;
using KernelId = struct KernelIdTag*;
using EventId = struct EventIdTag*;
using CommandBuffer = struct CommandBufferTag*;
using Notify = void (*)(const char*, const void*, size_t, void*);
using Built = void (*)(ProgramId, void*);

// clang-format off
// Constants of cl.h and of the extensions cl_khr_pci_bus_info, cl_khr_device_uuid,
// cl_intel_unified_shared_memory and cl_khr_command_buffer.
enum : uint32_t {
  kPlatformName = 0x0902, kPlatformVersion = 0x0901, kDeviceTypeAll = 0xFFFFFFFF, kDeviceType = 0x1000,
  kDeviceComputeUnits = 0x1002, kDeviceWorkItemSizes = 0x1005, kDeviceWorkGroupSize = 0x1004, kDeviceClock = 0x100C,
  kDeviceAddressBits = 0x100D, kDeviceMaxAlloc = 0x1010, kDeviceMaxParameterSize = 0x1017,
  kDeviceSingleConfig = 0x101B, kDeviceGlobalMemory = 0x101F, kDeviceLocalMemory = 0x1023,
  kDeviceProfilingResolution = 0x1025, kDeviceAvailable = 0x1027, kDeviceCompilerAvailable = 0x1028,
  kDeviceName = 0x102B, kDeviceVendor = 0x102C, kDriverVersion = 0x102D, kDeviceVersion = 0x102F,
  kDeviceExtensions = 0x1030, kDeviceDoubleConfig = 0x1032, kDeviceUnified = 0x1035, kDeviceLanguage = 0x103D,
  kDeviceSvm = 0x1053, kDeviceIl = 0x105B, kDeviceGenericPointers = 0x1069,
  kUsmHost = 0x4190, kUsmDevice = 0x4191, kUsmAccess = 1 << 0, kExecIndirectHost = 0x4200,
  kExecIndirectDevice = 0x4201, kExecIndirectShared = 0x4202, kDevicePciBus = 0x410F, kDeviceUuid = 0x106A,
  kDeviceCommandBuffers = 0x12A9, kCommandBufferFlags = 0x1293, kSimultaneousUse = 1 << 2, kForSeveral = 1,
  kQueueProfiling = 1 << 1, kMemReadWrite = 1 << 0, kSvmFineGrain = 1 << 10, kCapCoarse = 1 << 0, kCapFine = 1 << 1,
  kCapAtomics = 1 << 3, kProgramBinarySizes = 0x1165, kProgramBinaries = 0x1166, kProgramKernelNames = 0x1168,
  kBuildLog = 0x1183, kKernelNumArgs = 0x1191, kKernelProgram = 0x1194, kArgAddress = 0x1196, kArgTypeName = 0x1198, kAddressGlobal = 0x119B,
  kAddressLocal = 0x119C, kAddressConstant = 0x119D, kKernelWorkGroupSize = 0x11B0, kKernelPrivateBytes = 0x11B4, kKernelGroupMultiple = 0x11B3,
  kMemType = 0x1100, kMemSize = 0x1102, kMemContext = 0x1106, kMemParent = 0x1107, kMemOffset = 0x1108, kMemObjectBuffer = 0x10F0, kRegion = 0x1220,
  kQueueContext = 0x1090, kQueueDevice = 0x1091, kQueueProperties = 0x1093, kQueueOutOfOrder = 1 << 0,
  kExecSvmPointers = 0x11B6, kEventStatus = 0x11D3, kProfilingEnd = 0x1283,
};

#define QUERN_OPENCL_SYMBOLS(X)                                                                                       \
  X(int32_t, clGetPlatformIDs, (uint32_t, Platform*, uint32_t*))                                                      \
  X(int32_t, clGetPlatformInfo, (Platform, uint32_t, size_t, void*, size_t*))                                         \
  X(int32_t, clGetDeviceIDs, (Platform, uint64_t, uint32_t, DeviceId*, uint32_t*))                                    \
  X(int32_t, clGetDeviceInfo, (DeviceId, uint32_t, size_t, void*, size_t*))                                           \
  X(Context, clCreateContext, (const intptr_t*, uint32_t, const DeviceId*, Notify, void*, int32_t*))                  \
  X(int32_t, clReleaseContext, (Context))                                                                             \
  X(CommandQueue, clCreateCommandQueue, (Context, DeviceId, uint64_t, int32_t*))                                      \
  X(int32_t, clReleaseCommandQueue, (CommandQueue))                                                                   \
  X(Mem, clCreateBuffer, (Context, uint64_t, size_t, void*, int32_t*))                                                \
  X(int32_t, clReleaseMemObject, (Mem))                                                                               \
  X(int32_t, clEnqueueReadBuffer, (CommandQueue, Mem, uint32_t, size_t, size_t, void*, uint32_t, const EventId*, EventId*)) \
  X(int32_t, clEnqueueWriteBuffer, (CommandQueue, Mem, uint32_t, size_t, size_t, const void*, uint32_t, const EventId*, EventId*)) \
  X(int32_t, clEnqueueCopyBuffer, (CommandQueue, Mem, Mem, size_t, size_t, size_t, uint32_t, const EventId*, EventId*)) \
  X(int32_t, clEnqueueFillBuffer, (CommandQueue, Mem, const void*, size_t, size_t, size_t, uint32_t, const EventId*, EventId*)) \
  X(ProgramId, clCreateProgramWithSource, (Context, uint32_t, const char**, const size_t*, int32_t*))                 \
  X(ProgramId, clCreateProgramWithBinary, (Context, uint32_t, const DeviceId*, const size_t*, const unsigned char**, int32_t*, int32_t*)) \
  X(int32_t, clBuildProgram, (ProgramId, uint32_t, const DeviceId*, const char*, Built, void*))                       \
  X(int32_t, clGetProgramBuildInfo, (ProgramId, DeviceId, uint32_t, size_t, void*, size_t*))                          \
  X(int32_t, clGetProgramInfo, (ProgramId, uint32_t, size_t, void*, size_t*))                                         \
  X(int32_t, clReleaseProgram, (ProgramId))                                                                           \
  X(KernelId, clCreateKernel, (ProgramId, const char*, int32_t*))                                                     \
  X(int32_t, clReleaseKernel, (KernelId))                                                                             \
  X(int32_t, clSetKernelArg, (KernelId, uint32_t, size_t, const void*))                                               \
  X(int32_t, clGetKernelInfo, (KernelId, uint32_t, size_t, void*, size_t*))                                           \
  X(int32_t, clGetKernelArgInfo, (KernelId, uint32_t, uint32_t, size_t, void*, size_t*))                              \
  X(int32_t, clGetKernelWorkGroupInfo, (KernelId, DeviceId, uint32_t, size_t, void*, size_t*))                        \
  X(int32_t, clEnqueueNDRangeKernel, (CommandQueue, KernelId, uint32_t, const size_t*, const size_t*, const size_t*, uint32_t, const EventId*, EventId*)) \
  X(int32_t, clEnqueueMarkerWithWaitList, (CommandQueue, uint32_t, const EventId*, EventId*))                         \
  X(int32_t, clEnqueueBarrierWithWaitList, (CommandQueue, uint32_t, const EventId*, EventId*))                        \
  X(int32_t, clWaitForEvents, (uint32_t, const EventId*))                                                             \
  X(int32_t, clGetEventInfo, (EventId, uint32_t, size_t, void*, size_t*))                                             \
  X(int32_t, clGetEventProfilingInfo, (EventId, uint32_t, size_t, void*, size_t*))                                    \
  X(int32_t, clReleaseEvent, (EventId))                                                                               \
  X(int32_t, clFlush, (CommandQueue))                                                                                 \
  X(int32_t, clFinish, (CommandQueue))

// Null if the library lacks them: functions of OpenCL 2.0 and later, and those for interoperability.
#define QUERN_OPENCL_NEWER_SYMBOLS(X)                                                                                 \
  X(int32_t, clRetainContext, (Context))                                                                              \
  X(int32_t, clRetainMemObject, (Mem))                                                                                \
  X(int32_t, clGetMemObjectInfo, (Mem, uint32_t, size_t, void*, size_t*))                                             \
  X(Mem, clCreateSubBuffer, (Mem, uint64_t, uint32_t, const void*, int32_t*))                                         \
  X(int32_t, clRetainCommandQueue, (CommandQueue))                                                                    \
  X(int32_t, clGetCommandQueueInfo, (CommandQueue, uint32_t, size_t, void*, size_t*))                                 \
  X(void*, clSVMAlloc, (Context, uint64_t, size_t, uint32_t))                                                         \
  X(void, clSVMFree, (Context, void*))                                                                                \
  X(int32_t, clEnqueueSVMMemcpy, (CommandQueue, uint32_t, void*, const void*, size_t, uint32_t, const EventId*, EventId*)) \
  X(int32_t, clEnqueueSVMMemFill, (CommandQueue, void*, const void*, size_t, size_t, uint32_t, const EventId*, EventId*)) \
  X(int32_t, clSetKernelArgSVMPointer, (KernelId, uint32_t, const void*))                                             \
  X(int32_t, clSetKernelExecInfo, (KernelId, uint32_t, size_t, const void*))                                          \
  X(ProgramId, clCreateProgramWithIL, (Context, const void*, size_t, int32_t*))                                       \
  X(void*, clGetExtensionFunctionAddressForPlatform, (Platform, const char*))

// Extension functions, queried per platform.
#define QUERN_OPENCL_EXTENSIONS(X)                                                                                    \
  X(ProgramId, clCreateProgramWithILKHR, (Context, const void*, size_t, int32_t*))                                    \
  X(void*, clHostMemAllocINTEL, (Context, const uint64_t*, size_t, uint32_t, int32_t*))                               \
  X(void*, clDeviceMemAllocINTEL, (Context, DeviceId, const uint64_t*, size_t, uint32_t, int32_t*))                   \
  X(int32_t, clMemFreeINTEL, (Context, void*))                                                                        \
  X(int32_t, clSetKernelArgMemPointerINTEL, (KernelId, uint32_t, const void*))                                        \
  X(int32_t, clEnqueueMemcpyINTEL, (CommandQueue, uint32_t, void*, const void*, size_t, uint32_t, const EventId*, EventId*)) \
  X(int32_t, clEnqueueMemFillINTEL, (CommandQueue, void*, const void*, size_t, size_t, uint32_t, const EventId*, EventId*)) \
  X(CommandBuffer, clCreateCommandBufferKHR, (uint32_t, const CommandQueue*, const uint64_t*, int32_t*))              \
  X(int32_t, clCommandNDRangeKernelKHR, (CommandBuffer, CommandQueue, const uint64_t*, KernelId, uint32_t, const size_t*, const size_t*, const size_t*, uint32_t, const uint32_t*, uint32_t*, void*)) \
  X(int32_t, clFinalizeCommandBufferKHR, (CommandBuffer))                                                             \
  X(int32_t, clEnqueueCommandBufferKHR, (uint32_t, CommandQueue*, CommandBuffer, uint32_t, const EventId*, EventId*)) \
  X(int32_t, clReleaseCommandBufferKHR, (CommandBuffer))
// clang-format on

struct Api {
#define X(result, name, parameters) result(*name) parameters = nullptr;
  QUERN_OPENCL_SYMBOLS(X)
  QUERN_OPENCL_NEWER_SYMBOLS(X)
  QUERN_OPENCL_EXTENSIONS(X)
#undef X
  std::string library;

  static Result<Api> load();
  Api with_extensions(Platform platform) const;  // of this platform
};

// The error of a call that returned `code`, which is not 0: "clBuildProgram failed with CL_…".
base::Error failed(std::string_view call, int32_t code);
bool is_known(int32_t code);  // in the table that failed() uses

// Returns the text of a query, whose size is queried first. Empty: no text.
std::string text_of(const std::function<int32_t(size_t bytes, void* to, size_t* size)>& query);

}  // namespace quern::opencl

// QUERN_CL(api, clFinish(queue)): returns the error of the call from the enclosing function.
#define QUERN_CL(api, call)                                                   \
  do {                                                                        \
    if (const int32_t quern_cl_ = (api).call; quern_cl_ != 0) {               \
      const std::string_view quern_text_ = #call;                             \
      return failed(quern_text_.substr(0, quern_text_.find('(')), quern_cl_); \
    }                                                                         \
  } while (false)
