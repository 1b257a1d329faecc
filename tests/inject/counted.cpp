#include "inject/counted.hpp"

#include "base/text.hpp"
#include "driver/decorators/forward/device.hpp"

namespace quern::inject {

namespace {

std::atomic<int64_t>& counter(Counts& counts, const driver::Object& object) {
  if (dynamic_cast<const driver::Buffer*>(&object) != nullptr) return counts.buffers;
  if (dynamic_cast<const driver::Module*>(&object) != nullptr) return counts.programs;
  if (dynamic_cast<const driver::Kernel*>(&object) != nullptr) return counts.kernels;
  if (dynamic_cast<const driver::Stream*>(&object) != nullptr) return counts.streams;
  return counts.events;
}

// Variables of a program have wrappers too, but are not owned: they are recognized by not being counted.
class Watcher final : public forward::Watcher {
 public:
  explicit Watcher(std::shared_ptr<Counts> to) : counts(std::move(to)) {}

  void made(const driver::Object& object) {
    ++counter(*counts, object);
    ++counts->calls;
    if (const auto* buffer = dynamic_cast<const driver::Buffer*>(&object))
      counts->bytes += static_cast<int64_t>(buffer->bytes);
  }
  void gone(const driver::Object& object, forward::Wrapper& wrapper) override {
    if (wrapper.id == kVariable) return;
    --counter(*counts, object);
    if (const auto* buffer = dynamic_cast<const driver::Buffer*>(&object))
      counts->bytes -= static_cast<int64_t>(buffer->bytes);
  }

  static constexpr uint64_t kVariable = ~uint64_t{0};
  const std::shared_ptr<Counts> counts;
};

class Device final : public forward::Device {
 public:
  Device(std::unique_ptr<driver::Device> inner, const std::shared_ptr<Watcher>& watcher)
      : forward::Device(std::move(inner), watcher), watcher_(watcher) {
    ++watcher_->counts->devices;
  }
  ~Device() override { --watcher_->counts->devices; }

  driver::Result<std::unique_ptr<driver::Buffer>> allocate(uint64_t bytes, driver::MemoryKind kind) override {
    return told(forward::Device::allocate(bytes, kind));
  }
  driver::Result<std::unique_ptr<driver::Module>> load(const driver::Code& code) override {
    return told(forward::Device::load(code));
  }
  driver::Result<std::unique_ptr<driver::Kernel>> kernel(driver::Module& program,
                                                         std::string_view name) override {
    return told(forward::Device::kernel(program, name));
  }
  driver::Result<std::unique_ptr<driver::Stream>> create_stream(
      const driver::StreamOptions& options) override {
    return told(forward::Device::create_stream(options));
  }
  driver::Result<std::unique_ptr<driver::Event>> create_event() override {
    return told(forward::Device::create_event());
  }
  driver::Result<driver::Place> variable(driver::Module& program, std::string_view name) override {
    QUERN_TRY_ASSIGN(const driver::Place place, forward::Device::variable(program, name));
    forward::wrapper_of(*place.buffer).id = Watcher::kVariable;
    return place;
  }

 private:
  template <typename T>
  driver::Result<std::unique_ptr<T>> told(driver::Result<std::unique_ptr<T>> made) {
    if (made.ok()) watcher_->made(**made);
    return made;
  }

  std::shared_ptr<Watcher> watcher_;
};

}  // namespace

std::string Counts::to_string() const {
  return base::format("%lld buffers, %lld programs, %lld kernels, %lld streams, %lld events, %lld devices",
                      static_cast<long long>(buffers), static_cast<long long>(programs),
                      static_cast<long long>(kernels), static_cast<long long>(streams),
                      static_cast<long long>(events), static_cast<long long>(devices));
}

std::unique_ptr<driver::Device> count(std::unique_ptr<driver::Device> inner, std::shared_ptr<Counts> counts) {
  return std::make_unique<Device>(std::move(inner), std::make_shared<Watcher>(std::move(counts)));
}

}  // namespace quern::inject
