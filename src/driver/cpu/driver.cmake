quern_driver(cpu USES quern_target ELF)
quern_driver_entry(cpu)
quern_separate(pool.cpp)
