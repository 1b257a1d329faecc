// Matrix fragments in CUDA C++: mma and ldmatrix as inline PTX, so that no NVIDIA header is needed.
#include "base/text.hpp"
#include "target/cstyle/kernel_writer.hpp"
#include "target/mma_steps.hpp"

namespace quern::target::cstyle {

using ir::Inst;
using ir::TypeKind;

namespace {

// Operands of inline assembly: their numbers in its text, their C expressions, and the list after the colon.
class AsmOperands {
 public:
  std::string add(const std::string& constraint, const std::string& expression) {
    text_ += (text_.empty() ? "" : ", ") + ("\"" + constraint + "\"(" + expression + ")");
    return "%" + std::to_string(next_++);
  }
  // Numbers continue after the outputs'.
  explicit AsmOperands(uint32_t first) : next_(first) {}
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  uint32_t next_;
};

std::string constraint_of(TypeKind element) {
  if (element == TypeKind::kF64) return "d";
  return element == TypeKind::kF32 ? "f" : "r";
}

std::string word(const std::string& name, uint32_t index) { return name + "[" + std::to_string(index) + "]"; }

// A fragment as an array of registers: `unsigned NAME[4] = {…};`
std::string packed(const std::string& name, const ir::Type* type, bool is_tf32) {
  const TypeKind element = type->elem->kind;
  const uint32_t count = elements_in_register(element);
  const auto registers = static_cast<uint32_t>(type->count / count);
  const std::string_view c = element == TypeKind::kF64               ? "double"
                             : element == TypeKind::kF32 && !is_tf32 ? "float"
                             : element == TypeKind::kI32             ? "int"
                                                                     : "unsigned";
  std::string out = "  " + std::string(c) + " " + name + "s[" + std::to_string(registers) + "] = {";
  for (uint32_t i = 0; i < registers; ++i) {
    out += i == 0 ? "" : ", ";
    for (uint32_t e = 0; e < count; ++e) {
      const std::string of = name + ".of[" + std::to_string(i * count + e) + "]";
      if (is_tf32) {
        out += "__float_as_uint(" + of + ")";
      } else if (count == 1) {
        out += of;
      } else {
        const std::string bits =
            "(unsigned)(unsigned " + std::string(count == 4 ? "char" : "short") + ")" + of;
        out += e == 0 ? bits : " | " + bits + " << " + std::to_string(e * 32 / count);
      }
    }
  }
  return out + "};\n";
}

// Back into the struct `to` from the registers of that name.
std::string unpacked(const std::string& to, const std::string& registers, const ir::Type* type) {
  const uint32_t count = elements_in_register(type->elem->kind);
  std::string out;
  for (uint32_t i = 0; i < type->count; ++i) {
    const std::string r = word(registers, i / count);
    const std::string shifted = i % count == 0 ? r : "(" + r + " >> 16)";
    out += "  " + to + ".of[" + std::to_string(i) + "] = " + (count == 1 ? r : "(unsigned short)" + shifted) +
           ";\n";
  }
  return out;
}

std::string list_of(const std::vector<std::string>& operands) {
  std::string out = "{";
  for (const std::string& o : operands) out += (out.size() > 1 ? ", " : "") + o;
  return out + "}";
}

std::string step_text(const MmaStep& step, bool is_swapped, const std::string& sum, const std::string& in) {
  AsmOperands outputs(0), inputs(static_cast<uint32_t>(step.sum.size()));
  const std::string left = is_swapped ? "bs" : "as", right = is_swapped ? "as" : "bs";
  std::vector<std::string> d, a, b;
  for (const uint32_t w : step.sum) d.push_back(outputs.add("+" + sum, word("cs", w)));
  for (const uint32_t w : step.left) a.push_back(inputs.add(in, word(left, w)));
  for (const uint32_t w : step.right) b.push_back(inputs.add(in, word(right, w)));
  return "  asm volatile(\"" + step.code + " " + list_of(d) + ", " + list_of(a) + ", " + list_of(b) + ", " +
         list_of(d) + ";\" : " + outputs.text() + " : " + inputs.text() + ");\n";
}

int architecture_of(const std::string& version) {
  constexpr int kUsual = 75;
  const auto number = version.starts_with("sm_") ? base::parse_uint(version.substr(3)) : std::nullopt;
  return number ? static_cast<int>(*number) : kUsual;
}

}  // namespace

Expr KernelWriter::multiplied(const Inst* i) {
  const ir::Matrix matrix = *ir::matrix_of(i->attr().index);
  const ir::Type *a = i->operand(0)->type, *b = i->operand(1)->type, *c = i->type;
  const MmaPlan plan = plan_mma(matrix, architecture_of(unit_.options.version));
  const bool is_tf32 = matrix.type == ir::MatrixType::kTf32;
  std::string body = packed("a", a, is_tf32) + packed("b", b, is_tf32) + packed("c", c, false);
  const std::string in = matrix.type == ir::MatrixType::kDouble ? "d" : "r";
  for (const MmaStep& step : plan.steps)
    body += step_text(step, plan.is_swapped, constraint_of(c->elem->kind), in);
  body += unpacked("c", "cs", c);
  const std::string name = unit_.helpers.use("mma", {},
                                             {{"suffix", "_" + std::to_string(i->attr().index)},
                                              {"a", unit_.types.value(a)},
                                              {"b", unit_.types.value(b)},
                                              {"c", unit_.types.value(c)},
                                              {"body", body}});
  return call(name, {value(i->operand(0)), value(i->operand(1)), value(i->operand(2))});
}

Expr KernelWriter::rows(const Inst* i) {
  const auto count = static_cast<uint32_t>(i->type->count / 2);
  const bool is_transposed = ir::matrix_of(i->attr().index)->is_by_column;
  AsmOperands outputs(0), inputs(count);
  std::vector<std::string> all;
  for (uint32_t w = 0; w < count; ++w) all.push_back(outputs.add("=r", word("ws", w)));
  const std::string from = inputs.add("r", "(unsigned)__cvta_generic_to_shared(row)");
  const std::string body =
      "  unsigned ws[" + std::to_string(count) + "];\n  asm volatile(\"ldmatrix.sync.aligned.m8n8.x" +
      std::to_string(count) + (is_transposed ? ".trans" : "") + ".shared.b16 " + list_of(all) + ", [" + from +
      "];\" : " + outputs.text() + " : " + inputs.text() + " : \"memory\");\n" + unpacked("c", "ws", i->type);
  const std::string suffix = "_" + std::to_string(count) + (is_transposed ? "_across" : "") + "_" +
                             std::string(ir::name(i->type->elem->kind));
  const std::string name = unit_.helpers.use(
      "matrix_rows", {}, {{"suffix", suffix}, {"c", unit_.types.value(i->type)}, {"body", body}});
  return call(name, {byte_address(place(i->operand(0)))});
}

}  // namespace quern::target::cstyle
