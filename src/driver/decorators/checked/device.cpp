#include "driver/decorators/checked/device.hpp"

#include <atomic>
#include <deque>
#include <utility>

#include "base/text.hpp"
#include "driver/decorators/checked/launch.hpp"
#include "driver/decorators/checked/ledger.hpp"
#include "driver/decorators/forward/device.hpp"
#include "driver/decorators/messages.hpp"

namespace quern::checked {

namespace {

using base::Error;
using base::ErrorKind;
using driver::Place;

// Destroyed objects are kept this long, so that their addresses are not reused and a late use is detected.
constexpr size_t kKeptObjects = 256;

// Exclusive use of a stream for the duration of a call.
class Turn {
 public:
  explicit Turn(EntryPtr stream) : stream_(std::move(stream)) {}
  Turn(Turn&&) = default;
  ~Turn() {
    if (stream_ != nullptr) stream_->in_call = false;
  }
  uint64_t stream() const { return stream_->id; }

 private:
  EntryPtr stream_;
};

class Device final : public forward::Device {
 public:
  template <typename Inner>
  Device(Inner&& inner, const std::shared_ptr<Ledger>& ledger)
      : forward::Device(std::forward<Inner>(inner), ledger), ledger_(ledger) {}

  ~Device() override {
    auto left = ledger_->close();
    for (const auto& object : left) {
      if (auto* stream = dynamic_cast<driver::Stream*>(object.get())) (void)inner().synchronize(*stream);
    }
    for (auto& object : left) inner().destroy(std::move(object));
  }

  Result<std::unique_ptr<driver::Buffer>> allocate(uint64_t bytes, driver::MemoryKind kind) override {
    const uint64_t limit = info().limits.buffer_bytes;
    if (limit != 0 && bytes > limit)
      return refuse(
          decorators::message::kAllocationExceedsLimit(base::format_bytes(bytes), base::format_bytes(limit)));
    QUERN_TRY_ASSIGN(auto buffer, seen(Call::kAllocate, forward::Device::allocate(bytes, kind)));
    if (buffer->bytes != bytes || buffer->kind != kind) {
      forward::Device::destroy(std::move(buffer));
      return ledger_->violation(ErrorKind::internal, decorators::message::kOtherBuffer(info().driver));
    }
    ledger_->add(*buffer, Kind::kBuffer, forward::wrapper_of(*buffer), bytes);
    return buffer;
  }

  Result<std::unique_ptr<driver::Buffer>> import_host_memory(std::byte* host, uint64_t bytes) override {
    return admitted(seen(Call::kAllocate, forward::Device::import_host_memory(host, bytes)));
  }

  Result<std::unique_ptr<driver::Module>> load(const driver::Code& code) override {
    if (auto wrong = wrong_with(code, info())) return refuse(*wrong);
    QUERN_TRY_ASSIGN(auto module, seen(Call::kLoad, forward::Device::load(code)));
    ledger_->add(*module, Kind::kModule, forward::wrapper_of(*module));
    return module;
  }

  Result<std::unique_ptr<driver::Kernel>> kernel(driver::Module& module, std::string_view name) override {
    QUERN_TRY_ASSIGN(const EntryPtr owner, ledger_->find(Call::kKernel, &module, Kind::kModule));
    QUERN_TRY_ASSIGN(auto kernel, seen(Call::kKernel, forward::Device::kernel(module, name)));
    ledger_->add(*kernel, Kind::kKernel, forward::wrapper_of(*kernel), 0, owner);
    return kernel;
  }

  Result<std::unique_ptr<driver::Stream>> create_stream(const driver::StreamOptions& options) override {
    QUERN_TRY_ASSIGN(auto stream, seen(Call::kCreateStream, forward::Device::create_stream(options)));
    ledger_->add(*stream, Kind::kStream, forward::wrapper_of(*stream));
    return stream;
  }

  Result<> upload(driver::Stream& stream, Place to, const void* from, uint64_t bytes) override {
    QUERN_TRY_ASSIGN(const Turn turn, take_turn(Call::kUpload, stream));
    QUERN_TRY_ASSIGN(const EntryPtr buffer, find(Call::kUpload, to, bytes));
    QUERN_TRY(check_host(Call::kUpload, from, bytes));
    return used(turn, {buffer}, seen(Call::kUpload, forward::Device::upload(stream, to, from, bytes)));
  }

  Result<> download(driver::Stream& stream, void* to, Place from, uint64_t bytes) override {
    QUERN_TRY_ASSIGN(const Turn turn, take_turn(Call::kDownload, stream));
    QUERN_TRY_ASSIGN(const EntryPtr buffer, find(Call::kDownload, from, bytes));
    QUERN_TRY(check_host(Call::kDownload, to, bytes));
    return used(turn, {buffer}, seen(Call::kDownload, forward::Device::download(stream, to, from, bytes)));
  }

  Result<> copy(driver::Stream& stream, Place to, Place from, uint64_t bytes) override {
    QUERN_TRY_ASSIGN(const Turn turn, take_turn(Call::kCopy, stream));
    QUERN_TRY_ASSIGN(const EntryPtr target, find(Call::kCopy, to, bytes));
    QUERN_TRY_ASSIGN(const EntryPtr source, find(Call::kCopy, from, bytes));
    if (target == source && to.offset < from.offset + bytes && from.offset < to.offset + bytes)
      return refuse(decorators::message::kCopyOverlaps());
    return used(turn, {target, source}, seen(Call::kCopy, forward::Device::copy(stream, to, from, bytes)));
  }

  Result<> fill(driver::Stream& stream, Place to, uint64_t value, uint32_t width, uint64_t bytes) override {
    QUERN_TRY_ASSIGN(const Turn turn, take_turn(Call::kFill, stream));
    QUERN_TRY_ASSIGN(const EntryPtr buffer, find(Call::kFill, to, bytes));
    if (width != 1 && width != 2 && width != 4 && width != 8)
      return refuse(decorators::message::kFillWidth(std::to_string(width)));
    if (bytes % width != 0)
      return refuse(decorators::message::kFillSize(std::to_string(bytes), std::to_string(width)));
    return used(turn, {buffer}, seen(Call::kFill, forward::Device::fill(stream, to, value, width, bytes)));
  }

  Result<> launch(driver::Stream& stream, driver::Kernel& kernel, const driver::Launch& launch) override {
    QUERN_TRY_ASSIGN(const Turn turn, take_turn(Call::kLaunch, stream));
    QUERN_TRY_ASSIGN(const EntryPtr entry, ledger_->find(Call::kLaunch, &kernel, Kind::kKernel));
    if (!entry->owner->is_alive) return refuse(decorators::message::kModuleDestroyed());
    std::vector<EntryPtr> objects = {entry};
    for (const driver::Argument& a : launch.arguments) {
      if (a.place.buffer == nullptr) continue;
      QUERN_TRY_ASSIGN(EntryPtr buffer, find(Call::kLaunch, a.place, 0));
      objects.push_back(std::move(buffer));
    }
    if (auto wrong = wrong_with(launch, kernel, info())) return refuse(*wrong);
    return used(turn, objects, seen(Call::kLaunch, forward::Device::launch(stream, kernel, launch)));
  }

  Result<> call(driver::Stream& stream, std::function<void()> function) override {
    QUERN_TRY_ASSIGN(const Turn turn, take_turn(Call::kCall, stream));
    if (!function) return refuse(decorators::message::kNoFunctionToCall());
    return used(turn, {}, seen(Call::kCall, forward::Device::call(stream, std::move(function))));
  }

  Result<std::unique_ptr<driver::Event>> create_event() override {
    QUERN_TRY_ASSIGN(auto event, seen(Call::kCreateEvent, forward::Device::create_event()));
    ledger_->add(*event, Kind::kEvent, forward::wrapper_of(*event));
    return event;
  }

  Result<> record(driver::Stream& stream, driver::Event& event) override {
    QUERN_TRY_ASSIGN(const Turn turn, take_turn(Call::kRecord, stream));
    QUERN_TRY_ASSIGN(const EntryPtr entry, ledger_->find(Call::kRecord, &event, Kind::kEvent));
    QUERN_TRY(seen(Call::kRecord, forward::Device::record(stream, event)));
    ledger_->record(turn.stream(), entry->id);
    return {};
  }

  Result<> wait(driver::Stream& stream, driver::Event& event) override {
    QUERN_TRY_ASSIGN(const Turn turn, take_turn(Call::kStreamWait, stream));
    QUERN_TRY_ASSIGN(const EntryPtr entry, ledger_->find(Call::kStreamWait, &event, Kind::kEvent));
    QUERN_TRY(seen(Call::kStreamWait, forward::Device::wait(stream, event)));
    ledger_->wait(turn.stream(), entry->id);
    return {};
  }

  Result<bool> reached(driver::Event& event) override {
    QUERN_TRY_ASSIGN(const EntryPtr entry, ledger_->find(Call::kReached, &event, Kind::kEvent));
    const auto point = ledger_->recorded(entry->id);
    QUERN_TRY_ASSIGN(const bool is_reached, seen(Call::kReached, forward::Device::reached(event)));
    if (is_reached && point) reach(*point);
    if (!is_reached && !point)
      return ledger_->violation(ErrorKind::internal, decorators::message::kEventNotReached(info().driver));
    return is_reached;
  }

  Result<> wait(driver::Event& event) override {
    QUERN_TRY_ASSIGN(const EntryPtr entry, ledger_->find(Call::kWait, &event, Kind::kEvent));
    const auto point = ledger_->recorded(entry->id);
    auto result = seen(Call::kWait, forward::Device::wait(event));
    if (point && is_over(result)) reach(*point);
    return result;
  }

  Result<> synchronize(driver::Stream& stream) override {
    QUERN_TRY_ASSIGN(const Turn turn, take_turn(Call::kSynchronize, stream));
    const forward::Point point = ledger_->last(turn.stream());
    auto result = seen(Call::kSynchronize, forward::Device::synchronize(stream));
    if (is_over(result)) reach(point);
    return result;
  }

  Result<uint64_t> time(driver::Event& event) override {
    QUERN_TRY_ASSIGN(const EntryPtr entry, ledger_->find(Call::kTime, &event, Kind::kEvent));
    if (!ledger_->recorded(entry->id)) return refuse(decorators::message::kEventNotRecorded());
    return seen(Call::kTime, forward::Device::time(event));
  }

  Result<Place> variable(driver::Module& module, std::string_view name) override {
    QUERN_TRY_ASSIGN(const EntryPtr owner, ledger_->find(Call::kVariable, &module, Kind::kModule));
    QUERN_TRY_ASSIGN(const Place place, seen(Call::kVariable, forward::Device::variable(module, name)));
    ledger_->add(*place.buffer, Kind::kBuffer, forward::wrapper_of(*place.buffer), place.buffer->bytes,
                 owner);
    return place;
  }

  Result<driver::Code> binary(driver::Module& module) override {
    QUERN_TRY(ledger_->find(Call::kBinary, &module, Kind::kModule));
    return seen(Call::kBinary, forward::Device::binary(module));
  }

  std::string take_output(driver::Stream& stream) override {
    auto turn = take_turn(Call::kTakeOutput, stream);
    return turn.ok() ? forward::Device::take_output(stream) : std::string();
  }

  std::vector<driver::Finding> take_findings(driver::Stream& stream) override {
    auto turn = take_turn(Call::kTakeFindings, stream);
    return turn.ok() ? forward::Device::take_findings(stream) : std::vector<driver::Finding>();
  }

  void destroy(std::unique_ptr<driver::Object> object) override {
    if (dynamic_cast<driver::Graph*>(object.get()) != nullptr)
      return;  // commands are checked when they are submitted
    auto* wrapper = dynamic_cast<forward::Wrapper*>(object.get());
    if (wrapper == nullptr || !ledger_->check_destroy(*object, *wrapper)) {
      if (object != nullptr) ledger_->tell(decorators::message::kDestroysForeign());
      return;
    }
    if (auto* stream = dynamic_cast<driver::Stream*>(object.get())) finish(*stream, wrapper->id);
    if (auto below = ledger_->remove(*object, *wrapper)) inner().destroy(std::move(below));
    destroy_idle();
    const std::lock_guard lock(mutex_);
    kept_.push_back(std::move(object));
    if (kept_.size() > kKeptObjects) kept_.pop_front();
  }

  Result<> wait_native(driver::Stream& stream, const driver::AnyEvent& event) override {
    QUERN_TRY_ASSIGN(const Turn turn, take_turn(Call::kStreamWait, stream));
    return seen(Call::kStreamWait, forward::Device::wait_native(stream, event));
  }

 protected:
  Result<std::unique_ptr<driver::Buffer>> admit_buffer(const MakeBuffer& make) override {
    return admitted(seen(Call::kAllocate, forward::Device::admit_buffer(make)));
  }
  Result<std::unique_ptr<driver::Stream>> admit_stream(const MakeStream& make) override {
    QUERN_TRY_ASSIGN(auto stream, seen(Call::kCreateStream, forward::Device::admit_stream(make)));
    ledger_->add(*stream, Kind::kStream, forward::wrapper_of(*stream));
    return stream;
  }

 private:
  // Adds memory that the device did not allocate itself.
  Result<std::unique_ptr<driver::Buffer>> admitted(Result<std::unique_ptr<driver::Buffer>> made) {
    if (made.ok()) ledger_->add(**made, Kind::kBuffer, forward::wrapper_of(**made), (*made)->bytes);
    return made;
  }

  Error refuse(const base::MessageText& sentence) {
    return ledger_->violation(ErrorKind::invalid_use, sentence);
  }

  // No other thread can wait for a destroyed stream.
  void finish(driver::Stream& stream, uint64_t id) {
    const forward::Point point = ledger_->last(id);
    if (ledger_->is_done(point)) return;
    if (is_over(forward::Device::synchronize(stream))) reach(point);
  }

  // Work up to there is complete: destroys the objects whose destruction was deferred.
  void reach(const forward::Point& point) {
    ledger_->reach(point);
    destroy_idle();
  }
  void destroy_idle() {
    for (auto& object : ledger_->take_idle()) inner().destroy(std::move(object));
  }

  Result<Turn> take_turn(Call call, driver::Stream& stream) {
    QUERN_TRY_ASSIGN(EntryPtr entry, ledger_->find(call, &stream, Kind::kStream));
    if (entry->in_call.exchange(true))
      return refuse(decorators::message::kStreamOverlap(forward::name(call)));
    return Turn(std::move(entry));
  }

  Result<EntryPtr> find(Call call, const Place& place, uint64_t bytes) {
    QUERN_TRY_ASSIGN(EntryPtr buffer, ledger_->find(call, place.buffer, Kind::kBuffer));
    if (place.offset <= buffer->bytes && bytes <= buffer->bytes - place.offset) return buffer;
    return refuse(decorators::message::kOutOfBuffer(forward::name(call), std::to_string(bytes),
                                                    std::to_string(place.offset),
                                                    std::to_string(buffer->bytes)));
  }

  Result<> check_host(Call call, const void* memory, uint64_t bytes) {
    if (memory != nullptr || bytes == 0) return {};
    return refuse(decorators::message::kNoHostMemory(forward::name(call)));
  }

  // Whether the work that was waited for has ended, successfully or not.
  static bool is_over(const Result<>& result) {
    return result.ok() || result.error().kind() == ErrorKind::kernel_fault;
  }

  Result<> used(const Turn& turn, const std::vector<EntryPtr>& objects, Result<> result) {
    if (result.ok()) ledger_->use(turn.stream(), objects);
    return result;
  }

  // Checks the driver's result: a lost device stays lost.
  template <typename T>
  Result<T> seen(Call call, Result<T> result) {
    const bool says_lost = !result.ok() && result.error().kind() == ErrorKind::device_lost;
    if (says_lost) {
      is_lost_ = true;
      ledger_->lose();
    } else if (is_lost_ && result.ok()) {
      return ledger_->violation(ErrorKind::internal,
                                decorators::message::kSucceededAfterLoss(info().driver, forward::name(call)));
    }
    return result;
  }

  std::shared_ptr<Ledger> ledger_;
  std::atomic<bool> is_lost_{false};
  std::mutex mutex_;
  std::deque<std::unique_ptr<driver::Object>> kept_;
};

class Driver final : public forward::Driver {
 public:
  Driver(std::unique_ptr<driver::Driver> inner, std::shared_ptr<Violations> violations)
      : forward::Driver(std::move(inner)), violations_(std::move(violations)) {}

  Result<std::string> start() override {
    auto says = forward::Driver::start();
    is_started_ = says.ok();
    return says;
  }
  Result<std::vector<driver::DeviceInfo>> devices() override {
    QUERN_TRY(check_started(Call::kDevices));
    return forward::Driver::devices();
  }
  Result<std::unique_ptr<driver::Device>> open(uint32_t index, const driver::OpenOptions& options) override {
    QUERN_TRY(check_started(Call::kOpen));
    QUERN_TRY_ASSIGN(auto device, forward::Driver::open(index, options));
    return wrap(std::move(device), violations_);
  }

 private:
  Result<> check_started(Call call) {
    if (is_started_) return {};
    return violations_->add(ErrorKind::invalid_use, decorators::message::kBeforeStart(forward::name(call)));
  }

  std::shared_ptr<Violations> violations_;
  std::atomic<bool> is_started_{false};
};

}  // namespace

std::unique_ptr<driver::Device> wrap(std::unique_ptr<driver::Device> inner,
                                     std::shared_ptr<Violations> violations) {
  return std::make_unique<Device>(std::move(inner), std::make_shared<Ledger>(std::move(violations)));
}

std::unique_ptr<driver::Device> wrap(driver::Device& inner, std::shared_ptr<Violations> violations) {
  return std::make_unique<Device>(inner, std::make_shared<Ledger>(std::move(violations)));
}

std::unique_ptr<driver::Driver> wrap(std::unique_ptr<driver::Driver> inner,
                                     std::shared_ptr<Violations> violations) {
  return std::make_unique<Driver>(std::move(inner), std::move(violations));
}

}  // namespace quern::checked
