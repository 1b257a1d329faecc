# Runs once per module. Nothing here throws or catches.
target_compile_options(${layer} PRIVATE -fno-exceptions $<$<CONFIG:Release>:-Os>)
quern_separate(reader/control.cpp reader/glsl.cpp)
