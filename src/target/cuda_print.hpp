// A printf call in the form that CUDA's printf accepts.
#pragma once

#include <string>
#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::target {

struct CudaPrint {
  struct Argument {
    const ir::Value* value;
    ir::TypeKind narrow;  // the integer type smaller than int that it is printed as; void: unchanged
  };
  std::string format;
  std::vector<Argument> arguments;
  std::string
      problem;  // why CUDA cannot print it, as the predicate of a sentence about the kernel; empty: it can
};

CudaPrint cuda_print(const ir::Inst* i);

}  // namespace quern::target
