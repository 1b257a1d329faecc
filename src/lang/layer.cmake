quern_small(ir/parse*.cpp ir/print*.cpp ir/verify*.cpp
  parse/parse_asm.cpp parse/parse_binding.cpp parse/parse_lambda.cpp parse/parse_requires.cpp parse/ptx_text.cpp
  sema/class_deduce.cpp sema/constraint.cpp sema/host_launches.cpp sema/intrinsic.cpp sema/launches.cpp sema/open_class.cpp
  sema/overload_report.cpp sema/unsupported.cpp)
quern_separate(constant/const_eval_operator.cpp parse/parse_stmt.cpp sema/operator_builtin.cpp)
