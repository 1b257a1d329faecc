# Its files have helpers of the same names, so they are compiled separately.
set_target_properties(${test} PROPERTIES UNITY_BUILD OFF)
