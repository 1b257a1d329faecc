// What a device compiler may later deduce about a value. Some compilers then fold or divide incorrectly, and
// emitters write such operations in another way.
#pragma once

#include <unordered_map>
#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::target {

class KnownValues {
 public:
  explicit KnownValues(const ir::Function& function);

  // May become the constant 0 once loops are unrolled and the block size is known.
  bool may_be_zero(const ir::Value* v);
  // The bits are those of a signed integer that is known to be small: NVIDIA's GLSL and SPIR-V compilers
  // (driver 580) then divide an unsigned one through 24-bit floats, although the sign fills 32 bits.
  bool is_small_signed(const ir::Value* v);

 private:
  bool may_be_constant(const ir::Value* v);
  bool is_constant_result(const ir::Inst* i);
  bool is_small_result(const ir::Inst* i);

  std::unordered_map<const ir::Value*, std::vector<const ir::Value*>> stored_;  // by variable
  std::unordered_map<const ir::Value*, bool> answers_;
  std::unordered_map<const ir::Value*, bool> small_;
};

}  // namespace quern::target
