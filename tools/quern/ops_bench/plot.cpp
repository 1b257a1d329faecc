#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "ops_bench/rows.hpp"

namespace quern::tool {

namespace {

constexpr int kWidth = 820, kLeft = 240, kBar = 420, kLine = 26, kTop = 56;

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

}  // namespace

std::string bench_plot(const std::string& title, const std::vector<BenchRow>& rows) {
  double most = 1;
  for (const BenchRow& r : rows) most = std::max(most, r.share);
  const auto x_of = [&](double share) { return kLeft + static_cast<int>(std::lround(kBar * share / most)); };
  const int height = kTop + kLine * static_cast<int>(rows.size()) + 24;
  std::string svg = base::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
      "font-size=\"13\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
      kWidth, height);
  svg += svg_text(16, 24, title, " font-weight=\"bold\"");
  svg +=
      svg_text(16, 42, "share of the measured copy bandwidth or multiply-add throughput", " fill=\"#666\"");
  int y = kTop;
  for (const BenchRow& r : rows) {
    svg += svg_text(16, y + 17, r.operation + " " + r.type + " " + r.shape);
    if (r.share > 0)
      svg += base::format("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"18\" fill=\"#3f51b5\"/>\n", kLeft,
                          y + 4, std::max(1, x_of(r.share) - kLeft));
    const std::string label = !r.wrong.empty() ? "wrong result"
                              : r.share > 0
                                  ? base::format("%.1f %s, %.0f %%", r.rate(), r.unit(), r.share * 100)
                                  : base::format("%.1f %s", r.rate(), r.unit());
    svg += svg_text(x_of(r.share) + 6, y + 17, label);
    y += kLine;
  }
  svg +=
      base::format("<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#999\" stroke-dasharray=\"4\"/>\n",
                   x_of(1), kTop, x_of(1), y);
  return svg + "</svg>\n";
}

}  // namespace quern::tool
