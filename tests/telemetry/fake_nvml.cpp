// A stand-in for NVML with two GPUs, those of fake_cuda. FAKE_NVML sets faults and values (fake_faults.hpp):
// "nvmlDeviceGetPowerUsage=3 reasons=4 violation=7". QUERN_OLD_NVML: only what the oldest drivers have.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "telemetry/fake_faults.hpp"

namespace {

struct Gpu {
  const char *pci, *uuid;
  unsigned celsius;
};
Gpu gpus[] = {{"0000:1b:00.0", "GPU-11111111-1111-1111-1111-111111111111", 45},
              {"0000:1c:00.0", "GPU-22222222-2222-2222-2222-222222222222", 46}};

long long value(const char* name, long long otherwise) {
  return quern::test::setting("FAKE_NVML", name, otherwise);
}

}  // namespace

#define NVML(name) extern "C" __attribute__((visibility("default"))) int name
#define ENTER(name) \
  if (const auto fault = static_cast<int>(value(#name, 0)); fault != 0) return fault

extern "C" __attribute__((visibility("default"))) const char* nvmlErrorString(int code) {
  return code == 3    ? "Not Supported"
         : code == 9  ? "Driver Not Loaded"
         : code == 15 ? "GPU is lost"
                      : "Unknown Error";
}

NVML(nvmlInit_v2)() {
  if (value("crash", 0) != 0) std::abort();
  ENTER(nvmlInit_v2);
  return 0;
}
NVML(nvmlShutdown)() { return 0; }

NVML(nvmlDeviceGetCount_v2)(unsigned* count) {
  ENTER(nvmlDeviceGetCount_v2);
  *count = static_cast<unsigned>(value("count", 2));
  return 0;
}

NVML(nvmlDeviceGetHandleByIndex_v2)(unsigned index, void** device) {
  ENTER(nvmlDeviceGetHandleByIndex_v2);
  *device = &gpus[index];
  return 0;
}

NVML(nvmlDeviceGetHandleByPciBusId_v2)(const char* pci, void** device) {
  ENTER(nvmlDeviceGetHandleByPciBusId_v2);
  for (Gpu& gpu : gpus) {
    if (std::strcmp(gpu.pci, pci) == 0) return *device = &gpu, 0;
  }
  return 6;
}

NVML(nvmlDeviceGetTemperature)(void* device, int sensor, unsigned* celsius) {
  ENTER(nvmlDeviceGetTemperature);
  if (sensor != 0) return 2;
  *celsius = static_cast<Gpu*>(device)->celsius;
  return 0;
}

NVML(nvmlDeviceGetPowerUsage)(void*, unsigned* milliwatts) {
  ENTER(nvmlDeviceGetPowerUsage);
  *milliwatts = 123456;
  return 0;
}

NVML(nvmlDeviceGetMemoryInfo)(void*, unsigned long long* to) {
  ENTER(nvmlDeviceGetMemoryInfo);
  to[0] = 16ULL << 30;
  to[1] = 10ULL << 30;
  to[2] = 6ULL << 30;
  return 0;
}

#ifndef QUERN_OLD_NVML

NVML(nvmlSystemGetDriverVersion)(char* text, unsigned length) {
  ENTER(nvmlSystemGetDriverVersion);
  std::snprintf(text, length, "580.95");
  return 0;
}

NVML(nvmlDeviceGetHandleByUUID)(const char* uuid, void** device) {
  ENTER(nvmlDeviceGetHandleByUUID);
  for (Gpu& gpu : gpus) {
    if (std::strcmp(gpu.uuid, uuid) == 0) return *device = &gpu, 0;
  }
  return 6;
}

NVML(nvmlDeviceGetEnforcedPowerLimit)(void*, unsigned* milliwatts) {
  ENTER(nvmlDeviceGetEnforcedPowerLimit);
  *milliwatts = 700000;
  return 0;
}

NVML(nvmlDeviceGetClockInfo)(void*, int type, unsigned* megahertz) {
  ENTER(nvmlDeviceGetClockInfo);
  *megahertz = type == 1 ? 1755 : type == 2 ? 3201 : 0;
  return 0;
}

NVML(nvmlDeviceGetMaxClockInfo)(void*, int type, unsigned* megahertz) {
  ENTER(nvmlDeviceGetMaxClockInfo);
  *megahertz = type == 1 ? 1980 : type == 2 ? 3202 : 0;
  return 0;
}

NVML(nvmlDeviceGetUtilizationRates)(void*, unsigned* to) {
  ENTER(nvmlDeviceGetUtilizationRates);
  to[0] = 87;
  to[1] = 43;
  return 0;
}

struct Memory2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};

NVML(nvmlDeviceGetMemoryInfo_v2)(void*, Memory2* to) {
  ENTER(nvmlDeviceGetMemoryInfo_v2);
  if (to->version != (sizeof(Memory2) | 2U << 24)) return 25;
  *to = {to->version, 16ULL << 30, 1ULL << 30, 10ULL << 30, 5ULL << 30};
  return 0;
}

struct FieldValue {
  unsigned field, scope;
  long long timestamp, latency;
  int type, code;
  unsigned long long bits;
};

NVML(nvmlDeviceGetFieldValues)(void*, int count, FieldValue* values) {
  ENTER(nvmlDeviceGetFieldValues);
  if (count != 1 || values->field != 82) return 2;
  values->type = 1;
  values->code = static_cast<int>(value("memory_temperature_code", 0));
  values->bits = 52;
  return 0;
}

NVML(nvmlDeviceGetCurrentClocksEventReasons)(void*, unsigned long long* bits) {
  ENTER(nvmlDeviceGetCurrentClocksEventReasons);
  *bits = static_cast<unsigned long long>(value("reasons", 0));
  return 0;
}

NVML(nvmlDeviceGetViolationStatus)(void*, int policy, unsigned long long* to) {
  ENTER(nvmlDeviceGetViolationStatus);
  to[0] = 1;
  to[1] = policy == 1 ? static_cast<unsigned long long>(value("violation", 0)) : 0;
  return 0;
}

struct Process {
  unsigned id;
  unsigned long long bytes;
  unsigned gpu_instance, compute_instance;
};

NVML(nvmlDeviceGetComputeRunningProcesses_v3)(void*, unsigned* count, Process* to) {
  ENTER(nvmlDeviceGetComputeRunningProcesses_v3);
  const auto all = static_cast<unsigned>(value("processes", 2));
  const bool fits = *count >= all;
  *count = all;
  if (!fits) return 7;
  for (unsigned i = 0; i < all; ++i) to[i] = {1000 + i, i == 0 ? 1ULL << 30 : ~0ULL, 0, 0};
  return 0;
}

#endif
