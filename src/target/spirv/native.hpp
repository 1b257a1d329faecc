// What the emitter writes as SPIR-V instructions; everything else is lowered before.
#pragma once

#include "lang/ir/ir.hpp"
#include "target/target.hpp"

namespace quern::target::spirv {

bool is_native_operation(const ir::Inst& i, const Options& options);
bool is_native_atomic(const ir::Inst& i, const Options& options);

}  // namespace quern::target::spirv
