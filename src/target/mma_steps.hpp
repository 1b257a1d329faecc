// The multiplication of two fragments as NVIDIA mma instructions, for PTX and for CUDA C++.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lang/ir/matrix.hpp"

namespace quern::target {

// One instruction. The numbers index the registers that a fragment is packed into: 32 bits (four bytes, two
// halves, a float, an integer), for double 64. It reads and updates its part of the sum.
struct MmaStep {
  std::string code;  // "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
  std::vector<uint32_t> left, right, sum;
};

// The left and right operand: a and b, or b and a if mma works on the transposed matrices.
struct MmaPlan {
  bool is_swapped = false;
  std::vector<MmaStep> steps;
};

MmaPlan plan_mma(const ir::Matrix& matrix, int architecture);

// The number of elements of that type in one register.
uint32_t elements_in_register(ir::TypeKind element);

}  // namespace quern::target
