#include "report.hpp"

#include "base/json.hpp"
#include "base/table.hpp"
#include "base/text.hpp"

namespace quern::tool {

namespace {

std::string duration(double microseconds) { return base::format_duration(microseconds * 1e-6); }

}  // namespace

double Report::percent(const TraceRow& row) const {
  const auto known = bandwidth.find(row.process);
  if (known == bandwidth.end() || known->second <= 0 || row.bytes == 0) return -1;
  return row.gb_per_second() * 1e9 / known->second * 100;
}

std::string table_of(const Report& report, bool colour) {
  using base::Align;
  base::Table table({{"what", Align::kLeft, 40},
                     {"calls", Align::kRight},
                     {"total", Align::kRight},
                     {"mean", Align::kRight},
                     {"min", Align::kRight},
                     {"max", Align::kRight},
                     {"share", Align::kRight},
                     {"GB/s", Align::kRight},
                     {"% of bandwidth", Align::kRight}});
  for (const auto& [process, name] : report.trace.processes) {
    bool has_title = false;
    for (const TraceRow& r : report.rows) {
      if (r.process != process) continue;
      if (!has_title) {
        const auto known = report.bandwidth.find(process);
        const bool is_known = known != report.bandwidth.end() && known->second > 0;
        table.add_note(name + (is_known ? base::format(", copies %.1f GB/s", known->second * 1e-9) : "") +
                       (is_throttled(report.trace, process) ? ", throttled" : ""));
      }
      has_title = true;
      const double percent = report.percent(r);
      table.add_row({r.name, base::format_count(r.calls), duration(r.total), duration(r.mean()),
                     duration(r.least), duration(r.most), base::format("%.1f %%", r.share * 100),
                     r.bytes == 0 ? "–" : base::format("%.2f", r.gb_per_second()),
                     percent < 0 ? "–" : base::format("%.0f", percent)});
    }
  }
  return table.to_string(colour);
}

std::string json_of(const Report& report) {
  base::JsonWriter json(2);
  json.begin_object().member("program", report.trace.program);
  json.member("whole", report.trace.is_whole).member("dropped", report.trace.dropped);
  json.key("rows").begin_array();
  for (const TraceRow& r : report.rows) {
    json.begin_object().member("name", r.name).member("kind", r.category);
    const auto label = report.trace.labels.find(r.process);
    json.member("device", label != report.trace.labels.end() ? label->second : std::string());
    json.member("calls", r.calls).member("total_us", r.total).member("mean_us", r.mean());
    json.member("min_us", r.least).member("max_us", r.most).member("share", r.share);
    json.member("bytes", r.bytes).member("gb_per_second", r.gb_per_second());
    const double percent = report.percent(r);
    json.key("bandwidth_percent");
    percent < 0 ? json.value(nullptr) : json.value(percent);
    json.key("occupancy_percent");
    r.occupancy < 0 ? json.value(nullptr) : json.value(r.occupancy);
    json.end_object();
  }
  json.end_array().key("telemetry").begin_array();
  for (const TraceCounter& c : report.trace.counters) {
    const auto label = report.trace.labels.find(c.process);
    json.begin_object().member("device", label != report.trace.labels.end() ? label->second : std::string());
    json.member("name", c.name).member("series", c.series).member("readings", c.readings.size());
    json.member("mean", c.mean()).member("max", c.most()).end_object();
  }
  json.end_array().key("bandwidth_gb_per_second").begin_object();
  for (const auto& [process, bandwidth] : report.bandwidth) {
    const auto label = report.trace.labels.find(process);
    if (label != report.trace.labels.end()) json.member(label->second, bandwidth * 1e-9);
  }
  json.end_object().end_object();
  return json.take();
}

}  // namespace quern::tool
