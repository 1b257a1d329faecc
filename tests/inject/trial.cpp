#include "inject/trial.hpp"

#include "api/public_info.hpp"
#include "api/state.hpp"
#include "base/text.hpp"
#include "driver/decorators/checked/device.hpp"
#include "driver/decorators/faulty/device.hpp"
#include "driver/decorators/recoverable/device.hpp"
#include "inject/counted.hpp"
#include "runtime/registry.hpp"

namespace quern::inject {

namespace {

using faulty::Faults;
using Devices = driver::Result<std::unique_ptr<driver::Device>>;

// The first opened device fails; those that a session opens later do not.
struct Stage {
  std::string driver;
  std::shared_ptr<Faults> faults;
  std::shared_ptr<Counts> counts = std::make_shared<Counts>();
  std::shared_ptr<checked::Violations> violations = std::make_shared<checked::Violations>();
  bool is_first = true;

  Devices open() {
    QUERN_TRY_ASSIGN(driver::Driver* const below, runtime::Registry::instance().start(driver));
    QUERN_TRY_ASSIGN(auto device, below->open(0, {}));
    device = count(std::move(device), counts);
    if (std::exchange(is_first, false)) device = faulty::wrap(std::move(device), faults);
    return device;
  }
};

std::vector<double> run_plain(Stage& stage, const Subject& subject) {
  auto native = stage.open();
  if (!native.ok()) detail::raise(native.error());
  auto device = runtime::Device::adopt(checked::wrap(std::move(*native), stage.violations));
  if (!device.ok()) detail::raise(device.error());
  return subject.run(detail::public_device(*device));
}

std::vector<double> run_in_session(Stage& stage, const Subject& subject, const Mode& mode) {
  recoverable::Options options;
  options.reopen = [&stage](uint32_t) { return stage.open(); };
  if (mode.always_checkpoint) {
    options.log_time = std::chrono::milliseconds(0);
    options.log_calls = 0;
    options.log_bytes = 4096;
  }
  auto recoverable = recoverable::open(std::move(options));
  if (!recoverable.ok()) detail::raise(recoverable.error());
  runtime::Session session;
  session.recoverable = recoverable->get();
  auto device = runtime::Device::adopt(std::move(*recoverable));
  if (!device.ok()) detail::raise(device.error());
  session.device = *device;
  device = std::shared_ptr<runtime::Device>();
  Session shown = detail::public_session(std::move(session));
  return subject.run != nullptr ? subject.run(shown.device()) : subject.run_session(shown);
}

}  // namespace

const std::vector<Mode>& modes() {
  using base::ErrorKind;
  static const std::vector<Mode> all = {
      {"session, lost", ErrorKind::device_lost, true, false},
      {"session that always checkpoints, lost", ErrorKind::device_lost, true, true},
      {"session, timeout", ErrorKind::timeout, true, false},
      {"session, memory", ErrorKind::out_of_memory, true, false},
      {"lost", ErrorKind::device_lost},
      {"memory", ErrorKind::out_of_memory},
      {"timeout", ErrorKind::timeout},
      {"fault", ErrorKind::kernel_fault},
      {"unsupported", ErrorKind::unsupported},
      {"internal", ErrorKind::internal},
  };
  return all;
}

std::vector<Subject> subjects() {
  std::vector<Subject> all;
  for (const test::Scenario& s : test::scenarios()) all.push_back({s.name, s.run, nullptr});
  all.push_back({"checkpoint", nullptr, test::keeps});
  return all;
}

Outcome run(const std::string& driver, const Subject& subject, const Mode& mode, uint64_t number) {
  Stage stage;
  stage.driver = driver;
  stage.faults = std::make_shared<Faults>(std::vector<faulty::Fault>{{std::nullopt, number, mode.effect}});
  Outcome outcome;
  try {
    outcome.seen = mode.is_session ? run_in_session(stage, subject, mode) : run_plain(stage, subject);
  } catch (const Error& error) {
    outcome.has_error = true;
    outcome.error = error.kind();
    outcome.text = error.what();
  } catch (const std::exception& error) {
    outcome.has_error = true;
    outcome.text = std::string("not a quern::Error: ") + error.what();
  }
  outcome.fired = stage.faults->fired();
  outcome.calls = stage.faults->count();
  outcome.violations = stage.violations->sentences();
  if (stage.counts->alive() != 0) outcome.left = stage.counts->to_string();
  return outcome;
}

Verdict classify(const Outcome& calm, const Outcome& outcome, const Mode& mode, std::string& why) {
  if (!outcome.violations.empty()) {
    why = "violates the driver interface: " + outcome.violations.front();
    return Verdict::kWrong;
  }
  if (!outcome.has_error) {
    if (outcome.seen != calm.seen) {
      why = "the result differs";
      for (size_t i = 0; i < std::min(calm.seen.size(), outcome.seen.size()); ++i) {
        if (calm.seen[i] == outcome.seen[i]) continue;
        why += base::format(": number %zu of %zu is %.9g, but should be %.9g", i + 1, calm.seen.size(),
                            outcome.seen[i], calm.seen[i]);
        break;
      }
      return Verdict::kWrong;
    }
    return outcome.fired == 0 ? Verdict::kUntouched : Verdict::kRecovered;
  }
  const bool is_loss = mode.effect == base::ErrorKind::device_lost || mode.effect == base::ErrorKind::timeout;
  const bool is_documented =
      outcome.fired != 0 && static_cast<int>(outcome.error) == static_cast<int>(mode.effect);
  if (is_documented && !(mode.is_session && is_loss)) return Verdict::kDocumented;
  why = "the error is " + outcome.text;
  return Verdict::kWrong;
}

}  // namespace quern::inject
