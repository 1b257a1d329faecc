quern_small(device.cpp error.cpp nvtx.cpp original_text.cpp profile.cpp session.cpp)
