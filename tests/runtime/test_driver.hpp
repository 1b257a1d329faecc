// A configurable driver for tests, based on the simulator.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "driver/decorators/forward/device.hpp"
#include "driver/sim/driver.hpp"
#include "support/runtime_case.hpp"

namespace quern::runtime {

// The simulator with another info.
class Disguised final : public forward::Device {
 public:
  explicit Disguised(driver::DeviceInfo info) : forward::Device(open_sim()), info_(std::move(info)) {}
  const driver::DeviceInfo& info() const override { return info_; }

 private:
  driver::DeviceInfo info_;
};

inline driver::DeviceInfo sim_info() { return open_sim()->info(); }

class TestDriver final : public driver::Driver {
 public:
  explicit TestDriver(std::string name) : name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  bool in_use() const override { return is_in_use; }
  driver::Result<std::string> start() override {
    return on_start ? on_start() : driver::Result<std::string>("is a test");
  }
  driver::Result<std::vector<driver::DeviceInfo>> devices() override { return infos; }
  driver::Result<std::unique_ptr<driver::Device>> open(uint32_t index,
                                                       const driver::OpenOptions& options) override {
    opened = options;
    return std::make_unique<Disguised>(infos.at(index));
  }

  TestDriver& add(std::string device, driver::DeviceKind kind, uint64_t memory = 0) {
    driver::DeviceInfo info = sim_info();
    info.driver = name_;
    info.index = static_cast<uint32_t>(infos.size());
    info.name = std::move(device);
    info.kind = kind;
    info.memory_bytes = memory;
    infos.push_back(std::move(info));
    return *this;
  }

  std::function<driver::Result<std::string>()> on_start;
  std::vector<driver::DeviceInfo> infos;
  driver::OpenOptions opened;
  bool is_in_use = false;

 private:
  std::string name_;
};

template <typename T>
T take(Result<T> result) {
  if (!result.ok()) ADD_FAILURE() << result.error().to_string();
  return std::move(result).value();
}

template <typename T>
std::string refusal(const Result<T>& result, base::ErrorKind kind = base::ErrorKind::invalid_use) {
  if (result.ok()) {
    ADD_FAILURE() << "it succeeds";
    return "";
  }
  EXPECT_EQ(base::to_string(result.error().kind()), base::to_string(kind));
  return result.error().message();
}

}  // namespace quern::runtime
