quern_plain_cpu(${test})
# What the tool found of software devices is not what the test finds.
set_tests_properties(${test} PROPERTIES ENVIRONMENT "QUERN_CACHE=${CMAKE_BINARY_DIR}/cache")
# Most files declare State and Message for kernels and for the host, so they are compiled separately.
set_target_properties(${test} PROPERTIES UNITY_BUILD OFF)
