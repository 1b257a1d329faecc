// The places of a kernel that report to the host, where the device has no printf and no assert of its own.
#pragma once

#include <string>

#include "driver/interface/code.hpp"
#include "lang/ir/ir.hpp"

namespace quern::target {

// The literal string that a value is; null: it is none.
const ir::Global* literal_string(const ir::Value* v);
std::string text_of(const ir::Global& literal);

// Of a printf, assert or trap.
driver::ReportSite report_site(const ir::Module& module, const std::string& kernel, const ir::Inst* i);

// Whether a printf has a string that only the device knows.
bool prints_unknown_text(const ir::Inst* i);

}  // namespace quern::target
