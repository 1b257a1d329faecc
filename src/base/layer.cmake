quern_small(json.cpp json_value.cpp table.cpp variables.cpp)
quern_separate(npy.cpp store.cpp)
