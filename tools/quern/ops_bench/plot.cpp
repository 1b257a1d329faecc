#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "ops_bench/rows.hpp"

namespace quern::tool {

namespace {

constexpr int kWidth = 900, kLeft = 240, kBar = 420, kLine = 26, kTop = 56;
constexpr const char* kOurs = "#3f51b5";
constexpr const char* kTheirs = "#ff9800";

std::string xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string svg_text(int x, int y, const std::string& text, const char* rest = "") {
  return base::format("<text x=\"%d\" y=\"%d\"%s>%s</text>\n", x, y, rest, xml(text).c_str());
}

// None if it has no width.
std::string bar(int x, int y, int width, int height, const char* color) {
  if (width == 0) return {};
  return base::format("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n", x, y, width,
                      height, color);
}

std::string label_of(const BenchRow& r) {
  if (!r.wrong.empty()) return "wrong result";
  std::string label = base::format("%.1f %s", r.rate(), r.unit());
  if (r.share > 0) label += base::format(", %.0f %%", r.share * 100);
  if (r.is_compared()) {
    label += base::format("; %s: %.1f %s", r.vendor.c_str(), r.work / r.vendor_seconds * 1e-9, r.unit());
    if (r.vendor_share > 0) label += base::format(", %.0f %%", r.vendor_share * 100);
  }
  return label;
}

}  // namespace

std::string bench_plot(const std::string& title, const std::vector<BenchRow>& rows) {
  double most = 1;
  bool is_compared = false;
  for (const BenchRow& r : rows) {
    most = std::max({most, r.share, r.vendor_share});
    is_compared = is_compared || r.is_compared();
  }
  const auto x_of = [&](double share) { return kLeft + static_cast<int>(std::lround(kBar * share / most)); };
  const int height = kTop + kLine * static_cast<int>(rows.size()) + 24;
  std::string svg = base::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
      "font-size=\"13\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
      kWidth, height);
  svg += svg_text(16, 24, title, " font-weight=\"bold\"");
  std::string subtitle = "share of the measured copy bandwidth or multiply-add throughput";
  if (is_compared) subtitle += "; the lower bar is that of the vendor's library";
  svg += svg_text(16, 42, subtitle, " fill=\"#666\"");
  int y = kTop;
  for (const BenchRow& r : rows) {
    svg += svg_text(16, y + 17, r.operation + " " + r.type + " " + r.shape);
    svg += bar(kLeft, y + 4, x_of(r.share) - kLeft, r.is_compared() ? 10 : 18, kOurs);
    svg += bar(kLeft, y + 15, x_of(r.vendor_share) - kLeft, 7, kTheirs);
    svg += svg_text(x_of(std::max(r.share, r.vendor_share)) + 6, y + 17, label_of(r));
    y += kLine;
  }
  svg +=
      base::format("<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#999\" stroke-dasharray=\"4\"/>\n",
                   x_of(1), kTop, x_of(1), y);
  return svg + "</svg>\n";
}

}  // namespace quern::tool
