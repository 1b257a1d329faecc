// Ranks that are processes. Elements go through host memory in chunks: while one is exchanged, the next is
// downloaded and the previous one uploaded.
#include "quern/comm/mpi.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "comm/failure.hpp"
#include "comm/member.hpp"
#include "comm/mpi/loader.hpp"
#include "comm/provider.hpp"
#include "comm/staging.hpp"

namespace quern::comm {

namespace {

using detail::Call;
using detail::Kind;
using mpi_component::Component;
using mpi_component::Exchange;

constexpr int kDataTag = 0, kSizeTag = 1, kRoomTag = 2;

// Waits that begin short and become longer. They sleep: ranks may share processors, and a thread that yields
// to a busy one waits for the rest of its time slice.
class Backoff {
 public:
  void pause() {
    if (++count_ > kPolls) std::this_thread::sleep_for(std::min(kLongest, kShortest * (count_ - kPolls)));
  }

 private:
  static constexpr int kPolls = 30;
  static constexpr std::chrono::microseconds kShortest{1}, kLongest{200};
  int count_ = 0;
};

// Host memory of a chunk. Two of them alternate.
struct Slot {
  HostMemory in_memory, out_memory;
  const std::byte* in = nullptr;
  std::byte* out = nullptr;
  Event downloaded, uploaded;
};

// All memory that MPI reads and writes, except operands.
struct Memory {
  std::array<Slot, 2> slots;
  std::array<std::uint64_t, 10> words{};
  std::uint64_t sent = 0, received = 0;
};

// The elements of a chunk in each piece.
struct Chunk {
  std::uint64_t first = 0, in_length = 0, out_length = 0;
};

class Mpi final : public Provider {
 public:
  Mpi(const Device& device, const MpiOptions& options);
  ~Mpi() override;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string name() const override { return std::string("MPI (") + component_.name + ")"; }
  void run(const Operation& operation, const Deadline& deadline) override;
  void give_up(const Operation& operation, const Error& error) noexcept override;

 private:
  [[noreturn]] void fail_with(const char* operation, int code);
  void finish(const char* operation, const Deadline& deadline, std::uint64_t* received = nullptr);
  void exchange(const char* operation, const Exchange& exchange, const Deadline& deadline,
                std::uint64_t* received = nullptr);
  void agree(const Operation& operation, bool has_failed, const Deadline& deadline);
  std::uint64_t swap(const Operation& operation, int to, int from, int tag, std::uint64_t value,
                     const Deadline& deadline);
  void run_pairs(const Operation& operation, const Deadline& deadline);
  void move(const Operation& operation, const Deadline& deadline);
  void download_chunk(const Operation& operation, const Chunk& chunk, Slot& slot);
  void exchange_chunk(const Operation& operation, const Chunk& chunk, Slot& slot, const Deadline& deadline);
  void upload_chunk(const Operation& operation, const Chunk& chunk, Slot& slot);

  const Component& component_;
  const Device device_;
  const Stream down_, up_;
  void* connection_ = nullptr;
  int rank_ = 0, size_ = 1;
  bool has_ended_ = false;  // all ranks know that one has failed
  bool is_broken_ = false;  // an exchange is not complete, or the ranks are not at the same one
  std::unique_ptr<Memory> memory_ = std::make_unique<Memory>();
};

// MPI may still use the memory of an exchange that was not completed, so it is never freed.
void keep_forever(std::unique_ptr<Memory> memory) {
  static std::mutex mutex;
  static auto* const kept = new std::vector<std::unique_ptr<Memory>>();
  const std::lock_guard lock(mutex);
  kept->push_back(std::move(memory));
}

Mpi::Mpi(const Device& device, const MpiOptions& options)
    : component_(load_mpi(options.implementation)),
      device_(device),
      down_(device.create_stream()),
      up_(device.create_stream()) {
  const int* const handle = options.communicator ? &*options.communicator : nullptr;
  const int code = component_.connect(handle, &connection_, &rank_, &size_);
  if (code == mpi_component::kOneThread) fail(ErrorKind::unsupported, message::kOneThread());
  if (code == mpi_component::kIsFinalized) fail(ErrorKind::invalid_use, message::kFinalized());
  if (code != mpi_component::kNone) fail_with("mpi", code);
  try {
    finish("mpi", Deadline(options.timeout));
  } catch (...) {
    component_.close(connection_, true);
    throw;
  }
}

Mpi::~Mpi() {
  component_.close(connection_, is_broken_);
  if (is_broken_) keep_forever(std::move(memory_));
}

void Mpi::fail_with(const char* operation, int code) {
  std::array<char, 512> text{};
  component_.text(code, text.data(), text.size());
  using mpi_component::Class;
  const Class what = component_.class_of(code);
  const ErrorKind kind = what == Class::kTruncated  ? ErrorKind::invalid_use
                         : what == Class::kNoMemory ? ErrorKind::out_of_memory
                                                    : ErrorKind::io;
  fail(kind, message::kMpiError(operation, component_.name, text.data()));
}

void Mpi::finish(const char* operation, const Deadline& deadline, std::uint64_t* received) {
  bool is_done = false;
  std::uint64_t bytes = 0;
  for (Backoff backoff;; backoff.pause()) {
    const int code = component_.test(connection_, &is_done, &bytes);
    if (code != mpi_component::kNone) fail_with(operation, code);
    if (is_done) break;
    if (deadline.has_passed())
      fail(ErrorKind::timeout, message::kTimeout(operation, "another rank", deadline.seconds()));
  }
  if (received != nullptr) *received = bytes;
}

void Mpi::exchange(const char* operation, const Exchange& exchange, const Deadline& deadline,
                   std::uint64_t* received) {
  const int code = component_.begin(connection_, &exchange);
  if (code != mpi_component::kNone) fail_with(operation, code);
  finish(operation, deadline, received);
}

// The maxima of all words and of their complements: equal words have both in common.
void Mpi::agree(const Operation& operation, bool has_failed, const Deadline& deadline) {
  const Call& call = operation.call;
  static constexpr std::array<const char*, 5> kNames = {"", "operations", "roots", "counts", "element sizes"};
  const bool combines = is_combining(call.kind);
  const std::uint64_t signature =
      static_cast<std::uint64_t>(call.kind) | (combines ? static_cast<std::uint64_t>(call.combine) << 8 |
                                                              static_cast<std::uint64_t>(*call.element) << 16
                                                        : 0);
  const std::array<std::uint64_t, 5> words = {has_failed ? 1u : 0u, signature,
                                              has_root(call.kind) ? static_cast<std::uint64_t>(call.peer) : 0,
                                              operation.count, call.element_bytes};
  auto& all = memory_->words;
  static_assert(std::tuple_size_v<std::remove_reference_t<decltype(all)>> == 2 * words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    all[i] = words[i];
    all[words.size() + i] = ~words[i];
  }
  exchange(name_of(call.kind),
           {.kind = Kind::all_reduce,
            .combines = true,
            .combine = Combine::max,
            .element = Element::u64,
            .element_bytes = sizeof all[0],
            .count = all.size(),
            .in = all.data(),
            .out = all.data()},
           deadline);
  if (all[0] != 0) {  // on all ranks
    is_broken_ = false;
    has_ended_ = true;
    fail(ErrorKind::io, message::kSomeRankFailed(name_of(call.kind)));
  }
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (all[i] != ~all[words.size() + i])
      fail_on_all(message::kDifferentWords(name_of(call.kind), kNames[i]));
  }
}

void Mpi::give_up(const Operation& operation, const Error& error) noexcept {
  (void)error;
  const bool is_inside = std::exchange(is_broken_, !has_ended_);  // in the middle of an operation
  if (has_ended_ || is_inside || !operation.options.check || !is_collective(operation.kind())) return;
  try {
    agree(operation, true, Deadline(operation.options.timeout));
  } catch (...) {  // the others have the error, or their time limit
  }
}

void Mpi::run(const Operation& operation, const Deadline& deadline) {
  is_broken_ = true;  // until it is complete
  if (!is_collective(operation.kind())) {
    run_pairs(operation, deadline);
  } else {
    try {
      if (operation.options.check) agree(operation, false, deadline);
    } catch (const AgreedError&) {
      is_broken_ = false;
      throw;
    }
    if (operation.kind() == Kind::barrier && !operation.options.check)
      exchange(name_of(Kind::barrier), {.kind = Kind::barrier}, deadline);
    move(operation, deadline);
  }
  is_broken_ = false;
}

// Sends a value to one rank and receives one from another; -1: there is none.
std::uint64_t Mpi::swap(const Operation& operation, int to, int from, int tag, std::uint64_t value,
                        const Deadline& deadline) {
  memory_->sent = value;
  Exchange e{.kind = to < 0     ? Kind::receive
                     : from < 0 ? Kind::send
                                : Kind::send_receive,
             .element_bytes = sizeof value,
             .peer = to < 0 ? from : to,
             .source = from,
             .tag = tag,
             .count = 1,
             .out_count = 1,
             .in = &memory_->sent,
             .out = &memory_->received};
  exchange(name_of(operation.kind()), e, deadline);
  return memory_->received;
}

// Each pair compares its sizes first. A pair with different sizes moves nothing.
void Mpi::run_pairs(const Operation& operation, const Deadline& deadline) {
  const Call& call = operation.call;
  const int to = call.kind == Kind::receive ? -1 : call.peer;
  const int from = call.kind == Kind::receive ? call.peer : call.kind == Kind::send ? -1 : call.source;
  const std::uint64_t sent = call.in.bytes.size, room = call.out.bytes.size;
  Operation matching = operation;
  std::optional<base::MessageText> difference;
  if (operation.options.check) {
    const std::uint64_t arriving = swap(operation, to, from, kSizeTag, sent, deadline);
    const std::uint64_t their_room = swap(operation, from, to, kRoomTag, room, deadline);
    const auto compare = [&](int sender, std::uint64_t bytes, std::uint64_t space, detail::Range& operand) {
      if (sender < 0 || bytes == space) return;
      operand = {};
      difference = message::kWrongLength(name_of(call.kind), std::to_string(sender), std::to_string(bytes),
                                         std::to_string(space));
    };
    if (to >= 0) compare(rank_, sent, their_room, matching.call.in);
    compare(from, arriving, room, matching.call.out);
  }
  move(matching, deadline);
  if (!difference) return;
  is_broken_ = false;
  fail_on_all(*difference);
}

void Mpi::move(const Operation& operation, const Deadline& deadline) {
  const Call& call = operation.call;
  const bool is_pair = !is_collective(call.kind);
  const std::uint64_t in = is_pair ? call.in.count : operation.count;
  const std::uint64_t out = is_pair ? call.out.count : operation.count;
  const std::uint64_t chunk = chunk_elements(operation, size_), rows = std::max(in, out);
  const auto chunk_at = [&](std::uint64_t first) {
    const auto length = [&](std::uint64_t count) {
      return first < count ? std::min(chunk, count - first) : 0;
    };
    return Chunk{first, length(in), length(out)};
  };
  if (rows != 0) download_chunk(operation, chunk_at(0), memory_->slots[0]);
  for (std::uint64_t first = 0, n = 0; first < rows; first += chunk, ++n) {
    if (first + chunk < rows) download_chunk(operation, chunk_at(first + chunk), memory_->slots[(n + 1) % 2]);
    exchange_chunk(operation, chunk_at(first), memory_->slots[n % 2], deadline);
    upload_chunk(operation, chunk_at(first), memory_->slots[n % 2]);
  }
  up_.synchronize();
}

// The elements of the pieces of an operand in sequence, if the host can access them in place.
std::byte* in_place(const Operation& operation, const detail::Range& range, int pieces, std::uint64_t first,
                    std::uint64_t length) {
  if (pieces > 1 && length != operation.count) return nullptr;
  std::byte* const seen = bytes_of(range.bytes).host().data();
  return seen != nullptr ? seen + first * operation.call.element_bytes : nullptr;
}

void Mpi::download_chunk(const Operation& operation, const Chunk& chunk, Slot& slot) {
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

void Mpi::exchange_chunk(const Operation& operation, const Chunk& chunk, Slot& slot,
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
  if (call.kind == Kind::broadcast && call.peer == rank_) e.out = const_cast<std::byte*>(slot.in);
  std::uint64_t received = 0;
  exchange(name_of(call.kind), e, deadline, &received);
  const bool receives = e.kind == Kind::receive || e.kind == Kind::send_receive;
  const std::uint64_t expected = chunk.out_length * call.element_bytes;
  if (receives && received != expected)
    fail(ErrorKind::io, message::kWrongLength(name_of(call.kind),
                                              std::to_string(e.kind == Kind::receive ? e.peer : e.source),
                                              std::to_string(received), std::to_string(expected)));
}

void Mpi::upload_chunk(const Operation& operation, const Chunk& chunk, Slot& slot) {
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

Communicator mpi(const Device& device, const MpiOptions& options) {
  if (!device) fail(ErrorKind::invalid_use, message::kClosedDevice("mpi", "this process"));
  return detail::Access::communicator(
      std::make_shared<detail::Member>(device, std::make_unique<Mpi>(device, options)), options);
}

}  // namespace quern::comm
