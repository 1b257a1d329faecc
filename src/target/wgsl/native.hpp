// Which operations WGSL has with the IR's semantics, directly or with a short helper function.
#pragma once

#include "lang/ir/ir.hpp"
#include "target/target.hpp"

namespace quern::target::wgsl {

bool is_native_operation(const ir::Inst& i, const Options& options);

}  // namespace quern::target::wgsl
