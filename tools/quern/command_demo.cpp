// quern demo: lists the devices of this machine, then runs, verifies and times the same kernels on each.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/json.hpp"
#include "base/progress.hpp"
#include "base/table.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "demo_jobs.hpp"
#include "runtime/select.hpp"
#include "telemetry/monitor.hpp"
#include "telemetry_text.hpp"

namespace quern::tool {

namespace {

using base::Align;
using base::Cell;
using base::Style;

constexpr Arguments::Option kOptions[] = {{"--on", true}, {"--json"}, {"--help"}, {"-h"}};

constexpr std::string_view kHelp = R"(usage: quern demo [--on DEVICE]… [--json]

Lists the devices of this machine, then runs the same five kernels on each: vector add, tiled matrix product,
reduction, stencil and Mandelbrot set. All results are verified on the host. Times are the best of at least two launches,
measured with the device's clock. "throttled" marks results of a device that a limit of power or temperature slowed
down meanwhile. A first launch with little data determines the problem size for each device, so that
the demo takes about ten seconds. The simulator always gets a small problem: its purpose is checking, not speed.

  --on DEVICE   use only this device; may be repeated
  --json        machine-readable output

exit code: 0 all results are correct, 1 some are not, 3 a device cannot be opened
)";

struct Row {
  std::string device, id, kernel, size;
  double seconds = 0, rate = 0;
  std::string unit, wrong;
  ThrottleReasons throttled;  // while it was measured
};

constexpr double kTotalSeconds = 8;   // for all measurements together
constexpr double kMostSeconds = 0.2;  // per kernel and device
constexpr double kLaunches = 4;       // that should fit into this time

// The job in the size that the device can run in `seconds`.
base::Result<DemoJob> fitting_job(runtime::Module& program, size_t which, double seconds) {
  DemoJob first = demo_job(which, 0);
  constexpr double kTrial = 1e-6;  // two launches: the second one excludes one-time costs
  QUERN_TRY_ASSIGN(const DemoResult result, run_job(program, first, kTrial));
  return demo_job(which, demo_size(which, result.seconds, seconds / kLaunches));
}

base::Result<std::vector<Row>> run_device(const std::string& text, double seconds, base::Progress& progress,
                                          std::string& picture) {
  QUERN_TRY_ASSIGN(const auto device, runtime::open({text, {}}));
  runtime::Source source;
  source.name = "demo.cu";
  source.text = demo_text();
  QUERN_TRY_ASSIGN(const auto program, runtime::Module::load(device, std::move(source)));
  const bool small = device->info().kind == driver::DeviceKind::simulated;
  telemetry::ThrottleWatch throttling(device->info());
  std::vector<Row> rows;
  for (size_t which = 0; which < kDemoJobs; ++which) {
    progress.set_detail(device->info().id());
    auto fitting = small ? demo_job(which, 0) : fitting_job(*program, which, seconds);
    DemoJob job = fitting.ok() ? std::move(*fitting) : demo_job(which, 0);
    Row row{device->info().name, device->info().id(), job.name, job.size, 0, 0, job.unit, {}, {}};
    auto result = fitting.ok() ? run_job(*program, job, small ? 0 : seconds) : std::move(fitting).error();
    row.throttled = throttling.reasons();
    progress.advance();
    if (result.ok()) {
      row.seconds = result->seconds;
      row.rate = result->seconds > 0 ? job.work / result->seconds : 0;
      row.wrong = result->wrong;
    } else {
      row.wrong = result.error().message();
    }
    const bool is_picture = std::string_view(job.kernel) == "mandelbrot" && row.wrong.empty() && !small;
    if (is_picture || (picture.empty() && std::string_view(job.kernel) == "mandelbrot"))
      picture = draw(job.buffers[0], static_cast<uint32_t>(job.numbers[0]),
                     static_cast<uint32_t>(job.numbers[1]), 72, base::wants_colour(stdout));
    rows.push_back(std::move(row));
  }
  return rows;
}

// 2,818  177  0.0343
std::string rate_text(double rate) {
  return rate < 999.5 ? base::format("%.3g", rate)
                      : base::format_count(static_cast<uint64_t>(std::llround(rate)));
}

void print_table(const std::vector<Row>& rows) {
  base::Table table({{"device", Align::kLeft, 32},
                     {"id"},
                     {"kernel"},
                     {"size"},
                     {"time", Align::kRight},
                     {"rate", Align::kRight},
                     {""},
                     {"answer"},
                     {""}});
  std::string last;
  for (const Row& r : rows) {
    const bool is_new = r.id != last;
    last = r.id;
    table.add_row({is_new ? Cell(r.device, Style::kBold) : Cell(""), is_new ? r.id : "", r.kernel, r.size,
                   r.seconds > 0 ? base::format_duration(r.seconds) : "", r.rate > 0 ? rate_text(r.rate) : "",
                   r.rate > 0 ? r.unit : "",
                   r.wrong.empty() ? Cell("right", Style::kGreen) : Cell("wrong: " + r.wrong, Style::kRed),
                   Cell(throttled_text(r.throttled), Style::kYellow)});
  }
  std::fputs(table.to_string(base::wants_colour(stdout)).c_str(), stdout);
}

Outcome run_demo(const Arguments& arguments) {
  std::vector<std::string> wanted = arguments.values("--on");
  const std::vector<driver::DeviceInfo> all = runtime::candidates();
  if (wanted.empty()) {
    for (const driver::DeviceInfo& c : all) {
      if (runtime::takes_kernels(c)) wanted.push_back(c.id());
    }
  }
  const bool as_json = arguments.has("--json");
  if (!as_json) {
    std::printf("This machine has:\n");
    for (const driver::DeviceInfo& c : all)
      std::printf("  %-9s  %s, %s\n", c.id().c_str(), c.name.c_str(),
                  std::string(driver::name(c.kind)).c_str());
    std::printf("\n");
  }
  std::vector<Row> rows;
  std::string picture;
  const size_t count = wanted.size() * kDemoJobs;
  const double seconds =
      std::min(kMostSeconds, kTotalSeconds / static_cast<double>(std::max<size_t>(count, 1)));
  base::Progress progress("demo", count, "kernels");
  for (const std::string& text : wanted) {
    auto done = run_device(text, seconds, progress, picture);
    if (!done.ok()) {
      progress.finish();
      return fail(kBadInput, done.error());
    }
    rows.insert(rows.end(), done->begin(), done->end());
  }
  progress.finish();
  bool all_right = true;
  for (const Row& r : rows) all_right &= r.wrong.empty();
  if (as_json) {
    base::JsonWriter json(2);
    json.begin_object().key("results").begin_array();
    for (const Row& r : rows) {
      json.begin_object()
          .member("device", r.device)
          .member("id", r.id)
          .member("kernel", r.kernel)
          .member("size", r.size);
      json.member("seconds", r.seconds).member("rate", r.rate).member("unit", r.unit);
      json.member("right", r.wrong.empty()).member("wrong", r.wrong);
      write_throttled(json, r.throttled);
      json.end_object();
    }
    json.end_array().end_object();
    std::fputs(json.take().c_str(), stdout);
  } else {
    std::printf("%s\n", picture.c_str());
    print_table(rows);
  }
  return all_right ? kOk : kFailed;
}

}  // namespace

constinit const Command kDemoCommand = {
    "demo", "run, verify and time the same kernels on every device", kHelp, kOptions, run_demo, false};

}  // namespace quern::tool
