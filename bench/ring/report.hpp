// The table of bench_ring: what was measured, what it is compared with, and what it should be.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/table.hpp"
#include "base/text.hpp"

namespace quern::bench {

struct Line {
  std::string what;
  std::string unit;  // "s": printed as a duration; others behind the number
  double ours = 0;
  double other = 0;     // 0: there is nothing to compare with
  std::string against;  // what `other` is
  std::string goal;     // as people read it; empty: none
  bool is_met = true;
  bool is_right = true;  // the answers were checked
};

class Report {
 public:
  void add(Line line) {
    std::printf("  %s …\n", line.what.c_str());
    std::fflush(stdout);
    all_right_ &= line.is_right;
    lines_.push_back(std::move(line));
  }
  void fail(const std::string& what, const std::string& why) {
    std::printf("  %s: %s\n", what.c_str(), why.c_str());
    std::fflush(stdout);
    failures_.push_back({what, why});
  }
  bool all_right() const { return all_right_ && failures_.empty(); }

  std::string table() const {
    base::Table table({{"what"},
                       {"ours", base::Align::kRight},
                       {"other", base::Align::kRight},
                       {"ours/other", base::Align::kRight},
                       {"against"},
                       {"goal"},
                       {""},
                       {"answers"}});
    for (const Line& l : lines_) {
      table.add_row({l.what, number(l, l.ours), l.other == 0 ? "" : number(l, l.other),
                     l.other == 0 ? "" : base::format("%.3f", l.ours / l.other), l.against, l.goal,
                     l.goal.empty() ? "" : (l.is_met ? "met" : "MISSED"), l.is_right ? "right" : "WRONG"});
    }
    std::string out = table.to_string();
    for (const auto& [what, why] : failures_) out += "  " + what + ": FAILED: " + why + "\n";
    return out;
  }

  std::string json(const std::string& device) const {
    base::JsonWriter json(2);
    json.begin_object().member("device", device).key("results").begin_array();
    for (const Line& l : lines_) {
      json.begin_object().member("what", l.what).member("unit", l.unit).member("ours", l.ours);
      json.member("other", l.other).member("against", l.against).member("goal", l.goal);
      json.member("met", l.is_met).member("right", l.is_right).end_object();
    }
    json.end_array().key("failures").begin_array();
    for (const auto& [what, why] : failures_)
      json.begin_object().member("what", what).member("why", why).end_object();
    json.end_array().end_object();
    return json.take();
  }

 private:
  static std::string number(const Line& l, double v) {
    if (l.unit == "s") return base::format_duration(v);
    return base::format("%.4g %s", v, l.unit.c_str());
  }
  std::vector<Line> lines_;
  std::vector<std::pair<std::string, std::string>> failures_;
  bool all_right_ = true;
};

}  // namespace quern::bench
