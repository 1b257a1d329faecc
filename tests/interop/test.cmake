quern_plain_cpu(${test})
# Each file has the same kernels, so they are compiled separately.
set_target_properties(${test} PROPERTIES UNITY_BUILD OFF)
