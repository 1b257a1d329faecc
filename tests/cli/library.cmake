quern_test_library(crashing_library SOURCE tests/cli/crashing_library.cpp AREAS cli)
