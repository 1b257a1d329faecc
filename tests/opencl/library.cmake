# It wraps the real loader.
find_library(QUERN_REAL_OPENCL NAMES libOpenCL.so.1 OpenCL)
set(quern_has_opencl OFF)
if(QUERN_DRIVER_OPENCL AND QUERN_REAL_OPENCL)
  set(quern_has_opencl ON)
endif()
quern_test_library(odd_opencl SOURCE tests/opencl/odd_opencl.cpp AREAS opencl loss
  USES -Wl,--no-as-needed ${QUERN_REAL_OPENCL} IF ${quern_has_opencl})
