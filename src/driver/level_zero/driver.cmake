quern_driver(level_zero USES quern_target)
quern_driver_entry(level_zero FOREIGN)
quern_small(api.cpp driver.cpp module.cpp subgroups.cpp)
