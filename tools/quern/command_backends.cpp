// quern backends, quern probe: the status of each driver on this machine, and whether its devices compute
// correctly.
#include <chrono>
#include <cstdio>
#include <optional>

#include "base/json.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "defects.hpp"
#include "device_bench.hpp"
#include "runtime/registry.hpp"
#include "runtime/select.hpp"
#include "runtime/verify.hpp"
#include "telemetry/monitor.hpp"
#include "telemetry_text.hpp"

namespace quern::tool {

namespace {

using base::Align;
using base::Cell;
using base::Style;
using runtime::DriverState;
using runtime::Step;

constexpr Arguments::Option kBackendsOptions[] = {{"-v"},        {"--verbose"}, {"--json"}, {"--quick"},
                                                  {"--defects"}, {"--help"},    {"-h"}};
constexpr Arguments::Option kProbeOptions[] = {{"--bench"}, {"--json"}, {"--help"}, {"-h"}};

constexpr std::string_view kBackendsHelp = R"(usage: quern backends [-v] [--quick] [--json]
       quern backends --defects

Shows, for each driver, whether it is built in, its library was found and loaded, a device was opened, and a self test on
that device was verified; if not, the reason and a fix. Third-party libraries are tried in a child process; remembered
results are ignored, and the libraries are tried again.

  -v, --verbose   also list the known defects of each driver's devices and their workarounds
  --quick         do not run the self tests
  --json          machine-readable output: {"drivers": [{"name", "step", "says", "reason", "fix", "devices": […],
                  "known_defects": {DEVICE: [{"name", "versions", "effect", "action", "reference"}]}}]}
  --defects       print the table of all known driver defects in Markdown (docs/defects.md), and exit

exit code: 0
)";

constexpr std::string_view kProbeHelp = R"(usage: quern probe [DEVICE…] [--bench] [--json]

Runs the self test on every device, or on the named ones, and prints the time from source text to verified result.

  --bench   also measures each device for less than a second: copy bandwidth, and multiply-add throughput in float.
            Results are kept in the cache folder; QUERN_SCORE=measured uses them to choose a device
  --json    machine-readable output: {"devices": [{"id", "name", "verified", …}]}

examples:
  quern probe
  quern probe cpu sim
  quern probe --bench && QUERN_SCORE=measured quern devices

exit code: 0 all results are correct, 1 some are not, 3 a device cannot be opened
)";

// Opens every device of the driver and runs the self test; stops at the first failure.
void verify(DriverState& state) {
  for (const driver::DeviceInfo& info : state.devices) {
    auto device = runtime::open({info.id(), {}});
    if (!device.ok()) {
      state.step = Step::kLoads;
      state.error = std::move(device).error();
      return;
    }
    auto verified = runtime::verify(*device);
    if (!verified.ok()) {
      state.error = std::move(verified).error();
      return;
    }
  }
  state.step = Step::kVerified;
}

Cell mark(const DriverState& state, Step step) {
  if (state.step >= step) return Cell("✓", Style::kGreen);
  const bool stops_here = static_cast<int>(state.step) + 1 == static_cast<int>(step);
  const bool is_absent = step <= Step::kFound;
  return stops_here && state.error ? (is_absent ? Cell("–", Style::kDim) : Cell("✗", Style::kRed)) : Cell("");
}

std::string remark(const DriverState& state) {
  if (!state.error) return state.says;
  std::string text = base::split(state.error->message(), '\n').front().data();
  text = text.substr(0, text.find('\n'));
  if (!state.error->hint().empty()) text += "; " + state.error->hint();
  return text;
}

void print_defects(const std::vector<DriverState>& all) {
  for (const DriverState& d : all) {
    for (const driver::DeviceInfo& info : d.devices) {
      const std::string text = defects_text(info, "  ");
      if (!text.empty()) std::printf("\n%s %s\n%s", info.id().c_str(), info.name.c_str(), text.c_str());
    }
  }
}

Outcome run_backends(const Arguments& arguments) {
  if (arguments.has("--defects")) {
    std::fputs(defects_table().c_str(), stdout);
    return kOk;
  }
  runtime::Registry::instance().forget();
  std::vector<DriverState> all = runtime::Registry::instance().drivers();
  for (DriverState& d : all) {
    if (!arguments.has("--quick") && d.step == Step::kOpens && runtime::takes_kernels(d.devices[0]))
      verify(d);
  }
  if (arguments.has("--json")) {
    base::JsonWriter json(2);
    json.begin_object().key("drivers").begin_array();
    for (const DriverState& d : all) {
      json.begin_object().member("name", d.name).member("step", runtime::name(d.step)).member("says", d.says);
      json.member("reason", d.error ? d.error->message() : "").member("fix", d.error ? d.error->hint() : "");
      json.key("devices").begin_array();
      for (const driver::DeviceInfo& i : d.devices) json.value(i.name);
      json.end_array().key("known_defects").begin_object();
      for (const driver::DeviceInfo& i : d.devices) write_defects(json, i, i.id());
      json.end_object().end_object();
    }
    json.end_array().end_object();
    std::fputs(json.take().c_str(), stdout);
    return kOk;
  }
  base::Table table({{"driver"},
                     {"built", Align::kCentre},
                     {"found", Align::kCentre},
                     {"loads", Align::kCentre},
                     {"opens", Align::kCentre},
                     {"verified", Align::kCentre},
                     {""}});
  for (const DriverState& d : all) {
    table.add_row({Cell(d.name, Style::kBold), mark(d, Step::kBuilt), mark(d, Step::kFound),
                   mark(d, Step::kLoads), mark(d, Step::kOpens), mark(d, Step::kVerified), remark(d)});
  }
  std::fputs(table.to_string(base::wants_colour(stdout)).c_str(), stdout);
  if (arguments.has("-v") || arguments.has("--verbose")) print_defects(all);
  return kOk;
}

struct Probe {
  std::string id, name;
  base::Result<runtime::Verified> result;
  std::optional<base::Result<runtime::Measured>> measured;
  ThrottleReasons throttled;  // while it was measured
};

// Only for verified results.
std::optional<base::Result<runtime::Measured>> measure(const runtime::Device& device, bool is_right) {
  if (!is_right) return std::nullopt;
  auto measured = bench(device.info().id());
  if (!measured.ok()) return measured;
  if (auto kept = runtime::remember(device.info(), *measured); !kept.ok()) return std::move(kept).error();
  return measured;
}

std::string measured_text(const Probe& p) {
  if (!p.measured) return "";
  if (!p.measured->ok()) return p.measured->error().message();
  return base::format("%.1f GB/s, %.1f Gflop/s", (*p.measured)->gigabytes, (*p.measured)->gigaflops);
}

Outcome run_probe(const Arguments& arguments) {
  runtime::Registry::instance().forget();
  std::vector<std::string> wanted = arguments.operands();
  if (wanted.empty()) {
    for (const driver::DeviceInfo& c : runtime::candidates()) {
      if (runtime::takes_kernels(c)) wanted.push_back(c.id());
    }
  }
  std::vector<Probe> probes;
  for (const std::string& text : wanted) {
    auto device = runtime::open({text, {}});
    if (!device.ok()) return fail(kBadInput, device.error());
    probes.push_back({(*device)->info().id(), (*device)->info().name, runtime::verify(*device), {}, {}});
    Probe& p = probes.back();
    if (!arguments.has("--bench")) continue;
    telemetry::ThrottleWatch throttling((*device)->info());
    p.measured = measure(**device, p.result.ok());
    p.throttled = throttling.reasons();
  }
  bool all_right = true;
  for (const Probe& p : probes) all_right &= p.result.ok() && (!p.measured || p.measured->ok());
  if (arguments.has("--json")) {
    base::JsonWriter json(2);
    json.begin_object().key("devices").begin_array();
    for (const Probe& p : probes) {
      json.begin_object().member("id", p.id).member("name", p.name).member("verified", p.result.ok());
      if (p.result.ok()) {
        json.member("seconds", p.result->seconds).member("compile_seconds", p.result->compile_seconds);
      } else {
        json.member("reason", p.result.error().message());
      }
      if (p.measured && p.measured->ok())
        json.member("gigabytes", (*p.measured)->gigabytes).member("gigaflops", (*p.measured)->gigaflops);
      if (p.measured) write_throttled(json, p.throttled);
      json.end_object();
    }
    json.end_array().end_object();
    std::fputs(json.take().c_str(), stdout);
    return all_right ? kOk : kFailed;
  }
  base::Table table({{"device"},
                     {"id"},
                     {"self test"},
                     {"total", Align::kRight},
                     {"compiling", Align::kRight},
                     {arguments.has("--bench") ? "measured" : ""},
                     {""}});
  for (const Probe& p : probes) {
    if (p.result.ok()) {
      table.add_row({Cell(p.name, Style::kBold), p.id, Cell("right", Style::kGreen),
                     base::format_duration(p.result->seconds),
                     base::format_duration(p.result->compile_seconds), measured_text(p),
                     Cell(throttled_text(p.throttled), Style::kYellow)});
    } else {
      table.add_row({Cell(p.name, Style::kBold), p.id, Cell("failed", Style::kRed), "", "",
                     p.result.error().message()});
    }
  }
  std::fputs(table.to_string(base::wants_colour(stdout)).c_str(), stdout);
  return all_right ? kOk : kFailed;
}

}  // namespace

constinit const Command kBackendsCommand = {"backends",    "status of each driver on this machine",
                                            kBackendsHelp, kBackendsOptions,
                                            run_backends,  false};
constinit const Command kProbeCommand = {"probe", "run a verified self test on each device", kProbeHelp,
                                         kProbeOptions, run_probe};

}  // namespace quern::tool
