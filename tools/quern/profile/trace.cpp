#include "trace.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "base/json_value.hpp"
#include "base/text.hpp"
#include "messages.hpp"

namespace quern::tool {

namespace {

using base::JsonValue;

constexpr double kMostTime = 1e15;                  // microseconds; sums of them stay finite
constexpr uint64_t kMostBytes = uint64_t{1} << 50;  // of one event

uint32_t id_of(const JsonValue& event, std::string_view name) {
  return static_cast<uint32_t>(event.uint_of(name, std::numeric_limits<uint32_t>::max()));
}

double time_of(const JsonValue& event, std::string_view name) {
  return std::clamp(event.number_of(name), 0.0, kMostTime);
}

class Reader {
 public:
  // One event per line, followed by a comma if another one follows.
  base::Result<> read(std::string_view line) {
    line = base::trim(line);
    if (line.ends_with(',')) line.remove_suffix(1);
    if (line.empty() || line == "[" || line == "]") return {};
    auto event = base::parse_json(line);
    if (!event.ok()) return std::move(event).error();
    add(*event, line);
    return {};
  }

  Trace take() {
    Trace out = std::move(trace_);
    std::stable_sort(lines_.begin(), lines_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [time, text] : lines_) out.lines.push_back(std::move(text));
    for (auto& [key, readings] : counters_) {
      std::stable_sort(readings.begin(), readings.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      const auto& [process, name, series] = key;
      out.counters.push_back({process, name, series, std::move(readings)});
    }
    std::stable_sort(out.slices.begin(), out.slices.end(), [](const TraceSlice& a, const TraceSlice& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.length > b.length;
    });
    return out;
  }

 private:
  void add(const JsonValue& event, std::string_view line) {
    const std::string phase = event.text_of("ph");
    const bool is_metadata = phase == "M";
    lines_.emplace_back(is_metadata ? -1 : time_of(event, "ts"), line);
    if (is_metadata) add_metadata(event);
    if (phase == "X") add_slice(event);
    if (phase == "C" && event.text_of("name") != "memory") add_counter(event);  // "memory" is the pool's
    if (phase == "i" && event.text_of("name") == "end of profile") {
      trace_.is_whole = true;
      if (const JsonValue* args = event.find("args")) trace_.dropped = args->uint_of("dropped");
    }
  }

  void add_metadata(const JsonValue& event) {
    const JsonValue* args = event.find("args");
    if (args == nullptr) return;
    const std::string what = event.text_of("name");
    const uint32_t process = id_of(event, "pid");
    if (what == "quern_origin") {
      trace_.origin = static_cast<double>(args->uint_of("microseconds"));
      trace_.rank = static_cast<int>(args->number_of("rank", -1));
    }
    if (what == "process_name") trace_.processes[process] = args->text_of("name");
    if (what == "process_labels") trace_.labels[process] = args->text_of("labels");
    if (what == "thread_name") trace_.threads[id_of(event, "tid")] = args->text_of("name");
    if (what == "process_name" && process == kHostProcess) trace_.program = args->text_of("name");
  }

  void add_slice(const JsonValue& event) {
    TraceSlice s;
    s.name = event.text_of("name");
    s.category = event.text_of("cat");
    s.process = id_of(event, "pid");
    s.thread = id_of(event, "tid");
    s.begin = time_of(event, "ts");
    s.length = time_of(event, "dur");
    if (const JsonValue* args = event.find("args")) {
      s.bytes = args->uint_of("bytes", kMostBytes);
      s.grid = args->text_of("grid");
      s.block = args->text_of("block");
      s.occupancy = args->number_of("occupancy_percent", -1);
      s.is_measured = args->text_of("clock") != "mean";
    }
    trace_.slices.push_back(std::move(s));
  }

  void add_counter(const JsonValue& event) {
    const JsonValue* args = event.find("args");
    if (args == nullptr) return;
    for (const auto& [series, value] : args->members) {
      auto& counter = counters_[{id_of(event, "pid"), event.text_of("name"), series}];
      counter.emplace_back(time_of(event, "ts"), std::clamp(value.number, -kMostTime, kMostTime));
    }
  }

  Trace trace_;
  std::map<std::tuple<uint32_t, std::string, std::string>, std::vector<std::pair<double, double>>> counters_;
  std::vector<std::pair<double, std::string>> lines_;
};

}  // namespace

base::Result<Trace> read_trace(std::string_view text) {
  const auto wrong = [](const char* what) {
    return base::Error(base::ErrorKind::bad_input, message::kInvalidTrace(what));
  };
  if (!text.starts_with('[')) return wrong("does not start with an array of events");
  Reader reader;
  const auto lines = base::split_lines(text);
  for (size_t i = 0; i < lines.size(); ++i) {
    // If the program was killed, the last line may be incomplete.
    if (auto read = reader.read(lines[i]); !read.ok() && i + 1 != lines.size())
      return std::move(read).error().add_context("reading line " + std::to_string(i + 1) + " of the trace");
  }
  return reader.take();
}

double TraceCounter::most() const {
  double most = readings.front().second;
  for (const auto& [time, value] : readings) most = std::max(most, value);
  return most;
}

double TraceCounter::mean() const {
  double sum = 0;
  for (const auto& [time, value] : readings) sum += value;
  return sum / static_cast<double>(readings.size());
}

bool is_throttled(const Trace& trace, uint32_t process) {
  return std::any_of(trace.counters.begin(), trace.counters.end(), [&](const TraceCounter& c) {
    return c.process == process && c.name == "throttled" && c.most() > 0;
  });
}

std::vector<TraceRow> rows_of(const Trace& trace) {
  std::map<std::tuple<uint32_t, std::string, std::string>, TraceRow> rows;
  double all = 0;
  for (const TraceSlice& s : trace.slices) {
    if (s.process == kHostProcess) continue;
    TraceRow& r = rows[{s.process, s.category, s.name}];
    if (r.calls == 0) r.least = std::numeric_limits<double>::max(), r.most = 0;
    r.name = s.name;
    r.category = s.category;
    r.process = s.process;
    r.calls += 1;
    r.bytes += s.bytes;
    r.total += s.length;
    if (s.is_measured) r.least = std::min(r.least, s.length), r.most = std::max(r.most, s.length);
    r.occupancy = s.occupancy;
    all += s.length;
  }
  std::vector<TraceRow> out;
  for (auto& [key, row] : rows) {
    row.share = all > 0 ? row.total / all : 0;
    if (row.least > row.most) row.least = row.most = row.mean();  // none was measured
    out.push_back(std::move(row));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const TraceRow& a, const TraceRow& b) { return a.total > b.total; });
  return out;
}

}  // namespace quern::tool
