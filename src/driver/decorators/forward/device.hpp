// Base of decorators: forwards every call to a wrapped device and wraps every object that it creates. A
// decorator overrides the calls it cares about, and calls the base class to forward them.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "driver/decorators/forward/object.hpp"
#include "driver/interface/driver.hpp"
#include "driver/interface/interop.hpp"

namespace quern::forward {

using driver::Result;

class Device : public driver::Device, public driver::Interop {
 public:
  explicit Device(std::unique_ptr<driver::Device> inner, std::shared_ptr<Watcher> watcher = nullptr);
  // Wraps a device that the caller keeps open.
  explicit Device(driver::Device& inner, std::shared_ptr<Watcher> watcher = nullptr);

  const driver::DeviceInfo& info() const override { return inner_.info(); }

  Result<std::unique_ptr<driver::Buffer>> allocate(uint64_t bytes, driver::MemoryKind kind) override;
  Result<std::unique_ptr<driver::Module>> load(const driver::Code& code) override;
  Result<std::unique_ptr<driver::Kernel>> kernel(driver::Module& module, std::string_view name) override;
  Result<std::unique_ptr<driver::Stream>> create_stream(const driver::StreamOptions& options) override;
  Result<> upload(driver::Stream& stream, driver::Place to, const void* from, uint64_t bytes) override;
  Result<> download(driver::Stream& stream, void* to, driver::Place from, uint64_t bytes) override;
  Result<> copy(driver::Stream& stream, driver::Place to, driver::Place from, uint64_t bytes) override;
  Result<> launch(driver::Stream& stream, driver::Kernel& kernel, const driver::Launch& launch) override;
  Result<std::unique_ptr<driver::Event>> create_event() override;
  Result<> record(driver::Stream& stream, driver::Event& event) override;
  Result<> wait(driver::Stream& stream, driver::Event& event) override;
  Result<bool> reached(driver::Event& event) override;
  Result<> wait(driver::Event& event) override;
  Result<> synchronize(driver::Stream& stream) override;

  void destroy(std::unique_ptr<driver::Object> object) override;
  Result<bool> prepare(driver::Kernel& kernel, const driver::Dim3& block, uint64_t shared_bytes) override;
  Result<uint64_t> time(driver::Event& event) override;
  Result<> fill(driver::Stream& stream, driver::Place to, uint64_t value, uint32_t width,
                uint64_t bytes) override;
  Result<driver::Place> variable(driver::Module& module, std::string_view name) override;
  Result<driver::Code> binary(driver::Module& module) override;
  Result<> call(driver::Stream& stream, std::function<void()> function) override;
  std::vector<std::string> kernel_names(driver::Module& module) override;
  std::string take_output(driver::Stream& stream) override;
  std::vector<driver::Finding> take_findings(driver::Stream& stream) override;
  driver::Occupancy occupancy(driver::Kernel& kernel, uint32_t threads, uint64_t shared_bytes) override {
    return inner_.occupancy(inner_of(kernel), threads, shared_bytes);
  }
  uint64_t free_memory() override { return inner_.free_memory(); }
  Result<std::unique_ptr<driver::Buffer>> import_host_memory(std::byte* host, uint64_t bytes) override;
  Result<driver::EncodedTensorMap> encode_tensor_map(driver::Place tensor,
                                                     const driver::TensorMapOptions& options) override {
    return inner_.encode_tensor_map(inner_of(tensor), options);
  }

  // interop.cpp: native handles are those of the device below.
  Result<driver::AnyDevice> native_device() override;
  Result<driver::AnyBuffer> native_buffer(driver::Place place) override;
  Result<driver::AnyStream> native_stream(driver::Stream& stream) override;
  Result<driver::AnyEvent> native_event(driver::Event& event) override;
  Result<std::unique_ptr<driver::Buffer>> adopt_buffer(const driver::AnyBuffer& handle, uint64_t bytes,
                                                       driver::KeepAlive keep_alive) override;
  Result<std::unique_ptr<driver::Stream>> adopt_stream(const driver::AnyStream& handle,
                                                       driver::KeepAlive keep_alive) override;
  Result<> wait_native(driver::Stream& stream, const driver::AnyEvent& event) override;
  Result<std::unique_ptr<driver::Buffer>> allocate_shared(uint64_t bytes, driver::ShareKind kind) override;
  Result<driver::SharedMemory> export_memory(driver::Buffer& buffer) override;
  Result<std::unique_ptr<driver::Buffer>> import_memory(const driver::SharedMemory& memory) override;

 protected:
  driver::Device& inner() { return inner_; }

  // Runs before every call of Interop. A decorator whose function would break returns an error.
  virtual Result<> allow_interop() { return {}; }
  // Creates and wraps a buffer or a stream that comes through Interop. A decorator that keeps track of
  // objects overrides them as it does allocate and create_stream.
  using MakeBuffer = std::function<Result<std::unique_ptr<driver::Buffer>>()>;
  using MakeStream = std::function<Result<std::unique_ptr<driver::Stream>>()>;
  virtual Result<std::unique_ptr<driver::Buffer>> admit_buffer(const MakeBuffer& make);
  virtual Result<std::unique_ptr<driver::Stream>> admit_stream(const MakeStream& make);

 private:
  Result<driver::Interop*> interop();
  template <typename T, typename WrapperType = Wrapped<T>>
  Result<std::unique_ptr<T>> wrap(Result<std::unique_ptr<T>> made);

  std::unique_ptr<driver::Device> owned_;
  driver::Device& inner_;
  std::shared_ptr<Watcher> watcher_;
  std::atomic<uint64_t> next_id_{1};
};

// The same for drivers. A decorator overrides open() to wrap the devices.
class Driver : public driver::Driver {
 public:
  explicit Driver(std::unique_ptr<driver::Driver> inner) : inner_(std::move(inner)) {}

  std::string_view name() const override { return inner_->name(); }
  bool in_use() const override { return inner_->in_use(); }
  Result<std::string> start() override { return inner_->start(); }
  Result<std::vector<driver::DeviceInfo>> devices() override { return inner_->devices(); }
  Result<std::unique_ptr<driver::Device>> open(uint32_t index, const driver::OpenOptions& options) override {
    return inner_->open(index, options);
  }

 private:
  std::unique_ptr<driver::Driver> inner_;
};

}  // namespace quern::forward
