quern_driver(webgpu USES quern_target)
quern_driver_entry(webgpu FOREIGN)
quern_small(adapter.cpp api.cpp driver.cpp layout.cpp load.cpp)
