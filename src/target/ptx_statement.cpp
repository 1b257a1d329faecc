#include "target/ptx_statement.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "lang/pass/walk.hpp"

namespace quern::target {

namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

PtxStatement ptx_statement(std::string_view attribute) {
  PtxStatement out;
  const size_t end = std::min(attribute.find('\n'), attribute.size());
  std::string_view constraints = attribute.substr(0, end);
  while (!constraints.empty()) {
    const size_t comma = std::min(constraints.find(','), constraints.size());
    out.constraints.emplace_back(constraints.substr(0, comma));
    constraints.remove_prefix(std::min(comma + 1, constraints.size()));
  }
  out.text = attribute.substr(std::min(end + 1, attribute.size()));
  return out;
}

std::string c_text(std::string_view ptx) {
  std::string out;
  for (size_t i = 0; i < ptx.size(); ++i) {
    const char c = ptx[i];
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    if (c == '%' && i + 1 < ptx.size() && ptx[i + 1] == '%') {
      out += "%%";
      ++i;
      continue;
    }
    if (c == '%' && (i + 1 == ptx.size() || !is_digit(ptx[i + 1]))) out += '%';
    out += c;
  }
  return out;
}

std::string with_operands(std::string_view ptx, const std::function<std::string(size_t)>& operand) {
  std::string out;
  for (size_t i = 0; i < ptx.size(); ++i) {
    if (ptx[i] != '%') {
      out += ptx[i];
      continue;
    }
    if (i + 1 < ptx.size() && ptx[i + 1] == '%') {
      out += '%';
      ++i;
      continue;
    }
    size_t end = i + 1, number = 0;
    for (; end < ptx.size() && is_digit(ptx[end]); ++end)
      number = number * 10 + static_cast<size_t>(ptx[end] - '0');
    out += end > i + 1 ? operand(number) : "%";
    i = end - 1;
  }
  return out;
}

std::string first_instruction(std::string_view ptx) {
  constexpr std::array<std::string_view, 3> kOthers{".reg", "setp.", "mov."};
  std::string first;
  for (size_t at = 0; at < ptx.size();) {
    const size_t end = std::min(ptx.find(';', at), ptx.size());
    std::string_view one = ptx.substr(at, end - at);
    at = end + 1;
    const auto skip = [&](auto&& is_skipped) {
      while (!one.empty() && is_skipped(one.front())) one.remove_prefix(1);
    };
    const auto is_before = [](char c) {
      return c == '{' || c == '}' || std::isspace(static_cast<unsigned char>(c)) != 0;
    };
    skip(is_before);
    if (one.starts_with('@')) {
      skip([](char c) { return std::isspace(static_cast<unsigned char>(c)) == 0; });
      skip(is_before);
    }
    const std::string word(one.substr(0, one.find_first_of(" \t\n{[")));
    if (word.empty()) continue;
    if (first.empty()) first = word;
    const auto begins = [&](std::string_view other) { return word.starts_with(other); };
    if (std::none_of(kOthers.begin(), kOthers.end(), begins)) return word;
  }
  return first;
}

bool has_inline_ptx(const ir::Module& module) {
  bool has = false;
  for (ir::Function* f : module.functions)
    pass::traverse(f->body, [&](const ir::Inst* i) { has |= i->is(ir::Op::kPtx); });
  return has;
}

bool needs_architecture_features(const ir::Module& module) {
  constexpr std::array<std::string_view, 2> kOnly{"wgmma.", "setmaxnreg."};
  bool needs = false;
  for (ir::Function* f : module.functions) {
    pass::traverse(f->body, [&](const ir::Inst* i) {
      if (!i->is(ir::Op::kPtx)) return;
      for (const std::string_view one : kOnly) needs |= i->attr().text.find(one) != std::string::npos;
    });
  }
  return needs;
}

}  // namespace quern::target
