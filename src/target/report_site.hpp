// The sites of a kernel that report to the host, on devices without native printf and assert.
#pragma once

#include <string>

#include "driver/interface/code.hpp"
#include "lang/ir/ir.hpp"

namespace quern::target {

// The string literal of a value; null: it is not a literal.
const ir::Global* literal_string(const ir::Value* v);
std::string text_of(const ir::Global& literal);

// Of a printf, assert or trap.
driver::ReportSite report_site(const ir::Module& module, const std::string& kernel, const ir::Inst* i);

// Whether a printf has a string that is known only on the device.
bool prints_unknown_text(const ir::Inst* i);

}  // namespace quern::target
