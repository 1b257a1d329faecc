// Inline PTX: the user's statement with our registers.
#include "target/ptx/writer.hpp"
#include "target/ptx_statement.hpp"

namespace quern::target::ptx {

using ir::Inst;

namespace {

// Whether the statement expects a register of 16 bits, where we keep an integer in 32.
bool is_extended(const std::string& constraint, const ir::Type* type) {
  return constraint.ends_with('h') && is_narrow(type);
}

}  // namespace

std::string Writer::shortened(const std::string& word) {
  return make(Class::kB16, "cvt.u16.u32", {in_register(Class::kB32, word)});
}

void Writer::inline_ptx(const Inst* i) {
  const PtxStatement statement = ptx_statement(i->attr().text);
  Regs results, operands;
  std::vector<size_t> extended;  // results in registers of 16 bits
  uint32_t read = 0;
  const auto type_of = [&](size_t k) { return i->type->is_struct() ? i->type->fields[k].type : i->type; };
  for (const std::string& constraint : statement.constraints) {
    if (constraint == kClobber) continue;
    const bool is_output = constraint.front() == '=' || constraint.front() == '+';
    if (is_output) {
      const ir::Type* type = type_of(results.size());
      const bool is_short = is_extended(constraint, type);
      const Class c = is_short ? Class::kB16 : class_of(type);
      if (is_short) extended.push_back(results.size());
      results.push_back(fresh(c));
      if (constraint.front() == '+') {
        const std::string before = operand(i->operand(read++));
        move(c, results.back(), is_short ? shortened(before) : before);
      }
      operands.push_back(results.back());
      continue;
    }
    const ir::Value* v = i->operand(read++);
    if (constraint == "n") {
      operands.push_back(operand(v));
    } else if (is_extended(constraint, v->type)) {
      operands.push_back(shortened(reg(v)));
    } else {
      operands.push_back(v->type->is_ptr() ? in_register(Class::kB64, pointer_as(v, Form::kGeneric))
                                           : reg(v));
    }
  }
  const std::string text = with_operands(
      statement.text, [&](size_t n) { return n < operands.size() ? operands[n] : std::string("?"); });
  body_ += "\t{\n" + text + "\n\t}\n";
  for (const size_t k : extended)
    results[k] = word(type_of(k)->is_signed() ? "cvt.s32.s16" : "cvt.u32.u16", {results[k]});
  if (!i->type->is_void()) define(i, results);
}

}  // namespace quern::target::ptx
