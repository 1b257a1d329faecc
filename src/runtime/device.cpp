#include "runtime/device.hpp"

#include <algorithm>
#include <utility>

#include "base/environment.hpp"
#include "base/log.hpp"
#include "runtime/callback.hpp"
#include "runtime/crash_report.hpp"
#include "runtime/messages.hpp"
#include "runtime/profile/recorder.hpp"
#include "runtime/status.hpp"
#include "runtime/stream.hpp"

namespace quern::runtime {

using base::ErrorKind;

Result<std::shared_ptr<Device>> Device::open(driver::Driver& driver, uint32_t index,
                                             const driver::OpenOptions& options) {
  QUERN_TRY_ASSIGN(auto native, driver.open(index, options));
  return adopt(std::move(native));
}

Result<std::shared_ptr<Device>> Device::adopt(std::unique_ptr<driver::Device> native) {
  profile::Recorder::start_by_environment();
  QUERN_TRY_ASSIGN(const uint64_t limit, base::env_bytes("QUERN_MEMORY_LIMIT", 0));
  const std::shared_ptr<Device> device = (new Device(std::move(native)))->keep();
  device->limit_ = limit;
  if (device->runs_in_process()) install_crash_report();
  QUERN_TRY_ASSIGN(device->default_stream_, Stream::create(*device, {}));
  join_status(*device);
  return device;
}

Device::Device(std::unique_ptr<driver::Device> native)
    : native_(std::move(native)),
      recoverable_(dynamic_cast<recoverable::Device*>(native_.get())),
      pool_(*native_),
      checks_(*native_) {}

std::shared_ptr<Device> Device::keep() {
  const std::lock_guard lock(mutex_);
  if (auto kept = weak_from_this().lock()) return kept;
  ++owners_;
  return {this, [](Device* device) { device->let_go(); }};
}

void Device::let_go() {
  if (is_of_parent_process()) return;  // a thread of the parent may hold the mutex forever
  release_outside_callbacks(*this, [this] {
    std::unique_lock lock(mutex_);
    const bool is_last = --owners_ == 0 && buffers_ == 0;
    lock.unlock();
    if (is_last) close();
  });
}

// Abandoned work still uses the device. Its results are not visible any more.
void Device::close() {
  const bool is_over = default_stream_ == nullptr || default_stream_->is_over_in_time();
  if (is_over && !is_abandoned_) {
    delete this;
  } else {
    leave_status(*this);
  }
}

Result<> Device::check_caller() const {
  if (is_of_parent_process()) [[unlikely]]
    return base::Error(ErrorKind::invalid_use, message::kForkedAfterOpen(label()));
  if (CallbackScope::is_active(*this)) [[unlikely]]
    return base::Error(ErrorKind::invalid_use, message::kCalledInCallback(label()));
  return {};
}

void Device::write_output() {
  if (!prints_) return;
  std::vector<Stream*> streams;
  {
    const std::lock_guard lock(mutex_);
    for (Stream* s : streams_) {
      if (!s->prints_) continue;
      streams.push_back(s);
      ++s->visitors_;
    }
  }
  for (Stream* s : streams) {
    if (const std::unique_lock lock(s->mutex_, std::try_to_lock); lock.owns_lock()) {
      if (auto written = s->write_output(); !written.ok())
        base::log(base::LogLevel::kError, "%s", written.error().message().c_str());
    }
    --s->visitors_;
  }
}

Device::~Device() {
  leave_status(*this);
  is_closing_ = true;
  default_stream_.reset();  // waits; all other streams kept this device open, so they are destroyed
  for (IdleStream& idle : idle_streams_) native_->destroy(std::move(idle.driver_stream));
  for (Retired& r : retired_) destroy(r);
  for (void* room : rooms_) ::operator delete(room);
}

// One event covers many pieces: retired pieces wait until an event is worthwhile.
void Device::retire_limbo() {
  Retired retired;
  retired.pieces.swap(limbo_);
  limbo_bytes_ = 0;
  retire_locked(std::move(retired));
}

bool Device::is_idle() const {
  return std::none_of(streams_.begin(), streams_.end(), [](const Stream* s) { return s->busy_.load(); });
}

Result<> Device::synchronize() {
  QUERN_TRY(check_caller());
  std::vector<Stream*> streams;
  {
    const std::lock_guard lock(mutex_);
    streams = streams_;
    for (Stream* s : streams) ++s->visitors_;
  }
  Result<> result;
  for (Stream* s : streams) {
    if (result.ok()) result = s->synchronize();
    --s->visitors_;
  }
  if (result.ok()) reclaim();
  return result;
}

Result<> Device::pause(const std::function<Result<>(driver::Stream& driver_stream)>& work) {
  QUERN_TRY(check_caller());
  const std::lock_guard lock(mutex_);
  std::vector<std::unique_lock<std::mutex>> stopped;
  for (Stream* s : streams_) {
    stopped.emplace_back(s->mutex_);
    QUERN_TRY(s->finish());
  }
  default_stream_->busy_ = true;
  return work(*default_stream_->driver_stream_);
}

void Device::retire(std::unique_ptr<driver::Object> object) {
  if (object == nullptr) return;
  if (is_of_parent_process()) return (void)object.release();
  release_outside_callbacks(*this, [this, keeps = weak_from_this().lock(), retired = object.release()] {
    const std::lock_guard lock(mutex_);
    reclaim_locked();  // kernels are destroyed before their program
    retire_locked({std::unique_ptr<driver::Object>(retired), {}, {}});
  });
}

void Device::retire_locked(Retired retired) {
  for (Stream* s : streams_) {
    if (!s->busy_) continue;
    const std::lock_guard stream_lock(s->mutex_);
    auto event = native_->create_event();
    if (event.ok() && native_->record(*s->driver_stream_, **event).ok()) {
      retired.events.push_back(std::move(*event));
    } else {
      (void)native_->synchronize(*s->driver_stream_);  // no event is available: wait for the work itself
    }
  }
  if (retired.events.empty()) reclaim_retired();
  if (retired.events.empty() && retired_.empty()) {
    destroy(retired);
  } else {
    retired_.push_back(std::move(retired));
  }
}

bool Device::is_free(Retired& retired) {
  return std::all_of(retired.events.begin(), retired.events.end(), [this](auto& event) {
    auto reached = native_->reached(*event);
    return reached.ok() ? *reached
                        : reached.error().kind() == ErrorKind::device_lost;  // nothing runs after a loss
  });
}

void Device::destroy(Retired& retired) {
  for (auto& event : retired.events) native_->destroy(std::move(event));
  for (const Piece& piece : retired.pieces) pool_.give(piece);
  if (retired.object != nullptr) native_->destroy(std::move(retired.object));
}

void Device::reclaim() {
  const std::lock_guard lock(mutex_);
  reclaim_locked();
}

void Device::reclaim_locked() {
  if (!limbo_.empty() && is_idle()) {
    for (const Piece& piece : limbo_) pool_.give(piece);
    limbo_.clear();
    limbo_bytes_ = 0;
  }
  reclaim_retired();
}

// In order, because a program must not be destroyed before its kernels. Later entries wait for the same
// streams.
void Device::reclaim_retired() {
  auto free = retired_.begin();
  for (; free != retired_.end() && is_free(*free); ++free) destroy(*free);
  retired_.erase(retired_.begin(), free);
}

std::shared_ptr<void> Device::redirect_output(OutputCallback callback) {
  const uint64_t number = output_.add(std::move(callback));
  return {nullptr, [device = keep(), number](void*) { device->output_.remove(number); }};
}

}  // namespace quern::runtime
