#include "base/json.hpp"

#include <cassert>
#include <cmath>
#include <utility>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace quern::base {
namespace {

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const Decoded next = decode_utf8(text);
    switch (next.code_point) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (next.code_point < 0x20 || next.code_point == 0x7f) {
          out += format("\\u%04x", static_cast<unsigned>(next.code_point));
        } else {
          append_utf8(out, next.code_point);
        }
    }
    text.remove_prefix(next.length);
  }
  out += '"';
}

}  // namespace

JsonWriter& JsonWriter::begin_object() { return begin_level(true); }
JsonWriter& JsonWriter::end_object() { return end_level(true); }
JsonWriter& JsonWriter::begin_array() { return begin_level(false); }
JsonWriter& JsonWriter::end_array() { return end_level(false); }

JsonWriter& JsonWriter::key(std::string_view name) {
  assert(!levels_.empty() && levels_.back().is_object && !after_key_ &&
         "a key is allowed only inside an object");
  if (levels_.back().has_items) text_ += ',';
  levels_.back().has_items = true;
  new_line();
  append_quoted(text_, name);
  text_ += indent_ > 0 ? ": " : ":";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  begin_value();
  append_quoted(text_, text);
  return *this;
}

JsonWriter& JsonWriter::value(std::nullptr_t) { return raw("null"); }

JsonWriter& JsonWriter::value(double number) {
  return raw(std::isfinite(number) ? format_double(number) : std::string("null"));
}

std::string JsonWriter::take() {
  assert(levels_.empty() && !after_key_ && "every object and array must be ended");
  if (indent_ > 0) text_ += '\n';
  return std::exchange(text_, {});
}

JsonWriter& JsonWriter::raw(std::string_view text) {
  begin_value();
  text_ += text;
  return *this;
}

void JsonWriter::begin_value() {
  if (std::exchange(after_key_, false)) return;
  if (levels_.empty()) {
    assert(text_.empty() && "one value only at the top");
    return;
  }
  assert(!levels_.back().is_object && "a value inside an object needs a key");
  if (levels_.back().has_items) text_ += ',';
  levels_.back().has_items = true;
  new_line();
}

void JsonWriter::new_line() {
  if (indent_ == 0) return;
  text_ += '\n';
  text_.append(levels_.size() * static_cast<std::size_t>(indent_), ' ');
}

JsonWriter& JsonWriter::begin_level(bool is_object) {
  begin_value();
  text_ += is_object ? '{' : '[';
  levels_.push_back({is_object, false});
  return *this;
}

JsonWriter& JsonWriter::end_level([[maybe_unused]] bool is_object) {
  assert(!levels_.empty() && levels_.back().is_object == is_object && !after_key_ &&
         "ends must match begins");
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.has_items) new_line();
  text_ += level.is_object ? '}' : ']';
  return *this;
}

std::string json_quote(std::string_view text) {
  std::string quoted;
  append_quoted(quoted, text);
  return quoted;
}

}  // namespace quern::base
