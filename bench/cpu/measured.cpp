#include "cpu/measured.hpp"

#include <algorithm>
#include <cmath>

#include "base/json.hpp"
#include "base/table.hpp"
#include "base/text.hpp"

namespace quern::bench {

using base::format;

double Report::mean(size_t side) const {
  double sum = 0;
  int count = 0;
  for (const Measured& m : rows) {
    if (m.ratio(side) > 0) sum += std::log(m.ratio(side)), ++count;
  }
  return count != 0 ? std::exp(sum / count) : 0;
}

double Report::least(size_t side) const {
  double least = 0;
  for (const Measured& m : rows) {
    if (m.ratio(side) > 0 && (least == 0 || m.ratio(side) < least)) least = m.ratio(side);
  }
  return least;
}

namespace {

std::string rate(const Measured& m, double stream) {
  if (m.seconds[0] <= 0) return {};
  if (m.bytes > 0)
    return format("%.1f GB/s, %.0f %% of a copy", m.bytes / m.seconds[0] / 1e9,
                  stream > 0 ? 100 * m.bytes / m.seconds[0] / stream : 0.0);
  return m.flops > 0 ? format("%.1f GFLOP/s", m.flops / m.seconds[0] / 1e9) : std::string();
}

std::string times(double ratio) { return ratio > 0 ? format("%.2f", ratio) : std::string("-"); }

}  // namespace

std::string Report::table() const {
  using base::Align;
  std::vector<base::Column> columns{{"kernel"}};
  for (const Side& s : sides) columns.push_back({s.name + " ms", Align::kRight});
  for (size_t s = 1; s < sides.size(); ++s) columns.push_back({"x " + sides[s].name, Align::kRight});
  columns.push_back({"rate"});
  base::Table table(columns);
  const auto row = [&](const std::string& name, const auto& seconds, const auto& ratio,
                       const std::string& last) {
    std::vector<base::Cell> cells{name};
    for (size_t s = 0; s < sides.size(); ++s) cells.emplace_back(seconds(s));
    for (size_t s = 1; s < sides.size(); ++s) cells.emplace_back(times(ratio(s)));
    cells.emplace_back(last);
    table.add_row(cells);
  };
  for (const Measured& m : rows) {
    const auto ms = [&](size_t s) {
      return m.seconds[s] > 0 ? format("%.3f", m.seconds[s] * 1e3) : std::string("-");
    };
    row(
        m.kernel, ms, [&](size_t s) { return m.ratio(s); }, rate(m, stream));
  }
  const auto nothing = [](size_t) { return std::string(); };
  row(
      "geometric mean", nothing, [&](size_t s) { return mean(s); }, "");
  row(
      "least", nothing, [&](size_t s) { return least(s); }, "");
  std::string text = table.to_string();
  for (const Measured& m : rows) {
    if (m.beside > 0)
      text += format("%s: %s takes %.3f ms, %.2f of the kernel\n", m.kernel.c_str(), m.beside_what.c_str(),
                     m.beside * 1e3, m.beside / m.seconds[0]);
  }
  for (const Measured& m : rows) {
    for (size_t s = 0; s < sides.size(); ++s) {
      if (!m.wrong[s].empty()) text += m.kernel + " on " + sides[s].name + ": " + m.wrong[s] + "\n";
    }
  }
  return text;
}

std::string Report::json(ThrottleReasons throttled) const {
  base::JsonWriter j(2);
  j.begin_object()
      .member("threads", threads)
      .member("math", math)
      .member("clock", clock)
      .member("copy_bytes_per_second", stream);
  j.key("throttled").begin_array();
  for (const ThrottleReason r : throttled.list()) j.value(to_string(r));
  j.end_array().key("sides").begin_array();
  for (const Side& s : sides) j.begin_object().member("name", s.name).member("device", s.about).end_object();
  j.end_array().key("kernels").begin_array();
  for (const Measured& m : rows) {
    j.begin_object().member("name", m.kernel).member("what", m.about).key("seconds").begin_object();
    for (size_t s = 0; s < sides.size(); ++s) {
      if (m.seconds[s] > 0) j.member(sides[s].name, m.seconds[s]);
    }
    if (m.beside > 0) j.member(m.beside_what, m.beside);
    j.end_object().key("ratio").begin_object();
    for (size_t s = 1; s < sides.size(); ++s) {
      if (m.ratio(s) > 0) j.member(sides[s].name, m.ratio(s));
    }
    j.end_object().key("wrong").begin_object();
    for (size_t s = 0; s < sides.size(); ++s) {
      if (!m.wrong[s].empty()) j.member(sides[s].name, m.wrong[s]);
    }
    j.end_object().end_object();
  }
  j.end_array().key("geometric_mean").begin_object();
  for (size_t s = 1; s < sides.size(); ++s) j.member(sides[s].name, mean(s));
  j.end_object().end_object();
  return j.take();
}

// Bars to the right of 1 are kernels that are faster here; the scale is logarithmic.
std::string Report::svg() const {
  constexpr double kLeft = 150, kUnit = 90, kBar = 11, kGap = 10;  // kUnit: a factor of two
  static const char* const kColours[] = {"#888888", "#4477aa", "#cc6677", "#ddaa33"};
  const double height = kBar * static_cast<double>(sides.size() - 1) + kGap;
  const double bottom = 60 + height * static_cast<double>(rows.size());
  const double one = kLeft + kUnit * 1.5;
  const auto place = [&](double ratio) { return one + kUnit * std::clamp(std::log2(ratio), -1.5, 6.0); };
  std::string s = format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
      kLeft + kUnit * 7.5 + 60, bottom + 30);
  for (size_t k = 1; k < sides.size(); ++k)
    s += format("<text x=\"%.0f\" y=\"20\" fill=\"%s\">times as fast as %s</text>\n",
                kLeft + 210.0 * static_cast<double>(k - 1), kColours[k % 4], sides[k].name.c_str());
  for (int power = -1; power <= 6; ++power) {
    const double x = one + kUnit * power;
    s += format("<line x1=\"%.1f\" y1=\"40\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x, x, bottom,
                power == 0 ? "black" : "#dddddd");
    s += format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g</text>\n", x, bottom + 16,
                std::exp2(power));
  }
  double y = 50;
  for (const Measured& m : rows) {
    s += format("<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", kLeft - 5, y + height / 2,
                m.kernel.c_str());
    for (size_t k = 1; k < sides.size(); ++k) {
      if (m.ratio(k) <= 0) continue;
      const double x = place(m.ratio(k));
      s += format("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.0f\" fill=\"%s\"/>\n",
                  std::min(x, one), y + kBar * static_cast<double>(k - 1), std::max(1.0, std::fabs(x - one)),
                  kBar - 1, kColours[k % 4]);
    }
    y += height;
  }
  return s + "</svg>\n";
}

}  // namespace quern::bench
