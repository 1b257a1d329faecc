#include "runtime/registry.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <thread>

#include "base/environment.hpp"
#include "base/fork.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/thread.hpp"
#include "base/try_in_child.hpp"
#include "base/variables.hpp"
#include "runtime/builtin_drivers.hpp"
#include "runtime/crash_report.hpp"
#include "runtime/messages.hpp"
#include "runtime/probe_memory.hpp"

namespace quern::runtime {

namespace {

using base::Error;
using base::ErrorKind;

constexpr double kProbeSeconds = 10;

std::vector<std::string> allowed_drivers() {
  std::vector<std::string> names;
  const std::string list = base::env_text("QUERN_DRIVERS").value_or("");
  for (std::string_view word : base::split(list, ',')) {
    if (!base::trim(word).empty()) names.emplace_back(base::trim(word));
  }
  return names;
}

}  // namespace

std::string_view name(Step step) {
  constexpr std::string_view kNames[] = {"not built", "built", "found", "loads", "opens", "verified"};
  return kNames[static_cast<size_t>(step)];
}

struct Registry::Entry {
  std::unique_ptr<driver::Driver> driver;
  double probe_seconds = 0;  // 0: our own driver, started in this process
  bool is_remembered = false;
  bool changes_environment = false;
  std::optional<base::Result<std::string>> probed;
  std::once_flag once;
  uint32_t generation = 0;  // of the process that started it
  DriverState state;
};

struct Registry::State {
  std::mutex mutex;
  std::once_flag probed_once;
  bool any_in_use = false;
  std::vector<std::unique_ptr<Entry>> entries;
  std::optional<ProbeMemory> memory;  // while drivers are being started
  std::shared_mutex starting;         // locked exclusively while a library changes the environment

  // All third-party drivers are tried before any of them starts in this process: a library that has started
  // does not work in a child any more, and two drivers may share one (CUDA and NVIDIA's OpenCL do).
  void probe_all() {
    std::vector<std::thread> threads;
    const std::lock_guard lock(mutex);
    if (!memory) memory.emplace();
    for (auto& e : entries) any_in_use = any_in_use || (e->driver != nullptr && e->driver->in_use());
    for (auto& e : entries) {
      if (e->driver != nullptr && e->probe_seconds != 0)
        base::run_beside(threads, [this, &entry = *e] { probe(entry); });
    }
    for (std::thread& t : threads) t.join();
  }
  void probe(Entry& entry) {
    if (entry.driver->in_use()) {  // a child could not use it
      entry.probed = base::Result<std::string>(std::string());
      return;
    }
    if (entry.is_remembered) entry.probed = memory->find(entry.state.name);
    if (entry.probed) return;
    entry.probed = base::try_in_child([&] { return entry.driver->start(); }, entry.probe_seconds,
                                      message::kReinstallDriver().text);
    const auto failed_by = [&](ErrorKind kind) {
      return !entry.probed->ok() && entry.probed->error().kind() == kind;
    };
    // A missing library or device may be available next time. If another vendor library is in use, a driver
    // that shares it may have failed for being in a child.
    const bool may_change = (!entry.probed->ok() && any_in_use) || failed_by(ErrorKind::not_found) ||
                            failed_by(ErrorKind::out_of_memory);
    if (entry.is_remembered && !may_change) memory->put(entry.state.name, *entry.probed);
  }

  // A driver that worked before may fail now: while it starts its result is removed, so that after a crash
  // the next program tries it in a child process.
  base::Result<std::string> start(Entry& entry) {
    if (!entry.is_remembered) return entry.driver->start();
    memory->forget(entry.state.name);
    base::Result<std::string> says = entry.driver->start();
    if (says.ok()) memory->put(entry.state.name, says);
    return says;
  }
};

Registry& Registry::instance() {
  // Never destroyed: drivers' libraries have their own threads and exit handlers.
  static Registry* const kRegistry = new Registry();
  return *kRegistry;
}

base::Result<> Registry::check_allowed() {
  std::vector<std::string_view> known;
  for (const BuiltinDriver& b : builtin_drivers()) known.push_back(b.name);
  for (const std::string& name : allowed_drivers()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto near = base::nearest(name, known);
    return Error(ErrorKind::bad_input, message::kUnknownDriverInVariable(
                                           name, near ? message::kDidYouMean(*near).text
                                                      : message::kDriversAre(base::join(known, ", ")).text)
                                           .str());
  }
  return {};
}

Registry::Registry() : state_(std::make_unique<State>()) {
  base::warn_of_variables();
  if (const auto names = check_allowed(); !names.ok())
    base::log(base::LogLevel::kWarning, "%s", names.error().message().c_str());
  const std::vector<std::string> allowed = allowed_drivers();
  for (const BuiltinDriver& b : builtin_drivers()) {
    auto entry = std::make_unique<Entry>();
    entry->state.name = b.name;
    entry->probe_seconds = b.is_foreign ? kProbeSeconds : 0;
    entry->is_remembered = b.is_foreign;
    entry->changes_environment = b.changes_environment;
    const bool is_allowed =
        allowed.empty() || std::find(allowed.begin(), allowed.end(), b.name) != allowed.end();
    if (b.make == nullptr) {
      entry->state.error = Error(ErrorKind::unsupported, message::kNotBuilt(b.why_not));
    } else if (!is_allowed) {
      entry->state.step = Step::kBuilt;
      entry->state.error = Error(ErrorKind::unsupported, message::kExcluded());
    } else {
      entry->driver = b.make();
    }
    state_->entries.push_back(std::move(entry));
  }
}

Registry::~Registry() = default;

void Registry::add(std::unique_ptr<driver::Driver> driver, double probe_seconds, bool changes_environment) {
  auto entry = std::make_unique<Entry>();
  entry->probe_seconds = probe_seconds;
  entry->changes_environment = changes_environment;
  entry->state.name = driver->name();
  entry->driver = std::move(driver);
  const std::lock_guard lock(state_->mutex);
  state_->entries.push_back(std::move(entry));
}

Registry::Entry* Registry::find(std::string_view name) {
  const std::lock_guard lock(state_->mutex);
  for (auto& e : state_->entries) {
    if (e->state.name == name) return e.get();
  }
  return nullptr;
}

void Registry::run(Entry& entry) {
  std::call_once(entry.once, [this, &entry] {
    DriverState& state = entry.state;
    entry.generation = base::fork_generation();
    if (entry.driver == nullptr) return;
    state.step = Step::kBuilt;
    if (entry.probe_seconds != 0) {
      std::call_once(state_->probed_once, [this] { state_->probe_all(); });
      if (!entry.probed) state_->probe(entry);  // added later
      if (!entry.probed->ok() && entry.probed->error().kind() != ErrorKind::not_found) {
        state.step = Step::kFound;
        state.error = entry.probed->error();
        return;
      }
    }
    // Before glibc 2.41, setenv() in one library can crash a getenv() of another one that starts at the same
    // time.
    std::unique_lock alone(state_->starting, std::defer_lock);
    std::shared_lock together(state_->starting, std::defer_lock);
    if (entry.changes_environment) {
      alone.lock();
    } else {
      together.lock();
    }
    record_signal_handlers();
    auto says = state_->start(entry);
    if (!says.ok()) {
      state.step = says.error().kind() == ErrorKind::not_found ? Step::kBuilt : Step::kFound;
      state.error = std::move(says).error();
      return;
    }
    state.step = Step::kLoads;
    state.says = std::move(*says);
    auto devices = entry.driver->devices();
    if (!devices.ok()) {
      state.error = std::move(devices).error();
    } else if (devices->empty()) {
      state.error = Error(ErrorKind::not_found, message::kNoDeviceFound());
    } else {
      state.step = Step::kOpens;
      state.devices = std::move(*devices);
    }
  });
}

std::vector<DriverState> Registry::drivers() {
  std::vector<Entry*> entries;
  {
    const std::lock_guard lock(state_->mutex);
    for (auto& e : state_->entries) entries.push_back(e.get());
  }
  std::vector<std::thread> threads;
  for (Entry* e : entries) {
    if (e->driver != nullptr) base::run_beside(threads, [this, e] { run(*e); });
  }
  for (std::thread& t : threads) t.join();
  std::vector<DriverState> states;
  for (Entry* e : entries) states.push_back(e->state);
  return states;
}

base::Result<DriverState> Registry::driver(std::string_view name) {
  Entry* entry = find(name);
  if (entry == nullptr) {
    std::vector<std::string> names;
    const std::lock_guard lock(state_->mutex);
    for (const auto& e : state_->entries) names.push_back(e->state.name);
    return Error(ErrorKind::not_found, message::kUnknownDriver(name, base::join(names, ", ")));
  }
  run(*entry);
  return entry->state;
}

bool Registry::has(std::string_view name) { return find(name) != nullptr; }

void Registry::forget() {
  const std::lock_guard lock(state_->mutex);
  if (!state_->memory) state_->memory.emplace();
  for (const auto& e : state_->entries) state_->memory->forget(e->state.name);
}

base::Result<driver::Driver*> Registry::start(std::string_view name) {
  QUERN_TRY_ASSIGN(const DriverState state, driver(name));
  if (state.error) return *state.error;
  Entry* const entry = find(name);
  // Driver libraries have threads, which a child process lacks. Our own drivers start threads with a device.
  if (entry->probe_seconds != 0 && entry->generation != base::fork_generation())
    return Error(ErrorKind::invalid_use, message::kForkedAfterStart(name));
  return entry->driver.get();
}

}  // namespace quern::runtime
