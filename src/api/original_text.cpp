#include "api/original_text.hpp"

#include "api/stepper.hpp"

namespace quern::detail {

namespace {

// Parses "( … )" after a macro's name; false if there is none.
bool read_arguments(Stepper& step, MacroUse& use) {
  int depth = 0;
  for (;;) {
    const Stepper::Kind kind = step.next();
    if (kind == Stepper::Kind::kEnd) return false;
    if (kind == Stepper::Kind::kBlank) continue;
    const std::string_view piece = step.piece();
    const bool opens = kind == Stepper::Kind::kOther && piece == "(";
    const bool closes = kind == Stepper::Kind::kOther && piece == ")";
    if (depth == 0 && !opens) return false;
    if (closes && --depth == 0) {
      use.end = step.at();
      return true;
    }
    if (depth > 0) use.arguments += piece;
    if (opens && depth++ == 0) use.inside = step.at();
  }
}

}  // namespace

std::string condensed(std::string_view text) {
  std::string out;
  Stepper step(text);
  for (auto kind = step.next(); kind != Stepper::Kind::kEnd; kind = step.next()) {
    if (kind != Stepper::Kind::kBlank) out += step.piece();
  }
  return out;
}

std::vector<MacroUse> find_macro_uses(std::string_view text) {
  std::vector<MacroUse> out;
  Stepper step(text);
  for (auto kind = step.next(); kind != Stepper::Kind::kEnd; kind = step.next()) {
    const std::string_view name = step.piece();
    if (kind != Stepper::Kind::kName ||
        (name != "QUERN_KERNEL" && name != "QUERN_TEMPLATE_KERNEL" && name != "QUERN_CODE"))
      continue;
    MacroUse use;
    use.macro = name;
    use.begin = step.at() - name.size();
    Stepper inside = step;
    if (!read_arguments(inside, use)) continue;
    step = inside;
    out.push_back(std::move(use));
  }
  return out;
}

std::string only(std::string_view text, const std::vector<MacroUse>& uses) {
  std::string out;
  std::size_t at = 0, line = 0;  // start of the current line
  const auto blank_to = [&](std::size_t end) {
    for (; at < end; ++at) {
      if (text[at] == '\n') {
        out += '\n';
        line = at + 1;
      }
    }
  };
  for (const MacroUse& use : uses) {
    blank_to(use.begin);
    out.append(use.begin - line, ' ');
    out += text.substr(use.begin, use.inside - use.begin);
    out += use.expanded ? *use.expanded : text.substr(use.inside, use.end - 1 - use.inside);
    out += ')';
    at = use.end;
    line = at;  // the column of a second use in one line is lost
  }
  return out + "\n";
}

}  // namespace quern::detail
