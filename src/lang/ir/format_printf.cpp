#include "lang/ir/format_printf.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "base/text.hpp"
#include "lang/ir/float_bits.hpp"

namespace quern::ir {

namespace {

constexpr int kMaxWidth = 4096;  // of one field: the width that a kernel requests is not trusted

constexpr std::string_view kConversions = "diouxXcfFeEgGaAspn";

struct Spec {
  std::string flags;
  int width = -1;
  int precision = -1;
  std::string_view length;
  char conversion = 0;
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
template <typename T>
std::string formatted(const Spec& s, const char* length, T value) {
  std::string pattern = "%" + s.flags;
  if (s.width >= 0) pattern += std::to_string(s.width);
  if (s.precision >= 0) pattern += "." + std::to_string(s.precision);
  pattern += length;
  pattern += s.conversion;
  return base::format(pattern.c_str(), value);
}
#pragma GCC diagnostic pop

int64_t as_signed(uint64_t bits, const Type* type) {
  if (!type->is_signed() || type->size >= 8) return static_cast<int64_t>(bits);
  const uint64_t shift = 64 - type->size * 8;
  return static_cast<int64_t>(bits << shift) >> shift;
}

double as_double(uint64_t bits, const Type* type) {
  return float_from_bits(type->is_float() ? type->kind : TypeKind::kF64, bits);
}

std::string integer(Spec& s, uint64_t bits, const Type* type) {
  const bool is_signed = s.conversion == 'd' || s.conversion == 'i';
  int64_t v = type->is_float() ? static_cast<int64_t>(bits) : as_signed(bits, type);
  if (s.length == "hh")
    v = is_signed ? static_cast<int64_t>(static_cast<int8_t>(v)) : static_cast<uint8_t>(v);
  if (s.length == "h")
    v = is_signed ? static_cast<int64_t>(static_cast<int16_t>(v)) : static_cast<uint16_t>(v);
  if (s.length.empty())
    v = is_signed ? static_cast<int64_t>(static_cast<int32_t>(v)) : static_cast<uint32_t>(v);
  if (is_signed) return formatted(s, "ll", static_cast<long long>(v));
  return formatted(s, "ll", static_cast<unsigned long long>(v));
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}
  bool at_end() const { return at_ >= text_.size(); }
  char take() { return text_[at_++]; }
  size_t at() const { return at_; }
  std::string_view since(size_t from) const { return text_.substr(from, at_ - from); }

  // After the %. `star` returns the next int argument.
  template <typename Star>
  Spec spec(Star&& star) {
    Spec s;
    while (!at_end() && std::string_view("-+ #0").find(text_[at_]) != std::string_view::npos)
      s.flags += take();
    s.width = number(star);
    if (s.width < 0 && star_negative_) s.flags += '-', s.width = star_value_;
    if (!at_end() && text_[at_] == '.') {
      ++at_;
      s.precision = number(star);
      if (s.precision < 0 && !star_negative_) s.precision = 0;  // "%.f"
    }
    const size_t from = at_;
    while (!at_end() && std::string_view("hljztLq").find(text_[at_]) != std::string_view::npos) ++at_;
    s.length = since(from);
    if (!at_end()) s.conversion = take();
    return s;
  }

 private:
  template <typename Star>
  int number(Star&& star) {
    star_negative_ = false;
    if (!at_end() && text_[at_] == '*') {
      ++at_;
      const int64_t v = std::clamp<int64_t>(star(), -kMaxWidth, kMaxWidth);
      star_negative_ = v < 0;
      star_value_ = static_cast<int>(v < 0 ? -v : v);
      return star_negative_ ? -1 : star_value_;
    }
    int v = -1;
    while (!at_end() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
      v = std::min((v < 0 ? 0 : v) * 10 + (take() - '0'), kMaxWidth);
    }
    return v;
  }

  std::string_view text_;
  size_t at_ = 0;
  bool star_negative_ = false;
  int star_value_ = 0;
};

}  // namespace

std::string printf_conversions(std::string_view format) {
  std::string out;
  Parser parser(format);
  while (!parser.at_end()) {
    if (parser.take() != '%') continue;
    const Spec s = parser.spec([&]() -> int64_t {
      out += '*';
      return 0;
    });
    if (s.conversion != 0 && kConversions.find(s.conversion) != std::string_view::npos) out += s.conversion;
  }
  return out;
}

std::string without_counts(std::string_view format, std::vector<std::size_t>& dropped) {
  std::string out;
  std::size_t next = 0;
  Parser parser(format);
  while (!parser.at_end()) {
    const std::size_t from = parser.at();
    if (parser.take() == '%') {
      const std::size_t first = next;
      const Spec s = parser.spec([&]() -> int64_t {
        ++next;
        return 0;
      });
      if (s.conversion != 0 && kConversions.find(s.conversion) != std::string_view::npos) ++next;
      if (s.conversion == 'n') {
        for (std::size_t i = first; i < next; ++i) dropped.push_back(i);
        continue;
      }
    }
    out += parser.since(from);
  }
  return out;
}

std::string format_printf(std::string_view format, std::span<const PrintArgument> arguments,
                          const std::function<std::string(uint64_t)>& read_string) {
  std::string out;
  size_t next = 0;
  const auto star = [&]() -> int64_t {
    if (next >= arguments.size()) return 0;
    const PrintArgument& a = arguments[next++];
    return as_signed(a.bits, a.type);
  };
  Parser parser(format);
  while (!parser.at_end()) {
    const size_t from = parser.at();
    const char c = parser.take();
    if (c != '%') {
      out += c;
      continue;
    }
    Spec s = parser.spec(star);
    if (s.conversion == '%') {
      out += '%';
      continue;
    }
    if (next >= arguments.size() || kConversions.find(s.conversion) == std::string_view::npos) {
      out += parser.since(from);
      continue;
    }
    const PrintArgument& a = arguments[next++];
    switch (s.conversion) {
      case 'd':
      case 'i':
      case 'o':
      case 'u':
      case 'x':
      case 'X': out += integer(s, a.bits, a.type); break;
      case 'c': out += formatted(s, "", static_cast<int>(a.bits & 0xFF)); break;
      case 'n': break;  // would store a count through the pointer; nothing is stored
      case 's': out += formatted(s, "", read_string(a.bits).c_str()); break;
      case 'p': {
        s.conversion = 'x';
        s.flags += '#';
        out += formatted(s, "ll", static_cast<unsigned long long>(a.bits));
        break;
      }
      default: out += formatted(s, "", as_double(a.bits, a.type)); break;
    }
  }
  return out;
}

}  // namespace quern::ir
