// The functions of Level Zero that the driver uses. The loader (libze_loader.so.1) is opened when the driver
// starts.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "driver/level_zero/types.hpp"

namespace quern::level_zero {

template <typename T = void>
using Result = base::Result<T>;

// clang-format off
#define QUERN_LEVEL_ZERO_SYMBOLS(X)                                                                                   \
  X(zeInit, (uint32_t))                                                                                               \
  X(zeDriverGet, (uint32_t*, ZeDriver*))                                                                              \
  X(zeDriverGetApiVersion, (ZeDriver, uint32_t*))                                                                     \
  X(zeDriverGetProperties, (ZeDriver, DriverProperties*))                                                             \
  X(zeDriverGetExtensionProperties, (ZeDriver, uint32_t*, ExtensionProperties*))                                      \
  X(zeDeviceGet, (ZeDriver, uint32_t*, ZeDevice*))                                                                    \
  X(zeDeviceGetProperties, (ZeDevice, DeviceProperties*))                                                             \
  X(zeDeviceGetComputeProperties, (ZeDevice, ComputeProperties*))                                                     \
  X(zeDeviceGetModuleProperties, (ZeDevice, ModuleProperties*))                                                       \
  X(zeDeviceGetCommandQueueGroupProperties, (ZeDevice, uint32_t*, GroupProperties*))                                  \
  X(zeDeviceGetMemoryProperties, (ZeDevice, uint32_t*, MemoryProperties*))                                            \
  X(zeDeviceGetMemoryAccessProperties, (ZeDevice, MemoryAccessProperties*))                                           \
  X(zeDeviceGetCacheProperties, (ZeDevice, uint32_t*, CacheProperties*))                                              \
  X(zeDeviceCanAccessPeer, (ZeDevice, ZeDevice, uint8_t*))                                                            \
  X(zeDeviceGetStatus, (ZeDevice))                                                                                    \
  X(zeDeviceGetGlobalTimestamps, (ZeDevice, uint64_t*, uint64_t*))                                                    \
  X(zeContextCreate, (ZeDriver, const ContextDesc*, ZeContext*))                                                      \
  X(zeContextDestroy, (ZeContext))                                                                                    \
  X(zeCommandQueueCreate, (ZeContext, ZeDevice, const QueueDesc*, ZeQueue*))                                          \
  X(zeCommandQueueDestroy, (ZeQueue))                                                                                 \
  X(zeCommandQueueExecuteCommandLists, (ZeQueue, uint32_t, ZeList*, void*))                                           \
  X(zeCommandListCreate, (ZeContext, ZeDevice, const ListDesc*, ZeList*))                                             \
  X(zeCommandListCreateImmediate, (ZeContext, ZeDevice, const QueueDesc*, ZeList*))                                   \
  X(zeCommandListDestroy, (ZeList))                                                                                   \
  X(zeCommandListClose, (ZeList))                                                                                     \
  X(zeCommandListAppendBarrier, (ZeList, ZeEvent, uint32_t, ZeEvent*))                                                \
  X(zeCommandListAppendMemoryCopy, (ZeList, void*, const void*, size_t, ZeEvent, uint32_t, ZeEvent*))                 \
  X(zeCommandListAppendMemoryCopyFromContext, (ZeList, void*, ZeContext, const void*, size_t, ZeEvent, uint32_t, ZeEvent*)) \
  X(zeCommandListAppendMemoryFill, (ZeList, void*, const void*, size_t, size_t, ZeEvent, uint32_t, ZeEvent*))         \
  X(zeCommandListAppendLaunchKernel, (ZeList, ZeKernel, const GroupCount*, ZeEvent, uint32_t, ZeEvent*))              \
  X(zeEventPoolCreate, (ZeContext, const EventPoolDesc*, uint32_t, ZeDevice*, ZeEventPool*))                          \
  X(zeEventPoolDestroy, (ZeEventPool))                                                                                \
  X(zeEventCreate, (ZeEventPool, const EventDesc*, ZeEvent*))                                                         \
  X(zeEventDestroy, (ZeEvent))                                                                                        \
  X(zeEventHostSynchronize, (ZeEvent, uint64_t))                                                                      \
  X(zeEventQueryStatus, (ZeEvent))                                                                                    \
  X(zeEventHostReset, (ZeEvent))                                                                                      \
  X(zeEventQueryKernelTimestamp, (ZeEvent, Timestamps*))                                                              \
  X(zeModuleCreate, (ZeContext, ZeDevice, const ModuleDesc*, ZeModule*, ZeLog*))                                      \
  X(zeModuleDestroy, (ZeModule))                                                                                      \
  X(zeModuleGetNativeBinary, (ZeModule, size_t*, uint8_t*))                                                           \
  X(zeModuleBuildLogGetString, (ZeLog, size_t*, char*))                                                               \
  X(zeModuleBuildLogDestroy, (ZeLog))                                                                                 \
  X(zeKernelCreate, (ZeModule, const KernelDesc*, ZeKernel*))                                                         \
  X(zeKernelDestroy, (ZeKernel))                                                                                      \
  X(zeKernelSetGroupSize, (ZeKernel, uint32_t, uint32_t, uint32_t))                                                   \
  X(zeKernelSetArgumentValue, (ZeKernel, uint32_t, size_t, const void*))                                              \
  X(zeKernelSetIndirectAccess, (ZeKernel, uint32_t))                                                                  \
  X(zeKernelGetProperties, (ZeKernel, KernelProperties*))                                                             \
  X(zeMemAllocShared, (ZeContext, const DeviceAllocation*, const HostAllocation*, size_t, size_t, ZeDevice, void**))  \
  X(zeMemAllocDevice, (ZeContext, const DeviceAllocation*, size_t, size_t, ZeDevice, void**))                         \
  X(zeMemAllocHost, (ZeContext, const HostAllocation*, size_t, size_t, void**))                                       \
  X(zeMemFree, (ZeContext, void*))

// Null where the loader is older or has no Sysman.
#define QUERN_LEVEL_ZERO_OPTIONAL(X)                                                                                  \
  X(zeDeviceGetSubDevices, (ZeDevice, uint32_t*, ZeDevice*))                                                          \
  X(zeDevicePciGetPropertiesExt, (ZeDevice, PciProperties*))                                                          \
  X(zesInit, (uint32_t))                                                                                              \
  X(zesDriverGet, (uint32_t*, ZeDriver*))                                                                             \
  X(zesDeviceGet, (ZeDriver, uint32_t*, ZeDevice*))                                                                   \
  X(zesDeviceGetProperties, (ZeDevice, SysmanDeviceProperties*))                                                      \
  X(zesDevicePciGetProperties, (ZeDevice, SysmanPciProperties*))                                                      \
  X(zesDeviceEnumMemoryModules, (ZeDevice, uint32_t*, ZesMemory*))                                                    \
  X(zesMemoryGetProperties, (ZesMemory, SysmanMemoryProperties*))                                                     \
  X(zesMemoryGetState, (ZesMemory, SysmanMemoryState*))
// clang-format on

struct Api {
#define X(name, parameters) ZeResult(*name) parameters = nullptr;
  QUERN_LEVEL_ZERO_SYMBOLS(X)
  QUERN_LEVEL_ZERO_OPTIONAL(X)
#undef X
  std::string library;

  static Result<Api> load();
};

/// The error of a call that returned `code`, which is not kSuccess, with a hint where the user can act.
base::Error failed(std::string_view call, ZeResult code);
bool is_known(ZeResult code);  // to the table that failed() uses

/// All items of a query that returns their number first. An error of the query is no items.
template <typename Item, typename Query>
std::vector<Item> list_of(const Query& query) {
  uint32_t count = 0;
  if (query(&count, nullptr) != kSuccess) return {};
  std::vector<Item> items(count);
  if (count == 0 || query(&count, items.data()) != kSuccess) return {};
  items.resize(std::min<size_t>(count, items.size()));
  return items;
}

}  // namespace quern::level_zero

// QUERN_ZE(zeCommandListClose(list)): returns the error of the call from the enclosing function. Uses api_.
#define QUERN_ZE(call)                                                        \
  do {                                                                        \
    if (const ZeResult quern_ze_ = api_->call; quern_ze_ != kSuccess) {       \
      const std::string_view quern_text_ = #call;                             \
      return failed(quern_text_.substr(0, quern_text_.find('(')), quern_ze_); \
    }                                                                         \
  } while (false)
