// Command queues, command buffers and encoders.
#include <cstring>
#include <thread>

#include "metal/device/methods.hpp"

namespace quern::test_metal {

using metal::Range;
using metal::Size;

namespace {

constexpr uint64_t kCommitted = 2, kCompleted = 4, kFailed = 5;
constexpr double kNanosecond = 1e-9;
constexpr uint32_t kMostBuffers = 31;

const char* text_of_failure(int64_t code) {
  switch (code) {
    case 2: return "Caused GPU Timeout Error";
    case 3: return "Caused GPU Address Fault Error";
    case 8: return "Insufficient Memory";
    case 11: return "Device Removed";
    default: return "Internal Error";
  }
}

void finish(Commands& c, uint64_t status) {
  {
    const std::lock_guard lock(c.mutex);
    c.end = static_cast<double>(clock_now()) * kNanosecond;
    c.status = status;
  }
  c.changed.notify_all();
}

void execute(Commands& c) {
  {
    const std::lock_guard lock(c.mutex);
    c.start = static_cast<double>(clock_now()) * kNanosecond;
  }
  if (c.failure != 0) {
    auto* const error = new NativeError("MTLCommandBufferErrorDomain", c.failure, text_of_failure(c.failure));
    {
      const std::lock_guard lock(c.mutex);
      c.error = Own<NativeError>(error);
    }
    release(error);
    finish(c, kFailed);
    return;
  }
  for (const auto& step : c.steps) step();
  finish(c, kCompleted);
}

void work(const std::shared_ptr<Worker>& worker) {
  std::unique_lock lock(worker->mutex);
  for (;;) {
    worker->changed.wait(lock, [&] { return worker->is_stopped || !worker->commands.empty(); });
    if (worker->commands.empty()) return;
    Own<Commands> next = std::move(worker->commands.front());
    worker->commands.pop_front();
    lock.unlock();
    execute(*next.get());
    next = {};  // may destroy the queue
    lock.lock();
  }
}

// ---- MTLCommandQueue

Object* command_buffer(Queue* self, void*) {
  if (fails("commandBuffer")) return nullptr;
  return autorelease(new Commands(self));
}

// ---- MTLCommandBuffer

Object* make_encoder(Commands* self, Kind kind) {
  if (self->has_encoder) broken_rule("a command buffer has two open encoders");
  if (self->status != 0) broken_rule("a command buffer is encoded after it was committed");
  return autorelease(new Encoder(kind, self));
}
Object* compute_encoder(Commands* self, void*) {
  return fails("computeCommandEncoder") ? nullptr : make_encoder(self, Kind::kCompute);
}
Object* blit_encoder(Commands* self, void*) {
  return fails("blitCommandEncoder") ? nullptr : make_encoder(self, Kind::kBlit);
}
void encode_wait(Commands* self, void*, Event* event, uint64_t value) {
  if (self->has_encoder) broken_rule("a wait is encoded while an encoder is open");
  self->steps.emplace_back([event = Own<Event>(event), value] {
    std::unique_lock lock(event->mutex);
    event->changed.wait(lock, [&] { return event->value >= value; });
  });
}
void encode_signal(Commands* self, void*, Event* event, uint64_t value) {
  if (self->has_encoder) broken_rule("a signal is encoded while an encoder is open");
  self->steps.emplace_back([event = Own<Event>(event), value] {
    {
      const std::lock_guard lock(event->mutex);
      event->value = value;
    }
    event->changed.notify_all();
  });
}

void commit(Commands* self, void*) {
  if (self->has_encoder) broken_rule("a command buffer is committed with an open encoder");
  if (self->status != 0) broken_rule("a command buffer is committed twice");
  static std::atomic<bool> was_lost = false;
  constexpr int64_t kInternal = 1, kRemoved = 11;
  self->failure = odd_number("fails");
  if (is_odd("lost") || (is_odd("lost-once") && !was_lost.exchange(true))) self->failure = kRemoved;
  if (fails("commit")) self->failure = kInternal;
  self->status = kCommitted;
  const auto worker = self->queue->worker;
  {
    const std::lock_guard lock(worker->mutex);
    worker->commands.emplace_back(self);
  }
  worker->changed.notify_all();
}

void wait_until_completed(Commands* self, void*) {
  std::unique_lock lock(self->mutex);
  if (self->status == 0) broken_rule("a command buffer is waited for that was not committed");
  self->changed.wait(lock, [&] { return self->status >= kCompleted; });
}
uint64_t status(Commands* self, void*) {
  const std::lock_guard lock(self->mutex);
  return self->status;
}
Object* error_of(Commands* self, void*) {
  const std::lock_guard lock(self->mutex);
  Object* const error = self->error.get();
  return error != nullptr ? autorelease(retain(error)) : nullptr;
}
double end_time(Commands* self, void*) {
  const std::lock_guard lock(self->mutex);
  return self->end;
}

// ---- encoders

void check_open(const Encoder* e) {
  if (e->is_ended) broken_rule("an encoder is used after endEncoding");
}

void end_encoding(Encoder* self, void*) {
  check_open(self);
  self->is_ended = true;
  self->commands->has_encoder = false;
}

void copy_buffer(Encoder* self, void*, Buffer* from, uint64_t from_offset, Buffer* to, uint64_t to_offset,
                 uint64_t bytes) {
  check_open(self);
  if ((from_offset | to_offset | bytes) % 4 != 0) broken_rule("a blit copies no multiple of four bytes");
  if (from_offset + bytes > from->bytes || to_offset + bytes > to->bytes)
    broken_rule("a blit copies beyond the end of a buffer");
  self->commands->steps.emplace_back([=, a = Own<Buffer>(from), b = Own<Buffer>(to)] {
    std::memmove(b->memory + to_offset, a->memory + from_offset, bytes);
  });
}

void fill_buffer(Encoder* self, void*, Buffer* to, Range range, uint8_t value) {
  check_open(self);
  if ((range.location | range.length) % 4 != 0) broken_rule("a blit fills no multiple of four bytes");
  if (range.location + range.length > to->bytes) broken_rule("a blit fills beyond the end of a buffer");
  self->commands->steps.emplace_back(
      [=, b = Own<Buffer>(to)] { std::memset(b->memory + range.location, value, range.length); });
}

void set_pipeline(Encoder* self, void*, Pipeline* pipeline) {
  check_open(self);
  self->pipeline = Own<Pipeline>(pipeline);
}
Binding& binding(Encoder* self, uint64_t index) {
  check_open(self);
  if (index >= kMostBuffers) broken_rule("a buffer is bound at an index above 30");
  if (index >= self->bindings.size()) self->bindings.resize(index + 1);
  return self->bindings[index];
}
void set_buffer(Encoder* self, void*, Buffer* buffer, uint64_t offset, uint64_t index) {
  if (offset > buffer->bytes) broken_rule("a buffer is bound beyond its end");
  binding(self, index) = {Own<Buffer>(buffer), offset, nullptr};
}
void set_bytes(Encoder* self, void*, const std::byte* bytes, uint64_t length, uint64_t index) {
  if (length > 4096 || length == 0) broken_rule("setBytes is for 1 to 4096 bytes");
  binding(self, index) = {{}, 0, std::make_shared<std::vector<std::byte>>(bytes, bytes + length)};
}
void set_threadgroup_memory(Encoder* self, void*, uint64_t bytes, uint64_t index) {
  check_open(self);
  if (bytes % 16 != 0 || index != 0) broken_rule("threadgroup memory is no multiple of 16 bytes");
  self->shared_bytes = bytes;
}
void use_resources(Encoder* self, void*, Buffer* const* buffers, uint64_t count, uint64_t) {
  check_open(self);
  for (uint64_t i = 0; i < count; ++i) self->used.emplace_back(buffers[i]);
}

Uint3 narrow(const Size& s) {
  return {static_cast<uint32_t>(s.width), static_cast<uint32_t>(s.height), static_cast<uint32_t>(s.depth)};
}

void dispatch(Encoder* self, void*, Size grid, Size block) {
  check_open(self);
  if (self->pipeline.get() == nullptr) broken_rule("a dispatch without a pipeline");
  if (block.width * block.height * block.depth > 1024) broken_rule("a threadgroup of more than 1024 threads");
  self->commands->steps.emplace_back([pipeline = self->pipeline, bindings = self->bindings, used = self->used,
                                      bytes = self->shared_bytes, grid = narrow(grid),
                                      block = narrow(block)] {
    std::vector<void*> buffers;
    for (const Binding& b : bindings)
      buffers.push_back(b.bytes != nullptr          ? static_cast<void*>(b.bytes->data())
                        : b.buffer.get() != nullptr ? static_cast<void*>(b.buffer->memory + b.offset)
                                                    : nullptr);
    std::vector<std::max_align_t> shared(bytes / sizeof(std::max_align_t) + 1);
    run_grid({pipeline->kernel.function, buffers.data(), shared.data(), grid, block,
              pipeline->program->synchronizes()});
  });
}

}  // namespace

Queue::Queue() : Object(Kind::kQueue) {
  std::thread([worker = worker] { work(worker); }).detach();
}

Queue::~Queue() {
  {
    const std::lock_guard lock(worker->mutex);
    worker->is_stopped = true;
  }
  worker->changed.notify_all();
}

Commands::~Commands() {
  if (status == kCommitted) broken_rule("a command buffer is released while it executes");
}

Encoder::~Encoder() {
  if (!is_ended) broken_rule("an encoder is released without endEncoding");
}

void add_command_methods(Methods& methods) {
  methods.add(Kind::kQueue, "commandBuffer", command_buffer);
  methods.add(Kind::kCommands, "computeCommandEncoder", compute_encoder);
  methods.add(Kind::kCommands, "blitCommandEncoder", blit_encoder);
  methods.add(Kind::kCommands, "encodeWaitForEvent:value:", encode_wait);
  methods.add(Kind::kCommands, "encodeSignalEvent:value:", encode_signal);
  methods.add(Kind::kCommands, "commit", commit);
  methods.add(Kind::kCommands, "waitUntilCompleted", wait_until_completed);
  methods.add(Kind::kCommands, "status", status);
  methods.add(Kind::kCommands, "error", error_of);
  methods.add(Kind::kCommands, "GPUEndTime", end_time);
  for (const Kind kind : {Kind::kCompute, Kind::kBlit}) methods.add(kind, "endEncoding", end_encoding);
  methods.add(Kind::kBlit, "copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:", copy_buffer);
  methods.add(Kind::kBlit, "fillBuffer:range:value:", fill_buffer);
  methods.add(Kind::kCompute, "setComputePipelineState:", set_pipeline);
  methods.add(Kind::kCompute, "setBuffer:offset:atIndex:", set_buffer);
  methods.add(Kind::kCompute, "setBytes:length:atIndex:", set_bytes);
  methods.add(Kind::kCompute, "setThreadgroupMemoryLength:atIndex:", set_threadgroup_memory);
  methods.add(Kind::kCompute, "useResources:count:usage:", use_resources);
  methods.add(Kind::kCompute, "dispatchThreadgroups:threadsPerThreadgroup:", dispatch);
}

}  // namespace quern::test_metal
