// The table of bench_ring: measurements, references and goals.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace quern::bench {

struct Line {
  std::string what;
  std::string unit;  // "s": printed as a duration; others follow the number
  double ours = 0;
  double other = 0;     // 0: no reference
  std::string against;  // description of `other`
  std::string goal;     // as text; empty: none
  bool is_met = true;
  bool is_right = true;  // the replies were correct
};

// Prints each line as soon as it is known, because a later part may hang.
class Report {
 public:
  static void print_titles() { print("what", "ours", "other", "ratio", "goal", "", "answers", "against"); }
  void add(const Line& l) {
    print(l.what, number(l, l.ours), l.other == 0 ? "" : number(l, l.other),
          l.other == 0 ? "" : base::format("%.3f", l.ours / l.other), l.goal,
          l.goal.empty() ? "" : (l.is_met ? "met" : "MISSED"), l.is_right ? "right" : "WRONG", l.against);
    all_right_ &= l.is_right;
    lines_.push_back(l);
  }
  void note(const std::string& text) {
    std::printf("    %s\n", text.c_str());
    std::fflush(stdout);
  }
  void fail(const std::string& what, const std::string& why) {
    std::printf("  %s FAILED: %s\n", what.c_str(), why.c_str());
    std::fflush(stdout);
    failures_.push_back({what, why});
  }
  bool all_right() const { return all_right_ && failures_.empty(); }

  // One line for each result.
  std::string json() const {
    std::string out;
    for (const Line& l : lines_) {
      base::JsonWriter json;
      json.begin_object().member("what", l.what).member("unit", l.unit).member("ours", l.ours);
      json.member("other", l.other).member("against", l.against).member("goal", l.goal);
      json.member("met", l.is_met).member("right", l.is_right).end_object();
      out += json.take() + "\n";
    }
    for (const auto& [what, why] : failures_) {
      base::JsonWriter json;
      json.begin_object().member("what", what).member("failed", why).end_object();
      out += json.take() + "\n";
    }
    return out;
  }

 private:
  static void print(const std::string& what, const std::string& ours, const std::string& other,
                    const std::string& ratio, const std::string& goal, const std::string& met,
                    const std::string& answers, const std::string& against) {
    const auto padded = [](const std::string& text, std::size_t width, bool is_right) {
      const std::size_t columns = base::display_width(text);
      const std::string blank(columns < width ? width - columns : 0, ' ');
      return is_right ? blank + text : text + blank;
    };
    std::printf("  %s %s %s %s  %s %s %s  %s\n", padded(what, 46, false).c_str(),
                padded(ours, 11, true).c_str(), padded(other, 11, true).c_str(),
                padded(ratio, 8, true).c_str(), padded(goal, 11, false).c_str(),
                padded(met, 6, false).c_str(), padded(answers, 7, false).c_str(), against.c_str());
    std::fflush(stdout);
  }
  static std::string number(const Line& l, double v) {
    if (l.unit == "s") return base::format_duration(v);
    return base::format("%.4g %s", v, l.unit.c_str());
  }
  std::vector<Line> lines_;
  std::vector<std::pair<std::string, std::string>> failures_;
  bool all_right_ = true;
};

}  // namespace quern::bench
