#include "driver/faulty/device.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "driver/forward/device.hpp"
#include "driver/interface/residents.hpp"

namespace quern::faulty {

namespace {

using driver::Result;

// The queues that are there, so that the device below can be waited for.
class Queues final : public forward::Watcher {
 public:
  void add(driver::Queue& queue) {
    const std::lock_guard lock(mutex_);
    all_.push_back(&queue);
  }
  void gone(const driver::Object& object, forward::Coat&) override {
    const std::lock_guard lock(mutex_);
    std::erase_if(all_, [&](const driver::Queue* q) { return q == &object; });
  }
  void finish(driver::Device& below) {
    const std::lock_guard lock(mutex_);
    for (driver::Queue* q : all_) (void)below.synchronize(forward::inner_of(*q));
  }

 private:
  std::mutex mutex_;
  std::vector<driver::Queue*> all_;
};

bool is_wait(Call call) { return call == Call::kWait || call == Call::kSynchronize; }

class Device final : public forward::Device {
 public:
  Device(std::unique_ptr<driver::Device> inner, std::shared_ptr<Faults> faults)
      : Device(std::move(inner), std::move(faults), std::make_shared<Queues>()) {}

  // Nothing reaches a lost device any more, but the one below still works on what it was given.
  ~Device() override {
    for (auto& object : kept_) {
      if (auto* queue = dynamic_cast<driver::Queue*>(object.get())) (void)inner().synchronize(*queue);
    }
    for (auto& object : kept_) inner().destroy(std::move(object));
  }

  Result<std::unique_ptr<driver::Buffer>> allocate(uint64_t bytes, driver::MemoryKind kind) override {
    QUERN_TRY(pass(Call::kAllocate));
    return forward::Device::allocate(bytes, kind);
  }
  Result<std::unique_ptr<driver::Buffer>> lend(std::byte* host, uint64_t bytes) override {
    QUERN_TRY(pass(Call::kAllocate));
    return forward::Device::lend(host, bytes);
  }
  Result<std::unique_ptr<driver::Program>> load(const driver::Code& code) override {
    QUERN_TRY(pass(Call::kLoad));
    return forward::Device::load(code);
  }
  Result<std::unique_ptr<driver::Kernel>> kernel(driver::Program& program, std::string_view name) override {
    QUERN_TRY(pass(Call::kKernel));
    return forward::Device::kernel(program, name);
  }
  Result<std::unique_ptr<driver::Queue>> create_queue(const driver::QueueOptions& options) override {
    QUERN_TRY(pass(Call::kCreateQueue));
    QUERN_TRY_ASSIGN(auto queue, forward::Device::create_queue(options));
    queues_->add(*queue);
    return queue;
  }
  Result<> upload(driver::Queue& queue, driver::Place to, const void* from, uint64_t bytes) override {
    QUERN_TRY(pass(Call::kUpload));
    return forward::Device::upload(queue, to, from, bytes);
  }
  Result<> download(driver::Queue& queue, void* to, driver::Place from, uint64_t bytes) override {
    QUERN_TRY(pass(Call::kDownload));
    const auto own = std::make_shared<std::vector<std::byte>>(bytes);
    QUERN_TRY(forward::Device::download(queue, own->data(), from, bytes));
    return forward::Device::call(queue, [own, to, faults = faults_] {
      if (!faults->is_lost() && !own->empty()) std::memcpy(to, own->data(), own->size());
    });
  }
  Result<> copy(driver::Queue& queue, driver::Place to, driver::Place from, uint64_t bytes) override {
    QUERN_TRY(pass(Call::kCopy));
    return forward::Device::copy(queue, to, from, bytes);
  }
  Result<> launch(driver::Queue& queue, driver::Kernel& kernel, const driver::Launch& launch) override {
    QUERN_TRY(pass(Call::kLaunch));
    return forward::Device::launch(queue, kernel, launch);
  }
  Result<std::unique_ptr<driver::Event>> create_event() override {
    QUERN_TRY(pass(Call::kCreateEvent));
    return forward::Device::create_event();
  }
  Result<> record(driver::Queue& queue, driver::Event& event) override {
    QUERN_TRY(pass(Call::kRecord));
    return forward::Device::record(queue, event);
  }
  Result<> wait(driver::Queue& queue, driver::Event& event) override {
    QUERN_TRY(pass(Call::kQueueWait));
    return forward::Device::wait(queue, event);
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
  Result<> synchronize(driver::Queue& queue) override {
    QUERN_TRY(pass(Call::kSynchronize));
    QUERN_TRY(forward::Device::synchronize(queue));
    return faults_->stands();
  }
  Result<uint64_t> time(driver::Event& event) override {
    QUERN_TRY(pass(Call::kTime));
    return forward::Device::time(event);
  }
  Result<> fill(driver::Queue& queue, driver::Place to, uint64_t value, uint32_t width,
                uint64_t bytes) override {
    QUERN_TRY(pass(Call::kFill));
    return forward::Device::fill(queue, to, value, width, bytes);
  }
  Result<driver::Place> variable(driver::Program& program, std::string_view name) override {
    QUERN_TRY(pass(Call::kVariable));
    return forward::Device::variable(program, name);
  }
  Result<driver::Code> binary(driver::Program& program) override {
    QUERN_TRY(pass(Call::kBinary));
    return forward::Device::binary(program);
  }
  Result<> call(driver::Queue& queue, std::function<void()> function) override {
    QUERN_TRY(pass(Call::kCall));
    return forward::Device::call(queue, [function = std::move(function), faults = faults_] {
      if (!faults->is_lost()) function();
    });
  }

  // After a loss the layer above gives up objects without waiting, rightly; the device below may still use
  // them, so they are kept until it can be waited for.
  void destroy(std::unique_ptr<driver::Object> object) override {
    auto* coat = dynamic_cast<forward::Coat*>(object.get());
    if (coat == nullptr || !faults_->is_lost()) return forward::Device::destroy(std::move(object));
    const std::lock_guard lock(mutex_);
    if (auto below = coat->take()) kept_.push_back(std::move(below));
  }

 private:
  Device(std::unique_ptr<driver::Device> inner, std::shared_ptr<Faults> faults,
         std::shared_ptr<Queues> queues)
      : forward::Device(std::move(inner), queues), faults_(std::move(faults)), queues_(std::move(queues)) {}

  // A device that is lost or given up touches the program's memory no more, nor does one whose wait has
  // ended, however it did: so the one below comes to rest first. What was on its way to the program when the
  // device was lost never comes, and functions of the host are not called: that is how it is after a real
  // loss.
  Result<> pass(Call call) {
    const bool was_lost = faults_->is_lost();
    auto passed = faults_->pass(call);
    const bool is_over = !passed.ok() && (faults_->is_lost() || is_wait(call) ||
                                          passed.error().kind() == base::ErrorKind::kTimeout);
    if (is_over && !was_lost) {
      const driver::Away away;  // kernels that stay would not end
      queues_->finish(inner());
    }
    return passed;
  }

  std::shared_ptr<Faults> faults_;
  std::shared_ptr<Queues> queues_;
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
