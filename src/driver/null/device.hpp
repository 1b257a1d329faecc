// The device: every required call, grouped into files by noun.
#pragma once

#include "driver/interface/driver.hpp"
#include "driver/null/api.hpp"

namespace quern::null {

using driver::Result;

inline constexpr uint64_t kMemoryBytes = uint64_t{1} << 30;

driver::DeviceInfo describe(uint32_t index);

class NullDevice final : public driver::Device {
 public:
  static Result<std::unique_ptr<driver::Device>> open(const Api& api, uint32_t index);
  ~NullDevice() override;

  const driver::DeviceInfo& info() const override { return info_; }
  uint64_t free_memory() override;

  // memory.cpp
  Result<std::unique_ptr<driver::Buffer>> allocate(uint64_t bytes, driver::MemoryKind kind) override;

  // module.cpp
  Result<std::unique_ptr<driver::Module>> load(const driver::Code& code) override;
  Result<std::unique_ptr<driver::Kernel>> kernel(driver::Module& module, std::string_view name) override;
  Result<> launch(driver::Stream& stream, driver::Kernel& kernel, const driver::Launch& launch) override;

  // stream.cpp
  Result<std::unique_ptr<driver::Stream>> create_stream(const driver::StreamOptions& options) override;
  Result<> upload(driver::Stream& stream, driver::Place to, const void* from, uint64_t bytes) override;
  Result<> download(driver::Stream& stream, void* to, driver::Place from, uint64_t bytes) override;
  Result<> copy(driver::Stream& stream, driver::Place to, driver::Place from, uint64_t bytes) override;
  Result<std::unique_ptr<driver::Event>> create_event() override;
  Result<> record(driver::Stream& stream, driver::Event& event) override;
  Result<> wait(driver::Stream& stream, driver::Event& event) override;
  Result<bool> reached(driver::Event& event) override;
  Result<> wait(driver::Event& event) override;
  Result<> synchronize(driver::Stream& stream) override;
  Result<uint64_t> time(driver::Event& event) override;

 private:
  NullDevice(const Api& api, NullDeviceHandle* handle, uint32_t index)
      : api_(api), handle_(handle), info_(describe(index)) {}

  Api api_;
  NullDeviceHandle* handle_;
  driver::DeviceInfo info_;
};

}  // namespace quern::null
