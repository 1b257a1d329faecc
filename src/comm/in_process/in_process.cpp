// Ranks of one program. Elements are moved by copies between devices, which the public API carries out
// directly or through the host. Reductions are computed on the host: each rank combines its share, in the
// order of the ranks.
#include "quern/comm/in_process.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

#include "comm/combine.hpp"
#include "comm/failure.hpp"
#include "comm/in_process/hub.hpp"
#include "comm/member.hpp"
#include "comm/provider.hpp"
#include "comm/staging.hpp"

namespace quern::comm {

namespace {

using detail::Call;
using detail::Kind;
using in_process_ranks::Hub;

// Elements [first, last) of a chunk.
struct Share {
  std::uint64_t first, last;
};

Share share_of(std::uint64_t count, int rank, int size) {
  const auto part = [&](int i) {
    const auto n = static_cast<std::uint64_t>(size), at = static_cast<std::uint64_t>(i);
    return count / n * at + std::min(count % n, at);
  };
  return {part(rank), part(rank + 1)};
}

class InProcess final : public Provider {
 public:
  InProcess(int rank, const Device& device, std::shared_ptr<Hub> hub)
      : rank_(rank), device_(device), stream_(device.create_stream()), hub_(std::move(hub)) {}
  ~InProcess() override { hub_->leave(rank_); }

  int rank() const override { return rank_; }
  int size() const override { return hub_->size(); }
  std::string name() const override { return "in process"; }
  void run(const Operation& operation, const Deadline& deadline) override;
  void give_up(const Operation& operation, const Error& error) noexcept override;

 private:
  void run_collective(const Operation& operation, const Deadline& deadline);
  void carry_out(const Operation& operation, const Deadline& deadline);
  void copy(const quern::detail::Bytes& to, const quern::detail::Bytes& from);
  void exchange(const Operation& operation, const Deadline& deadline);
  void receive(const Operation& operation, int from, const Deadline& deadline);
  void gather(const Operation& operation);
  void exchange_all(const Operation& operation);
  void reduce(const Operation& operation, const Deadline& deadline);
  void reduce_chunk(const Operation& operation, std::uint64_t first, std::uint64_t length,
                    const Deadline& deadline);
  const std::byte* stage(const Operation& operation, std::uint64_t first, std::uint64_t length);
  void combine(const Operation& operation, std::uint64_t first, const Share& share, std::byte* result);
  void deliver(const Operation& operation, std::uint64_t first, std::uint64_t length);

  const int rank_;
  const Device device_;
  const Stream stream_;
  const std::shared_ptr<Hub> hub_;
  HostMemory in_, result_;
};

void InProcess::give_up(const Operation& operation, const Error& error) noexcept {
  (void)operation;
  hub_->fail_rank(rank_, error.message());
}

void InProcess::run(const Operation& operation, const Deadline& deadline) {
  if (is_collective(operation.kind())) {
    run_collective(operation, deadline);
  } else {
    exchange(operation, deadline);
  }
}

void InProcess::run_collective(const Operation& operation, const Deadline& deadline) {
  hub_->arrive(rank_, operation, deadline);
  try {
    carry_out(operation, deadline);
  } catch (const std::exception& error) {
    hub_->fail_rank(rank_, error.what());
    hub_->end(deadline);
    throw;
  }
  hub_->end(deadline);
}

void InProcess::carry_out(const Operation& operation, const Deadline& deadline) {
  const Call& call = operation.call;
  switch (call.kind) {
    case Kind::broadcast:
      if (call.peer != rank_) copy(call.out.bytes, hub_->operation_of(call.peer).call.in.bytes);
      break;
    case Kind::reduce:
    case Kind::all_reduce:
    case Kind::reduce_scatter: reduce(operation, deadline); break;
    case Kind::all_gather: gather(operation); break;
    case Kind::all_to_all: exchange_all(operation); break;
    case Kind::barrier:
    case Kind::send:
    case Kind::receive:
    case Kind::send_receive: break;
  }
  stream_.synchronize();
}

void InProcess::copy(const quern::detail::Bytes& to, const quern::detail::Bytes& from) {
  if (to.size != 0) stream_.copy(bytes_of(to), Slice<const std::byte>(from));
}

void InProcess::gather(const Operation& operation) {
  const Call& call = operation.call;
  for (int i = 0; i < size(); ++i) {
    const int from = (rank_ + i) % size();  // not all from the same rank at the same time
    const quern::detail::Bytes to = operation.piece(call.out, from),
                               source = hub_->operation_of(from).call.in.bytes;
    const bool is_in_place = to.memory == source.memory && to.offset == source.offset;
    if (!is_in_place) copy(to, source);
  }
}

void InProcess::exchange_all(const Operation& operation) {
  for (int i = 0; i < size(); ++i) {
    const int from = (rank_ + i) % size();
    copy(operation.piece(operation.call.out, from), operation.piece(hub_->operation_of(from).call.in, rank_));
  }
}

void InProcess::exchange(const Operation& operation, const Deadline& deadline) {
  const Call& call = operation.call;
  std::shared_ptr<Hub::Message> sent;
  if (call.kind != Kind::receive) sent = hub_->post(rank_, call.peer, operation);
  std::optional<AgreedError> error;
  try {
    if (call.kind == Kind::receive) receive(operation, call.peer, deadline);
    if (call.kind == Kind::send_receive) receive(operation, call.source, deadline);
  } catch (const AgreedError& agreed) {  // the message that was sent has its own receiver
    error = agreed;
  }
  if (sent != nullptr) hub_->wait_until_taken(call.peer, *sent, deadline);
  if (error) throw AgreedError(*error);
}

void InProcess::receive(const Operation& operation, int from, const Deadline& deadline) {
  const std::shared_ptr<Hub::Message> message = hub_->wait_for_message(from, rank_, operation, deadline);
  const quern::detail::Bytes to = operation.call.out.bytes, source = message->operation.call.in.bytes;
  if (to.size != source.size) {
    const Error error = make_error(
        ErrorKind::invalid_use, message::kWrongLength(name_of(operation.kind()), std::to_string(from),
                                                      std::to_string(source.size), std::to_string(to.size)));
    hub_->take(*message, error);
    throw AgreedError{error};
  }
  copy(to, source);
  stream_.synchronize();
  hub_->take(*message, std::nullopt);
}

void InProcess::reduce(const Operation& operation, const Deadline& deadline) {
  const std::uint64_t chunk = chunk_elements(operation, size());
  for (std::uint64_t first = 0; first < operation.count; first += chunk)
    reduce_chunk(operation, first, std::min(chunk, operation.count - first), deadline);
}

void InProcess::reduce_chunk(const Operation& operation, std::uint64_t first, std::uint64_t length,
                             const Deadline& deadline) {
  const bool is_scatter = operation.kind() == Kind::reduce_scatter;
  const Share share = is_scatter ? Share{0, length} : share_of(length, rank_, size());
  std::byte* const result =
      result_.reserve(device_, (share.last - share.first) * operation.call.element_bytes);
  hub_->parts_of(rank_) = {stage(operation, first, length), result};
  hub_->sync(rank_, deadline);
  combine(operation, is_scatter ? length * static_cast<std::uint64_t>(rank_) : 0, share, result);
  hub_->sync(rank_, deadline);
  deliver(operation, first, length);
  stream_.synchronize();
  hub_->sync(rank_, deadline);  // the staging memory is free again
}

// The elements of all pieces in sequence.
const std::byte* InProcess::stage(const Operation& operation, std::uint64_t first, std::uint64_t length) {
  const detail::Range& in = operation.call.in;
  const std::uint64_t bytes = length * operation.call.element_bytes;
  const std::byte* const seen = bytes_of(in.bytes).host().data();
  if (seen != nullptr && (operation.in_pieces == 1 || length == operation.count))
    return seen + first * operation.call.element_bytes;
  std::byte* const staged = in_.reserve(device_, bytes * static_cast<std::uint64_t>(operation.in_pieces));
  for (int i = 0; i < operation.in_pieces; ++i)
    download(stream_, staged + bytes * static_cast<std::uint64_t>(i), operation.part(in, i, first, length));
  stream_.synchronize();
  return staged;
}

// `first`: of the staged elements, where the share begins to count.
void InProcess::combine(const Operation& operation, std::uint64_t first, const Share& share,
                        std::byte* result) {
  const std::size_t width = operation.call.element_bytes, count = share.last - share.first;
  if (count == 0) return;
  const std::uint64_t offset = (first + share.first) * width;
  std::memcpy(result, hub_->parts_of(0).in + offset, count * width);
  with_type(*operation.call.element, [&]<typename T>(T) {
    with_combine(operation.call.combine, [&](auto function) {
      for (int i = 1; i < size(); ++i)
        combine_into<function>(reinterpret_cast<T*>(result),
                               reinterpret_cast<const T*>(hub_->parts_of(i).in + offset), count);
    });
  });
}

void InProcess::deliver(const Operation& operation, std::uint64_t first, std::uint64_t length) {
  const Call& call = operation.call;
  if (call.kind == Kind::reduce_scatter)
    return upload(stream_, operation.part(call.out, 0, first, length), hub_->parts_of(rank_).result);
  if (operation.out_pieces == 0) return;
  for (int i = 0; i < size(); ++i) {
    const Share share = share_of(length, i, size());
    upload(stream_, operation.part(call.out, 0, first + share.first, share.last - share.first),
           hub_->parts_of(i).result);
  }
}

}  // namespace

std::vector<Communicator> in_process(std::span<const Device> devices, const Options& options) {
  if (devices.empty()) fail(ErrorKind::invalid_use, message::kNoDevices());
  const auto hub = std::make_shared<Hub>(static_cast<int>(devices.size()));
  std::vector<Communicator> out;
  for (const Device& device : devices) {
    const int rank = static_cast<int>(out.size());
    if (!device)
      fail(ErrorKind::invalid_use, message::kClosedDevice("in_process", "rank " + std::to_string(rank)));
    out.push_back(detail::Access::communicator(
        std::make_shared<detail::Member>(device, std::make_unique<InProcess>(rank, device, hub)), options));
  }
  return out;
}

}  // namespace quern::comm
