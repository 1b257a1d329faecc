#include "profile/trace_check.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace quern::test {

namespace {

using base::JsonValue;
using Thread = std::pair<uint32_t, uint32_t>;

constexpr double kNothing = 1e-6;  // microseconds; times have three decimals

struct Slice {
  double begin, end;
  std::string name;
};

struct Flow {
  Thread thread;
  double at;
};

Thread thread_of(const JsonValue& e) {
  return {static_cast<uint32_t>(e.number_of("pid")), static_cast<uint32_t>(e.number_of("tid"))};
}

class Checker {
 public:
  explicit Checker(CheckedTrace& to) : to_(to) {}

  void run() {
    for (const JsonValue& e : to_.events.items) sort_in(e);
    for (auto& [thread, slices] : slices_) check_nesting(thread, slices);
    check_flows();
    check_names();
  }

 private:
  void complain(const std::string& what) { to_.violations.push_back(what); }

  void sort_in(const JsonValue& e) {
    const std::string phase = e.text_of("ph"), name = e.text_of("name");
    for (const char* needed : {"pid", "tid"}) {
      if (e.number_of(needed, -1) <= 0) complain("'" + name + "' has no " + needed);
    }
    if (phase == "M") {
      const JsonValue* args = e.find("args");
      if (name == "process_name") named_processes_.insert(thread_of(e).first);
      if (name == "thread_name") named_threads_.insert(thread_of(e));
      if (args == nullptr) complain("metadata '" + name + "' says nothing");
      return;
    }
    const double at = e.number_of("ts", -1);
    if (at < 0) complain("'" + name + "' has no time");
    processes_.insert(thread_of(e).first);
    if (phase == "X") {
      const double length = e.number_of("dur", -1);
      if (length < 0) complain("'" + name + "' has no length");
      slices_[thread_of(e)].push_back({at, at + length, name});
    } else if (phase == "s" || phase == "f") {
      const auto id = static_cast<uint64_t>(e.number_of("id"));
      if (phase == "f" && e.text_of("bp") != "e") complain("a flow ends without bp:e");
      if (!(phase == "s" ? starts_ : ends_).insert({id, {thread_of(e), at}}).second)
        complain("flow " + std::to_string(id) + " is there twice");
    } else if (phase != "i" && phase != "C") {
      complain("phase '" + phase + "' is not expected");
    }
  }

  // Two slices are nested or disjoint; on a stream they are disjoint.
  void check_nesting(const Thread& thread, std::vector<Slice>& slices) {
    std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    std::vector<Slice> open;
    for (const Slice& s : slices) {
      while (!open.empty() && open.back().end <= s.begin + kNothing) open.pop_back();
      if (!open.empty() && s.end > open.back().end + kNothing)
        complain("'" + s.name + "' and '" + open.back().name + "' overlap on thread " +
                 std::to_string(thread.second));
      if (!open.empty() && thread.first != 1)
        complain("'" + s.name + "' runs while '" + open.back().name + "' does, on one stream");
      open.push_back(s);
    }
  }

  bool is_inside(const Flow& flow) const {
    const auto slices = slices_.find(flow.thread);
    return slices != slices_.end() &&
           std::any_of(slices->second.begin(), slices->second.end(), [&](const Slice& s) {
             return s.begin <= flow.at + kNothing && flow.at <= s.end + kNothing;
           });
  }

  void check_flows() {
    to_.flows = starts_.size();
    for (const auto& [id, start] : starts_) {
      const auto end = ends_.find(id);
      const std::string name = "flow " + std::to_string(id);
      if (end == ends_.end()) {
        complain(name + " has no end");
        continue;
      }
      if (end->second.thread == start.thread) complain(name + " stays on its thread");
      if (end->second.at < start.at) complain(name + " ends before it begins");
      if (!is_inside(start) || !is_inside(end->second)) complain(name + " is not inside of slices");
    }
    if (ends_.size() != starts_.size()) complain("some flow has no start");
  }

  void check_names() {
    for (const uint32_t process : processes_) {
      if (!named_processes_.contains(process))
        complain("process " + std::to_string(process) + " has no name");
    }
    for (const auto& [thread, slices] : slices_) {
      if (!named_threads_.contains(thread))
        complain("thread " + std::to_string(thread.second) + " has no name");
    }
  }

  CheckedTrace& to_;
  std::map<Thread, std::vector<Slice>> slices_;
  std::map<uint64_t, Flow> starts_, ends_;
  std::set<uint32_t> processes_, named_processes_;
  std::set<Thread> named_threads_;
};

}  // namespace

std::vector<const JsonValue*> CheckedTrace::slices(const std::string& category) const {
  std::vector<const JsonValue*> out;
  for (const JsonValue& e : events.items) {
    if (e.text_of("ph") == "X" && e.text_of("cat") == category) out.push_back(&e);
  }
  return out;
}

CheckedTrace check_trace(const std::string& text) {
  CheckedTrace out;
  auto parsed = base::parse_json(text);
  if (!parsed.ok()) {
    out.violations.push_back(parsed.error().message());
    return out;
  }
  out.events = std::move(*parsed);
  if (out.events.kind != JsonValue::Kind::kArray) {
    out.violations.emplace_back("the trace is no array");
    return out;
  }
  Checker(out).run();
  return out;
}

}  // namespace quern::test
