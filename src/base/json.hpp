// Writes JSON, compact or indented, into one string. The output is always valid JSON and valid UTF-8: each
// byte that is not part of a valid sequence becomes U+FFFD.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace quern::base {

// Call in the order of the text: begin_object().member("kernel", "saxpy").key("sizes").begin_array()… A call
// out of order (a value instead of a key) is a bug of the caller and asserted.
class JsonWriter {
 public:
  // 0 writes everything on one line.
  explicit JsonWriter(int indent = 0) : indent_(indent) {}

  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(std::nullptr_t);
  // The shortest text that parses to the same double. JSON has no infinities and no NaN: they become null.
  JsonWriter& value(double number);

  template <std::integral Integer>
  JsonWriter& value(Integer number) {
    if constexpr (std::is_same_v<Integer, bool>) {
      return raw(number ? "true" : "false");
    } else {
      return raw(std::to_string(number));
    }
  }

  template <typename Value>
  JsonWriter& member(std::string_view name, const Value& content) {
    return key(name).value(content);
  }

  // Returns the finished text, with a final newline if indented. The writer is empty afterwards.
  std::string take();

 private:
  struct Level {
    bool is_object;
    bool has_items;
  };

  JsonWriter& raw(std::string_view text);
  void begin_value();
  void new_line();
  JsonWriter& begin_level(bool is_object);
  JsonWriter& end_level(bool is_object);

  std::string text_;
  std::vector<Level> levels_;
  int indent_;
  bool after_key_ = false;
};

// Including the quotes.
std::string json_quote(std::string_view text);

}  // namespace quern::base
