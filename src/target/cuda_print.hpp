// A printf as CUDA's own takes it.
#pragma once

#include <string>
#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::target {

struct CudaPrint {
  struct Argument {
    const ir::Value* value;
    ir::TypeKind narrow;  // the integer below int that it is printed as; void: as it is
  };
  std::string format;
  std::vector<Argument> arguments;
  std::string problem;  // why CUDA cannot print it, beginning with what the kernel does; empty: it can
};

CudaPrint cuda_print(const ir::Inst* i);

}  // namespace quern::target
