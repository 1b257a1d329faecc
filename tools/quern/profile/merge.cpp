#include "merge.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/json_value.hpp"
#include "base/text.hpp"
#include "trace.hpp"

namespace quern::tool {

namespace {

using base::JsonValue;
using base::JsonWriter;

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
      for (const auto& [name, member] : value.members) write(json.key(name), member);
      json.end_object();
      break;
  }
}

// Writes the events of one trace as those of one process.
class Renumbering {
 public:
  Renumbering(const Trace& trace, uint32_t process, double shift)
      : trace_(trace), process_(process), shift_(shift) {}

  void write_events(std::vector<std::string>& out) const {
    write_name(out);
    for (const std::string& line : trace_.lines) {
      auto event = base::parse_json(line);
      if (!event.ok()) continue;  // read_trace() has parsed it
      const uint64_t from = event->uint_of("pid");
      if (is_replaced(*event, from)) continue;
      change(*event, from);
      JsonWriter json;
      write(json, *event);
      out.push_back(json.take());
    }
  }

 private:
  void write_name(std::vector<std::string>& out) const {
    const std::string name =
        (trace_.rank >= 0 ? "rank " + std::to_string(trace_.rank) + ": " : std::string()) + trace_.program;
    out.push_back(metadata("process_name", "name", name));
    const auto labels = trace_.labels.find(kHostProcess);
    if (labels != trace_.labels.end()) out.push_back(metadata("process_labels", "labels", labels->second));
    out.push_back(metadata("process_sort_index", "sort_index", process_));
  }

  template <typename Value>
  std::string metadata(const char* what, const char* member, const Value& value) const {
    JsonWriter json;
    json.begin_object().member("ph", "M").member("name", what).member("pid", process_).member("tid", 1);
    json.key("args").begin_object().member(member, value).end_object().end_object();
    return json.take();
  }

  static bool is_replaced(const JsonValue& event, uint64_t from) {
    const std::string what = event.text_of("name");
    const bool is_process = what == "process_name" || what == "process_labels" || what == "quern_origin";
    return from == 0 || (event.text_of("ph") == "M" && is_process);
  }

  // Threads have distinct numbers already: those of a device begin with its number.
  void change(JsonValue& event, uint64_t from) const {
    const std::string phase = event.text_of("ph");
    const auto label = trace_.processes.find(static_cast<uint32_t>(from));
    const std::string device =
        from != kHostProcess && label != trace_.processes.end() ? label->second + ": " : std::string();
    for (auto& [name, value] : event.members) {
      if (name == "pid") value.number = process_;
      if (name == "ts") value.number += shift_;
      if (name == "name" && phase == "C") value.text = device + value.text;
      if (name == "id") {  // arrows of different processes must not be connected
        value.kind = JsonValue::Kind::kText;
        value.text = base::format("%u.%.0f", process_, value.number);
      }
      if (name != "args" || phase != "M") continue;
      for (auto& [key, text] : value.members) {
        if (key == "name") text.text = device + text.text;
      }
    }
  }

  const Trace& trace_;
  const uint32_t process_;
  const double shift_;
};

}  // namespace

base::Result<std::string> merge_traces(std::span<const std::string> texts) {
  std::vector<Trace> traces;
  for (const std::string& text : texts) {
    QUERN_TRY_ASSIGN(Trace trace, read_trace(text));
    traces.push_back(std::move(trace));
  }
  std::stable_sort(traces.begin(), traces.end(),
                   [](const Trace& a, const Trace& b) { return a.rank < b.rank; });
  double first = 0;
  for (const Trace& t : traces) {
    if (t.origin > 0) first = first > 0 ? std::min(first, t.origin) : t.origin;
  }
  std::vector<std::string> events;
  uint32_t process = 0;
  for (const Trace& t : traces)
    Renumbering(t, ++process, t.origin > 0 ? t.origin - first : 0).write_events(events);
  return "[\n" + base::join(events, ",\n") + "\n]\n";
}

}  // namespace quern::tool
