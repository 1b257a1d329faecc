// Arbitrary bytes as JSON: parsing returns a value or an error, and a parsed value can be written and read
// again.
#include "base/json.hpp"
#include "base/json_value.hpp"
#include "bytes.hpp"

namespace {

using quern::base::JsonValue;
using quern::base::JsonWriter;

void write(JsonWriter& json, const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::kNull: json.value(nullptr); break;
    case JsonValue::Kind::kBool: json.value(value.truth); break;
    case JsonValue::Kind::kNumber: json.value(value.number); break;
    case JsonValue::Kind::kText: json.value(value.text); break;
    case JsonValue::Kind::kArray:
      json.begin_array();
      for (const JsonValue& item : value.items) write(json, item);
      json.end_array();
      break;
    case JsonValue::Kind::kObject:
      json.begin_object();
      for (const auto& member : value.members) {
        json.key(member.name);
        write(json, member.value);
      }
      json.end_object();
      break;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto value = quern::base::parse_json(quern::fuzz::text_of(data, size));
  if (!value.ok()) {
    quern::fuzz::require(!value.error().message().empty(), "An error without a message.");
    return 0;
  }
  JsonWriter json;
  write(json, *value);
  const std::string text = json.take();
  quern::fuzz::require(quern::base::parse_json(text).ok(), "The written text cannot be read.", text);
  return 0;
}
