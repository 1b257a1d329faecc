#include "driver/decorators/faulty/device.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "driver/decorators/forward/device.hpp"
#include "driver/support/persistent_kernels.hpp"

namespace quern::faulty {

namespace {

using driver::Result;

// The existing streams, so that the wrapped device can be waited for.
class Streams final : public forward::Watcher {
 public:
  void add(driver::Stream& stream) {
    const std::lock_guard lock(mutex_);
    all_.push_back(&stream);
  }
  void gone(const driver::Object& object, forward::Wrapper&) override {
    const std::lock_guard lock(mutex_);
    std::erase_if(all_, [&](const driver::Stream* q) { return q == &object; });
  }
  void finish(driver::Device& below) {
    const std::lock_guard lock(mutex_);
    for (driver::Stream* q : all_) (void)below.synchronize(forward::inner_of(*q));
  }

 private:
  std::mutex mutex_;
  std::vector<driver::Stream*> all_;
};

bool is_wait(Call call) { return call == Call::kWait || call == Call::kSynchronize; }

class Device final : public forward::Device {
 public:
  Device(std::unique_ptr<driver::Device> inner, std::shared_ptr<Faults> faults)
      : Device(std::move(inner), std::move(faults), std::make_shared<Streams>()) {}

  // No call reaches a lost device, but the wrapped device still runs the work that was submitted before.
  ~Device() override {
    for (auto& object : kept_) {
      if (auto* stream = dynamic_cast<driver::Stream*>(object.get())) (void)inner().synchronize(*stream);
    }
    for (auto& object : kept_) inner().destroy(std::move(object));
  }

  Result<std::unique_ptr<driver::Buffer>> allocate(uint64_t bytes, driver::MemoryKind kind) override {
    QUERN_TRY(pass(Call::kAllocate));
    return forward::Device::allocate(bytes, kind);
  }
  Result<std::unique_ptr<driver::Buffer>> import_host_memory(std::byte* host, uint64_t bytes) override {
    QUERN_TRY(pass(Call::kAllocate));
    return forward::Device::import_host_memory(host, bytes);
  }
  Result<std::unique_ptr<driver::Module>> load(const driver::Code& code) override {
    QUERN_TRY(pass(Call::kLoad));
    return forward::Device::load(code);
  }
  Result<std::unique_ptr<driver::Kernel>> kernel(driver::Module& module, std::string_view name) override {
    QUERN_TRY(pass(Call::kKernel));
    return forward::Device::kernel(module, name);
  }
  Result<std::unique_ptr<driver::Stream>> create_stream(const driver::StreamOptions& options) override {
    QUERN_TRY(pass(Call::kCreateStream));
    QUERN_TRY_ASSIGN(auto stream, forward::Device::create_stream(options));
    streams_->add(*stream);
    return stream;
  }
  Result<> upload(driver::Stream& stream, driver::Place to, const void* from, uint64_t bytes) override {
    QUERN_TRY(pass(Call::kUpload));
    return forward::Device::upload(stream, to, from, bytes);
  }
  Result<> download(driver::Stream& stream, void* to, driver::Place from, uint64_t bytes) override {
    QUERN_TRY(pass(Call::kDownload));
    const auto own = std::make_shared<std::vector<std::byte>>(bytes);
    QUERN_TRY(forward::Device::download(stream, own->data(), from, bytes));
    return forward::Device::call(stream, [own, to, faults = faults_] {
      if (!faults->is_lost() && !own->empty()) std::memcpy(to, own->data(), own->size());
    });
  }
  Result<> copy(driver::Stream& stream, driver::Place to, driver::Place from, uint64_t bytes) override {
    QUERN_TRY(pass(Call::kCopy));
    return forward::Device::copy(stream, to, from, bytes);
  }
  Result<> launch(driver::Stream& stream, driver::Kernel& kernel, const driver::Launch& launch) override {
    QUERN_TRY(pass(Call::kLaunch));
    return forward::Device::launch(stream, kernel, launch);
  }
  Result<std::unique_ptr<driver::Event>> create_event() override {
    QUERN_TRY(pass(Call::kCreateEvent));
    return forward::Device::create_event();
  }
  Result<> record(driver::Stream& stream, driver::Event& event) override {
    QUERN_TRY(pass(Call::kRecord));
    return forward::Device::record(stream, event);
  }
  Result<> wait(driver::Stream& stream, driver::Event& event) override {
    QUERN_TRY(pass(Call::kStreamWait));
    return forward::Device::wait(stream, event);
  }
  Result<bool> reached(driver::Event& event) override {
    QUERN_TRY(pass(Call::kReached));
    QUERN_TRY_ASSIGN(const bool is_reached, forward::Device::reached(event));
    QUERN_TRY(faults_->stands());
    return is_reached;
  }
  Result<> wait(driver::Event& event) override {
    QUERN_TRY(pass(Call::kWait));
    QUERN_TRY(forward::Device::wait(event));
    return faults_->stands();
  }
  Result<> synchronize(driver::Stream& stream) override {
    QUERN_TRY(pass(Call::kSynchronize));
    QUERN_TRY(forward::Device::synchronize(stream));
    return faults_->stands();
  }
  Result<uint64_t> time(driver::Event& event) override {
    QUERN_TRY(pass(Call::kTime));
    return forward::Device::time(event);
  }
  Result<> fill(driver::Stream& stream, driver::Place to, uint64_t value, uint32_t width,
                uint64_t bytes) override {
    QUERN_TRY(pass(Call::kFill));
    return forward::Device::fill(stream, to, value, width, bytes);
  }
  Result<driver::Place> variable(driver::Module& module, std::string_view name) override {
    QUERN_TRY(pass(Call::kVariable));
    return forward::Device::variable(module, name);
  }
  Result<driver::Code> binary(driver::Module& module) override {
    QUERN_TRY(pass(Call::kBinary));
    return forward::Device::binary(module);
  }
  Result<> call(driver::Stream& stream, std::function<void()> function) override {
    QUERN_TRY(pass(Call::kCall));
    return forward::Device::call(stream, [function = std::move(function), faults = faults_] {
      if (!faults->is_lost()) function();
    });
  }

  // After a loss the layer above correctly destroys objects without waiting. The wrapped device may still use
  // them, so they are kept until it can be waited for.
  void destroy(std::unique_ptr<driver::Object> object) override {
    auto* wrapper = dynamic_cast<forward::Wrapper*>(object.get());
    if (wrapper == nullptr || !faults_->is_lost()) return forward::Device::destroy(std::move(object));
    const std::lock_guard lock(mutex_);
    if (auto below = wrapper->take()) kept_.push_back(std::move(below));
  }

  Result<> wait_native(driver::Stream& stream, const driver::AnyEvent& event) override {
    QUERN_TRY(pass(Call::kStreamWait));
    return forward::Device::wait_native(stream, event);
  }

 protected:
  // Adopted memory and streams count as allocations and new streams.
  Result<std::unique_ptr<driver::Buffer>> admit_buffer(const MakeBuffer& make) override {
    QUERN_TRY(pass(Call::kAllocate));
    return forward::Device::admit_buffer(make);
  }
  Result<std::unique_ptr<driver::Stream>> admit_stream(const MakeStream& make) override {
    QUERN_TRY(pass(Call::kCreateStream));
    QUERN_TRY_ASSIGN(auto stream, forward::Device::admit_stream(make));
    streams_->add(*stream);
    return stream;
  }

 private:
  Device(std::unique_ptr<driver::Device> inner, std::shared_ptr<Faults> faults,
         std::shared_ptr<Streams> streams)
      : forward::Device(std::move(inner), streams),
        faults_(std::move(faults)),
        streams_(std::move(streams)) {}

  // A lost device does not access the program's memory, nor does a device after a failed wait: the wrapped
  // device must be idle first. As after a real loss, pending downloads never complete and host functions are
  // not called.
  Result<> pass(Call call) {
    const bool was_lost = faults_->is_lost();
    auto passed = faults_->pass(call);
    const bool is_over = !passed.ok() && (faults_->is_lost() || is_wait(call) ||
                                          passed.error().kind() == base::ErrorKind::timeout);
    if (is_over && !was_lost) {
      const driver::SuspendedScope suspended;  // persistent kernels would not end
      streams_->finish(inner());
    }
    return passed;
  }

  std::shared_ptr<Faults> faults_;
  std::shared_ptr<Streams> streams_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<driver::Object>> kept_;
};

class Driver final : public forward::Driver {
 public:
  Driver(std::unique_ptr<driver::Driver> inner, std::shared_ptr<Faults> faults)
      : forward::Driver(std::move(inner)), faults_(std::move(faults)) {}

  Result<std::string> start() override {
    QUERN_TRY(faults_->pass(Call::kStart));
    return forward::Driver::start();
  }
  Result<std::vector<driver::DeviceInfo>> devices() override {
    QUERN_TRY(faults_->pass(Call::kDevices));
    return forward::Driver::devices();
  }
  Result<std::unique_ptr<driver::Device>> open(uint32_t index, const driver::OpenOptions& options) override {
    QUERN_TRY(faults_->pass(Call::kOpen));
    QUERN_TRY_ASSIGN(auto device, forward::Driver::open(index, options));
    return wrap(std::move(device), faults_);
  }

 private:
  std::shared_ptr<Faults> faults_;
};

}  // namespace

std::unique_ptr<driver::Device> wrap(std::unique_ptr<driver::Device> inner, std::shared_ptr<Faults> faults) {
  return std::make_unique<Device>(std::move(inner), std::move(faults));
}

std::unique_ptr<driver::Driver> wrap(std::unique_ptr<driver::Driver> inner, std::shared_ptr<Faults> faults) {
  return std::make_unique<Driver>(std::move(inner), std::move(faults));
}

}  // namespace quern::faulty
