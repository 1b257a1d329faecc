// The injection matrix: every scenario on every device. Each of its device calls is made to fail in turn, in
// every mode, until the scenario passes without a fault. The program's results must be those of an
// undisturbed run, or the planned error; every object must be destroyed; nothing may hang. Exit code 0:
// passed; 1: failed; 3: a case did not end; 77: a named device is not on this machine.
//   quern_inject [--on DRIVER]… [--scenario NAME]… [--seconds S | --all] [--results FILE] [--limit S]
//                [--markdown] [--verbose]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#if defined(__linux__)
#include <malloc.h>
#endif
#include <unistd.h>

#include "base/text.hpp"
#include "inject/cell.hpp"
#include "inject/trial.hpp"
#include "inject/watchdog.hpp"
#include "runtime/registry.hpp"
#include "support/devices.hpp"

namespace quern::inject {

namespace {

using Clock = std::chrono::steady_clock;
using base::format;

constexpr const char* kUsage =
    "usage: quern_inject [--on DRIVER]… [--scenario NAME]… [--seconds S | --all] [--results FILE] [--limit "
    "S]\n"
    "                    [--markdown] [--verbose]\n\n"
    "Makes each device call fail in turn, in every scenario, and prints the outcomes.\n"
    "  --on DRIVER      may be repeated (all available devices)\n"
    "  --scenario NAME  likewise\n"
    "  --seconds S      approximate time per scenario and device; skips calls if necessary (1)\n"
    "  --all            every call, however long it takes\n"
    "  --results FILE   skip results that are in FILE, append new ones, and show all\n"
    "  --markdown       the table as Markdown, a row for each device\n"
    "  --limit S        time limit of one case (60)\n"
    "  --verbose        print every case\n";

struct Options {
  std::vector<std::string> drivers, scenarios;
  std::string results;
  double seconds = 1, limit = 60;
  bool is_verbose = false, is_markdown = false;
};

bool parse(int argc, char** argv, Options& o) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto value = [&]() -> std::string { return i + 1 < argc ? argv[++i] : ""; };
    if (word == "--on") {
      o.drivers.push_back(value());
    } else if (word == "--scenario") {
      o.scenarios.push_back(value());
    } else if (word == "--seconds") {
      o.seconds = base::parse_double(value()).value_or(-1);
    } else if (word == "--all") {
      o.seconds = 0;
    } else if (word == "--results") {
      o.results = value();
    } else if (word == "--markdown") {
      o.is_markdown = true;
    } else if (word == "--limit") {
      o.limit = base::parse_double(value()).value_or(-1);
    } else if (word == "--verbose") {
      o.is_verbose = true;
    } else {
      return false;
    }
  }
  return o.seconds >= 0 && o.limit > 0;
}

bool is_wanted(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

// Resources of the process, some of which a driver keeps after the first use.
struct Process {
  std::size_t threads = 0, files = 0, heap = 0;
  static Process now() {
    const auto entries = [](const char* folder) {
      std::error_code none;
      return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder, none),
                                                    std::filesystem::directory_iterator()));
    };
#if defined(__linux__)
    return {entries("/proc/self/task"), entries("/proc/self/fd"), ::mallinfo2().uordblks};
#else
    return {0, entries("/dev/fd"), 0};
#endif
  }
};

class Matrix {
 public:
  explicit Matrix(const Options& options) : options_(options), watchdog_(options.limit) {}

  Cell fill(const std::string& driver, const Subject& subject) {
    Cell cell{driver, subject.name};
    const auto start = Clock::now();
    for (const Mode& mode : modes()) {
      if (subject.takes(mode))
        (void)run_case(cell, subject, mode, kNever, nullptr);  // creates objects that are kept
    }
    const Process before = Process::now();
    const uint64_t cases_before = cell.cases;
    for (const Mode& mode : modes()) {
      if (subject.takes(mode)) walk(cell, subject, mode);
    }
    check_process(cell, before);
    cell.heap = (static_cast<double>(Process::now().heap) - static_cast<double>(before.heap)) /
                static_cast<double>(std::max<uint64_t>(1, cell.cases - cases_before));
    cell.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return cell;
  }

  const std::vector<std::string>& problems() const { return problems_; }

 private:
  // N = 0, 1, 2, … until the scenario passes without a fault.
  void walk(Cell& cell, const Subject& subject, const Mode& mode) {
    const auto start = Clock::now();
    const Outcome calm = run_case(cell, subject, mode, kNever, nullptr);
    if (calm.has_error) return problem(cell, mode, kNever, "fails without a fault: " + calm.text);
    const double took = std::chrono::duration<double>(Clock::now() - start).count();
    uint64_t stride = 1;
    if (options_.seconds > 0)
      stride +=
          static_cast<uint64_t>(took * static_cast<double>(calm.calls * modes().size()) / options_.seconds);
    cell.stride = std::max(cell.stride, stride);
    for (uint64_t n = 0; run_case(cell, subject, mode, n, &calm).fired != 0; n += stride) {
    }
  }

  Outcome run_case(Cell& cell, const Subject& subject, const Mode& mode, uint64_t n, const Outcome* calm) {
    const std::string what = name(cell, mode, n);
    if (options_.is_verbose) std::printf("%s\n", what.c_str());
    watchdog_.begin(what);
    Outcome outcome = run(cell.driver, subject, mode, n);
    watchdog_.begin("");
    ++cell.cases;
    cell.injected += outcome.fired;
    if (!outcome.left.empty()) {
      ++cell.leaked;
      problem(cell, mode, n, "leaks: " + outcome.left, false);
    }
    if (calm == nullptr) return outcome;
    std::string why;
    switch (classify(*calm, outcome, mode, why)) {
      case Verdict::kUntouched: break;
      case Verdict::kRecovered: ++cell.recovered; break;
      case Verdict::kDocumented: ++cell.documented; break;
      case Verdict::kWrong: problem(cell, mode, n, why); break;
    }
    return outcome;
  }

  // Threads may end shortly after they were waited for.
  void check_process(Cell& cell, const Process& before) {
    constexpr std::size_t kSlack = 2;
    Process now = Process::now();
    for (int i = 0; i < 50 && now.threads > before.threads + kSlack; ++i) {
      ::usleep(20'000);
      now = Process::now();
    }
    if (now.threads <= before.threads + kSlack && now.files <= before.files + kSlack) return;
    ++cell.leaked;
    problems_.push_back(format("%s, %s: %zu more threads and %zu more files than before", cell.driver.c_str(),
                               cell.scenario.c_str(), now.threads - before.threads,
                               now.files - before.files));
  }

  static std::string name(const Cell& cell, const Mode& mode, uint64_t n) {
    return cell.driver + ", " + cell.scenario + ", " + std::string(mode.name) +
           (n == kNever ? ", undisturbed" : " at call " + std::to_string(n));
  }

  void problem(Cell& cell, const Mode& mode, uint64_t n, const std::string& why, bool is_wrong = true) {
    if (is_wrong) ++cell.wrong;
    problems_.push_back(name(cell, mode, n) + ": " + why);
  }

  const Options& options_;
  Watchdog watchdog_;
  std::vector<std::string> problems_;
};

void print(const std::vector<Cell>& cells, const std::vector<std::string>& problems, bool is_markdown) {
  std::printf("%s", is_markdown ? markdown(cells).c_str() : table(cells).c_str());
  for (std::size_t i = 0; i < problems.size() && i < 40; ++i) std::printf("%s\n", problems[i].c_str());
  if (problems.size() > 40) std::printf("… and %zu more\n", problems.size() - 40);
  const Cell all = sum("all", cells);
  std::printf("%llu faults injected: %llu recovered, %llu documented errors, %llu wrong, %llu leaked\n",
              static_cast<unsigned long long>(all.injected), static_cast<unsigned long long>(all.recovered),
              static_cast<unsigned long long>(all.documented), static_cast<unsigned long long>(all.wrong),
              static_cast<unsigned long long>(all.leaked));
}

bool is_here(const std::string& driver) {
  const auto state = runtime::Registry::instance().driver(driver);
  return state.ok() && !state->devices.empty();
}

// A device that stays open while others fail: what a driver creates with its first device and destroys with
// its last one (CUDA's context: 0.2 s) is created once, not in every case.
std::unique_ptr<driver::Device> keep_open(const std::string& driver) {
  const auto started = runtime::Registry::instance().start(driver);
  if (!started.ok()) return nullptr;
  auto device = (*started)->open(0, {});
  return device.ok() ? std::move(*device) : nullptr;
}

bool has(const std::vector<Cell>& cells, const std::string& driver, const std::string& scenario) {
  return std::any_of(cells.begin(), cells.end(),
                     [&](const Cell& c) { return c.driver == driver && c.scenario == scenario; });
}

int run_all(const Options& options) {
  std::vector<std::string> drivers = options.drivers;
  for (const std::string& d : drivers) {
    if (is_here(d)) continue;
    std::printf("no device of %s is available\n", d.c_str());
    return 77;
  }
  if (drivers.empty()) {
    for (const char* d : test::each_implementation()) {
      if (test::why_not(d, {}).empty()) drivers.emplace_back(d);
    }
  }
  auto known = read_cells(options.results);
  if (!known.ok()) return std::printf("%s\n", known.error().to_string().c_str()), 2;
  std::vector<Cell> cells = std::move(*known);
  Matrix matrix(options);
  for (const std::string& driver : drivers) {
    const auto keeper = keep_open(driver);
    for (const Subject& subject : subjects()) {
      if (!is_wanted(options.scenarios, subject.name) || has(cells, driver, subject.name)) continue;
      cells.push_back(matrix.fill(driver, subject));
      const Cell& c = cells.back();
      std::fprintf(stderr, "%s, %s: %llu faults, %.1f s\n", driver.c_str(), subject.name.c_str(),
                   static_cast<unsigned long long>(c.injected), c.seconds);
      if (options.results.empty()) continue;
      if (const auto kept = append_cell(options.results, c); !kept.ok())
        return std::printf("%s\n", kept.error().to_string().c_str()), 2;
    }
  }
  print(cells, matrix.problems(), options.is_markdown);
  const Cell all = sum("all", cells);
  return matrix.problems().empty() && all.wrong == 0 && all.leaked == 0 ? 0 : 1;
}

}  // namespace

}  // namespace quern::inject

int main(int argc, char** argv) {
  quern::inject::Options options;
  if (!quern::inject::parse(argc, argv, options)) {
    std::printf("%s", quern::inject::kUsage);
    return 2;
  }
  return quern::inject::run_all(options);
}
