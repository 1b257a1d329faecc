#define QUERN_OLD_NVML
#include "telemetry/fake_nvml.cpp"  // NOLINT(bugprone-suspicious-include)
