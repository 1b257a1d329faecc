quern_small(*.cpp)
