#include "runtime/profile/recorder.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

#include <pthread.h>
#include <unistd.h>

#include "base/environment.hpp"
#include "base/log.hpp"
#include "base/store_watch.hpp"
#include "base/text.hpp"
#include "driver/support/clock_pair.hpp"
#include "runtime/messages.hpp"
#include "runtime/profile/bandwidth.hpp"

namespace quern::profile {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPause = std::chrono::milliseconds(20);       // between two checks for completed commands
constexpr auto kPatience = std::chrono::milliseconds(2000);  // for work in flight when a profile ends
constexpr uint32_t kMostChunks = 1280;                       // 59 MiB
constexpr size_t kMostEvents = 100'000;                      // host events that are not written yet
constexpr size_t kMostSites = 65'536;

void on_store_access(std::string_view what, std::string_view key) {
  if (is_on())
    Recorder::instance().add_instant("cache", "cache: " + std::string(what) + ' ' + std::string(key));
}

void stop_at_exit() { Recorder::instance().stop(); }
void stop_in_child() { taken.store(false); }  // the thread exists only in the parent

}  // namespace

Recorder& Recorder::instance() {
  static Recorder* const kRecorder =
      new Recorder();  // never destroyed: streams may end after everything else
  return *kRecorder;
}

void Recorder::start_by_environment() {
  static std::once_flag once;
  std::call_once(once, [] {
    auto path = base::env_text("QUERN_TRACE");
    if (!path) return;
    if (const size_t at = path->find("%p"); at != std::string::npos)  // one file per process
      path->replace(at, 2, std::to_string(::getpid()));
    // An invalid value prevents that a device is opened (base/variables.hpp).
    const auto telemetry = base::parse_double(base::env_text("QUERN_TRACE_TELEMETRY").value_or("0"));
    if (const auto started = instance().start(*path, telemetry.value_or(0)); !started.ok())
      base::log(base::LogLevel::kError, "%s", started.error().to_string().c_str());
  });
}

base::Result<> Recorder::start(const std::string& path, double telemetry) {
  const std::lock_guard draining(draining_);
  if (file_ != nullptr) return base::Error(base::ErrorKind::invalid_use, runtime::message::kProfileRunning());
  if (!path.empty()) {
    QUERN_TRY_ASSIGN(file_, TraceFile::open(path, driver::host_nanoseconds()));
    file_->flush();
  }
  clock_.look();
  const std::lock_guard lock(mutex_);
  for (Row& r : rows_) r.calls = r.bytes = r.total = r.most = 0, r.least = UINT64_MAX;
  dropped_ = 0;
  if (!has_thread_) {
    has_thread_ = true;
    std::thread([this] { run(); }).detach();
    std::atexit(stop_at_exit);
    pthread_atfork(nullptr, nullptr, stop_in_child);
  }
  if (telemetry > 0 && file_ != nullptr) start_sampler(telemetry);
  base::store_watch.store(on_store_access);
  taken.store(true);
  wake_.notify_one();
  return {};
}

void Recorder::stop() {
  if (!taken.exchange(false)) return;
  std::unique_ptr<telemetry::Sampler> sampler;
  {
    const std::lock_guard lock(mutex_);
    sampler = std::move(sampler_);
  }
  sampler.reset();  // waits for its last reading
  auto end = Clock::now() + kPatience;
  do {
    drain(true);
    if (is_drained()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  } while (Clock::now() < end);
  const std::lock_guard draining(draining_);
  if (file_ == nullptr) return;
  file_->close(driver::host_nanoseconds(), dropped_);
  file_.reset();
}

bool Recorder::is_drained() {
  std::vector<std::shared_ptr<Track>> tracks;
  {
    const std::lock_guard lock(mutex_);
    tracks = tracks_;
  }
  return std::all_of(tracks.begin(), tracks.end(), [](const auto& t) { return t->is_empty(); });
}

void Recorder::run() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (!is_on()) wake_.wait(lock, [] { return is_on(); });
      wake_.wait_for(lock, kPause, [this] { return is_kicked_; });
      is_kicked_ = false;
    }
    drain();
  }
}

void Recorder::drain(bool is_last) {
  const std::lock_guard draining(draining_);

  std::vector<std::shared_ptr<Track>> tracks;
  std::vector<HostEvent> events;
  {
    const std::lock_guard lock(mutex_);
    tracks = tracks_;
    events.swap(events_);
  }
  clock_.look();
  for (const auto& track : tracks) {
    track->drain(clock_, is_last, [&](const Finished& done) { take(*track, done); });
  }
  if (file_ == nullptr) return;
  for (HostEvent& e : events) {
    e.begin = clock_.nanoseconds(e.begin);
    e.end = clock_.nanoseconds(e.end);
    if (e.process != 1) {
      const std::lock_guard lock(mutex_);
      file_->add_device(e.process, processes_[e.process - 2].label, processes_[e.process - 2].id);
    }
    file_->add(e);
  }
  file_->flush();
}

void Recorder::take(const Track& track, const Finished& done) {
  const std::lock_guard lock(mutex_);
  const Known& known = sites_[done.entry->site - 1];
  const uint64_t took = done.end - done.begin;
  Row& row = rows_[known.row];
  ++row.calls;
  row.bytes += known.site.bytes;
  row.total += took;
  if (done.entry->timed_by != TimedBy::kMean) {
    row.least = std::min(row.least, took);
    row.most = std::max(row.most, took);
  }
  if (file_ == nullptr) return;
  const Process& process = processes_[track.process() - 2];
  const Entry& e = *done.entry;
  file_->add_device(track.process(), process.label, process.id);
  file_->add_stream(track.process(), track.number());
  uint64_t flow = 0;
  if (e.host_begin != 0) {
    flow = ++flows_;
    file_->add_thread(e.thread);
    file_->add_call(known.site, e.thread, clock_.nanoseconds(e.host_begin),
                    clock_.nanoseconds(e.host_begin + e.host_ticks), flow);
  }
  file_->add_run(known.site, track.process(), track.number(), done.begin, done.end, flow, e.timed_by);
}

std::vector<Row> Recorder::rows() {
  drain(!is_on());
  const std::lock_guard lock(mutex_);
  std::vector<Row> out;
  std::copy_if(rows_.begin(), rows_.end(), std::back_inserter(out),
               [](const Row& r) { return r.calls != 0; });
  return out;
}

uint32_t Recorder::find_process(const std::string& id) const {
  const auto at =
      std::find_if(processes_.begin(), processes_.end(), [&](const auto& p) { return p.id == id; });
  return static_cast<uint32_t>(at - processes_.begin());
}

uint32_t Recorder::process_of(const driver::DeviceInfo& device) {
  const uint32_t index = find_process(device.id());
  if (index == processes_.size()) {
    processes_.push_back(
        {device.id(), device.name + " (" + device.driver + ")", bandwidth_key(device), device});
    if (sampler_ != nullptr) sampler_->add(device);
  }
  return index + 2;
}

std::shared_ptr<Track> Recorder::open_track(driver::Device& device, uint32_t number) {
  const std::lock_guard lock(mutex_);
  auto track = std::make_shared<Track>(*this, device, process_of(device.info()), number);
  tracks_.push_back(track);
  return track;
}

void Recorder::close_track(const std::shared_ptr<Track>& track) {
  track->close([this] { drain(true); });
  const std::lock_guard lock(mutex_);
  std::erase(tracks_, track);
}

size_t Recorder::row_of(uint32_t process, const Site& site) {
  const Process& p = processes_[process - 2];
  const auto at = std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) {
    return r.kind == site.kind && r.name == site.name && r.device_id == p.id;
  });
  const size_t index = static_cast<size_t>(at - rows_.begin());
  if (at == rows_.end()) rows_.push_back({site.name, p.label, p.id, p.bandwidth_key, site.kind});
  return index;
}

SiteId Recorder::remember(uint32_t process, Site site) {
  const std::lock_guard lock(mutex_);
  if (sites_.size() >= kMostSites) {  // if the configuration differs each time, only the names are kept
    site.grid = site.block = {0, 0, 0};
    site.shared_bytes = site.bytes = 0;
  }
  std::string key = std::to_string(process) + ' ' + site.name;
  for (const uint64_t n :
       {uint64_t{site.grid.x}, uint64_t{site.grid.y}, uint64_t{site.grid.z}, uint64_t{site.block.x},
        uint64_t{site.block.y}, uint64_t{site.block.z}, site.shared_bytes, site.bytes}) {
    key += ' ';
    key += std::to_string(n);
  }
  const auto [at, is_new] = site_ids_.try_emplace(std::move(key), static_cast<uint32_t>(sites_.size() + 1));
  if (is_new) {
    const size_t row = row_of(process, site);
    sites_.push_back({process, std::move(site), row, std::make_unique<Timing>()});
  }
  return {at->second, sites_[at->second - 1].timing.get()};
}

Chunk* Recorder::take_chunk() {
  const std::lock_guard lock(mutex_);
  is_kicked_ = true;
  wake_.notify_one();
  if (!free_chunks_.empty()) {
    Chunk* const chunk = free_chunks_.back();
    free_chunks_.pop_back();
    return chunk;
  }
  if (chunks_made_ == kMostChunks) {
    drop();
    return nullptr;
  }
  ++chunks_made_;
  return new Chunk();
}

void Recorder::give_chunk(Chunk* chunk) {
  chunk->reset();
  const std::lock_guard lock(mutex_);
  free_chunks_.push_back(chunk);
}

void Recorder::add(HostEvent event) {
  event.thread = this_thread();
  const std::lock_guard lock(mutex_);
  if (events_.size() < kMostEvents) {
    events_.push_back(std::move(event));
  } else {
    drop();
  }
}

void Recorder::add_slice(const char* category, std::string name, uint64_t begin, uint64_t end) {
  HostEvent e;
  e.category = category;
  e.name = std::move(name);
  e.begin = begin;
  e.end = end;
  add(std::move(e));
}

void Recorder::add_instant(const char* category, std::string name) {
  HostEvent e;
  e.what = HostEvent::What::kInstant;
  e.category = category;
  e.name = std::move(name);
  e.begin = e.end = base::ticks();
  add(std::move(e));
}

void Recorder::add_memory(const driver::DeviceInfo& device, uint64_t in_use, uint64_t reserved) {
  HostEvent e;
  e.what = HostEvent::What::kMemory;
  e.begin = e.end = base::ticks();
  e.in_use = in_use;
  e.reserved = reserved;
  {
    const std::lock_guard lock(mutex_);
    e.process = process_of(device);
  }
  add(std::move(e));
}

void Recorder::start_sampler(double interval) {
  sampler_ = std::make_unique<telemetry::Sampler>(
      std::chrono::duration<double>(interval),
      [this](const quern::DeviceInfo& device, const Telemetry& values) { add_telemetry(device, values); });
  for (const Process& process : processes_) sampler_->add(process.device);
}

void Recorder::add_telemetry(const quern::DeviceInfo& device, const Telemetry& values) {
  const auto bytes = [](const std::optional<uint64_t>& value) {
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
  };
  add_counter(device, "temperature (°C)",
              {{"device", values.temperature_c}, {"memory", values.memory_temperature_c}});
  add_counter(device, "power (W)", {{"power", values.power_w}});
  add_counter(device, "clock (MHz)", {{"device", values.clock_mhz}, {"memory", values.memory_clock_mhz}});
  add_counter(device, "utilization (%)",
              {{"device", values.utilization_percent}, {"memory", values.memory_utilization_percent}});
  add_counter(device, "memory of all processes (bytes)", {{"used", bytes(values.memory_used_bytes)}});
  if (values.throttle) add_counter(device, "throttled", {{"throttled", values.is_throttled() ? 1 : 0}});
}

void Recorder::add_counter(const quern::DeviceInfo& device, const char* name,
                           std::initializer_list<std::pair<const char*, std::optional<double>>> series) {
  HostEvent e;
  e.what = HostEvent::What::kCounter;
  e.name = name;
  e.begin = e.end = base::ticks();
  for (const auto& [what, value] : series) {
    if (value) e.series.emplace_back(what, *value);
  }
  if (e.series.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    e.process = find_process(device.id()) + 2;
  }
  add(std::move(e));
}

}  // namespace quern::profile
