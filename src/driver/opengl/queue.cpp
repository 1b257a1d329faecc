#include "driver/interface/arguments.hpp"
#include "driver/opengl/device.hpp"

namespace quern::opengl {

using driver::Feature;

namespace {

Queue& as_queue(driver::Queue& queue) { return static_cast<Queue&>(queue); }
Event& as_event(driver::Event& event) { return static_cast<Event&>(event); }

BufferId id_of(const std::unique_ptr<driver::Buffer>& buffer) { return static_cast<Buffer&>(*buffer).id; }

// What a launch binds, copied before launch() returns.
struct Bound {
  uint32_t program = 0;
  std::vector<BufferId> buffers;
  std::vector<std::byte> block;
  driver::Dim3 grid;
};

Bound bound(const Kernel& kernel, const driver::Launch& launch, BufferId nothing) {
  constexpr uint64_t kElement = 16;  // of the uniform block; one more, as the emitter reads whole ones
  Bound b;
  b.grid = launch.grid;
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    if (!kernel.info.params[i].is_pointer) continue;
    driver::Buffer* buffer = launch.arguments[i].place.buffer;
    b.buffers.push_back(buffer != nullptr ? static_cast<Buffer*>(buffer)->id : nothing);
  }
  for (const uint32_t v : kernel.info.variables) b.buffers.push_back(id_of(kernel.program->variables[v]));
  if (driver::reports(kernel.info)) b.buffers.push_back(id_of(kernel.program->report->buffer));
  const uint64_t bytes = driver::block_bytes(kernel.info);
  b.block.resize((bytes / kElement + 2) * kElement);
  driver::pack_block(kernel.info, launch.arguments, std::span(b.block).first(bytes));
  return b;
}

// The mark stands behind all work so far.
Result<> set(Mark& mark, Gl& gl, bool has_clock) {
  if (has_clock) {
    gl->glGenQueries(1, &mark.query);
    gl->glQueryCounter(mark.query, kTimestamp);
  }
  mark.sync = gl->glFenceSync(kSyncComplete, 0);
  gl->glFlush();
  return gl.check("glFenceSync");
}

}  // namespace

Result<> Device::hand_over(driver::Queue& queue, std::function<Result<>(Gl&)> work) {
  QUERN_TRY(alive());
  context_->post([heard = as_queue(queue).heard, work = std::move(work)](Gl& gl) {
    // Who was told of a loss waits for nothing any more, and its memory may be gone.
    Result<> done = gl.alive();
    if (done.ok()) done = work(gl);
    if (!done.ok()) heard->fail(std::move(done).error());
  });
  return {};
}

Result<std::unique_ptr<driver::Queue>> Device::create_queue(const driver::QueueOptions&) {
  return std::make_unique<Queue>();
}

Result<> Device::launch(driver::Queue& queue, driver::Kernel& kernel, const driver::Launch& launch) {
  QUERN_TRY(alive());
  auto& k = static_cast<Kernel&>(kernel);
  QUERN_TRY_ASSIGN(const uint32_t program, variant(k, {launch.block, launch.shared_bytes}));
  Bound b = bound(k, launch, nothing_);
  b.program = program;
  if (driver::reports(k.info)) as_queue(queue).heard->expect(k.program->report);
  return hand_over(queue, [arguments = arguments_, b = std::move(b)](Gl& gl) -> Result<> {
    gl->glUseProgram(b.program);
    for (uint32_t i = 0; i < b.buffers.size(); ++i) gl->glBindBufferBase(kStorageBuffer, i, b.buffers[i]);
    gl->glBindBuffer(kUniformBuffer, arguments);
    gl->glBufferData(kUniformBuffer, static_cast<intptr_t>(b.block.size()), b.block.data(), kStreamDraw);
    gl->glBindBufferBase(kUniformBuffer, 0, arguments);
    gl->glDispatchCompute(b.grid.x, b.grid.y, b.grid.z);
    gl->glMemoryBarrier(kAllBarriers);
    gl.note_launch();
    gl->glFlush();
    return gl.check("glDispatchCompute");
  });
}

Result<std::unique_ptr<driver::Event>> Device::create_event() { return std::make_unique<Event>(); }

Result<> Device::record(driver::Queue& queue, driver::Event& event) {
  Event& e = as_event(event);
  e.mark = std::make_shared<Mark>(context_);
  e.heard = as_queue(queue).heard;
  const bool has_clock = info_.features.has(Feature::kTimestamps);
  return hand_over(queue, [has_clock, mark = e.mark](Gl& gl) { return set(*mark, gl, has_clock); });
}

// One context runs all work in the order it came.
Result<> Device::wait(driver::Queue&, driver::Event&) { return alive(); }

Result<bool> Device::reached(driver::Event& event) {
  QUERN_TRY(alive());
  const std::shared_ptr<Mark> mark = as_event(event).mark;
  if (mark == nullptr || mark->is_reached) return true;
  return context_->run<bool>([mark](Gl& gl) { return gl.poll(*mark, 0); });
}

Result<> Device::wait(driver::Event& event) {
  QUERN_TRY(alive());
  const std::shared_ptr<Mark> mark = as_event(event).mark;
  if (mark == nullptr) return {};
  QUERN_TRY(context_->wait_for(mark));
  const auto heard = as_event(event).heard.lock();
  return heard != nullptr ? read_reports(*heard) : Result<>();
}

Result<> Device::synchronize(driver::Queue& queue) {
  QUERN_TRY(alive());
  const auto end = std::make_shared<Mark>(context_);
  context_->post([end](Gl& gl) { (void)set(*end, gl, false); });
  QUERN_TRY(context_->wait_for(end));
  return read_reports(*as_queue(queue).heard);
}

Result<uint64_t> Device::time(driver::Event& event) {
  const std::shared_ptr<Mark> mark = as_event(event).mark;
  if (!info_.features.has(Feature::kTimestamps) || mark == nullptr) return driver::Device::time(event);
  QUERN_TRY(context_->wait_for(mark));
  return context_->run<uint64_t>([mark, clock = clock_](Gl& gl) -> Result<uint64_t> {
    uint64_t ticks = 0;
    gl->glGetQueryObjectui64v(mark->query, kQueryResult, &ticks);
    clock->align(*gl);
    QUERN_TRY(gl.check("glGetQueryObjectui64v"));
    return static_cast<uint64_t>(static_cast<int64_t>(ticks) + clock->nanoseconds);
  });
}

}  // namespace quern::opengl
