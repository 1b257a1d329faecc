#include "runtime/select.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>

#include "base/environment.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/variables.hpp"
#include "runtime/decorate.hpp"
#include "runtime/messages.hpp"
#include "runtime/registry.hpp"
#include "target/descriptor.hpp"
#include "target/target.hpp"

namespace quern::runtime {

namespace {

using base::Error;
using base::ErrorKind;
using driver::DeviceInfo;
using driver::DeviceKind;

// A parsed "sim,seed=7,check=overflow".
struct Spec {
  std::string device;
  driver::OpenOptions options;
  driver::FeatureSet features;
  driver::FeatureSet native;  // of these, the ones that must not be computed in software
  std::optional<Policy> policy;
};

Result<driver::FeatureSet> parse_features(std::string_view list) {
  driver::FeatureSet out;
  for (const std::string_view word : base::split(list, '+')) {
    std::vector<std::string_view> names;
    for (size_t i = 0; i < driver::kFeatureCount; ++i) {
      const auto feature = static_cast<driver::Feature>(i);
      if (base::trim(word) == driver::name(feature)) out.add(feature);
      names.push_back(driver::name(feature));
    }
    if (std::find(names.begin(), names.end(), base::trim(word)) != names.end()) continue;
    return Error(ErrorKind::invalid_use, message::kUnknownFeature(word, base::join(names, ", ")));
  }
  return out;
}

std::optional<driver::Feature> find_feature(std::string_view name) {
  for (size_t i = 0; i < driver::kFeatureCount; ++i) {
    const auto feature = static_cast<driver::Feature>(i);
    if (name == driver::name(feature)) return feature;
  }
  return std::nullopt;
}

// The features of `wanted` that the device computes in software.
driver::FeatureSet in_software(driver::FeatureSet wanted, const DeviceInfo& info) {
  return wanted.missing_from(wanted.missing_from(target::software_features(info)));
}

Result<Policy> parse_policy(std::string_view word) {
  if (word == "require") return Policy::require;
  if (word == "prefer") return Policy::prefer;
  if (word == "allow") return Policy::allow;
  return Error(ErrorKind::invalid_use, message::kUnknownPolicy(word));
}

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
      return Error(ErrorKind::invalid_use, message::kNotKeyValue(part, text));
    const std::string_view key = base::trim(part.substr(0, equals)),
                           value = base::trim(part.substr(equals + 1));
    if (key == "has") {
      QUERN_TRY_ASSIGN(spec.features, parse_features(value));
    } else if (const auto feature = find_feature(key); feature && value == "native") {
      spec.native.add(*feature);
    } else if (key == "policy") {
      QUERN_TRY_ASSIGN(spec.policy, parse_policy(value));
    } else {
      spec.options.emplace_back(key, value);
    }
  }
  for (const driver::Feature f : spec.native) spec.features.add(f);
  return spec;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_kind(const std::string& word, DeviceKind kind) {
  const bool is_gpu =
      kind == DeviceKind::discrete || kind == DeviceKind::integrated || kind == DeviceKind::virtual_gpu;
  return is_gpu && (word == "gpu" || word == driver::name(kind));
}

bool matches(const Spec& spec, const DeviceInfo& info) {
  if (spec.device.empty()) return info.kind != DeviceKind::simulated;
  const std::string wanted = base::to_lower(spec.device);
  return wanted == info.driver || wanted == info.id() || is_kind(wanted, info.kind) ||
         base::to_lower(info.name).find(wanted) != std::string::npos;
}

// For a request whose devices exist but lack features: "gles:0 lacks native fp64".
std::string lacking(const Spec& spec, const std::vector<DeviceInfo>& all) {
  std::vector<std::string> devices;
  for (const DeviceInfo& c : all) {
    std::vector<std::string> names;
    for (const driver::Feature f : spec.features.missing_from(c.features))
      names.emplace_back(driver::name(f));
    for (const driver::Feature f : in_software(spec.native, c))
      names.push_back("native " + std::string(driver::name(f)));
    if (matches(spec, c) && !names.empty()) devices.push_back(c.id() + " lacks " + base::join(names, ", "));
  }
  return base::join(devices, "; ");
}

Error none_found(const Spec& spec, const std::vector<DeviceInfo>& all) {
  if (const std::string reasons = lacking(spec, all); !reasons.empty())
    return Error(ErrorKind::not_found, message::kNoDeviceMeets(reasons));
  std::vector<std::string> ids;
  for (const DeviceInfo& c : all) ids.push_back(c.id());
  Error error(ErrorKind::not_found,
              spec.device.empty() ? message::kNoDevice() : message::kUnknownDevice(spec.device));
  // For a known driver that does not work, the error contains the reason.
  const std::string driver = spec.device.substr(0, spec.device.find(':'));
  if (auto state = Registry::instance().driver(driver); state.ok() && state->error) {
    Error reason = *state->error;
    Error told(ErrorKind::not_found, message::kDeviceCannotBeOpened(spec.device, reason.message()));
    if (!reason.hint().empty()) told.add_hint(reason.hint());
    return told;
  }
  if (!ids.empty()) error.add_hint(message::kDevicesAre(base::join(ids, ", ")).str());
  return error;
}

Result<std::unique_ptr<driver::Device>> open_native(driver::Driver& driver, uint32_t index,
                                                    const driver::OpenOptions& options, bool has_own_limit,
                                                    bool with_faults) {
  driver::OpenOptions own = options;
  std::optional<double> limit;
  // The simulator reports which loop does not end; other devices are abandoned.
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

std::vector<DeviceInfo> candidates_of(const std::vector<DriverState>& drivers) {
  std::vector<DeviceInfo> all;
  for (const DriverState& d : drivers) all.insert(all.end(), d.devices.begin(), d.devices.end());
  return ranked(all);
}

// If a driver is named, the others need not be started.
std::vector<DeviceInfo> candidates_for(const Spec& spec) {
  const std::string driver = base::to_lower(spec.device.substr(0, spec.device.find(':')));
  Registry& registry = Registry::instance();
  if (registry.has(driver)) {
    if (const auto state = registry.driver(driver); state.ok() && !state->devices.empty())
      return candidates_of({*state});
  }
  return candidates();
}

// Processes a request.
class Search {
 public:
  Search(const Request& request, Spec spec, Policy policy, bool with_faults)
      : accepts_(request.accepts), spec_(std::move(spec)), policy_(policy), with_faults_(with_faults) {}

  // The device that a request for exactly it opens.
  Result<DeviceInfo> find() {
    list();
    for (const DeviceInfo& c : all_) {
      if (is_wanted(c, Policy::require)) return c;
    }
    return none_found(spec_, candidates());
  }

  Result<std::unique_ptr<driver::Device>> run(Selection& how) {
    list();
    if (auto opened = try_all(Policy::require, how)) return std::move(*opened);
    if (!refused_) refused_ = none_found(spec_, candidates());
    if (policy_ == Policy::require) return std::move(*refused_);
    all_ = candidates();
    prefer_native();
    auto opened = try_all(Policy::prefer, how);
    if (!opened && policy_ == Policy::allow) opened = try_all(Policy::allow, how);
    if (!opened) return std::move(*refused_);
    how.fallback_reason = refused_->message();
    how.why = "the best other device, because " + how.fallback_reason;
    return std::move(*opened);
  }

 private:
  void list() {
    all_ = candidates_for(spec_);
    if (is_number(spec_.device)) spec_.device = id_of_number();
    prefer_native();
  }

  std::string id_of_number() const {
    size_t left = base::parse_uint(spec_.device).value_or(all_.size());
    for (const DeviceInfo& c : all_) {
      if (c.same_as.empty() && left-- == 0) return c.id();
    }
    return spec_.device;
  }

  // Devices that compute a required feature in software come after all others.
  void prefer_native() {
    std::stable_partition(all_.begin(), all_.end(),
                          [&](const DeviceInfo& c) { return in_software(spec_.features, c).empty(); });
  }

  bool is_wanted(const DeviceInfo& info, Policy step) const {
    const bool fits = step == Policy::require ? matches(spec_, info)
                                              : info.kind != DeviceKind::simulated && takes_kernels(info);
    if (!fits || step == Policy::allow) return fits;
    return spec_.features.missing_from(info.features).empty() && in_software(spec_.native, info).empty() &&
           (!accepts_ || accepts_(info));
  }

  // Empty result: no device can be opened.
  std::optional<Result<std::unique_ptr<driver::Device>>> try_all(Policy step, Selection& how) {
    for (const DeviceInfo& c : all_) {
      if (tried_.count(c.id()) != 0 || !is_wanted(c, step)) continue;
      tried_.insert(c.id());
      auto opened = open(c, step);
      if (opened.ok()) {
        tell(c, how);
        return opened;
      }
      if (!refused_) refused_ = std::move(opened).error();
      if (policy_ == Policy::require) break;
    }
    return std::nullopt;
  }

  Result<std::unique_ptr<driver::Device>> open(const DeviceInfo& info, Policy step) const {
    QUERN_TRY_ASSIGN(driver::Driver* const driver, Registry::instance().start(info.driver));
    // Options of the request apply to its driver only.
    const driver::OpenOptions options = step == Policy::require ? spec_.options : driver::OpenOptions();
    return open_native(*driver, info.index, options, info.kind == DeviceKind::simulated, with_faults_)
        .while_doing("opening " + info.name + " (" + info.id() + ")");
  }

  void tell(const DeviceInfo& c, Selection& how) const {
    how.id = c.id();
    how.name = c.name;
    for (const DeviceInfo& other : all_) how.detected.push_back(other.id());
    const auto computing =
        std::count_if(all_.begin(), all_.end(), [](const DeviceInfo& o) { return o.score > 0; });
    if (how.why.empty() && !spec_.device.empty()) how.why = "requested by the program";
    if (!how.why.empty()) return;
    how.why = computing > 1 ? base::format("the highest score, %d, of %zu devices", c.score,
                                           static_cast<size_t>(computing))
                            : "the only device that runs kernels";
  }

  const std::function<bool(const DeviceInfo&)>& accepts_;
  Spec spec_;
  const Policy policy_;
  const bool with_faults_;
  std::vector<DeviceInfo> all_;
  std::set<std::string> tried_;
  std::optional<Error> refused_;  // for the first requested device
};

// The request, modified by environment variables.
Request adjusted(Request request, Selection& how) {
  how.requested = request.text.empty() ? "best" : request.text;
  if (request.is_free) return request;
  const std::string sim = base::env_text("QUERN_SIM").value_or("off");
  const auto is_set = base::env_flag("QUERN_SIM", false);
  if (!is_set.ok() || *is_set) {  // "yes" in any form, or options of the simulator
    how.why = "QUERN_SIM=" + sim + " replaces every device by it";
    return {is_set.ok() ? "sim" : "sim," + sim, nullptr};
  }
  const auto device = base::env_text("QUERN_DEVICE");
  if (!request.text.empty() || !device) return request;
  how.why = "QUERN_DEVICE=" + *device + " selects it";
  how.requested = request.text = *device;
  return request;
}

void log(const Selection& how) {
  static std::mutex mutex;
  static std::set<std::string>* const told = new std::set<std::string>();
  const std::lock_guard lock(mutex);
  const bool is_first = told->empty();
  const bool is_new = told->insert(how.requested + '\n' + how.id).second;
  if (is_first) base::log(base::LogLevel::kInfo, "%s", how.to_string().c_str());
  if (is_new && !how.fallback_reason.empty())
    base::log(base::LogLevel::kWarning, "%s is used instead of %s: %s", how.id.c_str(), how.requested.c_str(),
              how.fallback_reason.c_str());
}

// An invalid setting of a driver must not move a program to another device, namely the best of the remaining
// ones.
Result<> check_driver_settings() {
  for (const DriverState& d : Registry::instance().drivers()) {
    const bool is_left_out = d.error && d.step <= Step::kBuilt && d.error->kind() == ErrorKind::unsupported;
    if (!d.error || is_left_out) continue;  // not built, or not in QUERN_DRIVERS
    const auto all = base::variables();
    const auto library = std::find_if(all.begin(), all.end(), [&](const base::Variable& v) {
      return v.library_of == d.name && base::env_text(v.name);
    });
    if (library == all.end() && d.error->kind() != ErrorKind::bad_input) continue;
    std::string reason = d.error->message();
    if (library != all.end())
      reason = std::string(library->name) + " is '" + *base::env_text(library->name) + "', and " + reason;
    return Error(ErrorKind::bad_input, message::kDriverVariables(d.name, reason));
  }
  return {};
}

}  // namespace

std::string Selection::to_string() const {
  return "requested " + requested + ", detected " + base::join(detected, " ") + ", selected " + id + " (" +
         name + "): " + why;
}

bool takes_kernels(const DeviceInfo& info) {
  return !info.code.empty() && target::can_emit(info.code.front());
}

std::vector<DeviceInfo> candidates() { return candidates_of(Registry::instance().drivers()); }

Result<DeviceInfo> find(const Request& request) {
  QUERN_TRY(base::check_variables());
  QUERN_TRY(Registry::check_allowed());
  QUERN_TRY_ASSIGN(Spec spec, parse(request.text));
  return Search(request, std::move(spec), Policy::require, false).find();
}

Result<std::shared_ptr<Device>> open(const Request& request, Selection* selection) {
  Selection own;
  Selection& how = selection != nullptr ? *selection : own;
  QUERN_TRY_ASSIGN(auto below, open_below(request, true, &how));
  QUERN_TRY_ASSIGN(auto device, Device::adopt(std::move(below)));
  device->set_fallback_reason(how.fallback_reason);
  return device;
}

namespace {

Result<std::unique_ptr<driver::Device>> open_wanted(const Request& wanted, bool with_faults, Selection& how) {
  if (wanted.text.empty() && !wanted.is_free) QUERN_TRY(check_driver_settings());
  QUERN_TRY_ASSIGN(Spec spec, parse(wanted.text));
  QUERN_TRY_ASSIGN(const bool is_strict, base::env_flag("QUERN_STRICT", false));
  const Policy asked = spec.policy.value_or(wanted.policy);
  Search search(wanted, std::move(spec), is_strict ? Policy::require : asked, with_faults);
  auto opened = search.run(how);
  if (!opened.ok() && is_strict && asked != Policy::require)
    return std::move(opened).error().add_context("QUERN_STRICT allows no other device");
  return opened;
}

}  // namespace

Result<std::unique_ptr<driver::Device>> open_below(const Request& request, bool with_faults,
                                                   Selection* selection) {
  Selection how;
  QUERN_TRY(base::check_variables());
  QUERN_TRY(Registry::check_allowed());
  const Request wanted = adjusted(request, how);
  const std::string variable = how.why.substr(0, how.why.find('='));  // empty: no variable named the device
  auto opened = open_wanted(wanted, with_faults, how);
  if (!opened.ok() && !variable.empty())
    return std::move(opened).error().add_context("opening the device that " + variable + " names");
  if (!opened.ok()) return opened;
  log(how);
  if (selection != nullptr) *selection = std::move(how);
  return opened;
}

}  // namespace quern::runtime
