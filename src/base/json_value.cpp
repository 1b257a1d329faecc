#include "base/json_value.hpp"

#include <algorithm>

#include "base/messages.hpp"
#include "base/text.hpp"

namespace quern::base {

namespace {

constexpr int kMostDepth = 200;

void append_utf8(std::string& to, std::uint32_t c) {
  if (c < 0x80) {
    to += static_cast<char>(c);
  } else if (c < 0x800) {
    to += static_cast<char>(0xc0 | (c >> 6));
    to += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    to += static_cast<char>(0xe0 | (c >> 12));
    to += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    to += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    to += static_cast<char>(0xf0 | (c >> 18));
    to += static_cast<char>(0x80 | ((c >> 12) & 0x3f));
    to += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    to += static_cast<char>(0x80 | (c & 0x3f));
  }
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<JsonValue> all() {
    JsonValue value;
    if (!parse(value, 0)) return wrong();
    skip();
    if (at_ != text_.size()) return wrong();
    return value;
  }

 private:
  Error wrong() const { return {ErrorKind::bad_input, message::kNotJson(std::to_string(at_))}; }
  void skip() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  bool parse(JsonValue& to, int depth) {
    skip();
    if (at_ >= text_.size() || depth > kMostDepth) return false;
    switch (text_[at_]) {
      case '{': return parse_object(to, depth);
      case '[': return parse_array(to, depth);
      case '"': to.kind = JsonValue::Kind::kText; return parse_text(to.text);
      case 't':
        to.kind = JsonValue::Kind::kBool;
        to.truth = true;
        return take("true");
      case 'f': to.kind = JsonValue::Kind::kBool; return take("false");
      case 'n': return take("null");
      default: return parse_number(to);
    }
  }

  bool parse_object(JsonValue& to, int depth) {
    to.kind = JsonValue::Kind::kObject;
    ++at_;
    if (take('}')) return true;
    do {
      skip();
      auto& [name, value] = to.members.emplace_back();
      if (at_ >= text_.size() || text_[at_] != '"' || !parse_text(name)) return false;
      if (!take(':') || !parse(value, depth + 1)) return false;
    } while (take(','));
    return take('}');
  }

  bool parse_array(JsonValue& to, int depth) {
    to.kind = JsonValue::Kind::kArray;
    ++at_;
    if (take(']')) return true;
    do {
      if (!parse(to.items.emplace_back(), depth + 1)) return false;
    } while (take(','));
    return take(']');
  }

  bool parse_number(JsonValue& to) {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           std::string_view("+-0123456789.eE").find(text_[at_]) != std::string_view::npos)
      ++at_;
    const auto number = parse_double(text_.substr(begin, at_ - begin));
    if (!number) return false;
    to.kind = JsonValue::Kind::kNumber;
    to.number = *number;
    return true;
  }

  bool parse_text(std::string& to) {
    ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return true;
      if (static_cast<unsigned char>(c) < 32) return false;
      if (c != '\\') {
        to += c;
      } else if (!parse_escape(to)) {
        return false;
      }
    }
    return false;
  }

  bool parse_escape(std::string& to) {
    if (at_ >= text_.size()) return false;
    const char c = text_[at_++];
    constexpr std::string_view kFrom = "\"\\/bfnrt", kTo = "\"\\/\b\f\n\r\t";
    if (const std::size_t i = kFrom.find(c); i != std::string_view::npos) {
      to += kTo[i];
      return true;
    }
    std::uint32_t code = 0;
    if (c != 'u' || !parse_hex(code)) return false;
    if (code >= 0xd800 && code < 0xdc00) {
      std::uint32_t low = 0;
      if (!take("\\u") || !parse_hex(low) || low < 0xdc00 || low > 0xdfff) return false;
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    append_utf8(to, code);
    return true;
  }

  bool parse_hex(std::uint32_t& to) {
    const auto value = parse_uint("0x" + std::string(text_.substr(at_, 4)));
    if (!value || text_.size() - at_ < 4) return false;
    to = static_cast<std::uint32_t>(*value);
    at_ += 4;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view name) const {
  const auto at = std::find_if(members.begin(), members.end(), [&](const auto& m) { return m.name == name; });
  return at == members.end() ? nullptr : &at->value;
}

double JsonValue::number_of(std::string_view name, double otherwise) const {
  const JsonValue* v = find(name);
  return v != nullptr && v->kind == Kind::kNumber ? v->number : otherwise;
}

std::uint64_t JsonValue::uint_of(std::string_view name, std::uint64_t most) const {
  const double value = number_of(name);
  if (!(value > 0)) return 0;
  return value >= static_cast<double>(most) ? most : static_cast<std::uint64_t>(value);
}

std::string JsonValue::text_of(std::string_view name) const {
  const JsonValue* v = find(name);
  return v != nullptr && v->kind == Kind::kText ? v->text : std::string();
}

Result<JsonValue> parse_json(std::string_view text) { return Parser(text).all(); }

}  // namespace quern::base
