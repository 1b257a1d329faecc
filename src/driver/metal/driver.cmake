quern_driver(metal USES quern_target)
set(quern_metal_flags FOREIGN)
if(APPLE)  # Metal is part of the system, and does not work in a forked process
  set(quern_metal_flags)
endif()
quern_driver_entry(metal ${quern_metal_flags})
quern_small(api.cpp driver.cpp describe.cpp module.cpp)
