#include "driver/interface/arguments.hpp"
#include "driver/opengl/device.hpp"

namespace quern::opengl {

namespace {

Stream& as_stream(driver::Stream& stream) { return static_cast<Stream&>(stream); }
Mark& as_mark(driver::Mark& mark) { return static_cast<Mark&>(mark); }

// The bindings of a launch, copied before launch() returns.
struct Bound {
  uint32_t program = 0;
  std::vector<BufferId> buffers;
  std::vector<std::byte> block;
  driver::Dim3 grid;
};

Bound bound(const Kernel& kernel, const driver::Launch& launch, BufferId nothing) {
  constexpr uint64_t kElement =
      16;  // of the uniform block; one extra, because the emitter reads whole elements
  Bound b;
  b.grid = launch.grid;
  for (const driver::Binding& one : kernel.bound.all()) {
    const auto* const buffer = static_cast<Buffer*>(one.place(launch).buffer);
    b.buffers.push_back(buffer != nullptr ? buffer->id : nothing);
  }
  const uint64_t bytes = driver::block_bytes(kernel.info);
  b.block.resize((bytes / kElement + 2) * kElement);
  driver::pack_block(kernel.info, launch.arguments, std::span(b.block).first(bytes));
  return b;
}

// The mark follows all work submitted so far.
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

Result<> Device::hand_over(driver::Stream& stream, Work work) {
  QUERN_TRY(alive());
  context_->post([device_log = as_stream(stream).device_log, work = std::move(work)](Gl& gl) {
    // After a loss the caller no longer waits, and its memory may be freed.
    Result<> done = gl.loss->alive();
    if (done.ok()) done = work(gl);
    if (!done.ok()) device_log->fail(std::move(done).error());
  });
  return {};
}

Result<std::unique_ptr<driver::Stream>> Device::create_stream(const driver::StreamOptions&) {
  return std::make_unique<Stream>();
}

// Runs several commands as one piece of work.
Result<> Device::run(driver::Stream& stream, std::span<const driver::Command> commands) {
  std::vector<Work> all;
  for (const driver::Command& c : commands) {
    QUERN_TRY_ASSIGN(all.emplace_back(), work_for(stream, c));
  }
  if (all.size() == 1) return hand_over(stream, std::move(all[0]));
  return hand_over(stream, [all = std::move(all)](Gl& gl) -> Result<> {
    for (const Work& work : all) QUERN_TRY(work(gl));
    return {};
  });
}

Result<Device::Work> Device::launch_work(driver::Stream& stream, const driver::Command& command) {
  auto& kernel = static_cast<Kernel&>(*command.kernel);
  const driver::Launch& launch = command.launch;
  QUERN_TRY_ASSIGN(const auto found, variant(kernel, {launch.block, launch.shared_bytes}));
  Bound b = bound(kernel, launch, nothing_);
  b.program = *found.made;
  if (driver::reports(kernel.info)) as_stream(stream).device_log->expect(kernel.program->report);
  return Work([arguments = arguments_, b = std::move(b)](Gl& gl) -> Result<> {
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

Result<std::shared_ptr<driver::Mark>> Device::set_mark(driver::Stream& stream) {
  auto mark = std::make_shared<Mark>(context_);
  QUERN_TRY(hand_over(stream,
                      [has_clock = clock_.has_value(), mark](Gl& gl) { return set(*mark, gl, has_clock); }));
  return mark;
}

// One context runs all work in submission order.
Result<> Device::follow(driver::Stream&, driver::Mark&) { return {}; }

Result<bool> Device::is_passed(driver::Mark& mark) {
  const auto shared = as_mark(mark).shared_from_this();
  if (shared->is_reached) return true;
  return context_->run<bool>([shared](Gl& gl) { return gl.poll(*shared, 0); });
}

Result<> Device::wait_for(driver::Mark& mark) { return context_->wait_for(as_mark(mark).shared_from_this()); }

Result<> Device::finish(driver::Stream&) {
  const auto end = std::make_shared<Mark>(context_);
  context_->post([end](Gl& gl) { (void)set(*end, gl, false); });
  return context_->wait_for(end);
}

Result<uint64_t> Device::ticks(const driver::Mark& mark) {
  return context_->run<uint64_t>([query = static_cast<const Mark&>(mark).query](Gl& gl) -> Result<uint64_t> {
    uint64_t value = 0;
    gl->glGetQueryObjectui64v(query, kQueryResult, &value);
    QUERN_TRY(gl.check("glGetQueryObjectui64v"));
    return value;
  });
}

}  // namespace quern::opengl
