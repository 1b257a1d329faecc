// Which operations WGSL has with our meaning, or with a short function around them.
#pragma once

#include "lang/ir/ir.hpp"
#include "target/target.hpp"

namespace quern::target::wgsl {

bool is_native_operation(const ir::Inst& i, const Options& options);

}  // namespace quern::target::wgsl
