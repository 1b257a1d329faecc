// The processor of the host: utilization and memory from /proc; clocks, temperature, power and throttling
// from /sys.
#include <algorithm>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"
#include "telemetry/files.hpp"
#include "telemetry/source.hpp"

namespace quern::telemetry {

namespace {

struct CpuTimes {
  double busy = 0, total = 0;
};

// The first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq and steal, in ticks.
std::optional<CpuTimes> cpu_times(const std::string& root) {
  const auto text = base::read_file(root + "proc/stat");
  if (!text.ok() || !text->starts_with("cpu ")) return std::nullopt;
  CpuTimes out;
  size_t column = 0;
  const std::string_view line = std::string_view(*text).substr(4, text->find('\n') - 4);
  for (const std::string_view word : base::split(line, ' ')) {
    const auto ticks = base::parse_uint(word);
    if (!ticks || column >= 8) continue;
    const bool is_idle = column == 3 || column == 4;
    (is_idle ? out.total : out.busy) += static_cast<double>(*ticks);
    ++column;
  }
  out.total += out.busy;
  return column < 4 ? std::nullopt : std::optional(out);
}

// A line of /proc/meminfo in bytes; negative: there is no such line.
double memory_line(std::string_view text, std::string_view name) {
  for (const std::string_view line : base::split_lines(text)) {
    if (!line.starts_with(name)) continue;
    return number_in(line.substr(name.size())).value_or(-1) * 1024;
  }
  return -1;
}

class ProcessorSource final : public Source {
 public:
  explicit ProcessorSource(std::string root)
      : root_(std::move(root)),
        cpus_(root_ + "sys/devices/system/cpu/"),
        packages_(energy_files()),
        times_(cpu_times(root_)) {
    (void)energy(nullptr);
  }

  std::string name() const override { return "/proc and /sys"; }

  void read(Reading& to) override {
    pacer_.wait();
    read_utilization(to);
    read_memory(to);
    read_clocks(to);
    read_temperature(to);
    read_power(to);
    to.lack(Field::kThrottle, "the operating system does not report the current state");
    to.lack_rest("the processor of the host does not report it");
  }

  // Events in which a core or the package was too hot, counted by x86 processors.
  void count(ThrottleCounters& to) override {
    for (const std::string& cpu : entries(cpus_, "cpu")) {
      for (const char* file : {"core_throttle_count", "package_throttle_count"}) {
        const auto events = read_number(cpus_ + cpu + "/thermal_throttle/" + file);
        if (events.ok())
          to[static_cast<size_t>(ThrottleReason::hardware_thermal)] += static_cast<uint64_t>(*events);
      }
    }
  }

 private:
  std::vector<std::string> energy_files() const {
    std::vector<std::string> out;
    const std::string folder = root_ + "sys/class/powercap/";
    // intel-rapl:0 is a package; intel-rapl:0:1 is a part of it.
    for (const std::string& zone : entries(folder, "intel-rapl:")) {
      if (std::count(zone.begin(), zone.end(), ':') == 1) out.push_back(folder + zone + "/");
    }
    return out;
  }

  void read_utilization(Reading& to) {
    const auto now = cpu_times(root_);
    const auto before = std::exchange(times_, now);
    if (!now || !before)
      return to.lack(Field::kUtilization,
                     "reading '" + root_ + "proc/stat' failed: no line starts with 'cpu'");
    const double total = now->total - before->total, busy = now->busy - before->busy;
    if (total > 0) {
      to.set(Field::kUtilization, std::clamp(100 * busy / total, 0.0, 100.0));
    } else {
      to.lack(Field::kUtilization, "the counters of '" + root_ + "proc/stat' did not advance");
    }
  }

  void read_memory(Reading& to) const {
    const std::string path = root_ + "proc/meminfo";
    const auto text = base::read_file(path);
    for (const Field field : {Field::kMemoryTotal, Field::kMemoryUsed})
      to.lack(field, text.ok() ? "'" + path + "' has no such line" : text.error().message());
    if (!text.ok()) return;
    const double total = memory_line(*text, "MemTotal:"), available = memory_line(*text, "MemAvailable:");
    if (total >= 0) to.set(Field::kMemoryTotal, total);
    if (total >= 0 && available >= 0) to.set(Field::kMemoryUsed, total - available);
  }

  // The mean of the current clocks of all cores, and the highest of their limits.
  void read_clocks(Reading& to) const {
    double sum = 0, most = 0;
    size_t count = 0;
    for (const std::string& cpu : entries(cpus_, "cpu")) {
      const std::string folder = cpus_ + cpu + "/cpufreq/";
      const auto now = read_number(folder + "scaling_cur_freq");
      const auto limit = read_number(folder + "cpuinfo_max_freq");
      if (now.ok()) sum += *now, ++count;
      if (limit.ok()) most = std::max(most, *limit);
    }
    if (count != 0) to.set(Field::kClock, sum / static_cast<double>(count) * 1e-3);
    if (most > 0) to.set(Field::kMaxClock, most * 1e-3);
    const std::string why = "no file '" + cpus_ +
                            "cpu*/cpufreq/scaling_cur_freq': the kernel has no cpufreq driver for "
                            "this processor, or a virtual machine hides it";
    to.lack(Field::kClock, why);
    to.lack(Field::kMaxClock, why);
  }

  void read_temperature(Reading& to) const {
    const std::string sensors = root_ + "sys/class/hwmon/", zones = root_ + "sys/class/thermal/";
    std::optional<double> hottest;
    const auto take = [&](const std::string& path) {
      const auto value = read_number(path);
      if (value.ok()) hottest = std::max(hottest.value_or(*value), *value);
    };
    for (const std::string& sensor : entries(sensors, "hwmon")) {
      const auto name = read_value(sensors + sensor + "/name");
      if (name.ok() &&
          (*name == "coretemp" || *name == "k10temp" || *name == "zenpower" || *name == "cpu_thermal"))
        take(sensors + sensor + "/temp1_input");
    }
    for (const std::string& zone : entries(zones, "thermal_zone")) {
      const auto type = read_value(zones + zone + "/type");
      if (type.ok() && (*type == "x86_pkg_temp" || base::to_lower(*type).starts_with("cpu")))
        take(zones + zone + "/temp");
    }
    if (hottest) return to.set(Field::kTemperature, *hottest * 1e-3);
    to.lack(Field::kTemperature, "no sensor of the processor in '" + sensors + "' (coretemp, k10temp) or '" +
                                     zones + "'; a virtual machine hides them");
  }

  // Joules of all packages; nothing if one cannot be read. `to`: says why.
  std::optional<double> energy(Reading* to) {
    double sum = 0;
    for (const std::string& package : packages_) {
      const auto value = read_number(package + "energy_uj");
      if (!value.ok()) {
        if (to != nullptr)
          to->lack(Field::kPower, value.error().message() + "; energy counters require root");
        return std::nullopt;
      }
      sum += *value * 1e-6;
    }
    if (packages_.empty()) return std::nullopt;
    if (to == nullptr) power_.start(sum, Rate::now());
    return sum;
  }

  void read_power(Reading& to) {
    double limit = 0;
    for (const std::string& package : packages_) {
      const auto value = read_number(package + "constraint_0_power_limit_uw");
      if (value.ok()) limit += *value * 1e-6;
    }
    if (limit > 0) to.set(Field::kPowerLimit, limit);
    if (const auto joules = energy(&to)) {
      // The counter wraps around; that period has no value.
      if (const auto watts = power_.next(*joules, Rate::now())) return to.set(Field::kPower, *watts);
      return to.lack(Field::kPower, "the energy counter was reset");
    }
    const std::string why = "no energy counter in '" + root_ + "sys/class/powercap/' (RAPL)";
    to.lack(Field::kPower, why);
    to.lack(Field::kPowerLimit, why);
  }

  const std::string root_, cpus_;
  const std::vector<std::string> packages_;
  std::optional<CpuTimes> times_;
  Rate power_;
  Pacer pacer_;
};

}  // namespace

OpenedSource open_processor(const std::string& root) { return std::make_unique<ProcessorSource>(root); }

}  // namespace quern::telemetry
