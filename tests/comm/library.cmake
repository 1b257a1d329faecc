quern_test_library(fake_nccl SOURCE tests/comm/fake_nccl.cpp AREAS comm)
