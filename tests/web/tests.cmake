# Tests of build/web (make web). They are skipped where it is not built, or where the browser is not installed; with CI=true
# that is a failure.
find_program(QUERN_NODE node)
mark_as_advanced(QUERN_NODE)
if(QUERN_NODE)
  add_test(NAME web_node COMMAND "${QUERN_NODE}" "${CMAKE_CURRENT_LIST_DIR}/node_test.mjs")
  set_tests_properties(web_node PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
else()
  message(STATUS "node is not installed: the WebAssembly module is not tested without a browser")
endif()
if(QUERN_PYTHON)
  foreach(browser chromium firefox)
    add_test(NAME web_api_${browser} COMMAND "${QUERN_PYTHON}" "${CMAKE_CURRENT_LIST_DIR}/api_test.py" ${browser})
    set_tests_properties(web_api_${browser} PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
  endforeach()
endif()
if(QUERN_PYTHON AND TARGET quern_suite)
  # A sample of the cases, from nearly all files, because SwiftShader compiles slowly. `suite_test.py chromium QUERN_SUITE`
  # runs all of them.
  add_test(NAME web_chromium
    COMMAND "${QUERN_PYTHON}" "${CMAKE_CURRENT_LIST_DIR}/suite_test.py" chromium $<TARGET_FILE:quern_suite> 12/16)
  set_tests_properties(web_chromium PROPERTIES TIMEOUT 1800 SKIP_RETURN_CODE 77)
  # A sample: Firefox starts and runs the same code.
  add_test(NAME web_firefox
    COMMAND "${QUERN_PYTHON}" "${CMAKE_CURRENT_LIST_DIR}/suite_test.py" firefox $<TARGET_FILE:quern_suite> 0/100)
  set_tests_properties(web_firefox PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77)
endif()
