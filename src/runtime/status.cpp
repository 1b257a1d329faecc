#include "runtime/status.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <thread>
#include <vector>

#include <unistd.h>

#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/program_path.hpp"
#include "base/thread.hpp"
#include "runtime/device.hpp"
#include "runtime/error_history.hpp"

namespace quern::runtime {

namespace {

struct Shared {
  std::mutex mutex;
  std::string path;  // empty: no status is written
  std::atomic<bool> has_complained{false};
  std::vector<const Device*> devices;
};

void keep_writing() {
  for (;;) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    write_status();
  }
}

void write(bool is_running);

Shared& shared() {
  static Shared* const kShared = [] {
    auto* made = new Shared();  // never destroyed: its thread may outlive everything
    made->path = base::env_text("QUERN_STATUS").value_or("");
    if (!made->path.empty()) {
      std::atexit([] { write(false); });
      if (std::thread writer = base::try_thread(keep_writing); writer.joinable()) writer.detach();
    }
    return made;
  }();
  return *kShared;
}

void add_errors(base::JsonWriter& json) {
  const ErrorHistory::Copy errors = ErrorHistory::instance().copy();
  json.key("errors").begin_object();
  for (size_t i = 0; i < kErrorKinds; ++i) {
    if (errors.counts[i] != 0)
      json.member(base::to_string(static_cast<base::ErrorKind>(i)), errors.counts[i]);
  }
  json.end_object().key("last_errors").begin_array();
  for (const PastError& e : errors.last) {
    json.begin_object().member("time", e.time).member("kind", base::to_string(e.kind));
    json.member("device", e.device).member("kernel", e.kernel).member("stream", e.stream);
    json.member("text", e.text).end_object();
  }
  json.end_array();
}

void write(bool is_running) {
  const std::string& path = shared().path;
  if (path.empty()) return;
  const auto written = base::write_file(path, status_json(is_running));
  if (!written.ok() && !shared().has_complained.exchange(true))
    base::log(base::LogLevel::kWarning, "QUERN_STATUS: %s", written.error().message().c_str());
}

}  // namespace

std::string status_json(bool is_running) {
  base::JsonWriter json(2);
  json.begin_object();
  json.member("program", base::program_path());
  json.member("process", static_cast<int64_t>(::getpid())).member("running", is_running);
  json.member("time", static_cast<int64_t>(std::time(nullptr))).key("devices").begin_array();
  {
    Shared& all = shared();
    const std::lock_guard lock(all.mutex);
    for (const Device* d : all.devices) {
      json.begin_object().member("id", d->info().id()).member("name", d->info().name);
      json.member("bytes_in_use", d->bytes_in_use()).member("peak_bytes", d->peak_bytes());
      json.member("reserved_bytes", d->reserved_bytes()).end_object();
    }
  }
  json.end_array();
  add_errors(json);
  json.end_object();
  return json.take();
}

void write_status() { write(true); }

void join_status(const Device& device) {
  Shared& all = shared();
  if (all.path.empty()) return;
  {
    const std::lock_guard lock(all.mutex);
    all.devices.push_back(&device);
  }
  write_status();
}

void leave_status(const Device& device) {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  std::erase(all.devices, &device);
}

}  // namespace quern::runtime
