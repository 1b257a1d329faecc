quern_test_library(crashing_library SOURCE tests/cli/crashing_library.cpp AREAS cli telemetry)
# For LD_PRELOAD: the tool, which does not link this file, then opens Mesa's software drivers on every processor.
quern_test_library(generic_processor SOURCE tests/support/host_cpu.cpp AREAS cli)
