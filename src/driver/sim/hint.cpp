#include "driver/sim/hint.hpp"

#include <cctype>

#include "base/text.hpp"
#include "driver/sim/messages.hpp"

namespace quern::sim {

namespace {

std::string_view atomic_name(ir::Op op, const ir::Type* type) {
  const bool wide_enough = type->size == 4 || type->size == 8;
  if (!wide_enough) return "";
  if (type->is_float()) return op == ir::Op::kAdd || op == ir::Op::kSub ? "atomicAdd" : "";
  switch (op) {
    case ir::Op::kAdd: return "atomicAdd";
    case ir::Op::kSub: return type->size == 4 ? "atomicSub" : "atomicAdd";
    case ir::Op::kAnd: return "atomicAnd";
    case ir::Op::kOr: return "atomicOr";
    case ir::Op::kXor: return "atomicXor";
    case ir::Op::kMin: return "atomicMin";
    case ir::Op::kMax: return "atomicMax";
    default: return "";
  }
}

// The statement at a column: from after the last ; { } to the next ;, without its conditions.
std::string_view statement_at(std::string_view line, size_t column) {
  size_t begin = 0, depth = 0;
  for (size_t i = 0; i < column && i < line.size(); ++i) {
    depth += line[i] == '(' ? 1 : 0;
    depth -= line[i] == ')' && depth > 0 ? 1 : 0;
    if (line[i] == '{' || line[i] == '}' || (line[i] == ';' && depth == 0)) begin = i + 1;
    // `if (…)` and `for (…)` before the column end at their closing parenthesis.
    if (line[i] == ')' && depth == 0) {
      const std::string_view head = base::trim(line.substr(begin, i - begin));
      if (head.starts_with("if") || head.starts_with("for") || head.starts_with("while")) begin = i + 1;
    }
  }
  const size_t end = line.find(';', column);
  return base::trim(line.substr(begin, end == std::string_view::npos ? end : end - begin));
}

struct Assignment {
  std::string_view target, value;
};

// Splits `x op= y`, `x++` and `++x`.
bool split(std::string_view text, char op, Assignment& out) {
  const std::string twice(2, op);
  if (text.starts_with("else")) text = base::trim(text.substr(4));
  if (text.starts_with(twice)) {
    out = {base::trim(text.substr(2)), "1"};
    return !out.target.empty();
  }
  if (text.ends_with(twice)) {
    out = {base::trim(text.substr(0, text.size() - 2)), "1"};
    return !out.target.empty();
  }
  int depth = 0;
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == ']') --depth;
    if (depth != 0 || text[i] != op || text[i + 1] != '=') continue;
    out = {base::trim(text.substr(0, i)), base::trim(text.substr(i + 2))};
    return !out.target.empty() && !out.value.empty();
  }
  return false;
}

char sign_of(ir::Op op) {
  switch (op) {
    case ir::Op::kAdd: return '+';
    case ir::Op::kSub: return '-';
    case ir::Op::kAnd: return '&';
    case ir::Op::kOr: return '|';
    case ir::Op::kXor: return '^';
    default: return 0;
  }
}

}  // namespace

std::string_view source_line(const ir::Module& module, const ir::Pos& pos) {
  if (pos.line == 0 || pos.file >= module.files.size() || module.files[pos.file].text == nullptr) return {};
  std::string_view text = *module.files[pos.file].text;
  for (uint32_t n = 1; n < pos.line; ++n) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

std::string atomic_hint(const ir::Module& module, const ir::Pos& pos, ir::Op op, const ir::Type* type) {
  const std::string_view name = atomic_name(op, type);
  if (name.empty()) return {};
  const std::string_view line = source_line(module, pos);
  Assignment a;
  const char sign = sign_of(op);
  const bool known = sign != 0 && pos.column > 0 && pos.column <= line.size() &&
                     split(statement_at(line, pos.column - 1u), sign, a);
  if (!known) return message::kUseAtomic(name).text;
  std::string value(a.value);
  if (op == ir::Op::kSub && name == "atomicAdd") value = value.size() == 1 ? "-" + value : "-(" + value + ")";
  return message::kWriteAtomic(name, a.target, value).text;
}

}  // namespace quern::sim
