// Which operations PTX supports on an architecture; the others are library functions (lang/expand).
#pragma once

#include "lang/ir/ir.hpp"
#include "target/target.hpp"

namespace quern::target::ptx {

bool is_native_operation(const ir::Inst& i, const Options& options, int architecture);
bool is_native_half(const ir::Inst& i, int architecture);
bool is_native_atomic(const ir::Inst& i, int architecture);

}  // namespace quern::target::ptx
