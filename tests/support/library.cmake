quern_test_library(host_cpu SOURCE tests/support/host_cpu.cpp AREAS examples)
