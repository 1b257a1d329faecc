#pragma once

#include "driver/cpu/module.hpp"
#include "driver/cpu/pool.hpp"
#include "driver/interface/driver.hpp"
#include "driver/interface/interop.hpp"

namespace quern::cpu {

// Reads the machine's properties, QUERN_CPU_WIDTH, QUERN_CPU_THREADS, QUERN_CPU_EFFORT, QUERN_CPU_CACHE, and
// the options of the same names.
base::Result<Settings> settings(const driver::OpenOptions& options);
driver::DeviceInfo describe(const Settings& settings);

class CpuDevice : public driver::Device, public driver::Interop {
 public:
  explicit CpuDevice(Settings settings);

  const driver::DeviceInfo& info() const override { return info_; }
  driver::Result<std::unique_ptr<driver::Buffer>> allocate(uint64_t bytes, driver::MemoryKind kind) override;
  driver::Result<std::unique_ptr<driver::Buffer>> import_host_memory(std::byte* host,
                                                                     uint64_t bytes) override;
  driver::Result<std::unique_ptr<driver::Module>> load(const driver::Code& code) override;
  driver::Result<std::unique_ptr<driver::Kernel>> kernel(driver::Module& program,
                                                         std::string_view name) override;
  driver::Result<std::unique_ptr<driver::Stream>> create_stream(
      const driver::StreamOptions& options) override;
  driver::Result<> upload(driver::Stream& stream, driver::Place to, const void* from,
                          uint64_t bytes) override;
  driver::Result<> download(driver::Stream& stream, void* to, driver::Place from, uint64_t bytes) override;
  driver::Result<> copy(driver::Stream& stream, driver::Place to, driver::Place from,
                        uint64_t bytes) override;
  driver::Result<bool> prepare(driver::Kernel& kernel, const driver::Dim3& block,
                               uint64_t shared_bytes) override;
  driver::Result<> launch(driver::Stream& stream, driver::Kernel& kernel,
                          const driver::Launch& launch) override;
  driver::Result<std::unique_ptr<driver::Event>> create_event() override;
  driver::Result<> record(driver::Stream& stream, driver::Event& event) override;
  driver::Result<> wait(driver::Stream& stream, driver::Event& event) override;
  driver::Result<bool> reached(driver::Event& event) override;
  driver::Result<> wait(driver::Event& event) override;
  driver::Result<> synchronize(driver::Stream& stream) override;
  driver::Result<uint64_t> time(driver::Event& event) override;
  driver::Result<> fill(driver::Stream& stream, driver::Place to, uint64_t value, uint32_t width,
                        uint64_t bytes) override;
  driver::Result<driver::Place> variable(driver::Module& program, std::string_view name) override;
  driver::Result<> call(driver::Stream& stream, std::function<void()> function) override;
  std::string take_output(driver::Stream& stream) override;
  std::vector<driver::Finding> take_findings(driver::Stream& stream) override;
  driver::Occupancy occupancy(driver::Kernel& kernel, uint32_t threads, uint64_t shared_bytes) override;
  uint64_t free_memory() override;
  bool takes_stamps() const override { return true; }

  // interop.cpp
  driver::Result<driver::AnyBuffer> native_buffer(driver::Place place) override;
  driver::Result<std::unique_ptr<driver::Buffer>> adopt_buffer(const driver::AnyBuffer& handle,
                                                               uint64_t bytes,
                                                               driver::KeepAlive keep_alive) override;
  driver::Result<std::unique_ptr<driver::Buffer>> allocate_shared(uint64_t bytes,
                                                                  driver::ShareKind kind) override;
  driver::Result<driver::SharedMemory> export_memory(driver::Buffer& buffer) override;
  driver::Result<std::unique_ptr<driver::Buffer>> import_memory(const driver::SharedMemory& memory) override;

 private:
  Settings settings_;
  Pool pool_;
  driver::DeviceInfo info_;
};

}  // namespace quern::cpu
