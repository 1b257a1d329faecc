quern_driver(vulkan USES quern_target)
quern_driver_entry(vulkan FOREIGN)
quern_small(api/loader.cpp describe.cpp driver.cpp)
quern_separate(*.cpp)  # names of Vulkan in one file hide those of our classes in another
