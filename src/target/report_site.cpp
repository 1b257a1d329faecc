#include "target/report_site.hpp"

#include <algorithm>

#include "lang/ir/format_printf.hpp"

namespace quern::target {

using ir::Inst;
using ir::Op;

const ir::Global* literal_string(const ir::Value* v) {
  while (const Inst* i = ir::as_inst(v)) {
    if (!i->is(Op::kSpaceCast)) return nullptr;
    v = i->operand(0);
  }
  if (v->kind != ir::ValueKind::kGlobal) return nullptr;
  const auto* g = static_cast<const ir::Global*>(v);
  return g->is_literal ? g : nullptr;
}

std::string text_of(const ir::Global& literal) {
  const std::string text(literal.init.begin(), literal.init.end());
  return text.substr(0, text.find('\0'));
}

driver::ReportSite report_site(const ir::Module& module, const std::string& kernel, const Inst* i) {
  driver::ReportSite s;
  s.kind = i->is(Op::kPrintf)   ? driver::ReportKind::kPrint
           : i->is(Op::kAssert) ? driver::ReportKind::kAssert
                                : driver::ReportKind::kTrap;
  s.kernel = kernel;
  s.text = i->attr().text;
  if (i->pos.file < module.files.size()) s.file = module.files[i->pos.file].name;
  s.line = i->pos.line;
  s.column = i->pos.column;
  if (s.kind != driver::ReportKind::kPrint) return s;
  for (const ir::Value* v : i->operands) {
    driver::ReportArgument a;
    a.type = v->type->kind;
    if (const ir::Global* g = literal_string(v)) {
      a.is_text = true;
      a.text = text_of(*g);
    }
    s.arguments.push_back(std::move(a));
  }
  return s;
}

bool prints_unknown_text(const Inst* i) {
  if (!i->is(Op::kPrintf)) return false;
  const std::string conversions = ir::printf_conversions(i->attr().text);
  for (size_t k = 0; k < std::min(conversions.size(), i->operands.size()); ++k) {
    const ir::Value* const v = i->operands[k];
    if (conversions[k] == 's' && v->type->is_ptr() && literal_string(v) == nullptr) return true;
  }
  return false;
}

}  // namespace quern::target
