# A Metal on the CPU, for machines without one: it answers the Objective-C runtime's calls and compiles MSL with clang.
set(quern_metal_device)
foreach(part archives commands devices fibers program runtime)
  list(APPEND quern_metal_device tests/metal/device/${part}.cpp)
endforeach()
set(quern_has_metal_device OFF)
if(QUERN_DRIVER_METAL AND NOT APPLE)  # a Mac has the framework
  set(quern_has_metal_device ON)
endif()
quern_test_library(metal_device SOURCE ${quern_metal_device} AREAS metal loss cli USES quern_base
  IF ${quern_has_metal_device} DEVICE metal)
if(TARGET metal_device)
  target_compile_definitions(metal_device PRIVATE QUERN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endif()
