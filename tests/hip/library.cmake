if(QUERN_DRIVER_CUDA)
  quern_test_library(hip_on_cuda SOURCE tests/hip/hip_on_cuda.cpp AREAS hip vendor USES quern_cuda)
endif()
