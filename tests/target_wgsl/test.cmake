quern_plain_cpu(${test})
# It makes random programs as the suite does.
target_sources(${test} PRIVATE "${PROJECT_SOURCE_DIR}/tests/suite/random_program.cpp")
quern_with_webgpu(${test})
set_tests_properties(${test} PROPERTIES COST 85 TIMEOUT 1800)  # it takes long, so it starts early
# webgpu_device.cpp uses the namespace webgpu, whose names other files define too, so the files are compiled separately.
set_target_properties(${test} PROPERTIES UNITY_BUILD OFF)
