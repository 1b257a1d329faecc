# Emitters run once per kernel and are a third of the library. Nothing here throws or catches; exception tables would add
# 2 % to the library.
target_compile_options(${layer} PRIVATE -fno-exceptions $<$<CONFIG:Release>:-Os>)
