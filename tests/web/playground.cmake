# The playground in a browser. The test needs the output of `make web`; without it, it is skipped with the reason (with CI=true it
# fails).
find_program(QUERN_PYTHON python3)
find_program(QUERN_CHROMEDRIVER chromedriver)
mark_as_advanced(QUERN_PYTHON QUERN_CHROMEDRIVER)
if(NOT QUERN_PYTHON OR NOT QUERN_CHROMEDRIVER)
  message(STATUS "python3 or chromedriver is not installed: the playground is not tested")
elseif(TARGET quern_tool)
  add_test(NAME web_playground
    COMMAND "${QUERN_PYTHON}" "${CMAKE_CURRENT_LIST_DIR}/playground_test.py" --tool $<TARGET_FILE:quern_tool>)
  set_tests_properties(web_playground PROPERTIES TIMEOUT 1800 SKIP_RETURN_CODE 77)
endif()
