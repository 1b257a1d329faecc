// A transport in which each rank copies from the device memory of the others (CUDA IPC, HIP IPC). MPI
// exchanges handles and orders the copies: the host waits for its own copies before it reports them, so no
// events are shared.
//
// An operation is divided into rounds if an operand goes through the window, which has limited size.
#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <fstream>

#include <unistd.h>

#include "comm/failure.hpp"
#include "comm/mpi/ipc/combiner.hpp"
#include "comm/mpi/ipc/peer_memory.hpp"
#include "comm/mpi/transport.hpp"
#include "comm/staging.hpp"

namespace quern::comm {

namespace {

using detail::Call;
using detail::Kind;
using ipc::Place;
using Bytes = Slice<std::byte>;

constexpr int kPlaceTag = 3, kReadyTag = 4, kDoneTag = 5;

// Elements of each piece.
struct Round {
  std::uint64_t first = 0, length = 0;
};

class Ipc final : public TransportBackend {
 public:
  // `half`: bytes of the window for operands, and as many for results.
  Ipc(Link& link, const Device& device, std::uint64_t half)
      : link_(link),
        rank_(link.rank()),
        half_(half),
        stream_(device.create_stream()),
        memory_(device, rank_, link.size()) {}

  void set_up(const Deadline& deadline, std::string& reason);

  Transport transport() const override { return Transport::ipc; }
  bool supports(const Operation& operation) const override {
    return operation.call.element_bytes * static_cast<std::uint64_t>(link_.size()) <= half_;
  }
  void run(const Operation& operation, const Deadline& deadline) override;

 private:
  void run_collective(const Operation& operation, const Deadline& deadline);
  void run_round(const Operation& operation, const Round& round, const Deadline& deadline);
  void run_pair(const Operation& operation, const Deadline& deadline);
  void exchange_places(const Operation& operation, const Deadline& deadline);
  bool uses_window() const {
    return std::any_of(places_.begin(), places_.end(),
                       [](const Place& p) { return p.kind == Place::Kind::kWindow; });
  }
  std::uint64_t round_length(const Operation& operation) const;
  template <typename Work>
  void on_all(const Operation& operation, const Deadline& deadline, const Work& work);
  void stage(const Operation& operation, const Round& round);
  Bytes source(const Operation& operation, int rank, int piece, const Round& round);
  void copy(const Bytes& to, const Bytes& from) const;
  void fetch(const Operation& operation, const Round& round);
  void combine(const Operation& operation, const Round& share, const Round& round, const Bytes& to,
               int piece);
  void deliver(const Operation& operation, const Round& round);
  Round share_of(const Round& round, int rank, std::uint64_t element_bytes) const;
  Bytes out_part(const Operation& operation, int piece, const Round& round) const {
    return Bytes(operation.part(operation.call.out, piece, round.first, round.length));
  }

  Link& link_;
  const int rank_;
  const std::uint64_t half_;
  const Stream stream_;
  ipc::PeerMemory memory_;
  ipc::Combiner combiner_;
  std::vector<Place> places_;  // of the ranks' operands
};

bool is_source(const Operation& operation, int rank) {
  return operation.kind() != Kind::broadcast || operation.call.peer == rank;
}

// Pieces of the input of each rank that has one.
int source_pieces(const Operation& operation, int size) {
  return operation.kind() == Kind::all_to_all || operation.kind() == Kind::reduce_scatter ? size : 1;
}

bool shares_result(Kind kind) { return kind == Kind::all_reduce || kind == Kind::reduce; }

void Ipc::run(const Operation& operation, const Deadline& deadline) {
  if (!is_collective(operation.kind())) return run_pair(operation, deadline);
  if (operation.count != 0) run_collective(operation, deadline);
}

// Runs `work` on this rank and waits until all ranks have done so.
template <typename Work>
void Ipc::on_all(const Operation& operation, const Deadline& deadline, const Work& work) {
  std::exception_ptr error;
  try {
    work();
    stream_.synchronize();
  } catch (...) {
    error = std::current_exception();
  }
  check_all(link_, name_of(operation.kind()), error, deadline);
}

void Ipc::exchange_places(const Operation& operation, const Deadline& deadline) {
  Place own;
  if (is_source(operation, rank_)) own = memory_.place_of(operation.call.in.bytes);
  memory_.announce_released(own);
  places_ = link_.gather(name_of(operation.kind()), own, deadline);
  for (int i = 0; i < link_.size(); ++i) memory_.close_released(i, places_[static_cast<std::size_t>(i)]);
}

// Equal on all ranks: it depends on all places.
std::uint64_t Ipc::round_length(const Operation& operation) const {
  const std::uint64_t element = operation.call.element_bytes;
  const auto ranks = static_cast<std::uint64_t>(link_.size());
  if (uses_window())
    return half_ / element / static_cast<std::uint64_t>(source_pieces(operation, link_.size()));
  return shares_result(operation.kind()) ? half_ / element * ranks : operation.count;
}

void Ipc::run_collective(const Operation& operation, const Deadline& deadline) {
  exchange_places(operation, deadline);
  const std::uint64_t length = round_length(operation);
  for (std::uint64_t first = 0; first < operation.count; first += length)
    run_round(operation, {first, std::min(length, operation.count - first)}, deadline);
  memory_.free_announced();
}

void Ipc::run_round(const Operation& operation, const Round& round, const Deadline& deadline) {
  if (uses_window()) on_all(operation, deadline, [&] { stage(operation, round); });
  on_all(operation, deadline, [&] { fetch(operation, round); });
  if (shares_result(operation.kind())) on_all(operation, deadline, [&] { deliver(operation, round); });
}

void Ipc::copy(const Bytes& to, const Bytes& from) const {
  if (!to.empty()) stream_.copy(to, Slice<const std::byte>(from));
}

void Ipc::stage(const Operation& operation, const Round& round) {
  if (places_[static_cast<std::size_t>(rank_)].kind != Place::Kind::kWindow) return;
  const std::uint64_t bytes = round.length * operation.call.element_bytes;
  for (int i = 0; i < source_pieces(operation, link_.size()); ++i) {
    copy(memory_.window(rank_).slice(bytes * static_cast<std::uint64_t>(i), bytes),
         Bytes(operation.part(operation.call.in, i, round.first, round.length)));
  }
}

// Elements of a piece of a rank's operand, which this rank reads.
Bytes Ipc::source(const Operation& operation, int rank, int piece, const Round& round) {
  const std::uint64_t element = operation.call.element_bytes, bytes = round.length * element;
  const Place& place = places_[static_cast<std::size_t>(rank)];
  const auto number = static_cast<std::uint64_t>(piece);
  if (rank == rank_) return Bytes(operation.part(operation.call.in, piece, round.first, round.length));
  if (place.kind == Place::Kind::kWindow) return memory_.window(rank).slice(bytes * number, bytes);
  const std::uint64_t first = (operation.count * number + round.first) * element;
  return memory_.operand(rank, place).slice(first, bytes);
}

// The part of the round that a rank combines. Parts begin at multiples of 16 bytes for fast copies.
Round Ipc::share_of(const Round& round, int rank, std::uint64_t element_bytes) const {
  const auto ranks = static_cast<std::uint64_t>(link_.size()), at = static_cast<std::uint64_t>(rank);
  const std::uint64_t unit = std::max<std::uint64_t>(16 / element_bytes, 1);
  const std::uint64_t part = ((round.length + ranks - 1) / ranks + unit - 1) / unit * unit;
  const std::uint64_t first = std::min(part * at, round.length);
  return {first, std::min(part, round.length - first)};
}

// In the order of the ranks. `share`: the elements of the round to combine.
void Ipc::combine(const Operation& operation, const Round& share, const Round& round, const Bytes& to,
                  int piece) {
  const std::uint64_t element = operation.call.element_bytes;
  const auto part = [&](int rank) {
    return source(operation, rank, piece, round).slice(share.first * element, share.length * element);
  };
  if (share.length == 0) return;
  if (link_.size() == 1) return copy(to, part(0));
  combiner_.combine(stream_, operation.call, to, part(0), part(1));
  for (int i = 2; i < link_.size(); ++i) combiner_.combine(stream_, operation.call, to, to, part(i));
}

void Ipc::fetch(const Operation& operation, const Round& round) {
  const Call& call = operation.call;
  const std::uint64_t element = call.element_bytes;
  switch (call.kind) {
    case Kind::broadcast:
      if (call.peer != rank_) copy(out_part(operation, 0, round), source(operation, call.peer, 0, round));
      break;
    case Kind::all_gather:
    case Kind::all_to_all:
      for (int i = 0; i < link_.size(); ++i) {
        const int from = (rank_ + i) % link_.size();  // not all from the same rank at the same time
        const int piece = call.kind == Kind::all_to_all ? rank_ : 0;
        const Bytes to = out_part(operation, from, round), in = source(operation, from, piece, round);
        if (to.bytes().memory != in.bytes().memory || to.bytes().offset != in.bytes().offset) copy(to, in);
      }
      break;
    case Kind::reduce_scatter:
      combine(operation, {0, round.length}, round, out_part(operation, 0, round), rank_);
      break;
    case Kind::reduce:
    case Kind::all_reduce: {
      const Round share = share_of(round, rank_, element);
      combine(operation, share, round, memory_.window(rank_).slice(half_, share.length * element), 0);
      break;
    }
    case Kind::barrier:
    case Kind::send:
    case Kind::receive:
    case Kind::send_receive: break;
  }
}

// Copies the results of all ranks.
void Ipc::deliver(const Operation& operation, const Round& round) {
  if (operation.out_pieces == 0) return;
  const std::uint64_t element = operation.call.element_bytes;
  for (int i = 0; i < link_.size(); ++i) {
    const Round share = share_of(round, i, element);
    copy(out_part(operation, 0, {round.first + share.first, share.length}),
         memory_.window(i).slice(half_, share.length * element));
  }
}

// Each message has rounds of its own. In a round, a rank first fills its window, then reads, then reports.
void Ipc::run_pair(const Operation& operation, const Deadline& deadline) {
  const Call& call = operation.call;
  const char* const name = name_of(call.kind);
  const int to = call.kind == Kind::receive ? -1 : call.peer;
  const int from = call.kind == Kind::receive ? call.peer : call.kind == Kind::send ? -1 : call.source;
  const std::uint64_t window = 2 * half_;
  const auto rounds_of = [&](int rank, const Place& place, std::uint64_t bytes) {
    return rank < 0 ? 0 : place.kind == Place::Kind::kWindow ? (bytes + window - 1) / window : 1;
  };
  const Bytes in = bytes_of(call.in.bytes), out = bytes_of(call.out.bytes);
  Place own, theirs;
  if (to >= 0) own = memory_.place_of(call.in.bytes);
  link_.swap(name, to, from, kPlaceTag, &own, &theirs, sizeof own, deadline);
  const std::uint64_t sends = rounds_of(to, own, in.size()), receives = rounds_of(from, theirs, out.size());
  std::exception_ptr error;
  std::uint64_t failed = 0;  // a rank continues after an error, so that the others do not wait for it
  const auto attempt = [&](const auto& work) {
    if (failed != 0) return;
    try {
      work();
      stream_.synchronize();
    } catch (...) {
      error = std::current_exception();
      failed = 1;
    }
  };
  const auto report = [&](int receiver, int sender, int tag) {
    std::uint64_t other = 0;
    link_.swap(name, receiver, sender, tag, &failed, &other, sizeof other, deadline);
    if (sender >= 0 && other != 0) failed = 1;
  };
  for (std::uint64_t i = 0; i < std::max(sends, receives); ++i) {
    const bool fills = i < sends && own.kind == Place::Kind::kWindow;
    const bool waits = i < receives && theirs.kind == Place::Kind::kWindow;
    const std::uint64_t first = i * window;
    if (fills)
      attempt([&] {
        const std::uint64_t bytes = std::min(window, in.size() - first);
        copy(memory_.window(rank_).slice(0, bytes), in.slice(first, bytes));
      });
    report(fills ? to : -1, waits ? from : -1, kReadyTag);
    if (i < receives)
      attempt([&] {
        if (waits) {
          const std::uint64_t bytes = std::min(window, out.size() - first);
          copy(out.slice(first, bytes), memory_.window(from).slice(0, bytes));
        } else {
          copy(out, from == rank_ ? in : memory_.operand(from, theirs).slice(0, out.size()));
        }
      });
    report(i < receives ? from : -1, i < sends ? to : -1, kDoneTag);
  }
  if (error != nullptr) std::rethrow_exception(error);
  if (failed != 0) fail(ErrorKind::io, message::kSomeRankFailed(name));
}

// Which node a process is on: containers of one machine may have equal names.
struct Node {
  std::array<char, 128> text{};
  std::array<char, 16> driver{};
};

Node own_node(const Device& device) {
  Node node;
  std::ifstream("/proc/sys/kernel/random/boot_id").getline(node.text.data(), 64);
  const std::size_t length = std::strlen(node.text.data());
  ::gethostname(node.text.data() + length, node.text.size() - length - 1);
  const std::string driver = device.driver();
  std::copy_n(driver.data(), std::min(driver.size(), node.driver.size() - 1), node.driver.data());
  return node;
}

std::string why_not_here(Link& link, const Device& device, const Deadline& deadline) {
  const std::vector<Node> nodes = link.gather("mpi", own_node(device), deadline);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].driver != nodes[0].driver) return message::kTransportOtherDrivers(std::to_string(i)).text;
    if (nodes[i].text != nodes[0].text) return message::kIpcOtherNode(std::to_string(i)).text;
  }
  return {};
}

void Ipc::set_up(const Deadline& deadline, std::string& reason) {
  interop::SharedMemory::Description own;
  std::string why;
  try {
    own = memory_.create_window(2 * half_);
  } catch (const Error&) {
    why = current_reason();
  }
  const auto windows = link_.gather("mpi", own, deadline);
  reason = first_reason(link_, why, deadline);
  if (!reason.empty()) return;
  try {
    memory_.open_windows(windows);
  } catch (const Error&) {
    why = current_reason();
  }
  reason = first_reason(link_, why, deadline);
}

}  // namespace

Setup set_up_ipc(Link& link, const Device& device, const Options& options) {
  const Deadline deadline(options.timeout);
  const std::string driver = device.driver();
  const bool is_possible = driver == "cuda" || driver == "hip";
  std::string reason =
      first_reason(link, is_possible ? std::string() : message::kTransportDriver(driver).text, deadline);
  if (reason.empty()) reason = why_not_here(link, device, deadline);
  if (!reason.empty()) return {{}, reason};
  constexpr std::uint64_t kUnit = 256;
  const std::uint64_t half = (options.chunk_bytes * 4 + kUnit - 1) / kUnit * kUnit;
  auto backend = std::make_unique<Ipc>(link, device, half);
  backend->set_up(deadline, reason);
  if (!reason.empty()) return {{}, reason};
  return {std::move(backend), {}};
}

}  // namespace quern::comm
