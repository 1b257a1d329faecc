// Submission, and marks with the time of the device's clock.
#include "driver/webgpu/device.hpp"

namespace quern::webgpu {

namespace {

const Mark& as_mark(const driver::Mark& mark) { return static_cast<const Mark&>(mark); }

}  // namespace

Result<std::unique_ptr<driver::Stream>> Device::create_stream(const driver::StreamOptions&) {
  QUERN_TRY(alive());
  return std::make_unique<driver::ReportingStream>();
}

Result<std::unique_ptr<driver::Graph>> Device::make_graph(std::span<const Command> commands) {
  return make_submitted_graph(commands);
}

Result<Handle> Device::encoder(Batch& batch) {
  if (batch.encoder.get() != nullptr) return batch.encoder.get();
  const Descriptor descriptor;
  QUERN_TRY(alive());
  QUERN_TRY_ASSIGN(batch.encoder,
                   gpu_->checked("wgpuDeviceCreateCommandEncoder",
                                 Owned((*gpu_)->DeviceCreateCommandEncoder(gpu_->device(), &descriptor),
                                       {(*gpu_)->CommandEncoderRelease})));
  return batch.encoder.get();
}

// Dispatches of one pass run in order, and each sees what those before it have written.
Result<Handle> Device::pass(Batch& batch, const PassDescriptor& descriptor) {
  if (batch.pass.get() != nullptr) return batch.pass.get();
  QUERN_TRY_ASSIGN(const Handle commands, encoder(batch));
  QUERN_TRY_ASSIGN(batch.pass,
                   gpu_->checked("wgpuCommandEncoderBeginComputePass",
                                 Owned((*gpu_)->CommandEncoderBeginComputePass(commands, &descriptor),
                                       {(*gpu_)->ComputePassEncoderRelease})));
  return batch.pass.get();
}

void Device::end_pass(Batch& batch) {
  if (batch.pass.get() == nullptr) return;
  (*gpu_)->ComputePassEncoderEnd(batch.pass.get());
  batch.pass = Owned();
}

// The batch is empty afterwards. What the library finds invalid is never submitted: wgpu-native would end the
// process.
Result<> Device::submit(Batch& batch) {
  if (batch.encoder.get() == nullptr) return {};
  end_pass(batch);
  const Descriptor descriptor;
  Owned finished((*gpu_)->CommandEncoderFinish(batch.encoder.get(), &descriptor),
                 {(*gpu_)->CommandBufferRelease});
  batch.encoder = Owned();
  batch.argument_bytes = 0;
  QUERN_TRY_ASSIGN(const Owned commands, gpu_->checked("wgpuCommandEncoderFinish", std::move(finished)));
  QUERN_TRY(gpu_->submit(commands.get()));
  ++sequence_;
  for (HostCopy& copy : batch.downloads) {
    copy.sequence = sequence_;
    copy.mapped = gpu_->map(copy.from.buffer.get(), copy.staged_bytes());
    const std::lock_guard lock(copies_mutex_);
    copies_.push_back(std::move(copy));
  }
  batch.downloads.clear();
  return gpu_->take_error("wgpuBufferMapAsync");
}

Result<> Device::run(driver::Stream& stream, std::span<const Command> commands) {
  std::vector<Ready> launches;
  for (const Command& c : commands) {
    if (c.kind != Command::Kind::kLaunch) continue;
    QUERN_TRY_ASSIGN(launches.emplace_back(), make_ready(c));
    if (driver::reports(c.kernel->info))
      static_cast<driver::ReportingStream&>(stream).device_log->expect(
          static_cast<Kernel&>(*c.kernel).owner->report);
  }
  const std::lock_guard lock(gpu_->mutex);
  Batch batch;
  auto ready = launches.begin();
  for (const Command& c : commands) {
    switch (c.kind) {
      case Command::Kind::kLaunch: QUERN_TRY(add_launch(batch, *ready++)); break;
      case Command::Kind::kUpload: QUERN_TRY(add_upload(batch, c)); break;
      case Command::Kind::kDownload: QUERN_TRY(add_download(batch, c)); break;
      case Command::Kind::kCopy: QUERN_TRY(add_copy(batch, c)); break;
      case Command::Kind::kFill: QUERN_TRY(add_fill(batch, c)); break;
    }
  }
  return submit(batch);
}

// --- marks ---

Result<std::shared_ptr<driver::Mark>> Device::set_mark(driver::Stream&) {
  auto mark = std::make_shared<Mark>();
  const std::lock_guard lock(gpu_->mutex);
  if (has_.has_timestamps) {
    QuerySetDescriptor set;
    set.count = Queries::kQueriesPerPool;
    QUERN_TRY_ASSIGN(mark->query, queries_.take([&] { return QUERN_WEBGPU_CREATE(gpu_, QuerySet, set); }));
    const auto& at = (*gpu_)->layout->timestamps;
    Record times(at.bytes);
    times.put(at.set, mark->query->pool).put(at.begin, kQueryUnused).put(at.end, mark->query->index);
    PassDescriptor descriptor;
    descriptor.timestamps = times.data();
    Batch batch;
    QUERN_TRY(pass(batch, descriptor));
    QUERN_TRY(submit(batch));
  }
  QUERN_TRY(mark_end(*mark));
  return mark;
}

Result<> Device::mark_end(Mark& mark) {
  QUERN_TRY_ASSIGN(mark.signal, gpu_->on_work_done());
  mark.sequence = sequence_;
  return {};
}

// There is one queue, which runs everything in order.
Result<> Device::follow(driver::Stream&, driver::Mark&) { return {}; }

Result<bool> Device::is_passed(driver::Mark& mark) {
  const Mark& m = as_mark(mark);
  if (!m.signal->is_done) gpu_->poll();
  QUERN_TRY(alive());
  if (!m.signal->is_done) return false;
  QUERN_TRY(wait_for(mark));
  return true;
}

Result<> Device::wait_for(driver::Mark& mark) {
  const Mark& m = as_mark(mark);
  QUERN_TRY(gpu_->wait(*m.signal));
  QUERN_TRY(finish_host_copies(m.sequence));
  return gpu_->take_error("an earlier call of WebGPU");  // a library may report errors late
}

Result<> Device::finish(driver::Stream&) {
  Mark end;
  {
    const std::lock_guard lock(gpu_->mutex);
    QUERN_TRY(mark_end(end));
  }
  return wait_for(end);
}

Result<uint64_t> Device::ticks(const driver::Mark& mark) {
  const Queries::Query& query = *as_mark(mark).query;
  uint64_t value = 0;
  Mark end;
  {
    const std::lock_guard lock(gpu_->mutex);
    Batch batch;
    QUERN_TRY_ASSIGN(const Handle commands, encoder(batch));
    (*gpu_)->CommandEncoderResolveQuerySet(commands, query.pool, query.index, 1, resolved_.get(), 0);
    HostCopy copy;
    copy.to = reinterpret_cast<std::byte*>(&value);
    copy.bytes = sizeof value;
    QUERN_TRY_ASSIGN(copy.from, take_staging(sizeof value));
    QUERN_TRY(add_word_copy(batch, copy.from.buffer.get(), 0, resolved_.get(), 0, sizeof value));
    batch.downloads.push_back(std::move(copy));
    QUERN_TRY(submit(batch));
    QUERN_TRY(mark_end(end));
  }
  QUERN_TRY(wait_for(end));
  return value;
}

}  // namespace quern::webgpu
