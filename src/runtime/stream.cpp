#include "runtime/stream.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "base/text.hpp"
#include "runtime/callback.hpp"
#include "runtime/graph.hpp"
#include "runtime/messages.hpp"
#include "runtime/profile/recorder.hpp"

namespace quern::runtime {

using base::Error;
using base::ErrorKind;
using driver::Command;

Event::~Event() {
  if (device_->is_of_parent_process()) {
    (void)event_.release();
  } else {
    device_->native().destroy(std::move(event_));
  }
}
Result<bool> Event::reached() {
  QUERN_TRY(device_->check_caller());
  return device_->native().reached(*event_);
}
Result<> Event::wait() {
  QUERN_TRY(device_->check_caller());
  auto result = device_->native().wait(*event_);
  device_->write_output();
  return result;
}
Result<uint64_t> Event::time() {
  QUERN_TRY(device_->check_caller());
  return device_->native().time(*event_);
}

Result<std::unique_ptr<Stream>> Stream::create(Device& device, const driver::StreamOptions& options,
                                               bool is_persistent) {
  QUERN_TRY(device.check_caller());
  // A driver stream that a loss made unusable is not reused.
  const bool is_mortal =
      is_persistent && device.recoverable() != nullptr && device.recoverable()->survives_device_loss();
  std::unique_ptr<driver::Stream> driver_stream;
  if (!is_mortal) {
    const std::lock_guard lock(device.mutex_);
    auto& idle = device.idle_streams_;
    const auto same =
        std::find_if(idle.begin(), idle.end(), [&](const auto& q) { return q.priority == options.priority; });
    if (same != idle.end()) {
      driver_stream = std::move(same->driver_stream);
      idle.erase(same);
    }
  }
  if (driver_stream == nullptr) {
    driver::StreamOptions how = options;
    how.is_persistent = is_mortal;
    QUERN_TRY_ASSIGN(driver_stream, device.native().create_stream(how));
  }
  std::unique_ptr<Stream> stream(new Stream(device, std::move(driver_stream), options.priority));
  stream->is_mortal_ = is_mortal;
  if (is_persistent) return stream;
  const std::lock_guard lock(device.mutex_);
  stream->number_ = ++device.streams_made_;
  device.streams_.push_back(stream.get());
  return stream;
}

Result<std::unique_ptr<Stream>> Stream::adopt(Device& device, std::unique_ptr<driver::Stream> driver_stream) {
  std::unique_ptr<Stream> stream(new Stream(device, std::move(driver_stream), 0));
  stream->is_adopted_ = true;
  const std::lock_guard lock(device.mutex_);
  stream->number_ = ++device.streams_made_;
  device.streams_.push_back(stream.get());
  return stream;
}

Stream::Stream(Device& device, std::unique_ptr<driver::Stream> driver_stream, int priority)
    : device_(device), driver_stream_(std::move(driver_stream)), priority_(priority) {}

// Until its work is complete, the device must know the stream, because the work uses memory. Afterwards, a
// thread that found the stream in the device's list may still use it.
Stream::~Stream() {
  if (driver_stream_ == nullptr) return;
  if (device_.is_of_parent_process()) {
    (void)driver_stream_.release();
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    if (busy_ && device_.native().synchronize(*driver_stream_).ok()) busy_ = false;
    if (auto written = write_output(); !written.ok())
      base::log(base::LogLevel::kError, "%s", written.error().message().c_str());
  }
  {
    const std::lock_guard lock(device_.mutex_);
    std::erase(device_.streams_, this);
  }
  while (visitors_.load(std::memory_order_acquire) != 0) std::this_thread::yield();
  constexpr size_t kMostIdle = 16;
  if (track_ != nullptr) close_track();
  if (!busy_ && !is_mortal_ && !is_adopted_ && !device_.is_closing_) {
    const std::lock_guard lock(device_.mutex_);
    if (device_.idle_streams_.size() < kMostIdle) {
      device_.idle_streams_.push_back({priority_, std::move(driver_stream_)});
      return;
    }
  }
  device_.native().destroy(std::move(driver_stream_));
}

// The host memory of unfinished work may be freed as soon as this returns, so such work is waited for without
// a limit.
bool Stream::is_over_in_time() {
  constexpr std::chrono::seconds kLimit{10};
  if (driver_stream_ == nullptr || !busy_) return true;
  const std::lock_guard lock(mutex_);
  driver::Device& native = device_.native();
  auto end = native.create_event();
  if (!end.ok() || !native.record(*driver_stream_, **end).ok()) return true;  // synchronize() reports why
  const auto start = std::chrono::steady_clock::now();
  bool is_late = false;
  for (std::chrono::microseconds pause{10};; pause = std::min(2 * pause, std::chrono::microseconds(5000))) {
    const auto reached = native.reached(**end);
    if (!reached.ok() || *reached) break;
    if (!is_late && std::chrono::steady_clock::now() - start > kLimit) {
      is_late = true;
      base::log(base::LogLevel::kWarning,
                "closing %s: a kernel is still running after %lld s; %s\n  hint: end kernels that wait for "
                "the host, and synchronize, before the stream and the device are destroyed",
                device_.label().c_str(), static_cast<long long>(kLimit.count()),
                uses_host_memory_ ? "waiting for it, since copies to or from host memory follow"
                                  : "it is abandoned, and its memory is not freed");
      if (!uses_host_memory_) {
        (void)end->release();  // the driver stream still uses it
        device_.is_abandoned_ = true;
        return false;
      }
    }
    std::this_thread::sleep_for(pause);
  }
  native.destroy(std::move(*end));
  return true;
}

void Stream::close(std::unique_ptr<Stream> stream) {
  if (!stream->device_.is_of_parent_process() && !stream->is_over_in_time())
    (void)stream.release();  // the device keeps the busy stream
}

Result<> Stream::check(const Slice& slice, const char* doing) const {
  if (slice.memory == nullptr) {
    return Error(ErrorKind::invalid_use, message::kNoMemory(doing));
  }
  if (&slice.memory->device() != &device_) {
    return Error(ErrorKind::invalid_use,
                 message::kBufferAndStream(doing, slice.memory->device().label(), device_.label()));
  }
  if (slice.is_inside()) return {};
  return Error(ErrorKind::invalid_use,
               message::kRangeOutside(doing, std::to_string(slice.memory->bytes()),
                                      std::to_string(slice.bytes), std::to_string(slice.offset)));
}

Result<> Stream::upload(const Slice& to, const void* from, uint64_t bytes) {
  QUERN_TRY(check({to.memory, to.offset, bytes}, "upload failed: the buffer"));
  if (bytes == 0) return {};
  if (from == nullptr) return Error(ErrorKind::invalid_use, message::kUploadFromNull());
  Command c;
  c.kind = Command::Kind::kUpload;
  c.to = to.place();
  c.source = from;
  c.bytes = bytes;
  return submit(c, {to.memory});
}

Result<> Stream::download(void* to, const Slice& from, uint64_t bytes) {
  QUERN_TRY(check({from.memory, from.offset, bytes}, "download failed: the buffer"));
  if (bytes == 0) return {};
  if (to == nullptr) return Error(ErrorKind::invalid_use, message::kDownloadToNull());
  Command c;
  c.kind = Command::Kind::kDownload;
  c.from = from.place();
  c.target = to;
  c.bytes = bytes;
  return submit(c, {from.memory});
}

// Between two devices. Work that writes the source completes first, and the copy is complete on return: later
// work of neither device can interleave.
Result<> Stream::copy_across(const Slice& to, const Slice& from) {
  if (recording_ != nullptr) return no_part_of_graphs("a copy between devices");
  Device &there = to.memory->device(), &here = from.memory->device();
  Stream& target = &there == &device_ ? *this : there.default_stream();
  Stream& source = &here == &device_ ? *this : here.default_stream();
  QUERN_TRY(target.check(to, "copy failed: the destination"));
  QUERN_TRY(source.check(from, "copy failed: the source"));
  if (to.bytes == 0) return {};
  QUERN_TRY(source.synchronize());
  {
    const std::lock_guard lock(target.mutex_);
    target.busy_ = true;
    auto native =
        there.native().copy_from(*target.driver_stream_, to.place(), here.native(), from.place(), to.bytes);
    if (native.ok()) return target.finish();
    if (native.error().kind() != ErrorKind::unsupported) return native;
  }
  if (std::byte* host = to.memory->host()) {
    QUERN_TRY(target.synchronize());
    QUERN_TRY(source.download(host + to.offset, from, to.bytes));
    return source.synchronize();
  }
  return copy_by_host(target, to, source, from);
}

// In chunks: one is downloaded while the previous one is uploaded.
Result<> Stream::copy_by_host(Stream& target, const Slice& to, Stream& source, const Slice& from) {
  constexpr uint64_t kPiece = 8 << 20;
  const uint64_t piece = std::min(kPiece, to.bytes);
  struct Slot {
    std::unique_ptr<driver::Buffer> pinned;
    std::vector<std::byte> plain;
    std::shared_ptr<Event> gone;
    std::byte* memory = nullptr;
  } slots[2];
  Result<> result;
  for (uint64_t at = 0, n = 0; at < to.bytes && result.ok(); at += piece, ++n) {
    Slot& s = slots[n % 2];
    if (s.memory == nullptr) {
      auto pinned = target.device_.native().allocate(piece, driver::MemoryKind::pinned);
      if (pinned.ok() && (*pinned)->host != nullptr) {
        s.pinned = std::move(*pinned);
        s.memory = s.pinned->host;
      } else {
        s.plain.resize(piece);
        s.memory = s.plain.data();
      }
    }
    const uint64_t bytes = std::min(piece, to.bytes - at);
    result = [&]() -> Result<> {
      if (s.gone != nullptr) QUERN_TRY(s.gone->wait());
      QUERN_TRY(source.download(s.memory, {from.memory, from.offset + at, bytes}, bytes));
      QUERN_TRY(source.synchronize());
      QUERN_TRY(target.upload({to.memory, to.offset + at, bytes}, s.memory, bytes));
      QUERN_TRY_ASSIGN(s.gone, target.record());
      return {};
    }();
  }
  auto over = target.synchronize();
  for (Slot& s : slots) {
    if (s.pinned != nullptr) target.device_.native().destroy(std::move(s.pinned));
  }
  return result.ok() ? std::move(over) : std::move(result);
}

Result<> Stream::report_checks() {
  QUERN_TRY(finish());
  return device_.checks().take_error(*driver_stream_);
}

Result<> Stream::copy(const Slice& to, const Slice& from) {
  const bool both = to.memory != nullptr && from.memory != nullptr;
  const bool is_ours = both && (&to.memory->device() == &device_ || &from.memory->device() == &device_);
  const bool crosses = is_ours && &to.memory->device() != &from.memory->device();
  if (!crosses) QUERN_TRY(check(to, "copy failed: the destination"));
  if (!crosses) QUERN_TRY(check(from, "copy failed: the source"));
  if (to.bytes != from.bytes) {
    return Error(ErrorKind::invalid_use,
                 message::kCopySizes(base::format_bytes(from.bytes), base::format_bytes(to.bytes)));
  }
  if (crosses) return copy_across(to, from);
  if (to.memory == from.memory && to.offset < from.offset + from.bytes &&
      from.offset < to.offset + to.bytes) {
    return Error(ErrorKind::invalid_use, message::kCopyOverlaps());
  }
  if (to.bytes == 0) return {};
  Command c;
  c.kind = Command::Kind::kCopy;
  c.to = to.place();
  c.from = from.place();
  c.bytes = to.bytes;
  return submit(c, {to.memory, from.memory});
}

Result<> Stream::fill(const Slice& to, uint64_t value, uint32_t width) {
  QUERN_TRY(check(to, "fill failed: the buffer"));
  if (width != 1 && width != 2 && width != 4 && width != 8) {
    return Error(ErrorKind::invalid_use, message::kFillValueSize(std::to_string(width)));
  }
  if (to.bytes % width != 0) {
    return Error(ErrorKind::invalid_use,
                 message::kFillNotMultiple(std::to_string(to.bytes), std::to_string(width)));
  }
  if (to.bytes == 0) return {};
  Command c;
  c.kind = Command::Kind::kFill;
  c.to = to.place();
  c.value = value;
  c.width = width;
  c.bytes = to.bytes;
  return submit(c, {to.memory});
}

Result<> Stream::submit(const Command& command, std::initializer_list<Memory*> memories) {
  QUERN_TRY(device_.check_caller());
  const std::lock_guard lock(mutex_);
  if (recording_ != nullptr) {
    QUERN_TRY(check_recording());
    recording_->add(command, memories);
    return {};
  }
  busy_ = true;
  uses_host_memory_ |= command.kind == Command::Kind::kUpload || command.kind == Command::Kind::kDownload;
  if (profile::is_on()) [[unlikely]]
    return submit_profiled(command);
  return device_.native().submit(*driver_stream_, command);
}

Result<std::shared_ptr<Event>> Stream::record() {
  if (recording_ != nullptr) return no_part_of_graphs("an event").error();
  QUERN_TRY(device_.check_caller());
  QUERN_TRY_ASSIGN(auto native, device_.native().create_event());
  auto event = std::make_shared<Event>(device_.keep(), std::move(native));
  const std::lock_guard lock(mutex_);
  busy_ = true;
  QUERN_TRY(device_.native().record(*driver_stream_, event->native()));
  return event;
}

Result<> Stream::wait(Event& event) {
  if (recording_ != nullptr) return no_part_of_graphs("waiting for an event");
  QUERN_TRY(device_.check_caller());
  if (&event.device() != &device_) return event.wait();  // of another device: the host waits
  const std::lock_guard lock(mutex_);
  busy_ = true;
  return device_.native().wait(*driver_stream_, event.native());
}

Result<> Stream::synchronize() {
  if (recording_ != nullptr) return no_part_of_graphs("waiting for the stream");
  QUERN_TRY(device_.check_caller());
  const std::lock_guard lock(mutex_);
  return finish();
}

Result<> Stream::finish() {
  auto result = wait_for_work();
  auto written = write_output();
  return result.ok() ? std::move(written) : std::move(result);
}

Result<> Stream::write_output() {
  if (!prints_) return {};
  if (!busy_) prints_ = false;
  return device_.output().write(device_, device_.native().take_output(*driver_stream_));
}

// The stream is idle only when its work is known to be complete: memory is freed because of that.
Result<> Stream::wait_for_work() {
  const profile::Scope scope("wait", "wait for the stream");
  auto result = device_.native().synchronize(*driver_stream_);
  const bool is_over = result.ok() || result.error().kind() == ErrorKind::kernel_fault ||
                       result.error().kind() == ErrorKind::device_lost;
  if (is_over) {
    busy_ = uses_host_memory_ = false;
    running_.end();
  }
  if (!result.ok() || thrown_ == nullptr) return result;
  if (const auto thrown = thrown_->take())
    return Error(thrown->first, message::kHostFunctionThrew(device_.label(), thrown->second));
  return result;
}

Result<> Stream::call(std::function<void()> function) {
  if (recording_ != nullptr) return no_part_of_graphs("a host function");
  QUERN_TRY(device_.check_caller());
  const std::lock_guard lock(mutex_);
  busy_ = uses_host_memory_ = true;
  if (thrown_ == nullptr) thrown_ = std::make_shared<Thrown>();
  // The caller is a driver, which must not see exceptions. The function object is destroyed inside the scope.
  auto held = std::make_shared<std::function<void()>>(std::move(function));
  const auto guarded = [&device = device_, thrown = thrown_, held = std::move(held)] {
    const CallbackScope scope(device);
    try {
      (*held)();
      *held = nullptr;
    } catch (...) {
      thrown->put_current();
    }
  };
  return device_.native().call(*driver_stream_, guarded);
}

Result<> Stream::use_driver_stream(const std::function<Result<>(driver::Stream& driver_stream)>& work) {
  if (recording_ != nullptr) return no_part_of_graphs("a native handle");
  QUERN_TRY(device_.check_caller());
  const std::lock_guard lock(mutex_);
  busy_ = true;
  return work(*driver_stream_);
}

void Stream::Thrown::put(ErrorKind of_kind, std::string_view what) {
  const std::lock_guard lock(mutex);
  if (!first) first.emplace(of_kind, what.empty() ? "no message" : what);
}

// The function cannot use this device: an error about the state of a device is about another one, and must
// not look like a loss of this one.
void Stream::Thrown::put_current() {
  try {
    throw;
  } catch (const Error& e) {
    const bool is_state = e.kind() == ErrorKind::device_lost || e.kind() == ErrorKind::timeout ||
                          e.kind() == ErrorKind::kernel_fault;
    put(is_state ? ErrorKind::invalid_use : e.kind(), e.message());
  } catch (const std::bad_alloc& e) {
    put(ErrorKind::out_of_memory, e.what());
  } catch (const std::system_error& e) {
    put(ErrorKind::io, e.what());
  } catch (const std::exception& e) {
    put(ErrorKind::invalid_use, e.what());
  } catch (...) {
    put(ErrorKind::invalid_use, "its type is not derived from std::exception");
  }
}

std::optional<std::pair<base::ErrorKind, std::string>> Stream::Thrown::take() {
  const std::lock_guard lock(mutex);
  return std::exchange(first, {});
}

Result<> Stream::upload_to(const driver::Place& to, const void* from, uint64_t bytes) {
  QUERN_TRY(device_.check_caller());
  const std::lock_guard lock(mutex_);
  busy_ = true;
  QUERN_TRY(device_.native().upload(*driver_stream_, to, from, bytes));
  return finish();
}

Result<> Stream::download_from(const driver::Place& from, void* to, uint64_t bytes) {
  QUERN_TRY(device_.check_caller());
  const std::lock_guard lock(mutex_);
  busy_ = true;
  QUERN_TRY(device_.native().download(*driver_stream_, to, from, bytes));
  return finish();
}

Result<std::string> Stream::take_output() {
  if (recording_ != nullptr) return no_part_of_graphs("the output of kernels").error();
  QUERN_TRY(device_.check_caller());
  const std::lock_guard lock(mutex_);
  QUERN_TRY(wait_for_work());
  prints_ = false;
  return device_.native().take_output(*driver_stream_);
}

std::vector<driver::Finding> Stream::take_findings() {
  if (recording_ != nullptr) return {};
  const std::lock_guard lock(mutex_);
  return device_.native().take_findings(*driver_stream_);
}

}  // namespace quern::runtime
