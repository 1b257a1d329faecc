// One GL context behind the driver interface. All queues share the context, which runs their work in the
// order it was handed over; so a queue that waits for an event has nothing to do. What goes wrong on the
// context's thread is told by the queue's next wait.
#pragma once

#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "driver/interface/driver.hpp"
#include "driver/interface/heard.hpp"
#include "driver/opengl/context.hpp"

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

class Program final : public driver::Program {
 public:
  driver::Code code;
  std::vector<std::unique_ptr<driver::Buffer>> variables;  // as code.variables
  std::shared_ptr<driver::Report> report;
};

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

// And what of its work has failed.
struct Heard : driver::Heard {
  std::mutex failure_mutex;
  std::optional<base::Error> failure;
};

class Queue final : public driver::Queue {
 public:
  std::shared_ptr<Heard> heard = std::make_shared<Heard>();
};

class Event final : public driver::Event {
 public:
  std::shared_ptr<Mark> mark;  // null: never recorded
  std::weak_ptr<Heard> heard;
};

// From the device's clock to the host's steady one, in nanoseconds. They drift: it is measured again from
// time to time. Used on the context's thread only.
struct ClockOffset {
  void align(const Api& gl);
  int64_t nanoseconds = 0;
  std::optional<Time> measured;
};

class Device final : public driver::Device {
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
  Result<driver::Place> variable(driver::Program& program, std::string_view name) override;

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
  std::string take_printed(driver::Queue& queue) override;
  std::vector<driver::Finding> take_findings(driver::Queue& queue) override;

 private:
  explicit Device(std::shared_ptr<Context> context) : context_(std::move(context)) {}

  // Hands work of a queue over; its error is kept for the next wait.
  Result<> hand_over(driver::Queue& queue, std::function<Result<>(Gl&)> work);
  Result<> answer(Heard& heard);  // what went wrong before; nothing of the queue is in flight
  Result<> read_reports(Heard& heard);
  Result<uint32_t> variant(Kernel& kernel, const driver::Launch& launch);
  Result<> make_variables(Program& program);
  Result<> alive() const { return context_->alive(); }

  std::shared_ptr<Context> context_;
  driver::DeviceInfo info_;
  BufferId arguments_ = 0;  // the block of a launch
  BufferId nothing_ = 0;    // what a null argument is bound to
  std::shared_ptr<ClockOffset> clock_ = std::make_shared<ClockOffset>();
};

// Whether the kernel tells the host by a report.
inline bool reports(const driver::KernelInfo& info) {
  return info.needs.has(driver::Feature::kPrint) || info.needs.has(driver::Feature::kAssert);
}

// On the context's thread: what it says of itself, reading and writing.
driver::DeviceInfo describe(const Api& gl, bool is_es);
Result<> read_now(Gl& gl, void* to, BufferId from, uint64_t offset, uint64_t bytes);
Result<> write_now(Gl& gl, BufferId to, uint64_t offset, const void* from, uint64_t bytes);

}  // namespace quern::opengl
