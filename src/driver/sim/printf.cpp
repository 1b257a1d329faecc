// printf of device code: C's formats, with the arguments taken from slots.
#include <algorithm>
#include <cctype>
#include <cstdio>

#include "base/text.hpp"
#include "driver/sim/machine.hpp"
#include "lang/ir/float_bits.hpp"

namespace quern::sim {

namespace {

constexpr int kMaxWidth = 4096;  // of one field: what a kernel asks for is not trusted

constexpr size_t kMaxPrinted = size_t{1} << 26;  // kept for a caller that gave no sink

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

int64_t as_signed(uint64_t bits, const ir::Type* type) {
  if (!type->is_signed() || type->size >= 8) return static_cast<int64_t>(bits);
  const uint64_t shift = 64 - type->size * 8;
  return static_cast<int64_t>(bits << shift) >> shift;
}

double as_double(uint64_t bits, const ir::Type* type) {
  return ir::float_from_bits(type->is_float() ? type->kind : ir::TypeKind::kF64, bits);
}

std::string integer(Spec& s, uint64_t bits, const ir::Type* type) {
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

  // Behind the %. `star` yields the next int argument.
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

void Machine::print(BlockState& b, Thread& t, const Ins& i, uint32_t pc) {
  const PrintInfo& info = code_.prints[i.c];
  std::string out;
  size_t next = 0;
  const auto star = [&]() -> int64_t {
    if (next >= info.args.size()) return 0;
    const PrintArg& a = info.args[next++];
    return as_signed(t.slots[a.slot], a.type);
  };
  Parser parser(info.text);
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
    if (next >= info.args.size() ||
        std::string_view("diouxXcfFeEgGaAsp").find(s.conversion) == std::string_view::npos) {
      out += parser.since(from);
      continue;
    }
    const PrintArg& a = info.args[next++];
    const uint64_t bits = t.slots[a.slot];
    switch (s.conversion) {
      case 'd':
      case 'i':
      case 'o':
      case 'u':
      case 'x':
      case 'X': out += integer(s, bits, a.type); break;
      case 'c': out += formatted(s, "", static_cast<int>(bits & 0xFF)); break;
      case 's': {
        std::string text;
        read_string(b, t, pc, bits, text);
        out += formatted(s, "", text.c_str());
        break;
      }
      case 'p': {
        s.conversion = 'x';
        s.flags += '#';
        out += formatted(s, "ll", static_cast<unsigned long long>(bits));
        break;
      }
      default: out += formatted(s, "", as_double(bits, a.type)); break;
    }
  }
  if (config_.options.print) {
    config_.options.print(out);
  } else if (result_.printed.size() < kMaxPrinted) {
    result_.printed += out;
  }
  if (i.dst != kNoSlot) t.slots[i.dst] = info.args.size();
}

}  // namespace quern::sim
