#include "driver/decorators/limited/device.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "driver/decorators/forward/device.hpp"
#include "driver/decorators/limited/guard.hpp"
#include "driver/decorators/messages.hpp"

namespace quern::limited {

namespace {

using base::Error;
using base::ErrorKind;
using forward::inner_of;
template <typename T = void>
using Result = driver::Result<T>;

// Objects that a device marked lost may still use; they are leaked.
void keep_for_ever(std::unique_ptr<driver::Object> object) {
  static std::mutex mutex;
  static auto* const kKept = new std::vector<std::unique_ptr<driver::Object>>();
  const std::lock_guard lock(mutex);
  kKept->push_back(std::move(object));
}

class Keeper final : public forward::Watcher {
 public:
  std::atomic<bool> is_lost{false};
  std::mutex mutex;  // held while host memory is written, and while the device is marked lost
  void gone(const driver::Object&, forward::Wrapper& wrapper) override {
    if (is_lost) keep_for_ever(wrapper.take());
  }
};

// A launch that owns its arguments.
struct OwnedLaunch {
  explicit OwnedLaunch(const driver::Launch& from) : launch(from) {
    arguments.assign(from.arguments.begin(), from.arguments.end());
    values.reserve(arguments.size());
    for (driver::Argument& a : arguments) {
      a.place = inner_of(a.place);
      if (a.value == nullptr) continue;
      const auto* const bytes = static_cast<const std::byte*>(a.value);
      a.value = values.emplace_back(bytes, bytes + a.bytes).data();
    }
    launch.arguments = arguments;
  }
  OwnedLaunch(const OwnedLaunch&) = delete;
  OwnedLaunch& operator=(const OwnedLaunch&) = delete;

  driver::Launch launch;
  std::vector<driver::Argument> arguments;
  std::vector<std::vector<std::byte>> values;
};

class Device final : public forward::Device {
 public:
  Device(std::unique_ptr<driver::Device> inner, double seconds, std::shared_ptr<Keeper> keeper)
      : forward::Device(*inner, keeper),
        owned_(std::move(inner)),
        keeper_(std::move(keeper)),
        guard_(seconds) {}
  ~Device() override {
    if (keeper_->is_lost) (void)owned_.release();  // NOLINT(bugprone-unused-return-value): leaked on purpose
  }

  Result<std::unique_ptr<driver::Buffer>> allocate(uint64_t bytes, driver::MemoryKind kind) override {
    QUERN_TRY(alive());
    return forward::Device::allocate(bytes, kind);
  }
  Result<std::unique_ptr<driver::Module>> load(const driver::Code& code) override {
    QUERN_TRY(alive());
    return forward::Device::load(code);
  }
  Result<std::unique_ptr<driver::Kernel>> kernel(driver::Module& module, std::string_view name) override {
    QUERN_TRY(alive());
    return forward::Device::kernel(module, name);
  }
  Result<std::unique_ptr<driver::Stream>> create_stream(const driver::StreamOptions& options) override {
    QUERN_TRY(alive());
    return forward::Device::create_stream(options);
  }
  Result<std::unique_ptr<driver::Event>> create_event() override {
    QUERN_TRY(alive());
    return forward::Device::create_event();
  }
  Result<> record(driver::Stream& stream, driver::Event& event) override {
    QUERN_TRY(alive());
    return forward::Device::record(stream, event);
  }
  Result<> wait(driver::Stream& stream, driver::Event& event) override {
    QUERN_TRY(alive());
    return forward::Device::wait(stream, event);
  }
  Result<bool> reached(driver::Event& event) override {
    QUERN_TRY(alive());
    return forward::Device::reached(event);
  }

  // The caller may free its memory once the device is marked lost, but the device may still be running.
  // Copies therefore use our own memory, which lives until the copy is complete.
  Result<> upload(driver::Stream& stream, driver::Place to, const void* from, uint64_t bytes) override {
    const auto* const first = static_cast<const std::byte*>(from);
    return guarded([&d = inner(), &q = inner_of(stream), p = inner_of(to), bytes,
                    own = std::make_shared<std::vector<std::byte>>(first, first + bytes)]() -> Result<> {
      QUERN_TRY(d.upload(q, p, own->data(), bytes));
      return d.call(q, [own] {});
    });
  }
  Result<> download(driver::Stream& stream, void* to, driver::Place from, uint64_t bytes) override {
    return guarded([&d = inner(), &q = inner_of(stream), p = inner_of(from), to, bytes, keeper = keeper_,
                    own = std::make_shared<std::vector<std::byte>>(bytes)]() -> Result<> {
      QUERN_TRY(d.download(q, own->data(), p, bytes));
      return d.call(q, [keeper, own, to] {
        const std::lock_guard lock(keeper->mutex);
        if (!keeper->is_lost && !own->empty()) std::memcpy(to, own->data(), own->size());
      });
    });
  }
  Result<> copy(driver::Stream& stream, driver::Place to, driver::Place from, uint64_t bytes) override {
    return guarded([&d = inner(), &q = inner_of(stream), a = inner_of(to), b = inner_of(from), bytes] {
      return d.copy(q, a, b, bytes);
    });
  }
  Result<> fill(driver::Stream& stream, driver::Place to, uint64_t value, uint32_t width,
                uint64_t bytes) override {
    return guarded([&d = inner(), &q = inner_of(stream), p = inner_of(to), value, width, bytes] {
      return d.fill(q, p, value, width, bytes);
    });
  }
  Result<> launch(driver::Stream& stream, driver::Kernel& kernel, const driver::Launch& launch) override {
    return guarded([&d = inner(), &q = inner_of(stream), &k = inner_of(kernel),
                    owned = std::make_shared<OwnedLaunch>(launch)] { return d.launch(q, k, owned->launch); });
  }
  Result<> call(driver::Stream& stream, std::function<void()> function) override {
    return guarded([&d = inner(), &q = inner_of(stream), function = std::move(function)] {
      return d.call(q, function);
    });
  }
  Result<> wait(driver::Event& event) override {
    return guarded([&d = inner(), &e = inner_of(event)] { return d.wait(e); });
  }
  Result<> synchronize(driver::Stream& stream) override {
    return guarded([&d = inner(), &q = inner_of(stream)] { return d.synchronize(q); });
  }
  std::string take_output(driver::Stream& stream) override {
    return keeper_->is_lost ? std::string() : forward::Device::take_output(stream);
  }
  std::vector<driver::Finding> take_findings(driver::Stream& stream) override {
    return keeper_->is_lost ? std::vector<driver::Finding>() : forward::Device::take_findings(stream);
  }
  uint64_t free_memory() override { return keeper_->is_lost ? 0 : forward::Device::free_memory(); }
  void destroy(std::unique_ptr<driver::Object> object) override {
    if (keeper_->is_lost) {
      object.reset();  // the watcher keeps the inner object
    } else {
      forward::Device::destroy(std::move(object));
    }
  }

 protected:
  Result<> allow_interop() override { return alive(); }

 private:
  Result<> alive() const {
    if (!keeper_->is_lost) return {};
    return Error(ErrorKind::device_lost,
                 decorators::message::kMarkedLost(info().name, base::format_duration(guard_.seconds())));
  }

  Result<> guarded(std::function<Result<>()> work) {
    QUERN_TRY(alive());
    const auto result = std::make_shared<std::optional<Result<>>>();
    if (guard_.run([work = std::move(work), result] { *result = work(); })) return std::move(**result);
    {
      const std::lock_guard lock(keeper_->mutex);
      keeper_->is_lost = true;
    }
    return Error(ErrorKind::timeout, decorators::message::kTimeLimitExceeded(
                                         info().name, base::format_duration(guard_.seconds())));
  }

  std::unique_ptr<driver::Device> owned_;
  std::shared_ptr<Keeper> keeper_;
  Guard guard_;
};

}  // namespace

std::unique_ptr<driver::Device> wrap(std::unique_ptr<driver::Device> inner, double seconds) {
  return std::make_unique<Device>(std::move(inner), seconds, std::make_shared<Keeper>());
}

}  // namespace quern::limited
