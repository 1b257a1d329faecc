// The multiplication of two fragments as instructions of NVIDIA's devices, for PTX and for CUDA C++.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lang/ir/matrix.hpp"

namespace quern::target {

// One instruction. The numbers count the registers that a fragment is packed into: 32 bits (four bytes, two
// halves, a float, an integer), of double 64. It reads and writes its part of the sum.
struct MmaStep {
  std::string code;  // "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
  std::vector<uint32_t> left, right, sum;
};

// What is left and right: a and b, or b and a where mma is done on the transposed matrices.
struct MmaPlan {
  bool is_swapped = false;
  std::vector<MmaStep> steps;
};

MmaPlan plan_mma(const ir::Matrix& matrix, int architecture);

// How many elements of that type one register holds.
uint32_t elements_in_register(ir::TypeKind element);

}  // namespace quern::target
