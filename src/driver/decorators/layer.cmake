target_compile_options(${layer} PRIVATE $<$<CONFIG:Release>:-Os>)
