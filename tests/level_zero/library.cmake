# A Level Zero driver on the CPU, for machines without one.
set(quern_level_zero_device)
foreach(part commands modules queries tables worker)
  list(APPEND quern_level_zero_device tests/level_zero/device/${part}.cpp)
endforeach()
set(quern_has_level_zero_device OFF)
if(QUERN_DRIVER_LEVEL_ZERO AND QUERN_DRIVER_CPU AND QUERN_DRIVER_SIM)
  set(quern_has_level_zero_device ON)
endif()
quern_test_library(level_zero_device SOURCE ${quern_level_zero_device} AREAS level_zero loss
  USES quern_level_zero quern_cpu quern_sim quern_target IF ${quern_has_level_zero_device} DEVICE level_zero)
