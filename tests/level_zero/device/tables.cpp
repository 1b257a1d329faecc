// The tables through which the loader finds the functions, in the order of version 1.4 (ze_ddi.h). A function
// that the device does not have is null. The same functions are exported by their names, so that the library
// also serves without a loader.
#include <type_traits>

#include "level_zero/device/objects.hpp"

using namespace quern::test_level_zero;  // NOLINT(google-build-using-namespace)

// clang-format off
#define X(name, parameters) extern "C" ZeResult name parameters;
QUERN_LEVEL_ZERO_SYMBOLS(X)
QUERN_LEVEL_ZERO_OPTIONAL(X)
#undef X

#define F(name) reinterpret_cast<void*>(name)
#define TABLE(name, ...)                                                   \
  ZE(name)(uint32_t, void** table) {                                       \
    void* const functions[] = {__VA_ARGS__};                               \
    if (table == nullptr) return kNullPointer;                             \
    for (size_t i = 0; i < std::size(functions); ++i) table[i] = functions[i]; \
    return kSuccess;                                                       \
  }
// Of tools and Sysman, whose functions are optional.
#define EMPTY(name) \
  ZE(name)(uint32_t, void** table) { return table == nullptr ? kNullPointer : kSuccess; }
#define NONE nullptr

TABLE(zeGetGlobalProcAddrTable, F(zeInit))
TABLE(zeGetDriverProcAddrTable, F(zeDriverGet), F(zeDriverGetApiVersion), F(zeDriverGetProperties), NONE,
      F(zeDriverGetExtensionProperties), NONE)
TABLE(zeGetDeviceProcAddrTable, F(zeDeviceGet), F(zeDeviceGetSubDevices), F(zeDeviceGetProperties), F(zeDeviceGetComputeProperties),
      F(zeDeviceGetModuleProperties), F(zeDeviceGetCommandQueueGroupProperties), F(zeDeviceGetMemoryProperties),
      F(zeDeviceGetMemoryAccessProperties), F(zeDeviceGetCacheProperties), NONE, NONE, NONE,
      F(zeDeviceCanAccessPeer), F(zeDeviceGetStatus), F(zeDeviceGetGlobalTimestamps), NONE, NONE,
      F(zeDevicePciGetPropertiesExt))
TABLE(zeGetDeviceExpProcAddrTable, NONE)
TABLE(zeGetContextProcAddrTable, F(zeContextCreate), F(zeContextDestroy), NONE, NONE, NONE, NONE, NONE, NONE, NONE)
TABLE(zeGetCommandQueueProcAddrTable, F(zeCommandQueueCreate), F(zeCommandQueueDestroy),
      F(zeCommandQueueExecuteCommandLists), NONE)
TABLE(zeGetCommandListProcAddrTable, F(zeCommandListCreate), F(zeCommandListCreateImmediate), F(zeCommandListDestroy),
      F(zeCommandListClose), NONE, NONE, F(zeCommandListAppendBarrier), NONE, F(zeCommandListAppendMemoryCopy),
      F(zeCommandListAppendMemoryFill), NONE, F(zeCommandListAppendMemoryCopyFromContext), NONE, NONE, NONE, NONE, NONE,
      NONE, NONE, NONE, NONE, NONE, F(zeCommandListAppendLaunchKernel), NONE, NONE, NONE, NONE, NONE)
TABLE(zeGetImageProcAddrTable, NONE, NONE, NONE, NONE)
TABLE(zeGetImageExpProcAddrTable, NONE, NONE)
TABLE(zeGetFenceProcAddrTable, NONE, NONE, NONE, NONE, NONE)
TABLE(zeGetEventPoolProcAddrTable, F(zeEventPoolCreate), F(zeEventPoolDestroy), NONE, NONE, NONE)
TABLE(zeGetEventProcAddrTable, F(zeEventCreate), F(zeEventDestroy), NONE, F(zeEventHostSynchronize),
      F(zeEventQueryStatus), F(zeEventHostReset), F(zeEventQueryKernelTimestamp))
TABLE(zeGetEventExpProcAddrTable, NONE)
TABLE(zeGetModuleProcAddrTable, F(zeModuleCreate), F(zeModuleDestroy), NONE, F(zeModuleGetNativeBinary), NONE, NONE,
      NONE, NONE, NONE)
TABLE(zeGetModuleBuildLogProcAddrTable, F(zeModuleBuildLogDestroy), F(zeModuleBuildLogGetString))
TABLE(zeGetKernelProcAddrTable, F(zeKernelCreate), F(zeKernelDestroy), NONE, F(zeKernelSetGroupSize), NONE, NONE,
      F(zeKernelSetArgumentValue), F(zeKernelSetIndirectAccess), NONE, NONE, F(zeKernelGetProperties), NONE)
TABLE(zeGetKernelExpProcAddrTable, NONE, NONE)
TABLE(zeGetSamplerProcAddrTable, NONE, NONE)
TABLE(zeGetPhysicalMemProcAddrTable, NONE, NONE)
TABLE(zeGetMemProcAddrTable, F(zeMemAllocShared), F(zeMemAllocDevice), F(zeMemAllocHost), F(zeMemFree), NONE, NONE,
      NONE, NONE, NONE, NONE)
TABLE(zeGetVirtualMemProcAddrTable, NONE, NONE, NONE, NONE, NONE, NONE, NONE)
TABLE(zeGetFabricVertexExpProcAddrTable, NONE, NONE, NONE, NONE)
TABLE(zeGetFabricEdgeExpProcAddrTable, NONE, NONE, NONE)

TABLE(zesGetDeviceProcAddrTable, F(zesDeviceGetProperties), NONE, NONE, NONE, F(zesDevicePciGetProperties), NONE, NONE,
      NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, F(zesDeviceEnumMemoryModules))
TABLE(zesGetMemoryProcAddrTable, F(zesMemoryGetProperties), F(zesMemoryGetState), NONE)
EMPTY(zesGetDriverProcAddrTable)
EMPTY(zesGetDiagnosticsProcAddrTable)
EMPTY(zesGetEngineProcAddrTable)
EMPTY(zesGetFabricPortProcAddrTable)
EMPTY(zesGetFanProcAddrTable)
EMPTY(zesGetFirmwareProcAddrTable)
EMPTY(zesGetFrequencyProcAddrTable)
EMPTY(zesGetLedProcAddrTable)
EMPTY(zesGetPerformanceFactorProcAddrTable)
EMPTY(zesGetPowerProcAddrTable)
EMPTY(zesGetPsuProcAddrTable)
EMPTY(zesGetRasProcAddrTable)
EMPTY(zesGetSchedulerProcAddrTable)
EMPTY(zesGetStandbyProcAddrTable)
EMPTY(zesGetTemperatureProcAddrTable)
EMPTY(zetGetDeviceProcAddrTable)
EMPTY(zetGetContextProcAddrTable)
EMPTY(zetGetCommandListProcAddrTable)
EMPTY(zetGetKernelProcAddrTable)
EMPTY(zetGetModuleProcAddrTable)
EMPTY(zetGetDebugProcAddrTable)
EMPTY(zetGetMetricProcAddrTable)
EMPTY(zetGetMetricGroupProcAddrTable)
EMPTY(zetGetMetricGroupExpProcAddrTable)
EMPTY(zetGetMetricQueryProcAddrTable)
EMPTY(zetGetMetricQueryPoolProcAddrTable)
EMPTY(zetGetMetricStreamerProcAddrTable)
EMPTY(zetGetTracerExpProcAddrTable)
// clang-format on

// Objects that are not destroyed, without the driver and its devices; for tests.
extern "C" [[gnu::visibility("default")]] int quern_level_zero_live_objects() {
  return Object::live() - 1 - static_cast<int>(the_driver().devices.size());
}
