quern_test_library(fake_cuda SOURCE tests/cuda/fake_cuda.cpp AREAS cuda hip cli comm vendor)
