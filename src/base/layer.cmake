quern_small(json.cpp json_value.cpp table.cpp try_in_child.cpp variables.cpp)
quern_separate(npy.cpp store.cpp)
