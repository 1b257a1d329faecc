quern_small(argument_text.cpp error_history.cpp probe_memory.cpp registry.cpp score.cpp select.cpp session*.cpp status.cpp verify.cpp
  profile/*.cpp EXCEPT profile/track.cpp)  # track.cpp runs in every launch; a separate thread writes the profile
