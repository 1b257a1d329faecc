if(TARGET quern_tool)
  target_compile_definitions(${test} PRIVATE QUERN_TOOL="$<TARGET_FILE:quern_tool>")
  add_dependencies(${test} quern_tool)
endif()
