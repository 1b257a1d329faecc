set_tests_properties(${test} PROPERTIES COST 100)  # it takes longest, so it starts first
