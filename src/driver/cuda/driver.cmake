# One implementation for two vendors.
quern_driver(cuda)
quern_driver_entry(cuda FOREIGN)
quern_driver_entry(cuda NAME hip HEADER hip.hpp MAKE hip::make_driver FOREIGN)
quern_small(describe.cpp)
quern_separate(interop.cpp memory.cpp)
