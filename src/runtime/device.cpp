#include "runtime/device.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "runtime/stream.hpp"

namespace quern::runtime {

using base::Error;
using base::ErrorKind;

Memory::Memory(std::shared_ptr<Device> device, std::unique_ptr<driver::Buffer> buffer)
    : device_(std::move(device)), buffer_(std::move(buffer)) {}

Memory::~Memory() {
  device_->bytes_in_use_ -= bytes();
  device_->retire(std::move(buffer_));
}

Result<std::shared_ptr<Device>> Device::open(driver::Driver& driver, uint32_t index,
                                             const driver::OpenOptions& options) {
  QUERN_TRY_ASSIGN(auto native, driver.open(index, options));
  return adopt(std::move(native));
}

Result<std::shared_ptr<Device>> Device::adopt(std::unique_ptr<driver::Device> native) {
  std::shared_ptr<Device> device(new Device(std::move(native)));
  QUERN_TRY_ASSIGN(device->default_stream_, Stream::create(*device, {}));
  return device;
}

Device::Device(std::unique_ptr<driver::Device> native) : native_(std::move(native)) {}

Device::~Device() {
  default_stream_.reset();  // waits; every other stream held this device and is gone
  for (Retired& r : retired_) destroy(r);
}

Result<std::shared_ptr<Memory>> Device::allocate(uint64_t bytes, driver::MemoryKind kind,
                                                 std::string_view label) {
  const uint64_t limit = info().limits.buffer_bytes;
  if (limit != 0 && bytes > limit) {
    return Error(ErrorKind::kOutOfMemory, (label.empty() ? "a buffer" : "'" + std::string(label) + "'") +
                                              " asks for " + base::format_bytes(bytes) + ", and " +
                                              this->label() + " takes at most " + base::format_bytes(limit) +
                                              " in one buffer");
  }
  reclaim();
  auto buffer = native_->allocate(bytes, kind);
  if (!buffer.ok() && buffer.error().kind() == ErrorKind::kOutOfMemory) {
    QUERN_TRY(synchronize());  // what is in flight may hold memory that nobody wants any more
    reclaim();
    buffer = native_->allocate(bytes, kind);
  }
  if (!buffer.ok()) return std::move(buffer).error();
  bytes_in_use_ += bytes;
  return std::make_shared<Memory>(shared_from_this(), std::move(*buffer));
}

Result<> Device::synchronize() {
  std::vector<Stream*> streams;
  {
    const std::lock_guard lock(mutex_);
    streams = streams_;
  }
  for (Stream* s : streams) QUERN_TRY(s->synchronize());
  reclaim();
  return {};
}

Result<> Device::pause(const std::function<Result<>(driver::Queue& queue)>& work) {
  const std::lock_guard lock(mutex_);
  std::vector<std::unique_lock<std::mutex>> stopped;
  for (Stream* s : streams_) {
    stopped.emplace_back(s->mutex_);
    QUERN_TRY(s->finish());
  }
  default_stream_->busy_ = true;
  return work(*default_stream_->queue_);
}

void Device::retire(std::unique_ptr<driver::Object> object) {
  if (object == nullptr) return;
  Retired retired{std::move(object), {}};
  const std::lock_guard lock(mutex_);
  reclaim_locked();  // a kernel goes before its program
  for (Stream* s : streams_) {
    if (!s->busy_) continue;
    const std::lock_guard stream_lock(s->mutex_);
    auto event = native_->create_event();
    if (event.ok() && native_->record(*s->queue_, **event).ok()) {
      retired.events.push_back(std::move(*event));
    } else {
      (void)native_->synchronize(*s->queue_);  // no event can be had: the work itself ends the use
    }
  }
  if (retired.events.empty()) {
    destroy(retired);
  } else {
    retired_.push_back(std::move(retired));
  }
}

bool Device::is_free(Retired& retired) {
  return std::all_of(retired.events.begin(), retired.events.end(), [this](auto& event) {
    auto reached = native_->reached(*event);
    return reached.ok() ? *reached : reached.error().kind() == ErrorKind::kDeviceLost;  // nothing runs then
  });
}

void Device::destroy(Retired& retired) {
  for (auto& event : retired.events) native_->destroy(std::move(event));
  native_->destroy(std::move(retired.object));
}

void Device::reclaim() {
  const std::lock_guard lock(mutex_);
  reclaim_locked();
}

void Device::reclaim_locked() {
  std::erase_if(retired_, [this](Retired& r) {
    if (!is_free(r)) return false;
    destroy(r);
    return true;
  });
}

}  // namespace quern::runtime
