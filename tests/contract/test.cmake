# Every device of this machine, software devices included.
quern_plain_cpu(${test})
# scripts/new_driver.sh in a copy of the tree, linked with the layers of this build.
add_test(NAME new_driver COMMAND "${PROJECT_SOURCE_DIR}/tests/scripts/new_driver.sh" "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
set_tests_properties(new_driver PROPERTIES TIMEOUT 900)
# The places that docs/driver.md and docs/extending.md list.
add_test(NAME places COMMAND "${PROJECT_SOURCE_DIR}/scripts/check_places.py" WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
# Also the test devices (tests/*/library.cmake) of drivers whose hardware is rare.
get_property(devices GLOBAL PROPERTY QUERN_TEST_DEVICES)
set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT ${devices})
