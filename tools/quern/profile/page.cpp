// The HTML page: our own SVG charts, no external resources, no scripts.
#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "report.hpp"

namespace quern::tool {

namespace {

constexpr double kWidth = 1000;  // of a chart, in its own units
constexpr double kLeft = 170;    // start of the bars
constexpr size_t kMostBars = 30;
constexpr size_t kMostName = 25;  // characters of a name to the left of the chart
constexpr double kLane = 22;
constexpr double kGap = 6;          // between a bar and its labels
constexpr double kCharacter = 6.5;  // width of a character of 11 px: upper bound of the average

constexpr const char* kStyle = R"(
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 1100px; padding: 0 1em; color: #1d2330; background: #fff }
h1 { font-size: 1.5em } h2 { font-size: 1.1em; margin-top: 2em }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { padding: .25em .6em; text-align: right; border-bottom: 1px solid #e3e6ec } th:nth-child(-n+2), td:nth-child(-n+2) { text-align: left }
.wide { overflow-x: auto } .wide table { white-space: nowrap } .wide svg { min-width: 760px }
svg { width: 100%; height: auto; display: block } text { font: 11px system-ui, sans-serif; fill: currentColor } text.in { fill: #fff }
.quiet { color: #6a7283 }
@media (prefers-color-scheme: dark) { body { color: #dfe3ec; background: #14171d } th, td { border-color: #2b303b } }
)";

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string duration(double microseconds) { return base::format_duration(microseconds * 1e-6); }

// A color for each name, the same in every chart.
std::string colour_of(std::string_view name) {
  uint32_t hash = 2166136261;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  return base::format("hsl(%u 55%% 55%%)", hash % 360);
}

// Tables and charts scroll in their own box on narrow screens, where their text would become too small.
std::string open_svg(double height) {
  return base::format("<div class=\"wide\"><svg viewBox=\"0 0 %g %g\" role=\"img\">\n", kWidth, height);
}

constexpr const char* kEndSvg = "</svg></div>\n";

// The name of a bar or a lane, cut between two characters if it does not fit to the left of the chart.
std::string short_name(std::string_view name) {
  if (base::display_width(name) <= kMostName) return escape(name);
  size_t end = name.size();
  do --end;
  while (end > 0 && (base::display_width(name.substr(0, end)) >= kMostName || (name[end] & 0xC0) == 0x80));
  return escape(name.substr(0, end)) + "…";
}

// One bar for each row: its length, from 0 to 1, and its label on the right. The longest label fits next to
// the longest bar.
std::string bars(const Report& report, const auto& length, const auto& words) {
  const size_t count = std::min(kMostBars, report.rows.size());
  size_t longest = 0;
  for (size_t i = 0; i < count; ++i) longest = std::max(longest, base::display_width(words(report.rows[i])));
  const double most = kWidth - kLeft - kGap - kCharacter * static_cast<double>(longest);
  std::string out = open_svg(static_cast<double>(count) * kLane + 4);
  for (size_t i = 0; i < count; ++i) {
    const TraceRow& r = report.rows[i];
    const double y = static_cast<double>(i) * kLane;
    const double width = std::clamp(length(r), 0.0, 1.0) * most;
    out += base::format("<text x=\"%g\" y=\"%g\" text-anchor=\"end\">%s</text>", kLeft - kGap, y + 15,
                        short_name(r.name).c_str());
    out += base::format(
        "<rect x=\"%g\" y=\"%g\" width=\"%.1f\" height=\"16\" fill=\"%s\"><title>%s</title></rect>", kLeft,
        y + 3, std::max(width, 1.0), colour_of(r.name).c_str(), escape(r.name).c_str());
    out += base::format("<text x=\"%.1f\" y=\"%g\">%s</text>\n", kLeft + width + kGap, y + 15,
                        escape(words(r)).c_str());
  }
  return out + kEndSvg;
}

// Nesting depth of a slice in its thread; slices are ordered by begin.
std::vector<uint32_t> depths_of(const std::vector<const TraceSlice*>& slices) {
  std::vector<uint32_t> out;
  std::vector<double> open;
  for (const TraceSlice* s : slices) {
    while (!open.empty() && open.back() <= s->begin) open.pop_back();
    out.push_back(static_cast<uint32_t>(open.size()));
    open.push_back(s->end());
  }
  return out;
}

struct TimeSpan {
  double begin = 1e300, end = 0;
};

// From the first to the last event.
TimeSpan span_of(const Trace& trace) {
  auto [begin, end] = TimeSpan();
  for (const TraceSlice& s : trace.slices) {
    begin = std::min(begin, s.begin);
    end = std::max(end, s.end());
  }
  for (const TraceCounter& c : trace.counters) {
    begin = std::min(begin, c.readings.front().first);
    end = std::max(end, c.readings.back().first);
  }
  return {begin, end};
}

// The counters of telemetry below each other, each from 0 to its highest value, on the time axis of the
// timeline.
std::string telemetry_charts(const Trace& trace) {
  constexpr double kHeight = 34;
  const auto [begin, end] = span_of(trace);
  const double scale = (kWidth - kLeft - 110) / std::max(end - begin, 1e-3);
  std::string body;
  double y = 4;
  uint32_t last_process = 0;
  for (const TraceCounter& c : trace.counters) {
    const auto process = trace.processes.find(c.process);
    if (c.process != last_process && process != trace.processes.end()) {
      body += base::format("<text x=\"4\" y=\"%g\" class=\"quiet\">%s</text>\n", y + 9,
                           escape(process->second).c_str());
      y += 16;
    }
    last_process = c.process;
    const double most = std::max(c.most(), 1e-9);
    std::string points;
    for (const auto& [time, value] : c.readings)
      points += base::format("%.1f,%.1f ", kLeft + (time - begin) * scale,
                             y + kHeight - std::clamp(value / most, 0.0, 1.0) * (kHeight - 6));
    body += base::format("<text x=\"%g\" y=\"%g\" text-anchor=\"end\">%s</text>", kLeft - kGap, y + 14,
                         short_name(c.name).c_str());
    body += base::format("<text x=\"%g\" y=\"%g\" text-anchor=\"end\" class=\"quiet\">%s</text>",
                         kLeft - kGap, y + 27, short_name(c.series).c_str());
    body += base::format("<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>",
                         points.c_str(), colour_of(c.name + c.series).c_str());
    body += base::format("<text x=\"%g\" y=\"%g\">max %.4g</text>\n", kWidth - 100, y + 14, c.most());
    y += kHeight + 4;
  }
  return open_svg(y + 4) + body + kEndSvg;
}

// A lane for each stream and host thread. Slices that are too narrow to be visible are merged with their
// neighbors.
std::string timeline(const Trace& trace) {
  const auto [begin, end] = span_of(trace);
  std::map<std::pair<uint32_t, uint32_t>, std::vector<const TraceSlice*>> lanes;
  for (const TraceSlice& s : trace.slices) lanes[{s.process, s.thread}].push_back(&s);
  if (lanes.empty()) return "<p>nothing ran</p>\n";
  const double scale = (kWidth - kLeft - 10) / std::max(end - begin, 1e-3);
  std::string body;
  double y = 4;
  uint32_t last_process = 0;
  for (const auto& [key, slices] : lanes) {
    const auto thread = trace.threads.find(key.second);
    const auto process = trace.processes.find(key.first);
    const std::string name = thread != trace.threads.end() ? thread->second : std::to_string(key.second);
    if (key.first != last_process && process != trace.processes.end()) {
      body += base::format("<text x=\"4\" y=\"%g\" class=\"quiet\">%s</text>\n", y + 9,
                           escape(process->second).c_str());
      y += 13;
    }
    last_process = key.first;
    body += base::format("<text x=\"%g\" y=\"%g\" text-anchor=\"end\">%s</text>\n", kLeft - kGap, y + 14,
                         short_name(name).c_str());
    const std::vector<uint32_t> depths = depths_of(slices);
    uint32_t deepest = 0;
    std::map<uint32_t, double> drawn;  // right end of the last slice, by depth
    for (size_t i = 0; i < slices.size(); ++i) {
      const TraceSlice& s = *slices[i];
      const double x = kLeft + (s.begin - begin) * scale, width = s.length * scale;
      deepest = std::max(deepest, depths[i]);
      double& last = drawn[depths[i]];
      if (x + width < last + 0.4) continue;
      last = x + std::max(width, 0.4);
      body += base::format(
          "<rect x=\"%.2f\" y=\"%g\" width=\"%.2f\" height=\"14\" fill=\"%s\"><title>%s, %s at "
          "%s</title></rect>\n",
          x, y + 3 + depths[i] * 16.0, std::max(width, 0.4), colour_of(s.name).c_str(),
          escape(s.name).c_str(), duration(s.length).c_str(), duration(s.begin).c_str());
      if (width > 7 * static_cast<double>(s.name.size()) + 6)
        body += base::format("<text x=\"%.2f\" y=\"%g\" class=\"in\">%s</text>\n", x + 4,
                             y + 14 + depths[i] * 16.0, escape(s.name).c_str());
    }
    y += kLane + deepest * 16.0;
  }
  return open_svg(y + 20) + body +
         base::format(
             "<text x=\"%g\" y=\"%g\" class=\"quiet\">%s</text><text x=\"%g\" y=\"%g\" "
             "text-anchor=\"end\" class=\"quiet\">%s</text>\n",
             kLeft, y + 14, duration(begin).c_str(), kWidth - 10, y + 14, duration(end).c_str()) +
         kEndSvg;
}

std::string html_table(const Report& report) {
  std::string out =
      "<div class=\"wide\"><table><tr><th>what</th><th>on</th><th>calls</th>"
      "<th>total</th><th>mean</th><th>min</th><th>max</th>"
      "<th>share</th><th>GB/s</th><th>% of bandwidth</th><th>occupancy</th></tr>\n";
  for (const TraceRow& r : report.rows) {
    const auto device = report.trace.processes.find(r.process);
    const double percent = report.percent(r);
    out += "<tr><td>" + escape(r.name) + "</td><td>" +
           escape(device != report.trace.processes.end() ? device->second : "") + "</td><td>" +
           base::format_count(r.calls) + "</td><td>" + duration(r.total) + "</td><td>" + duration(r.mean()) +
           "</td><td>" + duration(r.least) + "</td><td>" + duration(r.most) + "</td><td>" +
           base::format("%.1f %%", r.share * 100) + "</td><td>" +
           (r.bytes == 0 ? "–" : base::format("%.2f", r.gb_per_second())) + "</td><td>" +
           (percent < 0 ? "–" : base::format("%.0f", percent)) + "</td><td>" +
           (r.occupancy < 0 ? "–" : base::format("%.0f %%", r.occupancy)) + "</td></tr>\n";
  }
  return out + "</table></div>\n";
}

}  // namespace

std::string page_of(const Report& report) {
  const Trace& trace = report.trace;
  double fastest = 0;
  for (const TraceRow& r : report.rows) fastest = std::max(fastest, r.gb_per_second());
  std::string out =
      "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\">\n<title>" +
      escape(trace.program) + ": profile</title>\n<style>" + kStyle + "</style>\n<h1>" +
      escape(trace.program) + "</h1>\n";
  if (trace.dropped != 0)
    out += "<p><b>" + base::format_plural(trace.dropped, "event") +
           " dropped: the profile is incomplete.</b></p>\n";
  if (!trace.is_whole) out += "<p><b>The program ended early: the profile is incomplete.</b></p>\n";
  out += html_table(report);
  out += "<h2>Share of device time</h2>\n";
  out += bars(
      report, [](const TraceRow& r) { return r.share; },
      [](const TraceRow& r) {
        return base::format("%.1f %%, %s", r.share * 100, duration(r.total).c_str());
      });
  out +=
      "<h2>Bytes per second</h2>\n<p class=\"quiet\">Kernels: the size of each buffer argument, counted "
      "once. Copies within a device count twice, as they read and write.</p>\n";
  out += bars(
      report, [&](const TraceRow& r) { return fastest > 0 ? r.gb_per_second() / fastest : 0; },
      [&](const TraceRow& r) {
        const double percent = report.percent(r);
        return base::format("%.2f GB/s", r.gb_per_second()) +
               (percent < 0 ? "" : base::format(", %.0f %% of the measured bandwidth", percent));
      });
  out += "<h2>Timeline</h2>\n" + timeline(trace);
  if (!trace.counters.empty()) out += "<h2>Telemetry</h2>\n" + telemetry_charts(trace);
  return out + "</html>\n";
}

}  // namespace quern::tool
