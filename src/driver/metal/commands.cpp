// The commands of a stream, single or as a graph, in one command buffer. Neighboring commands of one kind
// share an encoder, which runs them in order; Metal orders encoders that use the same buffers.
#include <algorithm>
#include <array>
#include <cstring>

#include "driver/interface/arguments.hpp"
#include "driver/metal/device.hpp"
#include "driver/metal/messages.hpp"

namespace quern::metal {

using base::Error;
using base::ErrorKind;
using driver::Feature;

namespace {

constexpr uint64_t kMaxSetBytes = 4096;  // of setBytes:length:atIndex:
constexpr uint64_t kBytesBlock = 256;    // threads of a block that copies or fills bytes

}  // namespace

Result<> Device::run(driver::Stream& stream, std::span<const Command> commands) {
  const Pool pool(*api_);
  Stream& q = as_stream(stream);
  QUERN_TRY_ASSIGN(Encoding encoding, begin(q));
  Result<> done;
  for (size_t i = 0; i < commands.size() && done.ok(); ++i) done = encode(q, encoding, commands[i]);
  end_encoder(encoding);  // even of a command buffer that is dropped
  QUERN_TRY(std::move(done));
  return submit(q, encoding);
}

Result<> Device::open_encoder(Encoding& encoding, Encoding::Kind kind) {
  if (encoding.kind == kind) return {};
  end_encoder(encoding);
  encoding.encoder = api_->send<Id>(encoding.commands,
                                    kind == Encoding::Kind::kBlit ? Sel::kBlitEncoder : Sel::kComputeEncoder);
  if (encoding.encoder == nullptr)
    return failed("making a command encoder", nullptr, ErrorKind::out_of_memory);
  encoding.kind = kind;
  return {};
}

void Device::end_encoder(Encoding& encoding) const {
  if (encoding.kind != Encoding::Kind::kNone) api_->send(encoding.encoder, Sel::kEndEncoding);
  encoding.kind = Encoding::Kind::kNone;
}

Result<> Device::encode(Stream& stream, Encoding& encoding, const Command& c) {
  switch (c.kind) {
    case Command::Kind::kLaunch: {
      auto& kernel = static_cast<Kernel&>(*c.kernel);
      if (driver::reports(kernel.info)) stream.device_log->expect(kernel.program->report);
      return encode_launch(encoding, kernel, c.launch);
    }
    case Command::Kind::kUpload: return encode_upload(encoding, c);
    case Command::Kind::kDownload: return encode_download(encoding, c);
    case Command::Kind::kCopy:
      return encode_copy(encoding, id_of(*c.to.buffer), c.to.offset, id_of(*c.from.buffer), c.from.offset,
                         c.bytes);
    case Command::Kind::kFill: return encode_fill(encoding, c);
  }
  return Error(ErrorKind::internal, message::kNoCommandKind());
}

// The command buffer keeps the staging buffer alive.
Result<> Device::encode_upload(Encoding& encoding, const Command& c) {
  QUERN_TRY_ASSIGN(const Ref from, make_buffer(c.bytes, kStorageShared));
  void* const contents = api_->send<void*>(from.get(), Sel::kContents);
  if (contents == nullptr) return no_memory(c.bytes);
  std::memcpy(contents, c.source, c.bytes);
  return encode_copy(encoding, id_of(*c.to.buffer), c.to.offset, from.get(), 0, c.bytes);
}

Result<> Device::encode_download(Encoding& encoding, const Command& c) {
  QUERN_TRY_ASSIGN(Ref to, make_buffer(c.bytes, kStorageShared));
  const auto* const contents = api_->send<const std::byte*>(to.get(), Sel::kContents);
  if (contents == nullptr) return no_memory(c.bytes);
  QUERN_TRY(encode_copy(encoding, to.get(), 0, id_of(*c.from.buffer), c.from.offset, c.bytes));
  encoding.copies.push_back({c.target, contents, std::move(to), c.bytes});
  return {};
}

// On macOS, blits copy multiples of four bytes only.
Result<> Device::encode_copy(Encoding& encoding, Id to, uint64_t to_offset, Id from, uint64_t from_offset,
                             uint64_t bytes) {
  if ((to_offset | from_offset | bytes) % 4 == 0) {
    QUERN_TRY(open_encoder(encoding, Encoding::Kind::kBlit));
    api_->send(encoding.encoder, Sel::kCopyBuffer, from, from_offset, to, to_offset, bytes);
    return {};
  }
  QUERN_TRY(make_byte_kernels());
  QUERN_TRY(open_encoder(encoding, Encoding::Kind::kCompute));
  const std::array<uint64_t, 3> numbers = {to_offset, from_offset, bytes};
  const Id e = encoding.encoder;
  api_->send(e, Sel::kSetPipeline, copy_bytes_.get());
  api_->send(e, Sel::kSetBuffer, to, uint64_t{0}, uint64_t{0});
  api_->send(e, Sel::kSetBuffer, from, uint64_t{0}, uint64_t{1});
  api_->send(e, Sel::kSetBytes, static_cast<const void*>(numbers.data()), uint64_t{sizeof numbers},
             uint64_t{2});
  dispatch_bytes(e, bytes);
  return {};
}

// Blits fill with one repeated byte.
Result<> Device::encode_fill(Encoding& encoding, const Command& c) {
  std::array<uint8_t, 8> pattern;
  for (uint32_t i = 0; i < pattern.size(); ++i) pattern[i] = static_cast<uint8_t>(c.value >> i % c.width * 8);
  const Id to = id_of(*c.to.buffer);
  const bool is_byte =
      std::all_of(pattern.begin(), pattern.end(), [&](uint8_t b) { return b == pattern[0]; });
  if (is_byte && (c.to.offset | c.bytes) % 4 == 0) {
    QUERN_TRY(open_encoder(encoding, Encoding::Kind::kBlit));
    api_->send(encoding.encoder, Sel::kFillBuffer, to, Range{c.to.offset, c.bytes}, pattern[0]);
    return {};
  }
  QUERN_TRY(make_byte_kernels());
  QUERN_TRY(open_encoder(encoding, Encoding::Kind::kCompute));
  std::array<uint64_t, 3> numbers = {c.to.offset, 0, c.bytes};
  std::memcpy(&numbers[1], pattern.data(), sizeof numbers[1]);
  const Id e = encoding.encoder;
  api_->send(e, Sel::kSetPipeline, fill_bytes_.get());
  api_->send(e, Sel::kSetBuffer, to, uint64_t{0}, uint64_t{0});
  api_->send(e, Sel::kSetBytes, static_cast<const void*>(numbers.data()), uint64_t{sizeof numbers},
             uint64_t{1});
  dispatch_bytes(e, c.bytes);
  return {};
}

// Threads take the next byte in steps of the grid's size.
void Device::dispatch_bytes(Id encoder, uint64_t bytes) const {
  constexpr uint64_t kMostBlocks = 16384;
  const Size blocks{std::min((bytes + kBytesBlock - 1) / kBytesBlock, kMostBlocks), 1, 1};
  api_->send(encoder, Sel::kDispatch, blocks, Size{kBytesBlock, 1, 1});
}

// Buffers in the order of target/target.hpp.
Result<> Device::bind(Id encoder, const Kernel& kernel, const driver::Launch& launch) {
  uint64_t next = 0;
  const auto set = [&](driver::Place place) {
    const driver::Buffer& buffer = place.buffer != nullptr ? *place.buffer : *nothing_;
    api_->send(encoder, Sel::kSetBuffer, id_of(buffer), place.buffer != nullptr ? place.offset : uint64_t{0},
               next++);
  };
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    if (kernel.info.params[i].is_pointer) set(launch.arguments[i].place);
  }
  for (const auto& v : kernel.program->variables) set({v.get(), 0});
  if (driver::reports(kernel.info)) set({kernel.program->report->buffer.get(), 0});
  const bool has_dynamic = kernel.info.needs.has(Feature::dynamic_shared);
  if (has_dynamic) {
    const uint64_t bytes = std::max<uint64_t>(16, (launch.shared_bytes + 15) / 16 * 16);
    api_->send(encoder, Sel::kSetThreadgroupMemory, bytes, uint64_t{0});
  }
  if (kernel.info.block_bytes == 0) return {};
  std::vector<std::byte> block(kernel.info.block_bytes);
  driver::pack_block(kernel.info, launch.arguments, block);
  if (has_dynamic) {
    const auto bytes = static_cast<uint32_t>(launch.shared_bytes);
    std::memcpy(block.data() + block.size() - sizeof bytes, &bytes, sizeof bytes);
  }
  if (block.size() <= kMaxSetBytes) {
    api_->send(encoder, Sel::kSetBytes, static_cast<const void*>(block.data()), uint64_t{block.size()}, next);
    return {};
  }
  QUERN_TRY_ASSIGN(const Ref large, make_buffer(block.size(), kStorageShared));
  void* const contents = api_->send<void*>(large.get(), Sel::kContents);
  if (contents == nullptr) return no_memory(block.size());
  std::memcpy(contents, block.data(), block.size());
  api_->send(encoder, Sel::kSetBuffer, large.get(), uint64_t{0}, next);
  return {};
}

Result<> Device::encode_launch(Encoding& encoding, const Kernel& kernel, const driver::Launch& launch) {
  QUERN_TRY(open_encoder(encoding, Encoding::Kind::kCompute));
  const Id e = encoding.encoder;
  api_->send(e, Sel::kSetPipeline, kernel.pipeline.get());
  QUERN_TRY(bind(e, kernel, launch));
  if (kernel.info.needs.has(Feature::addresses)) {
    const std::lock_guard lock(live_->mutex);
    const std::vector<Id> all(live_->all.begin(), live_->all.end());
    api_->send(e, Sel::kUseResources, all.data(), uint64_t{all.size()}, kUsageReadWrite);
  }
  api_->send(e, Sel::kDispatch, Size{launch.grid.x, launch.grid.y, launch.grid.z},
             Size{launch.block.x, launch.block.y, launch.block.z});
  return {};
}

// Encoding costs less than submitting, so a graph keeps only its commands.
Result<std::unique_ptr<driver::Graph>> Device::make_graph(std::span<const Command> commands) {
  return make_submitted_graph(commands);
}

}  // namespace quern::metal
