#include "runtime/select.hpp"

#include <algorithm>
#include <bit>
#include <cctype>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "runtime/decorate.hpp"
#include "runtime/registry.hpp"
#include "target/target.hpp"

namespace quern::runtime {

namespace {

using base::Error;
using base::ErrorKind;
using driver::DeviceKind;

int base_score(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kDiscrete: return 1000;
    case DeviceKind::kIntegrated: return 500;
    case DeviceKind::kVirtual: return 100;
    case DeviceKind::kCpu: return 50;
    case DeviceKind::kSimulated: return 0;
    case DeviceKind::kOther: return 10;
  }
  return 0;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

// "sim,seed=7,check=overflow" taken apart.
struct Spec {
  std::string device;
  driver::OpenOptions options;
};

Result<Spec> parse(const std::string& text) {
  Spec spec;
  bool first = true;
  for (std::string_view part : base::split(text, ',')) {
    if (first) {
      spec.device = base::trim(part);
      first = false;
      continue;
    }
    const size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0)
      return Error(ErrorKind::kInvalidUse,
                   "'" + std::string(part) + "' in device '" + text + "' is not key=value");
    spec.options.emplace_back(base::trim(part.substr(0, equals)), base::trim(part.substr(equals + 1)));
  }
  return spec;
}

bool matches(const Spec& spec, const driver::DeviceInfo& info) {
  if (spec.device.empty()) return info.kind != DeviceKind::kSimulated;
  const std::string wanted = lower(spec.device);
  return wanted == info.driver || wanted == info.id() || lower(info.name).find(wanted) != std::string::npos;
}

Error none_found(const Spec& spec, const std::vector<Candidate>& all) {
  std::vector<std::string> ids;
  for (const Candidate& c : all) ids.push_back(c.info.id());
  Error error(ErrorKind::kNotFound, spec.device.empty() ? std::string("no device is there that can do this")
                                                        : "there is no device '" + spec.device + "'");
  // A driver that is known and does not work tells why.
  const std::string driver = spec.device.substr(0, spec.device.find(':'));
  if (auto state = Registry::instance().driver(driver); state.ok() && state->error) {
    Error reason = *state->error;
    Error told(ErrorKind::kNotFound, "device '" + spec.device + "' cannot be opened: " + reason.message());
    if (!reason.hint().empty()) told.add_hint(reason.hint());
    return told;
  }
  if (!ids.empty())
    error.add_hint("the devices are " + base::join(ids, ", ") +
                   "; `quern backends` tells why others are not here");
  return error;
}

Result<std::unique_ptr<driver::Device>> open_native(driver::Driver& driver, uint32_t index,
                                                    const driver::OpenOptions& options, bool has_own_limit,
                                                    bool with_faults) {
  driver::OpenOptions own = options;
  std::optional<double> limit;
  // The simulator tells which loop does not end; the others are only left alone.
  if (!has_own_limit) {
    for (const auto& [key, value] : options) {
      if (key != "time_limit") continue;
      QUERN_TRY_ASSIGN(limit, parse_time_limit(value));
    }
    std::erase_if(own, [](const auto& option) { return option.first == "time_limit"; });
  }
  QUERN_TRY_ASSIGN(auto native, driver.open(index, own));
  return decorate(std::move(native), limit, with_faults);
}

}  // namespace

int score(const driver::DeviceInfo& info) {
  if (info.kind == DeviceKind::kSimulated) return 0;
  const bool only_inline_kernels = info.code == std::vector{driver::CodeKind::kHostFunction};
  if (only_inline_kernels) return 1;
  const auto log2_of = [](uint64_t v) { return v == 0 ? 0 : 63 - std::countl_zero(v); };
  const int memory = std::min(40, std::max(0, log2_of(info.memory_bytes) - 20) * 2);
  const int units = std::min(20, log2_of(info.compute_units) * 2);
  return base_score(info.kind) + memory + units;
}

bool takes_kernels(const driver::DeviceInfo& info) {
  return !info.code.empty() && target::can_emit(info.code.front());
}

namespace {

std::vector<Candidate> candidates_of(const std::vector<DriverState>& drivers) {
  std::vector<Candidate> all;
  for (const DriverState& d : drivers) {
    for (const driver::DeviceInfo& info : d.devices) all.push_back({info, score(info)});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
  return all;
}

// Where a driver is named, the others need not be started.
std::vector<Candidate> candidates_for(const Spec& spec) {
  const std::string driver = lower(spec.device.substr(0, spec.device.find(':')));
  Registry& registry = Registry::instance();
  if (registry.has(driver)) {
    if (const auto state = registry.driver(driver); state.ok() && !state->devices.empty())
      return candidates_of({*state});
  }
  return candidates();
}

}  // namespace

std::vector<Candidate> candidates() { return candidates_of(Registry::instance().drivers()); }

Result<std::shared_ptr<Device>> open(const Request& request) {
  QUERN_TRY_ASSIGN(auto below, open_below(request));
  return Device::adopt(std::move(below));
}

Result<std::unique_ptr<driver::Device>> open_below(const Request& request, bool with_faults) {
  const bool is_open = request.text.empty() && !request.is_free;
  const std::string text = is_open ? base::env_text("QUERN_DEVICE").value_or("") : request.text;
  QUERN_TRY_ASSIGN(const Spec spec, parse(text));
  const std::vector<Candidate> all = candidates_for(spec);
  for (const Candidate& c : all) {
    if (!matches(spec, c.info) || (request.accepts && !request.accepts(c.info))) continue;
    QUERN_TRY_ASSIGN(driver::Driver* const driver, Registry::instance().start(c.info.driver));
    return open_native(*driver, c.info.index, spec.options, c.info.kind == DeviceKind::kSimulated,
                       with_faults)
        .while_doing("opening " + c.info.name + " (" + c.info.id() + ")");
  }
  return none_found(spec, candidates());
}

}  // namespace quern::runtime
