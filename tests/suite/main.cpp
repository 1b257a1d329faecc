// The suite for every device: runs all of tests/cases, and random kernels against the simulator, on each
// device that is available or named. Exit code 0: every case passed or was rejected with a reason; 1: failed;
// 77: a named device is not on this machine, which ctest shows as skipped.
// `quern_suite --help` lists the options.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "base/file.hpp"
#include "base/progress.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "runtime/select.hpp"
#include "suite/exchange.hpp"
#include "suite/expected_failures.hpp"
#include "suite/run_case.hpp"
#include "suite/run_random.hpp"
#include "suite/status.hpp"

namespace quern::test {

namespace {

struct Options {
  std::vector<std::string> devices, filters, exceptions;
  std::string status, cases, results;
  uint64_t part = 0, parts = 1;
  uint64_t random = 0, seed = 1;
  double seconds = 0;
  bool perf = false, list = false;
};

constexpr int kSkipped = 77;

constexpr const char* kUsage =
    "usage: quern_suite [--on DEVICE]… [--filter TEXT]… [--except TEXT]… [--part K/N] [--random COUNT]\n"
    "                   [--seed N] [--seconds S] [--perf] [--status FILE] [--list] [--export FILE] "
    "[--compare FILE]\n\n"
    "Runs every case of tests/cases, and COUNT random kernels against the simulator, on each device.\n"
    "  --on DEVICE     as for `quern run`; may be repeated (all available devices)\n"
    "  --filter TEXT   only cases whose name contains it; may be repeated (all cases)\n"
    "  --except TEXT   no case whose name contains it; may be repeated\n"
    "  --part K/N      only the K-th of N parts, so that several processes can share the work\n"
    "  --random COUNT  random kernels, beginning with seed N, for at most S seconds\n"
    "  --perf          time the cases instead: the best of ten launches each\n"
    "  --status FILE   write the results as a page\n"
    "  --list          print the names of the cases\n"
    "  --export FILE   write the cases as JSON, for a program that runs them elsewhere\n"
    "  --compare FILE  compare the results of such a program, in JSON, with the expected ones\n";

bool parse(int argc, char** argv, Options& o) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto value = [&]() -> std::string { return i + 1 < argc ? argv[++i] : ""; };
    if (word == "--on") {
      o.devices.push_back(value());
    } else if (word == "--filter") {
      o.filters.push_back(value());
    } else if (word == "--except") {
      o.exceptions.push_back(value());
    } else if (word == "--part") {
      const std::string text = value();
      const size_t slash = text.find('/');
      o.part = base::parse_uint(text.substr(0, slash)).value_or(0);
      o.parts = slash == std::string::npos ? 0 : base::parse_uint(text.substr(slash + 1)).value_or(0);
      if (o.part < 1 || o.part > o.parts) return false;
      --o.part;
    } else if (word == "--random") {
      o.random = base::parse_uint(value()).value_or(0);
    } else if (word == "--seed") {
      o.seed = base::parse_uint(value()).value_or(1);
    } else if (word == "--seconds") {
      o.seconds = base::parse_double(value()).value_or(0);
    } else if (word == "--status") {
      o.status = value();
    } else if (word == "--export") {
      o.cases = value();
    } else if (word == "--compare") {
      o.results = value();
    } else if (word == "--perf") {
      o.perf = true;
    } else if (word == "--list") {
      o.list = true;
    } else {
      return false;
    }
  }
  return true;
}

std::string name_of(const Case& c) { return test_name(c.file, c.kernel, c.line); }

bool is_selected(const Case& c, const Options& o) {
  const auto matches = [&](const std::string& text) { return name_of(c).find(text) != std::string::npos; };
  if (std::ranges::any_of(o.exceptions, matches)) return false;
  return o.filters.empty() || std::ranges::any_of(o.filters, matches);
}

// Neighbors are in different parts, because slow cases are often adjacent.
void take_part(std::vector<Case>& cases, const Options& o) {
  uint64_t at = 0;
  std::erase_if(cases, [&](const Case&) { return at++ % o.parts != o.part; });
}

// Compilers of some drivers are slow.
void report_slow(const Case& c, std::chrono::duration<double> taken) {
  constexpr double kSlow = 10;
  if (taken.count() >= kSlow) std::printf("%s took %.0f s\n", name_of(c).c_str(), taken.count());
}

// One device: all cases, then random kernels.
DeviceStatus run_device(std::shared_ptr<runtime::Device> device, const std::vector<Case>& cases,
                        const Options& o) {
  DeviceStatus status;
  status.info = device->info();
  auto runner = std::make_unique<CaseRunner>(device);
  base::Progress progress(device->info().id(), cases.size(), "cases");
  for (size_t i = 0; i < cases.size(); ++i) {
    const Case& c = cases[i];
    const auto start = std::chrono::steady_clock::now();
    Outcome outcome = runner->run(c, o.perf ? 10 : 1);
    report_slow(c, std::chrono::steady_clock::now() - start);
    const ExpectedFailure* expected = expected_failure(device->info(), name_of(c));
    status.add(std::filesystem::path(c.file).filename().string(), name_of(c), outcome, expected);
    progress.advance();
    if (outcome.lost) {  // later cases use a new one
      runner.reset();
      device.reset();
      auto again = runtime::open({status.info.id(), {}});
      if (!again.ok()) {
        status.failures.push_back("not opened again: " + again.error().message());
        return status;
      }
      device = *again;
      runner = std::make_unique<CaseRunner>(device);
    }
    if (o.perf && outcome.kind == Outcome::Kind::kPassed)
      std::printf("%-60s %s\n", name_of(c).c_str(), base::format_duration(outcome.seconds).c_str());
  }
  progress.finish();
  if (o.random > 0) {
    base::Progress random(device->info().id(), o.random, "random kernels");
    // The simulator is compared with itself in another schedule.
    auto other = runtime::open({"sim,seed=12345,check=none", {}});
    const bool is_sim = device->info().driver == "sim" && other.ok();
    status.random =
        run_random(is_sim ? *other : device, o.seed, o.random, o.seconds, [&] { random.advance(); });
    random.finish();
  }
  return status;
}

int run(const Options& o) {
  std::vector<Case> cases;
  // The runtime runs the launches of kernels: those cases are for programs that use it.
  const bool has_runtime = o.cases.empty() && o.results.empty();
  for (const char* const folder : {"/tests/cases", "/tests/launches"}) {
    if (!has_runtime && std::string_view(folder).ends_with("launches")) continue;
    auto all = read_cases(std::string(QUERN_SOURCE_DIR) + folder);
    if (!all.ok()) {
      std::fprintf(stderr, "quern_suite: %s\n", all.error().to_string().c_str());
      return 3;
    }
    for (Case& c : *all) {
      if (is_selected(c, o)) cases.push_back(std::move(c));
    }
  }
  take_part(cases, o);
  if (o.list) {
    for (const Case& c : cases) std::printf("%s\n", name_of(c).c_str());
    return 0;
  }
  if (!o.cases.empty() || !o.results.empty()) {
    auto done = !o.cases.empty() ? export_cases(cases, o.cases) : compare_results(cases, o.results);
    if (!done.ok()) std::fprintf(stderr, "quern_suite: %s\n", done.error().to_string().c_str());
    return done.ok() ? 0 : 1;
  }
  std::vector<std::string> wanted = o.devices;
  if (wanted.empty()) {
    for (const driver::DeviceInfo& c : runtime::candidates()) {
      if (runtime::takes_kernels(c)) wanted.push_back(c.id());
    }
  }
  std::vector<DeviceStatus> statuses;
  bool right = !wanted.empty() && !cases.empty();
  for (const std::string& text : wanted) {
    auto device = runtime::open({text, {}});
    if (!device.ok()) {
      std::fprintf(stderr, "quern_suite: %s\n", device.error().to_string().c_str());
      const bool is_absent = device.error().kind() == base::ErrorKind::not_found;
      if (is_absent) std::fprintf(stderr, "quern_suite: SKIPPED, %s is not on this machine\n", text.c_str());
      return is_absent ? kSkipped : 3;
    }
    statuses.push_back(run_device(*device, cases, o));
    std::fputs(statuses.back().report().c_str(), stdout);
    right &= statuses.back().is_right();
  }
  if (!o.status.empty()) {
    if (auto written = base::write_file(o.status, status_page(statuses)); !written.ok()) {
      std::fprintf(stderr, "quern_suite: %s\n", written.error().to_string().c_str());
      return 3;
    }
  }
  return right ? 0 : 1;
}

}  // namespace
}  // namespace quern::test

int main(int argc, char** argv) {
  quern::test::Options options;
  if (!quern::test::parse(argc, argv, options)) {
    std::fputs(quern::test::kUsage, stderr);
    return 2;
  }
  return quern::test::run(options);
}
