# Emitters run once per kernel and are a third of the library. Nothing here throws or catches; exception tables would add
# 2 % to the library.
target_compile_options(${layer} PRIVATE -fno-exceptions $<$<CONFIG:Release>:-Os>)
quern_separate(cstyle/dialect_*.cpp cstyle/helpers_*.cpp cstyle/glsl_writer.cpp cstyle/write_convert.cpp cstyle/write_reals.cpp
  cstyle/write_values.cpp llvm/emit_aligned.cpp llvm/emit_arithmetic.cpp llvm/emit_convert.cpp llvm/outflow.cpp
  llvm/plan_steps.cpp ptx/write_atomics.cpp spirv/emit_values.cpp spirv/kernel_model.cpp spirv/kernel_values.cpp)
