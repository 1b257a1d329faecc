// Inline PTX in CUDA C++: the user's statement, with its constraints.
#include "target/cstyle/kernel_writer.hpp"
#include "target/ptx_statement.hpp"

namespace quern::target::cstyle {

using ir::Inst;

void KernelWriter::inline_ptx(const Inst* i) {
  const PtxStatement statement = ptx_statement(i->attr().text);
  const bool is_value = !i->type->is_void();
  const std::string name = is_value ? pretty(i->name) : std::string();
  if (is_value) text_.line(unit_.types.value(i->type) + " " + name + ";");
  uint32_t written = 0, read = 0;
  std::string outputs, inputs;
  for (const std::string& constraint : statement.constraints) {
    if (constraint == kClobber) continue;
    const bool is_output = constraint.front() == '=' || constraint.front() == '+';
    if (is_output) {
      std::string to = name;
      if (i->type->is_struct())
        to = field(Place{{name, kPrimary}, true, i->type, ir::Space::kLocal}, i->type, written).text.text;
      ++written;
      if (constraint.front() == '+') text_.line(to + " = " + value(i->operand(read++)).text + ";");
      outputs += (outputs.empty() ? "\"" : ", \"") + constraint + "\"(" + to + ")";
    } else {
      const ir::Value* v = i->operand(read++);
      const Expr e = v->type->is_ptr() ? address(place(v)) : value(v);
      inputs += (inputs.empty() ? "\"" : ", \"") + constraint + "\"(" + e.text + ")";
    }
  }
  const bool has_clobber = !statement.constraints.empty() && statement.constraints.back() == kClobber;
  text_.line("asm volatile(\"" + c_text(statement.text) + "\" : " + outputs + " : " + inputs +
             (has_clobber ? " : \"memory\");" : ");"));
  if (is_value) named_[i] = name;
}

}  // namespace quern::target::cstyle
