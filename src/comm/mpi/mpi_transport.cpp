// Transports in which MPI exchanges the elements: through pinned host memory in chunks, where one chunk is
// exchanged while the next is downloaded and the previous one uploaded; or in place, if MPI reads and writes
// device memory itself.
#include <algorithm>
#include <array>
#include <utility>

#include "comm/failure.hpp"
#include "comm/mpi/gpu_support.hpp"
#include "comm/mpi/transport.hpp"
#include "comm/staging.hpp"
#include "quern/interop.hpp"

namespace quern::comm {

namespace {

using detail::Call;
using detail::Kind;
using mpi_component::Exchange;

constexpr int kDataTag = 0;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;  // MPI counts bytes in an int

// Host memory of a chunk. Two of them alternate.
struct Slot {
  HostMemory in_memory, out_memory;
  const std::byte* in = nullptr;
  std::byte* out = nullptr;
  Event downloaded, uploaded;
};
using Slots = std::array<Slot, 2>;

// The elements of a chunk in each piece.
struct Chunk {
  std::uint64_t first = 0, in_length = 0, out_length = 0;
};

class MpiTransport final : public TransportBackend {
 public:
  MpiTransport(Link& link, const Device& device, Transport transport)
      : link_(link),
        device_(device),
        down_(device.create_stream()),
        up_(device.create_stream()),
        slots_(link.memory<Slots>()),
        transport_(transport) {}

  Transport transport() const override { return transport_; }
  bool supports(const Operation& operation) const override;
  void run(const Operation& operation, const Deadline& deadline) override;

 private:
  bool is_gpu_aware() const { return transport_ == Transport::gpu_aware_mpi; }
  std::byte* in_place(const Operation& operation, const detail::Range& range, int pieces, std::uint64_t first,
                      std::uint64_t length) const;
  void download_chunk(const Operation& operation, const Chunk& chunk, Slot& slot);
  void exchange_chunk(const Operation& operation, const Chunk& chunk, Slot& slot, const Deadline& deadline);
  void upload_chunk(const Operation& operation, const Chunk& chunk, Slot& slot);

  Link& link_;
  const Device device_;
  const Stream down_, up_;
  Slots& slots_;
  const Transport transport_;
};

// Open MPI's nonblocking reductions do not accept device memory, and functions of a program cannot combine
// it.
bool MpiTransport::supports(const Operation& operation) const {
  if (!is_gpu_aware()) return true;
  const auto ranks = static_cast<std::uint64_t>(link_.size());
  return !is_combining(operation.kind()) && operation.piece_bytes() <= kMostBytes / ranks;
}

void MpiTransport::run(const Operation& operation, const Deadline& deadline) {
  const Call& call = operation.call;
  const bool is_pair = !is_collective(call.kind);
  const std::uint64_t in = is_pair ? call.in.count : operation.count;
  const std::uint64_t out = is_pair ? call.out.count : operation.count;
  const std::uint64_t rows = std::max(in, out);
  const std::uint64_t chunk =
      is_gpu_aware() ? kMostBytes / call.element_bytes : chunk_elements(operation, link_.size());
  const auto chunk_at = [&](std::uint64_t first) {
    const auto length = [&](std::uint64_t count) {
      return first < count ? std::min(chunk, count - first) : 0;
    };
    return Chunk{first, length(in), length(out)};
  };
  if (rows != 0) download_chunk(operation, chunk_at(0), slots_[0]);
  for (std::uint64_t first = 0, n = 0; first < rows; first += chunk, ++n) {
    if (first + chunk < rows) download_chunk(operation, chunk_at(first + chunk), slots_[(n + 1) % 2]);
    exchange_chunk(operation, chunk_at(first), slots_[n % 2], deadline);
    upload_chunk(operation, chunk_at(first), slots_[n % 2]);
  }
  up_.synchronize();
}

// The elements of the pieces of an operand in sequence, if MPI can access them in place.
std::byte* MpiTransport::in_place(const Operation& operation, const detail::Range& range, int pieces,
                                  std::uint64_t first, std::uint64_t length) const {
  if (pieces > 1 && length != operation.count) return nullptr;
  std::byte* seen = bytes_of(range.bytes).host().data();
  if (is_gpu_aware() && range.bytes.size != 0)
    seen = reinterpret_cast<std::byte*>(
        interop::device_address(bytes_of(range.bytes)));  // NOLINT(performance-no-int-to-ptr)
  return seen != nullptr ? seen + first * operation.call.element_bytes : nullptr;
}

void MpiTransport::download_chunk(const Operation& operation, const Chunk& chunk, Slot& slot) {
  const detail::Range& range = operation.call.in;
  const int pieces = is_collective(operation.kind()) ? operation.in_pieces : 1;
  slot.in = nullptr;
  slot.downloaded = {};
  if (pieces == 0 || chunk.in_length == 0) return;
  slot.in = in_place(operation, range, pieces, chunk.first, chunk.in_length);
  if (slot.in != nullptr) return;
  const std::uint64_t bytes = chunk.in_length * operation.call.element_bytes;
  std::byte* const memory = slot.in_memory.reserve(device_, bytes * static_cast<std::uint64_t>(pieces));
  for (int i = 0; i < pieces; ++i) {
    download(down_, memory + bytes * static_cast<std::uint64_t>(i),
             operation.part(range, i, chunk.first, chunk.in_length));
  }
  slot.in = memory;
  slot.downloaded = down_.record();
}

void MpiTransport::exchange_chunk(const Operation& operation, const Chunk& chunk, Slot& slot,
                                  const Deadline& deadline) {
  const Call& call = operation.call;
  const int pieces = is_collective(call.kind) ? operation.out_pieces : 1;
  slot.downloaded.wait();
  slot.uploaded.wait();
  slot.out = nullptr;
  if (pieces != 0 && chunk.out_length != 0) {
    slot.out = in_place(operation, call.out, pieces, chunk.first, chunk.out_length);
    const std::uint64_t bytes = chunk.out_length * call.element_bytes * static_cast<std::uint64_t>(pieces);
    if (slot.out == nullptr) slot.out = slot.out_memory.reserve(device_, bytes);
  }
  Exchange e{.kind = call.kind,
             .combines = is_combining(call.kind),
             .combine = call.combine,
             .element = call.element.value_or(Element::u8),
             .element_bytes = call.element_bytes,
             .peer = call.peer,
             .source = call.source,
             .tag = kDataTag,
             .count = chunk.in_length,
             .out_count = chunk.out_length,
             .in = slot.in,
             .out = slot.out};
  if (call.kind == Kind::receive) e.count = chunk.out_length;
  if (call.kind == Kind::send_receive && chunk.in_length == 0) {
    e.kind = Kind::receive;
    e.peer = call.source;
    e.count = chunk.out_length;
  } else if (call.kind == Kind::send_receive && chunk.out_length == 0) {
    e.kind = Kind::send;
  }
  if (call.kind == Kind::broadcast && call.peer == link_.rank()) e.out = const_cast<std::byte*>(slot.in);
  std::uint64_t received = 0;
  link_.exchange(name_of(call.kind), e, deadline, &received);
  const bool receives = e.kind == Kind::receive || e.kind == Kind::send_receive;
  const std::uint64_t expected = chunk.out_length * call.element_bytes;
  if (receives && received != expected)
    fail(ErrorKind::io, message::kWrongLength(name_of(call.kind),
                                              std::to_string(e.kind == Kind::receive ? e.peer : e.source),
                                              std::to_string(received), std::to_string(expected)));
}

void MpiTransport::upload_chunk(const Operation& operation, const Chunk& chunk, Slot& slot) {
  const detail::Range& range = operation.call.out;
  const int pieces = is_collective(operation.kind()) ? operation.out_pieces : 1;
  slot.uploaded = {};
  if (slot.out == nullptr || slot.out == in_place(operation, range, pieces, chunk.first, chunk.out_length))
    return;
  const std::uint64_t bytes = chunk.out_length * operation.call.element_bytes;
  for (int i = 0; i < pieces; ++i) {
    upload(up_, operation.part(range, i, chunk.first, chunk.out_length),
           slot.out + bytes * static_cast<std::uint64_t>(i));
  }
  slot.uploaded = up_.record();
}

}  // namespace

Setup set_up_staged(Link& link, const Device& device) {
  return {std::make_unique<MpiTransport>(link, device, Transport::staged), {}};
}

Setup set_up_gpu_aware(Link& link, const Device& device, const Options& options) {
  const std::string why = why_not_gpu_aware(device.driver(), link.name());
  const std::string reason = first_reason(link, why, Deadline(options.timeout));
  if (!reason.empty()) return {{}, reason};
  return {std::make_unique<MpiTransport>(link, device, Transport::gpu_aware_mpi), {}};
}

}  // namespace quern::comm
