// A stand-in for Level Zero's Sysman with one GPU at 0000:04:00.0. FAKE_SYSMAN sets faults (fake_faults.hpp).
// The layouts are written from the specification, independently of src/telemetry/sysman.cpp.
#include <cstdint>

#include "telemetry/fake_faults.hpp"

#define ZES(name) extern "C" __attribute__((visibility("default"))) uint32_t name
#define ENTER(name)                                                                 \
  if (const auto fault = quern::test::setting("FAKE_SYSMAN", #name, 0); fault != 0) \
  return static_cast<uint32_t>(fault)

namespace {

constexpr uint32_t kBadType = 0x78000004;
char handles[8];
uint64_t reads = 0;  // counters advance with every read

uint32_t give(uint32_t* count, void** to, uint32_t all, int first) {
  if (to != nullptr) {
    for (uint32_t i = 0; i < all && i < *count; ++i) to[i] = &handles[first + static_cast<int>(i)];
  }
  *count = all;
  return 0;
}

}  // namespace

ZES(zesInit)(uint32_t) {
  ENTER(zesInit);
  return 0;
}
ZES(zesDriverGet)(uint32_t* count, void** to) {
  ENTER(zesDriverGet);
  return give(count, to, 1, 0);
}
ZES(zesDeviceGet)(void*, uint32_t* count, void** to) {
  ENTER(zesDeviceGet);
  return give(count, to, 1, 1);
}

struct Pci {
  uint32_t stype;
  void* next;
  uint32_t address[4];
  int32_t generation, width;
  int64_t bandwidth;
  uint8_t counters[3];
};
ZES(zesDevicePciGetProperties)(void*, Pci* p) {
  ENTER(zesDevicePciGetProperties);
  if (p->stype != 0x2) return kBadType;
  p->address[0] = 0;
  p->address[1] = 4;
  p->address[2] = p->address[3] = 0;
  return 0;
}

struct TemperatureProperties {
  uint32_t stype;
  void* next;
  uint32_t type;
  uint8_t on_subdevice;
  uint32_t subdevice;
  double max;
  uint8_t supported[3];
};
ZES(zesDeviceEnumTemperatureSensors)(void*, uint32_t* count, void** to) {
  ENTER(zesDeviceEnumTemperatureSensors);
  return give(count, to, 2, 2);
}
ZES(zesTemperatureGetProperties)(void* sensor, TemperatureProperties* p) {
  ENTER(zesTemperatureGetProperties);
  if (p->stype != 0x14) return kBadType;
  p->type = sensor == &handles[2] ? 1 : 2;
  return 0;
}
ZES(zesTemperatureGetState)(void* sensor, double* to) {
  ENTER(zesTemperatureGetState);
  *to = sensor == &handles[2] ? 58.5 : 49;
  return 0;
}

struct Counter {
  uint64_t count, timestamp;
};
ZES(zesDeviceEnumPowerDomains)(void*, uint32_t* count, void** to) {
  ENTER(zesDeviceEnumPowerDomains);
  return give(count, to, 1, 4);
}
ZES(zesPowerGetEnergyCounter)(void*, Counter* to) {
  ENTER(zesPowerGetEnergyCounter);
  ++reads;
  *to = {reads * 15'000'000, reads * 100'000};  // 15 J in 0.1 s
  return 0;
}
struct Sustained {
  uint8_t enabled;
  int32_t power, interval;
};
ZES(zesPowerGetLimits)(void*, Sustained* to, void*, void*) {
  ENTER(zesPowerGetLimits);
  *to = {1, 225'000, 0};
  return 0;
}

struct ClockProperties {
  uint32_t stype;
  void* next;
  uint32_t type;
  uint8_t on_subdevice;
  uint32_t subdevice;
  uint8_t can_control, event;
  double min, max;
};
struct ClockState {
  uint32_t stype;
  const void* next;
  double voltage, request, tdp, efficient, actual;
  uint32_t reasons;
};
ZES(zesDeviceEnumFrequencyDomains)(void*, uint32_t* count, void** to) {
  ENTER(zesDeviceEnumFrequencyDomains);
  return give(count, to, 2, 5);
}
ZES(zesFrequencyGetProperties)(void* clock, ClockProperties* p) {
  ENTER(zesFrequencyGetProperties);
  if (p->stype != 0x9) return kBadType;
  p->type = clock == &handles[5] ? 0 : 1;
  p->max = p->type == 0 ? 2400 : 1093;
  return 0;
}
ZES(zesFrequencyGetState)(void* clock, ClockState* to) {
  ENTER(zesFrequencyGetState);
  if (to->stype != 0x1B) return kBadType;
  to->actual = clock == &handles[5] ? 2050 : -1;
  to->reasons = static_cast<uint32_t>(quern::test::setting("FAKE_SYSMAN", "reasons", 0));
  return 0;
}
ZES(zesFrequencyGetThrottleTime)(void*, Counter* to) {
  ENTER(zesFrequencyGetThrottleTime);
  *to = {static_cast<uint64_t>(quern::test::setting("FAKE_SYSMAN", "throttle_time", 0)), 1};
  return 0;
}

struct EngineProperties {
  uint32_t stype;
  void* next;
  uint32_t type;
  uint8_t on_subdevice;
  uint32_t subdevice;
};
ZES(zesDeviceEnumEngineGroups)(void*, uint32_t* count, void** to) {
  ENTER(zesDeviceEnumEngineGroups);
  return give(count, to, 1, 7);
}
ZES(zesEngineGetProperties)(void*, EngineProperties* p) {
  ENTER(zesEngineGetProperties);
  if (p->stype != 0x5) return kBadType;
  p->type = 0;
  return 0;
}
ZES(zesEngineGetActivity)(void*, Counter* to) {
  ENTER(zesEngineGetActivity);
  *to = {reads * 25'000, reads * 100'000};  // a quarter of the time
  return 0;
}

struct MemoryState {
  uint32_t stype;
  const void* next;
  uint32_t health;
  uint64_t free, size;
};
ZES(zesDeviceEnumMemoryModules)(void*, uint32_t* count, void** to) {
  ENTER(zesDeviceEnumMemoryModules);
  return give(count, to, 1, 0);
}
ZES(zesMemoryGetState)(void*, MemoryState* to) {
  ENTER(zesMemoryGetState);
  if (to->stype != 0x1E) return kBadType;
  to->free = 12ULL << 30;
  to->size = 16ULL << 30;
  return 0;
}
