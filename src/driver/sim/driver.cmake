quern_driver(sim USES quern_target)
quern_driver_entry(sim)
quern_driver_entry(sim NAME std.gpu MAKE sim::make_spirv_driver)
quern_small(describe.cpp)
