// What the compiler of a device may find out about a value behind us. Some then fold or divide wrongly, and
// emitters say such operations in another way.
#pragma once

#include <unordered_map>
#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::target {

class KnownValues {
 public:
  explicit KnownValues(const ir::Function& function);

  // May be the constant 0 once loops are unrolled and the size of a block is known.
  bool may_be_zero(const ir::Value* v);
  // The bits are those of a signed number that is known to be small: NVIDIA's compilers of GLSL and SPIR-V
  // (driver 580) then divide an unsigned one by way of floats of 24 bits, although the sign fills 32.
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
