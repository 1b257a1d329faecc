quern_test_library(fake_nvtx SOURCE tests/profile/fake_nvtx.cpp AREAS profile)
