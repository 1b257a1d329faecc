# Stand-ins for the vendors' libraries, with known values.
quern_test_library(fake_nvml SOURCE tests/telemetry/fake_nvml.cpp AREAS telemetry cli)
quern_test_library(fake_nvml_old SOURCE tests/telemetry/fake_nvml_old.cpp AREAS telemetry)
quern_test_library(fake_rocm_smi SOURCE tests/telemetry/fake_rocm_smi.cpp AREAS telemetry)
quern_test_library(fake_sysman SOURCE tests/telemetry/fake_sysman.cpp AREAS telemetry)
