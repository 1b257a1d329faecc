// quern top: temperature, power, clocks, utilization, memory and throttling of the devices, live.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/terminal.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "command.hpp"
#include "output.hpp"
#include "runtime/select.hpp"
#include "stop_signal.hpp"
#include "telemetry/monitor.hpp"
#include "telemetry_text.hpp"

namespace quern::tool {

namespace {

constexpr Arguments::Option kTopOptions[] = {{"--on", true}, {"--interval", true}, {"--count", true}, {"-v"},
                                             {"--verbose"},  {"--json"},           {"--help"},        {"-h"}};

constexpr std::string_view kTopHelp =
    R"(usage: quern top [--on DEVICE]… [--interval SECONDS] [--count N] [-v] [--json]

Shows the sensors of the devices: temperature (of the device/of its memory), power and its limit, clocks, share of time
in which the device was busy, memory in use, and why the device runs below its highest clock. On a terminal, the table
is redrawn every second until you press Ctrl-C. Elsewhere, it is printed once. Values are of the whole device, not of
one process. Values that no source reports are shown as "–".

Sources are loaded at run time: NVML for NVIDIA GPUs, ROCm SMI for AMD GPUs, Level Zero Sysman for Intel GPUs, and files
of the kernel's drivers (hwmon, DRM). A library that is missing is listed below the table.

  --on DEVICE          only this device; may be repeated
  --interval SECONDS   time between two readings (default: 1)
  --count N            number of readings; 0: until Ctrl-C (default: 0 on a terminal, else 1)
  -v, --verbose        say why values are absent
  --json               one object per reading, on one line: {"time", "devices": [{"id", "temperature_c", …}], "libraries"}

examples:
  quern top
  quern top --on gpu --interval 0.2
  quern top --json --count 10 > readings.jsonl

exit code: 0 success, 2 invalid usage, 3 a device cannot be opened
)";

struct TopOptions {
  double interval = 1;
  uint64_t count = 0;  // 0: until a signal
  bool as_json = false, is_verbose = false, is_live = false;
};

struct Watched {
  DeviceInfo device;
  std::unique_ptr<telemetry::Monitor> monitor;
};

// Each piece of hardware once: the preferred driver's devices, and the processor of the host under one
// driver.
base::Result<std::vector<Watched>> watched_devices(const std::vector<std::string>& wanted) {
  std::vector<Watched> out;
  const auto add = [&](const DeviceInfo& device) {
    out.push_back({device, std::make_unique<telemetry::Monitor>(device)});
  };
  for (const std::string& text : wanted) {
    QUERN_TRY_ASSIGN(const driver::DeviceInfo device, runtime::find({text, {}}));
    add(device);
  }
  if (!wanted.empty()) return out;
  std::optional<DeviceInfo> processor;
  for (const driver::DeviceInfo& info : runtime::candidates()) {
    if (info.kind == DeviceKind::simulated || !info.same_as.empty()) continue;
    if (info.kind != DeviceKind::cpu) {
      add(info);
    } else if (!processor || info.driver == "cpu") {
      processor = info;
    }
  }
  if (processor) add(*processor);
  return out;
}

// Overwrites the previous text on a terminal. Lines are padded instead of cleared, so that nothing flickers.
class Screen {
 public:
  void draw(const std::string& text) {
    const size_t width = std::max<size_t>(base::terminal_width(stdout), 2) - 1;
    std::string out;
    size_t lines = 0;
    for (const std::string_view line : base::split_lines(text)) {
      const std::string fitting = base::fit_width(line, width);
      out += fitting + std::string(width - std::min(width, base::display_width(fitting)), ' ') + "\n";
      ++lines;
    }
    for (size_t i = lines; i < lines_; ++i) out += std::string(width, ' ') + "\n";
    if (lines_ != 0) std::fprintf(control_stream(stdout), "\033[%zuA", lines_);
    lines_ = std::max(lines, lines_);
    std::fputs(out.c_str(), stdout);
    std::fflush(stdout);
  }

 private:
  size_t lines_ = 0;  // of the previous text
};

std::string absent_text(const std::vector<TelemetryRow>& rows) {
  std::string out;
  for (const auto& [device, values] : rows) {
    for (const std::string& sentence : values.missing) out += "  " + device.id() + ": " + sentence + "\n";
  }
  return out.empty() ? out : "\nabsent values:\n" + out;
}

std::string page(const std::vector<TelemetryRow>& rows, const std::vector<telemetry::LibraryState>& libraries,
                 const TopOptions& options) {
  std::string out = rows.empty() ? "  no device with sensors was found\n"
                                 : telemetry_table(rows, base::wants_colour(stdout));
  if (const std::string missing = missing_libraries(libraries); !missing.empty())
    out += "\nmissing libraries:\n" + missing;
  if (options.is_verbose) out += absent_text(rows);
  return out;
}

double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void watch(const std::vector<Watched>& devices, const TopOptions& options) {
  const std::vector<telemetry::LibraryState> libraries = telemetry::libraries();
  const StopSignal signal;
  Screen screen;
  for (uint64_t i = 0; options.count == 0 || i < options.count; ++i) {
    if (i != 0 && !StopSignal::wait(options.interval)) break;
    std::vector<TelemetryRow> rows;
    for (const Watched& w : devices) rows.push_back({w.device, w.monitor->read()});
    if (options.is_live) {
      screen.draw(page(rows, libraries, options));
      continue;
    }
    std::fputs(
        (options.as_json ? telemetry_json(rows, libraries, unix_time()) : page(rows, libraries, options))
            .c_str(),
        stdout);
    if (std::fflush(stdout) != 0) break;  // the reader has gone; main reports other failures
  }
}

Outcome run_top(const Arguments& arguments) {
  TopOptions options;
  options.as_json = arguments.has("--json");
  options.is_verbose = arguments.has("-v") || arguments.has("--verbose");
  options.is_live = !options.as_json && base::is_terminal(stdout);
  options.count = options.is_live ? 0 : 1;
  if (const auto text = arguments.value("--interval")) {
    const auto seconds = base::parse_double(*text);
    constexpr double kMost = 86400;
    if (!seconds || !(*seconds > 0) || *seconds > kMost)
      return fail(kUsage,
                  "--interval must be a number of seconds above 0 and at most 86400, not '" + *text + "'");
    options.interval = *seconds;
  }
  if (const auto text = arguments.value("--count")) {
    const auto count = base::parse_uint(*text);
    if (!count) return fail(kUsage, "--count must be a whole number, not '" + *text + "'");
    options.count = *count;
  }
  const auto devices = watched_devices(arguments.values("--on"));
  if (!devices.ok()) return fail(kBadInput, devices.error());
  watch(*devices, options);
  return kOk;
}

}  // namespace

constinit const Command kTopCommand = {
    "top", "show temperature, power, clocks and load of the devices", kTopHelp, kTopOptions, run_top, false};

}  // namespace quern::tool
