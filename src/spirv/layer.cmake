# Runs once per module. Nothing here throws or catches.
target_compile_options(${layer} PRIVATE -fno-exceptions $<$<CONFIG:Release>:-Os>)
