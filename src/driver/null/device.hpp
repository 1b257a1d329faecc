// The device of the skeleton: every required call, each in the file of its noun.
#pragma once

#include "driver/interface/driver.hpp"

namespace quern::null {

using driver::Result;

driver::DeviceInfo describe(uint32_t index);

class NullDevice final : public driver::Device {
 public:
  explicit NullDevice(uint32_t index) : info_(describe(index)) {}
  // A real driver waits for all queues here, then gives the native device back.
  ~NullDevice() override = default;

  const driver::DeviceInfo& info() const override { return info_; }

  // memory.cpp
  Result<std::unique_ptr<driver::Buffer>> allocate(uint64_t bytes, driver::MemoryKind kind) override;

  // program.cpp
  Result<std::unique_ptr<driver::Program>> load(const driver::Code& code) override;
  Result<std::unique_ptr<driver::Kernel>> kernel(driver::Program& program, std::string_view name) override;

  // queue.cpp
  Result<std::unique_ptr<driver::Queue>> create_queue(const driver::QueueOptions& options) override;
  Result<> upload(driver::Queue& queue, driver::Place to, const void* from, uint64_t bytes) override;
  Result<> download(driver::Queue& queue, void* to, driver::Place from, uint64_t bytes) override;
  Result<> copy(driver::Queue& queue, driver::Place to, driver::Place from, uint64_t bytes) override;
  Result<> launch(driver::Queue& queue, driver::Kernel& kernel, const driver::Launch& launch) override;
  Result<std::unique_ptr<driver::Event>> create_event() override;
  Result<> record(driver::Queue& queue, driver::Event& event) override;
  Result<> wait(driver::Queue& queue, driver::Event& event) override;
  Result<bool> reached(driver::Event& event) override;
  Result<> wait(driver::Event& event) override;
  Result<> synchronize(driver::Queue& queue) override;

 private:
  driver::DeviceInfo info_;
};

// What every call of the skeleton answers. A real driver has check(status, "nullDeviceOpen") in its place,
// which turns a native status into an Error of the right kind: out of memory, device lost, timeout, …
base::Error not_here(const char* what);

}  // namespace quern::null
