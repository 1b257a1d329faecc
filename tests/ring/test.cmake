quern_plain_cpu(${test})
# What the tool found of software devices is not what the test finds.
set_tests_properties(${test} PROPERTIES ENVIRONMENT "QUERN_CACHE=${CMAKE_BINARY_DIR}/cache")
