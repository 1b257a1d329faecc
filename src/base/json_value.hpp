// Parses JSON into a tree. The depth is limited, numbers are doubles, and only strings are copied.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace quern::base {

struct JsonMember;

struct JsonValue {
  enum class Kind : std::uint8_t { kNull, kBool, kNumber, kText, kArray, kObject };
  Kind kind = Kind::kNull;
  bool truth = false;
  double number = 0;
  std::string text;
  std::vector<JsonValue> items;
  std::vector<JsonMember> members;

  const JsonValue* find(std::string_view name) const;  // null: no such member
  double number_of(std::string_view name, double otherwise = 0) const;
  /// An integer, clamped to 0 to `most`. 0 if the value is not a number.
  std::uint64_t uint_of(std::string_view name, std::uint64_t most = ~std::uint64_t{0}) const;
  std::string text_of(std::string_view name) const;  // empty if it is not a string
};

struct JsonMember {
  std::string name;
  JsonValue value;
};

// Parses the whole text; the error says where it stops being JSON.
Result<JsonValue> parse_json(std::string_view text);

}  // namespace quern::base
