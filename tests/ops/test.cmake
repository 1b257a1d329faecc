quern_plain_cpu(${test})
set_tests_properties(${test} PROPERTIES COST 90 TIMEOUT 1800)  # it compiles hundreds of kernels for each device
