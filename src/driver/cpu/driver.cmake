quern_driver(cpu USES quern_target)
quern_driver_entry(cpu)
quern_separate(pool.cpp)
