// The native library of the template: one processor that runs the body of an inline kernel, one thread after
// another. A real driver deletes this file and loads the vendor's library:
//
//   constexpr std::string_view kNames[] = {"libnull-compute.so.1", "libnull-compute.so"};
//   QUERN_TRY_ASSIGN(const auto library, base::SharedLibrary::open(kNames, ""));
//   Api api;
//   #define X(name, result, parameters) QUERN_TRY(library.load(#name, api.name));
//   #define O(name, result, parameters)
//     api.name = reinterpret_cast<decltype(api.name)>(library.find(#name));
//   QUERN_NULL_API(X, O)
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "driver/null/api.hpp"
#include "driver/null/device.hpp"
#include "quern/kernel/thread.hpp"

namespace quern::null {

struct NullDeviceHandle {
  std::atomic<uint64_t> used{0};
};

namespace {

// The size of a block of memory is stored in front of it.
constexpr uint64_t kHeader = 256;

NullStatus device_count(uint32_t* count) {
  *count = 1;
  return kSuccess;
}

NullStatus device_open(uint32_t index, NullDeviceHandle** device) {
  if (index != 0) return kNoDevice;
  *device = new NullDeviceHandle;
  return kSuccess;
}

NullStatus device_close(NullDeviceHandle* device) {
  delete device;
  return kSuccess;
}

NullStatus memory_allocate(NullDeviceHandle* device, uint64_t bytes, void** memory) {
  if (bytes > kMemoryBytes || device->used + bytes > kMemoryBytes) return kOutOfMemory;
  auto* const start =
      static_cast<std::byte*>(std::aligned_alloc(kHeader, kHeader + (bytes + kHeader) / kHeader * kHeader));
  if (start == nullptr) return kOutOfMemory;
  std::memcpy(start, &bytes, sizeof bytes);
  device->used += bytes;
  *memory = start + kHeader;
  return kSuccess;
}

NullStatus memory_free(NullDeviceHandle* device, void* memory) {
  std::byte* const start = static_cast<std::byte*>(memory) - kHeader;
  uint64_t bytes = 0;
  std::memcpy(&bytes, start, sizeof bytes);
  device->used -= bytes;
  std::free(start);
  return kSuccess;
}

NullStatus copy(NullDeviceHandle*, void* to, const void* from, uint64_t bytes) {
  if (bytes != 0) std::memcpy(to, from, bytes);
  return kSuccess;
}

NullStatus run(NullDeviceHandle*, NullFunction function, void* const* arguments, const uint32_t* grid,
               const uint32_t* block) {
  kernel::gridDim = {grid[0], grid[1], grid[2]};
  kernel::blockDim = {block[0], block[1], block[2]};
  for (uint32_t b = 0; b < grid[0] * grid[1] * grid[2]; ++b) {
    kernel::blockIdx = {b % grid[0], b / grid[0] % grid[1], b / grid[0] / grid[1]};
    for (uint32_t row = 0; row < block[1] * block[2]; ++row) {
      kernel::threadIdx = {0, row % block[1], row / block[1]};
      function(arguments, block[0]);
    }
  }
  return kSuccess;
}

NullStatus free_memory(NullDeviceHandle* device, uint64_t* bytes) {
  *bytes = kMemoryBytes - device->used;
  return kSuccess;
}

}  // namespace

base::Result<Api> Api::load() {
  return Api{.nullDeviceCount = device_count,
             .nullDeviceOpen = device_open,
             .nullDeviceClose = device_close,
             .nullMemoryAllocate = memory_allocate,
             .nullMemoryFree = memory_free,
             .nullCopy = copy,
             .nullRun = run,
             .nullDeviceFreeMemory = free_memory};
}

}  // namespace quern::null
