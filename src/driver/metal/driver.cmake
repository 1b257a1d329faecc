quern_driver(metal USES quern_target)
quern_driver_entry(metal FOREIGN)
quern_small(api.cpp driver.cpp describe.cpp module.cpp)
