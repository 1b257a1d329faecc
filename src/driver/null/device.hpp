// The skeleton's device: every required call, grouped into files by noun.
#pragma once

#include "driver/interface/driver.hpp"

namespace quern::null {

using driver::Result;

driver::DeviceInfo describe(uint32_t index);

class NullDevice final : public driver::Device {
 public:
  explicit NullDevice(uint32_t index) : info_(describe(index)) {}
  // A real driver waits for all streams here, then releases the native device.
  ~NullDevice() override = default;

  const driver::DeviceInfo& info() const override { return info_; }

  // memory.cpp
  Result<std::unique_ptr<driver::Buffer>> allocate(uint64_t bytes, driver::MemoryKind kind) override;

  // module.cpp
  Result<std::unique_ptr<driver::Module>> load(const driver::Code& code) override;
  Result<std::unique_ptr<driver::Kernel>> kernel(driver::Module& module, std::string_view name) override;

  // stream.cpp
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

 private:
  driver::DeviceInfo info_;
};

// The result of every call of the skeleton. A real driver has check(status, "nullDeviceOpen") instead, which
// converts a native status to an Error of the right kind: out of memory, device lost, timeout, …
base::Error not_here(const char* what);

}  // namespace quern::null
