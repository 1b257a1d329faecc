// Description of the device, and its life time.
#include "driver/null/device.hpp"

#include "driver/support/native_code.hpp"

namespace quern::null {

using base::ErrorKind;
using driver::Feature;

// Every status of the library's specification.
constexpr driver::NativeCode kCodes[] = {
    {kSuccess, "success", ErrorKind::internal},
    {kOutOfMemory, "out of memory", ErrorKind::out_of_memory},
    {kNoDevice, "no such device", ErrorKind::not_found},
    {kLost, "device lost", ErrorKind::device_lost, "open the device again"},
};

Result<> check(NullStatus status, const char* call) {
  if (status == kSuccess) return {};
  return driver::failed(kCodes, call, status);
}

// A real driver queries all of this. Features and limits are guarantees: list what works, and nothing else.
driver::DeviceInfo describe(uint32_t index) {
  driver::DeviceInfo info;
  info.name = "null device";
  info.driver = "null";
  info.index = index;
  info.vendor = "Quern";
  info.driver_version = "1.0";
  info.memory_bytes = kMemoryBytes;
  info.compute_units = 1;
  info.features = {Feature::fp64,          Feature::int8,      Feature::int16,
                   Feature::int64,         Feature::addresses, Feature::generic_pointers,
                   Feature::shared_memory, Feature::timestamps};
  info.limits.shared_bytes = 0;
  info.limits.buffer_bytes = kMemoryBytes;
  info.limits.warp_size = 1;
  info.code = {driver::CodeKind::kHostFunction};  // the kinds that load() accepts, best first
  return info;
}

Result<std::unique_ptr<driver::Device>> NullDevice::open(const Api& api, uint32_t index) {
  NullDeviceHandle* handle = nullptr;
  QUERN_TRY(check(api.nullDeviceOpen(index, &handle), "nullDeviceOpen"));
  return std::unique_ptr<driver::Device>(new NullDevice(api, handle, index));
}

// A real driver waits for all streams first.
NullDevice::~NullDevice() { (void)api_.nullDeviceClose(handle_); }

uint64_t NullDevice::free_memory() {
  uint64_t bytes = 0;
  if (api_.nullDeviceFreeMemory != nullptr) (void)api_.nullDeviceFreeMemory(handle_, &bytes);
  return bytes;
}

}  // namespace quern::null
