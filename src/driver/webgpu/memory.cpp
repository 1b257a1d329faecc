#include <algorithm>
#include <bit>
#include <cstring>

#include "base/text.hpp"
#include "driver/support/staged_piece.hpp"
#include "driver/webgpu/device.hpp"
#include "driver/webgpu/messages.hpp"

namespace quern::webgpu {

using base::Error;
using base::ErrorKind;

namespace {

constexpr uint64_t kStretch = 1 << 20;       // of a pattern that fills memory
constexpr uint64_t kKeptStaging = 64 << 20;  // bytes that are kept for the next download
constexpr uint64_t kSmallestStaging = 4 << 10;

// Whether the target can be written in whole words. Bytes after the end of a buffer belong to nobody.
bool takes_words(const driver::Place& to, uint64_t bytes) {
  return to.offset % 4 == 0 && (bytes % 4 == 0 || to.offset + bytes == to.buffer->bytes);
}

// WebGPU copies whole words between different buffers; this copies any bytes.
constexpr std::string_view kByteCopy = R"(
@group(0) @binding(0) var<storage, read_write> to: array<u32>;
@group(0) @binding(1) var<storage, read_write> source: array<u32>;
@group(1) @binding(0) var<uniform> range: vec4<u32>;
@compute @workgroup_size(64)
fn copy_bytes(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let end = range.x + range.z;
  for (var at = range.x / 4u + id.x; at * 4u < end; at += groups.x * 64u) {
    var word = to[at];
    for (var k = 0u; k < 4u; k++) {
      let byte = at * 4u + k;
      if (byte >= range.x && byte < end) {
        let place = range.y + byte - range.x;
        let value = (source[place / 4u] >> (place % 4u * 8u)) & 255u;
        word = (word & ~(255u << (k * 8u))) | (value << (k * 8u));
      }
    }
    to[at] = word;
  }
}
)";

}  // namespace

Buffer::~Buffer() {
  if (handle.get() != nullptr) (*gpu_)->BufferDestroy(handle.get());
}

Result<std::unique_ptr<Buffer>> Device::make_buffer(uint64_t bytes) {
  auto buffer = std::make_unique<Buffer>(gpu_);
  buffer->size = whole_words(std::max<uint64_t>(bytes, 4));
  QUERN_TRY_ASSIGN(buffer->handle, gpu_->create_buffer(buffer->size, kStorage | kCopySource | kCopyTarget));
  buffer->bytes = bytes;
  buffer->id = next_id_++;
  return buffer;
}

Result<std::unique_ptr<driver::Buffer>> Device::allocate(uint64_t bytes, driver::MemoryKind kind) {
  QUERN_TRY(alive());
  if (kind == driver::MemoryKind::shared)
    return Error(ErrorKind::unsupported, message::kNoSharedMemory(info_.name));
  const std::lock_guard lock(gpu_->mutex);
  QUERN_TRY_ASSIGN(auto buffer, make_buffer(bytes));
  buffer->kind = kind;
  return std::unique_ptr<driver::Buffer>(std::move(buffer));
}

// One buffer serves all: submissions run in order.
Result<Handle> Device::scratch(uint64_t bytes) {
  if (scratch_.bytes >= bytes) return scratch_.buffer.get();
  const uint64_t size = std::bit_ceil(std::max<uint64_t>(bytes, kStretch));
  QUERN_TRY_ASSIGN(scratch_.buffer, gpu_->create_buffer(size, kStorage | kCopySource | kCopyTarget));
  scratch_.bytes = size;
  return scratch_.buffer.get();
}

Result<> Device::add_word_copy(Batch& batch, Handle to, uint64_t to_offset, Handle from, uint64_t from_offset,
                               uint64_t bytes) {
  end_pass(batch);
  QUERN_TRY_ASSIGN(const Handle commands, encoder(batch));
  (*gpu_)->CommandEncoderCopyBufferToBuffer(commands, from, from_offset, to, to_offset, bytes);
  return {};
}

uint64_t Device::piece_bytes(const Command& copy) {
  return copy.bytes > driver::kStagedPiece ? driver::kStagedPiece : copy.bytes;
}

// Writes happen before the next submission, so what is encoded must be submitted first.
Result<> Device::add_upload(Batch& batch, const Command& c) {
  QUERN_TRY(submit(batch));
  const auto* const from = static_cast<const std::byte*>(c.source);
  const bool is_direct = takes_words(c.to, c.bytes);
  const uint64_t whole = c.bytes / 4 * 4;
  Handle to = buffer_of(c.to).handle.get();
  uint64_t offset = c.to.offset;
  if (!is_direct) {
    QUERN_TRY_ASSIGN(to, scratch(whole_words(c.bytes)));
    offset = 0;
  }
  if (whole != 0) QUERN_TRY(gpu_->write(to, offset, from, whole));
  if (whole != c.bytes) {
    uint32_t last = 0;
    std::memcpy(&last, from + whole, c.bytes - whole);
    QUERN_TRY(gpu_->write(to, offset + whole, &last, sizeof last));
  }
  if (!is_direct) return add_byte_copy(batch, c.to, 0, c.bytes);
  return c.bytes >= driver::kStagedPiece ? gpu_->submit(nullptr) : Result<>();  // frees the library's copy
}

Result<> Device::add_copy(Batch& batch, const Command& c) {
  const Buffer &to = buffer_of(c.to), &from = buffer_of(c.from);
  const bool is_whole = takes_words(c.to, c.bytes) && c.from.offset % 4 == 0 &&
                        c.from.offset + whole_words(c.bytes) <= from.size;
  if (is_whole && &to != &from)
    return add_word_copy(batch, to.handle.get(), c.to.offset, from.handle.get(), c.from.offset,
                         whole_words(c.bytes));
  for (uint64_t done = 0; done < c.bytes; done += driver::kStagedPiece) {
    const uint64_t bytes = std::min<uint64_t>(c.bytes - done, driver::kStagedPiece);
    const uint64_t at = c.from.offset + done, skip = at % 4, words = whole_words(skip + bytes);
    QUERN_TRY_ASSIGN(const Handle between, scratch(words));
    QUERN_TRY(add_word_copy(batch, between, 0, from.handle.get(), at - skip, words));
    if (is_whole) {
      QUERN_TRY(add_word_copy(batch, to.handle.get(), c.to.offset + done, between, 0, words));
    } else {
      QUERN_TRY(add_byte_copy(batch, {c.to.buffer, c.to.offset + done}, skip, bytes));
    }
  }
  return {};
}

Result<> Device::add_fill(Batch& batch, const Command& c) {
  const Buffer& to = buffer_of(c.to);
  const bool is_whole = takes_words(c.to, c.bytes);
  if (c.value == 0 && is_whole) {
    end_pass(batch);
    QUERN_TRY_ASSIGN(const Handle commands, encoder(batch));
    (*gpu_)->CommandEncoderClearBuffer(commands, to.handle.get(), c.to.offset, whole_words(c.bytes));
    return {};
  }
  QUERN_TRY(submit(batch));
  std::vector<std::byte> pattern(whole_words(std::min(c.bytes, kStretch)));
  for (uint64_t i = 0; i + c.width <= pattern.size(); i += c.width)
    std::memcpy(pattern.data() + i, &c.value, c.width);
  QUERN_TRY_ASSIGN(const Handle from, scratch(pattern.size()));
  QUERN_TRY(gpu_->write(from, 0, pattern.data(), pattern.size()));
  for (uint64_t done = 0; done < c.bytes; done += kStretch) {
    const uint64_t bytes = std::min(c.bytes - done, kStretch);
    if (is_whole) {
      QUERN_TRY(add_word_copy(batch, to.handle.get(), c.to.offset + done, from, 0, whole_words(bytes)));
    } else {
      QUERN_TRY(add_byte_copy(batch, {c.to.buffer, c.to.offset + done}, 0, bytes));
    }
  }
  return {};
}

// From the scratch buffer.
Result<> Device::add_byte_copy(Batch& batch, driver::Place to, uint64_t scratch_offset, uint64_t bytes) {
  const Api& api = **gpu_;
  if (byte_copy_.pipeline.get() == nullptr) {
    const uint32_t storage[] = {api.layout->binding_type.storage, api.layout->binding_type.storage};
    QUERN_TRY_ASSIGN(byte_copy_.module, gpu_->create_module(kByteCopy));
    QUERN_TRY_ASSIGN(byte_copy_.group_layout, gpu_->create_group_layout(storage));
    const Handle layouts[] = {byte_copy_.group_layout.get(), arguments_layout_.get()};
    QUERN_TRY_ASSIGN(byte_copy_.layout, gpu_->create_layout(layouts, 0));
    QUERN_TRY_ASSIGN(byte_copy_.pipeline, gpu_->create_pipeline(byte_copy_.layout.get(),
                                                                byte_copy_.module.get(), "copy_bytes", {}));
  }
  const Buffer& target = buffer_of(to);
  const GroupEntry entries[] = {{nullptr, 0, target.handle.get(), 0, target.size},
                                {nullptr, 1, scratch_.buffer.get(), 0, scratch_.bytes}};
  QUERN_TRY_ASSIGN(const Owned group, gpu_->create_group(byte_copy_.group_layout.get(), entries));
  const uint32_t range[] = {static_cast<uint32_t>(to.offset), static_cast<uint32_t>(scratch_offset),
                            static_cast<uint32_t>(bytes), 0};
  QUERN_TRY_ASSIGN(const Handle pass, this->pass(batch));
  api.ComputePassEncoderSetPipeline(pass, byte_copy_.pipeline.get());
  api.ComputePassEncoderSetBindGroup(pass, 0, group.get(), 0, nullptr);
  QUERN_TRY(add_arguments(batch, std::as_bytes(std::span(range))));
  constexpr uint64_t kGroupBytes = 256, kMostGroups = 1024;
  const uint64_t groups = std::clamp<uint64_t>(bytes / kGroupBytes + 1, 1, kMostGroups);
  api.ComputePassEncoderDispatchWorkgroups(pass, static_cast<uint32_t>(groups), 1, 1);
  return {};
}

Result<Staging> Device::take_staging(uint64_t bytes) {
  const uint64_t size = std::bit_ceil(std::max(bytes, kSmallestStaging));
  {
    const std::lock_guard lock(staging_mutex_);
    const auto free =
        std::find_if(staging_.begin(), staging_.end(), [&](const Staging& s) { return s.bytes == size; });
    if (free != staging_.end()) {
      Staging out = std::move(*free);
      staging_.erase(free);
      return out;
    }
  }
  QUERN_TRY_ASSIGN(Owned buffer, gpu_->create_buffer(size, kMapRead | kCopyTarget));
  return Staging{std::move(buffer), size};
}

Result<> Device::add_download(Batch& batch, const Command& c) {
  const Buffer& from = buffer_of(c.from);
  HostCopy copy;
  copy.to = static_cast<std::byte*>(c.target);
  copy.skip = c.from.offset % 4;
  copy.bytes = c.bytes;
  QUERN_TRY_ASSIGN(copy.from, take_staging(copy.staged_bytes()));
  QUERN_TRY(add_word_copy(batch, copy.from.buffer.get(), 0, from.handle.get(), c.from.offset - copy.skip,
                          copy.staged_bytes()));
  batch.downloads.push_back(std::move(copy));
  return {};
}

// Whoever waits for a later point gets the data of all earlier ones. If data cannot be read, the device is
// lost: an error would reach the thread that waits first, and the target's owner would find old data.
Result<> Device::finish_host_copies(uint64_t sequence) {
  std::unique_lock lock(copies_mutex_);
  while (!copies_.empty() && copies_.front().sequence <= sequence) {
    const std::shared_ptr<Signal> mapped = copies_.front().mapped;
    if (!mapped->is_done) {
      lock.unlock();
      (void)gpu_->wait(*mapped).ok();  // a failure is handled below, or the device is lost
      lock.lock();
      QUERN_TRY(alive());
      continue;
    }
    QUERN_TRY(alive());
    HostCopy copy = std::move(copies_.front());
    copies_.pop_front();
    const void* const here = mapped->has_succeeded ? (*gpu_)->BufferGetConstMappedRange(
                                                         copy.from.buffer.get(), 0, copy.staged_bytes())
                                                   : nullptr;
    if (here == nullptr) {
      return loss_->lose(
          base::format("%s failed: %s could not be read back",
                       mapped->has_succeeded ? "wgpuBufferGetConstMappedRange" : "wgpuBufferMapAsync",
                       base::format_bytes(copy.bytes).c_str()));
    }
    std::memcpy(copy.to, static_cast<const std::byte*>(here) + copy.skip, copy.bytes);
    (*gpu_)->BufferUnmap(copy.from.buffer.get());
    QUERN_TRY(gpu_->take_error("wgpuBufferUnmap"));
    const std::lock_guard staging(staging_mutex_);
    uint64_t kept = copy.from.bytes;
    for (const Staging& s : staging_) kept += s.bytes;
    if (kept <= kKeptStaging) staging_.push_back(std::move(copy.from));
  }
  return {};
}

}  // namespace quern::webgpu
