// printf, assert and trap. If the language has none that reach the host, they are written into a report that
// the host reads when the launch has ended (driver/interface/report.hpp).
#include "target/cstyle/kernel_writer.hpp"
#include "target/cuda_print.hpp"
#include "target/messages.hpp"
#include "target/report_site.hpp"

namespace quern::target::cstyle {

using ir::Inst;
using ir::Op;
using ir::TypeKind;

namespace {

std::string string_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      default: {
        constexpr std::string_view kOctal = "01234567";
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 32 && byte < 127) {
          out += c;
        } else {
          out += '\\';
          for (const int shift : {6, 3, 0}) out += kOctal[static_cast<size_t>((byte >> shift) & 7)];
        }
      }
    }
  }
  return out + "\"";
}

}  // namespace

uint32_t KernelWriter::site(const Inst* i) {
  const auto noted = unit_.noted_sites.find(i);
  unit_.sites.push_back(noted != unit_.noted_sites.end() ? noted->second
                                                         : report_site(unit_.module, info_.name, i));
  return static_cast<uint32_t>(unit_.sites.size()) - 1;
}

void KernelWriter::print(const Inst* i) {
  if (dialect_.native_print) {
    print_native(i);
    return;
  }
  if (prints_unknown_text(i)) refuse(i, message::kPrintsUnknownString());
  std::vector<Expr> words;
  for (const ir::Value* v : i->operands) {
    if (literal_string(v) != nullptr) continue;
    if (v->type->is_ptr() && !dialect_.has_pointers) refuse(i, message::kPrintsAddress());
    words.push_back(as_word(v->type, value(v)));
  }
  const uint32_t number = site(i);
  const std::string report(kReport);
  const std::string first = dialect_.has_pointers ? report + ", " : "";
  const std::string at = names_.make("at");
  text_.open("");
  text_.line("uint " + at + " = " + unit_.helpers.use("report_begin") + "(" + first +
             std::to_string(1 + 2 * words.size()) + "u);");
  text_.open("if (" + at + " != 0u)");
  text_.line(report + "[" + at + "] = " + std::to_string(number) + "u;");
  for (size_t k = 0; k < words.size(); ++k) {
    text_.line(unit_.helpers.use("report_put") + "(" + first + at + " + " + std::to_string(1 + 2 * k) +
               "u, " + words[k].text + ");");
  }
  text_.close();
  text_.close();
}

void KernelWriter::print_native(const Inst* i) {
  // HIP's printf supports everything that CUDA's does, and more: if that is not needed both get the same
  // text.
  CudaPrint what = cuda_print(i);
  if (!what.problem.empty() && dialect_.language == Language::kCuda) unit_.refuse(i->pos, what.problem);
  if (!what.problem.empty() && dialect_.language == Language::kHip) {
    what = {};
    what.format = i->attr().text;
    for (const ir::Value* v : i->operands) what.arguments.push_back({v, TypeKind::kVoid});
  }
  std::string text = "printf(" + string_literal(what.format);
  for (const auto& [v, narrow] : what.arguments) {
    const ir::Type* t = v->type;
    Expr e = value(v);
    if (const ir::Global* g = literal_string(v)) e = {string_literal(text_of(*g)), kPrimary};
    if (t->kind == TypeKind::kF16 || t->kind == TypeKind::kBF16) e = widened(t, e);
    if (t->is_float()) e = cast(TypeKind::kF64, e);
    // HIP's indices are objects that are converted to numbers only where a number is required.
    if (t->is_int() && dialect_.language == Language::kHip) e = cast(t->kind, e);
    if (narrow != TypeKind::kVoid) e = cast(TypeKind::kI32, cast(narrow, e));
    text += ", " + e.text;
  }
  text_.line(text + ");");
}

std::string KernelWriter::report_failure(uint32_t site) {
  return unit_.helpers.use("report_fail") + "(" + (dialect_.has_pointers ? std::string(kReport) + ", " : "") +
         std::to_string(site) + "u);";
}

// A failed thread ends; if others wait for it at barriers it continues, and the launch fails anyway.
void KernelWriter::fail(const Inst* i) {
  const bool is_assert = i->is(Op::kAssert);
  if (is_assert) text_.open("if (!" + value(i->operand(0)).at(kUnary) + ")");
  if (is_assert && dialect_.language == Language::kCuda) {  // the expansion of CUDA's own assert
    const bool has_file = i->pos.file < unit_.module.files.size();
    text_.line("__assertfail(" + string_literal(i->attr().text) + ", " +
               string_literal(has_file ? unit_.module.files[i->pos.file].name : "") + ", " +
               std::to_string(i->pos.line) + "u, " + string_literal(info_.name) + ", 1);");
  } else if (dialect_.is_cpp) {
    if (is_assert) text_.line("printf(" + string_literal(i->attr().text + ": assertion failed\n") + ");");
    text_.line(dialect_.language == Language::kCuda ? "__trap();" : "__builtin_trap();");
  } else {
    text_.line(report_failure(site(i)));
    if (!has_barrier_) text_.line("return;");
  }
  if (is_assert) text_.close();
}

}  // namespace quern::target::cstyle
