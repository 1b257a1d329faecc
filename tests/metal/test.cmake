if(TARGET metal_device)  # every call fails in turn, as in the test `inject`
  add_test(NAME inject_metal COMMAND quern_inject --on metal --seconds 1)
  set_tests_properties(inject_metal PROPERTIES TIMEOUT 900 SKIP_RETURN_CODE 77 ENVIRONMENT
    "QUERN_METAL_LIBRARY=$<TARGET_FILE:metal_device>;QUERN_CACHE=${CMAKE_BINARY_DIR}/cache")
endif()
