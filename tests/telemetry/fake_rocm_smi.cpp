// A stand-in for ROCm SMI with one GPU at 0000:03:00.0. FAKE_RSMI sets faults (fake_faults.hpp).
#include <cstdint>

#include "telemetry/fake_faults.hpp"

#define RSMI(name) extern "C" __attribute__((visibility("default"))) uint32_t name
#define ENTER(name)                                                               \
  if (const auto fault = quern::test::setting("FAKE_RSMI", #name, 0); fault != 0) \
  return static_cast<uint32_t>(fault)

RSMI(rsmi_init)(uint64_t) {
  ENTER(rsmi_init);
  return 0;
}
RSMI(rsmi_shut_down)() { return 0; }
RSMI(rsmi_status_string)(uint32_t code, const char** text) {
  *text = code == 3 ? "RSMI_STATUS_FILE_ERROR" : "RSMI_STATUS_UNKNOWN";
  return 0;
}
struct Version {
  uint32_t major, minor, patch;
  const char* build;
};
RSMI(rsmi_version_get)(Version* to) {
  ENTER(rsmi_version_get);
  *to = {7, 5, 0, "test"};
  return 0;
}
RSMI(rsmi_num_monitor_devices)(uint32_t* count) {
  ENTER(rsmi_num_monitor_devices);
  *count = 2;
  return 0;
}
RSMI(rsmi_dev_pci_id_get)(uint32_t index, uint64_t* id) {
  ENTER(rsmi_dev_pci_id_get);
  *id = index == 0 ? 0x200 : 0x300 | uint64_t{1} << 28;  // the second one is a partition
  return 0;
}
RSMI(rsmi_dev_temp_metric_get)(uint32_t index, uint32_t sensor, uint32_t metric, int64_t* to) {
  ENTER(rsmi_dev_temp_metric_get);
  if (index != 1 || metric != 0) return 1;
  if (sensor == 0) return 2;  // accelerators have no edge sensor
  *to = sensor == 1 ? 61000 : 55500;
  return 0;
}
RSMI(rsmi_dev_current_socket_power_get)(uint32_t, uint64_t*) { return 2; }
RSMI(rsmi_dev_power_ave_get)(uint32_t, uint32_t, uint64_t* to) {
  ENTER(rsmi_dev_power_ave_get);
  *to = 250'500'000;
  return 0;
}
RSMI(rsmi_dev_power_cap_get)(uint32_t, uint32_t, uint64_t* to) {
  ENTER(rsmi_dev_power_cap_get);
  *to = 500'000'000;
  return 0;
}
RSMI(rsmi_dev_busy_percent_get)(uint32_t, uint32_t* to) {
  ENTER(rsmi_dev_busy_percent_get);
  *to = 66;
  return 0;
}
RSMI(rsmi_dev_memory_usage_get)(uint32_t, uint32_t, uint64_t* to) {
  ENTER(rsmi_dev_memory_usage_get);
  *to = 3ULL << 30;
  return 0;
}
RSMI(rsmi_dev_memory_total_get)(uint32_t, uint32_t, uint64_t* to) {
  ENTER(rsmi_dev_memory_total_get);
  *to = 64ULL << 30;
  return 0;
}
