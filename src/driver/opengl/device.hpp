// One GL context behind the driver interface. All queues share the context, which runs their work in the
// order it was handed over; so a queue that waits for an event has nothing to do. What goes wrong on the
// context's thread is told by the queue's next wait.
#pragma once

#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "driver/opengl/context.hpp"
#include "driver/support/reporting_device.hpp"

namespace quern::opengl {

using BufferId = uint32_t;

class Buffer final : public driver::Buffer {
 public:
  explicit Buffer(std::shared_ptr<Context> context) : context_(std::move(context)) {}
  ~Buffer() override;
  BufferId id = 0;

 private:
  std::shared_ptr<Context> context_;
};

using Program = driver::ReportingProgram;
using Queue = driver::ReportingQueue;

// The size of a block and of shared memory are constants of the text: each pair is a program of GL.
struct Variant {
  driver::Dim3 block;
  uint64_t shared_bytes = 0;
  bool operator<(const Variant& o) const {
    return std::tie(block.x, block.y, block.z, shared_bytes) <
           std::tie(o.block.x, o.block.y, o.block.z, o.shared_bytes);
  }
};

class Kernel final : public driver::Kernel {
 public:
  explicit Kernel(std::shared_ptr<Context> context) : context_(std::move(context)) {}
  ~Kernel() override;
  Program* program = nullptr;
  std::mutex mutex;
  std::map<Variant, uint32_t> variants;

 private:
  std::shared_ptr<Context> context_;
};

class Event final : public driver::Event {
 public:
  std::shared_ptr<Mark> mark;  // null: never recorded
  std::weak_ptr<driver::Heard> heard;
};

// From the device's clock to the host's steady one, in nanoseconds. They drift: it is measured again from
// time to time. Used on the context's thread only.
struct ClockOffset {
  void align(const Api& gl);
  int64_t nanoseconds = 0;
  std::optional<Time> measured;
};

class Device final : public driver::ReportingDevice {
 public:
  static Result<std::unique_ptr<driver::Device>> open(const Api& api, bool is_es, uint32_t index,
                                                      Seconds patience);
  ~Device() override;

  const driver::DeviceInfo& info() const override { return info_; }

  // memory.cpp
  Result<std::unique_ptr<driver::Buffer>> allocate(uint64_t bytes, driver::MemoryKind kind) override;
  Result<> upload(driver::Queue& queue, driver::Place to, const void* from, uint64_t bytes) override;
  Result<> download(driver::Queue& queue, void* to, driver::Place from, uint64_t bytes) override;
  Result<> copy(driver::Queue& queue, driver::Place to, driver::Place from, uint64_t bytes) override;

  // program.cpp
  Result<std::unique_ptr<driver::Program>> load(const driver::Code& code) override;
  Result<std::unique_ptr<driver::Kernel>> kernel(driver::Program& program, std::string_view name) override;
  Result<bool> prepare(driver::Kernel& kernel, const driver::Dim3& block, uint64_t shared_bytes) override;

  // queue.cpp
  Result<std::unique_ptr<driver::Queue>> create_queue(const driver::QueueOptions& options) override;
  Result<> launch(driver::Queue& queue, driver::Kernel& kernel, const driver::Launch& launch) override;
  Result<std::unique_ptr<driver::Event>> create_event() override;
  Result<> record(driver::Queue& queue, driver::Event& event) override;
  Result<> wait(driver::Queue& queue, driver::Event& event) override;
  Result<bool> reached(driver::Event& event) override;
  Result<> wait(driver::Event& event) override;
  Result<> synchronize(driver::Queue& queue) override;
  Result<uint64_t> time(driver::Event& event) override;

 private:
  explicit Device(std::shared_ptr<Context> context) : context_(std::move(context)) {}

  // Hands work of a queue over; its error is kept for the next wait.
  Result<> hand_over(driver::Queue& queue, std::function<Result<>(Gl&)> work);
  Result<uint32_t> variant(Kernel& kernel, const Variant& wanted);
  Result<> alive() const { return context_->alive(); }

  std::shared_ptr<Context> context_;
  driver::DeviceInfo info_;
  BufferId arguments_ = 0;  // the block of a launch
  BufferId nothing_ = 0;    // what a null argument is bound to
  std::shared_ptr<ClockOffset> clock_ = std::make_shared<ClockOffset>();
};

// On the context's thread: what it says of itself.
driver::DeviceInfo describe(const Api& gl, bool is_es);

}  // namespace quern::opengl
