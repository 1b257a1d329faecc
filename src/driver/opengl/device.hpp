// One OpenGL device. All queues share one context, which runs their work in the order of submission, so a
// queue need not wait for an event. Errors on the context's thread are returned by the queue's next wait.
#pragma once

#include "driver/interface/interop.hpp"
#include "driver/opengl/context.hpp"
#include "driver/support/bindings.hpp"
#include "driver/support/command_device.hpp"
#include "driver/support/variants.hpp"

namespace quern::opengl {

using BufferId = uint32_t;

class Buffer final : public driver::Buffer {
 public:
  explicit Buffer(std::shared_ptr<Context> context) : context_(std::move(context)) {}
  ~Buffer() override;
  BufferId id = 0;
  bool is_adopted = false;  // another library deletes it
  driver::KeepAlive keep_alive;

 private:
  std::shared_ptr<Context> context_;
};

using Module = driver::ReportingModule;
using Stream = driver::ReportingStream;

class Kernel final : public driver::Kernel {
 public:
  explicit Kernel(std::shared_ptr<Context> context) : context_(std::move(context)) {}
  ~Kernel() override;
  Module* program = nullptr;
  driver::Bindings bound;
  driver::Variants<uint32_t> variants;  // GL programs

 private:
  std::shared_ptr<Context> context_;
};

class Device final : public driver::CommandDevice, public driver::Interop {
 public:
  // `share`: a context of another library with which buffers are shared; null: none.
  static Result<std::unique_ptr<driver::Device>> open(const Api& api, bool is_es, uint32_t index,
                                                      Seconds patience, EglContext share = nullptr,
                                                      driver::KeepAlive keep_alive = {});
  ~Device() override;

  const driver::DeviceInfo& info() const override { return info_; }

  // memory.cpp
  Result<std::unique_ptr<driver::Buffer>> allocate(uint64_t bytes, driver::MemoryKind kind) override;

  // module.cpp
  Result<std::unique_ptr<driver::Module>> load(const driver::Code& code) override;
  Result<std::unique_ptr<driver::Kernel>> kernel(driver::Module& program, std::string_view name) override;
  Result<bool> prepare(driver::Kernel& kernel, const driver::Dim3& block, uint64_t shared_bytes) override;

  // stream.cpp
  Result<std::unique_ptr<driver::Stream>> create_stream(const driver::StreamOptions& options) override;

  // interop.cpp
  Result<driver::AnyDevice> native_device() override;
  Result<driver::AnyBuffer> native_buffer(driver::Place place) override;
  Result<std::unique_ptr<driver::Buffer>> adopt_buffer(const driver::AnyBuffer& handle, uint64_t bytes,
                                                       driver::KeepAlive keep_alive) override;

 private:
  explicit Device(std::shared_ptr<Context> context) : context_(std::move(context)) {
    loss_ = context_->loss();
  }

  using Work = std::function<Result<>(Gl&)>;
  // Submits work of a queue; its error is kept for the next wait.
  Result<> hand_over(driver::Stream& stream, Work work);
  // The work of the context's thread for a command. It captures nothing that may be destroyed meanwhile,
  // except the host memory of large copies.
  Result<Work> work_for(driver::Stream& stream, const driver::Command& command);
  Result<Work> launch_work(driver::Stream& stream, const driver::Command& command);
  Result<driver::Variants<uint32_t>::Found> variant(Kernel& kernel, const driver::BlockConfig& wanted);

  // stream.cpp
  Result<> run(driver::Stream& stream, std::span<const driver::Command> commands) override;
  Result<std::shared_ptr<driver::Mark>> set_mark(driver::Stream& stream) override;
  Result<> follow(driver::Stream& stream, driver::Mark& mark) override;
  Result<bool> is_passed(driver::Mark& mark) override;
  Result<> wait_for(driver::Mark& mark) override;
  Result<> finish(driver::Stream& stream) override;
  Result<uint64_t> ticks(const driver::Mark& mark) override;

  driver::KeepAlive keep_alive_;
  std::shared_ptr<Context> context_;
  driver::DeviceInfo info_;
  BufferId arguments_ = 0;  // the argument block of a launch
  BufferId nothing_ = 0;    // bound for null arguments
};

// Queries the device's properties, on the context's thread.
driver::DeviceInfo describe(const Api& gl, bool is_es);

}  // namespace quern::opengl
