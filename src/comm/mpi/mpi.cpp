// Ranks that are processes. They compare their calls, and a transport carries out the operation.
#include "quern/comm/mpi.hpp"

#include <array>
#include <utility>

#include "comm/failure.hpp"
#include "comm/member.hpp"
#include "comm/mpi/transports.hpp"
#include "comm/provider.hpp"

namespace quern::comm {

namespace {

using detail::Call;
using detail::Kind;

constexpr int kSizeTag = 1, kRoomTag = 2;

class Mpi final : public Provider {
 public:
  Mpi(const Device& device, const MpiOptions& options)
      : link_(options), transports_(link_, device, options) {}

  int rank() const override { return link_.rank(); }
  int size() const override { return link_.size(); }
  std::string name() const override { return std::string("MPI (") + link_.name() + ")"; }
  void run(const Operation& operation, const Deadline& deadline) override;
  void give_up(const Operation& operation, const Error& error) noexcept override;
  std::vector<TransportInfo> transports() const override { return transports_.infos(); }
  std::vector<TransportChoice> transport_choices() const override { return transports_.choices(); }
  std::optional<Transport> used_transport() const override { return used_; }

 private:
  void agree(const Operation& operation, bool has_failed, const Deadline& deadline);
  void run_collective(const Operation& operation, const Deadline& deadline);
  void run_pairs(const Operation& operation, const Deadline& deadline);
  void move_pairs(const Operation& operation, const Deadline& deadline);

  Link link_;
  Transports transports_;
  std::optional<Transport> used_;
};

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
  std::array<std::uint64_t, 2 * words.size()> all{};
  for (std::size_t i = 0; i < words.size(); ++i) {
    all[i] = words[i];
    all[words.size() + i] = ~words[i];
  }
  link_.maximum(name_of(call.kind), all.data(), all.size(), deadline);
  if (all[0] != 0) {  // on all ranks
    link_.is_broken = false;
    link_.has_ended = true;
    fail(ErrorKind::io, message::kSomeRankFailed(name_of(call.kind)));
  }
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (all[i] != ~all[words.size() + i])
      fail_on_all(message::kDifferentWords(name_of(call.kind), kNames[i]));
  }
}

void Mpi::give_up(const Operation& operation, const Error& error) noexcept {
  (void)error;
  const bool is_inside = std::exchange(link_.is_broken, !link_.has_ended);  // in the middle of an operation
  if (link_.has_ended || is_inside || !operation.options.check || !is_collective(operation.kind())) return;
  try {
    agree(operation, true, Deadline(operation.options.timeout));
  } catch (...) {  // the others have the error, or their time limit
  }
}

void Mpi::run(const Operation& operation, const Deadline& deadline) {
  link_.is_broken = true;  // until it is complete
  used_ = {};
  try {
    if (is_collective(operation.kind())) {
      run_collective(operation, deadline);
    } else {
      run_pairs(operation, deadline);
    }
  } catch (const AgreedError&) {
    link_.is_broken = false;
    throw;
  }
  link_.is_broken = false;
}

void Mpi::run_collective(const Operation& operation, const Deadline& deadline) {
  if (operation.options.check) agree(operation, false, deadline);
  if (operation.kind() == Kind::barrier) {
    if (!operation.options.check) link_.exchange(name_of(Kind::barrier), {.kind = Kind::barrier}, deadline);
    return;
  }
  TransportBackend& backend = transports_.choose(operation, operation.piece_bytes());
  used_ = backend.transport();
  backend.run(operation, deadline);
}

// Each pair compares its sizes first. A pair with different sizes moves nothing.
void Mpi::run_pairs(const Operation& operation, const Deadline& deadline) {
  const Call& call = operation.call;
  const char* const name = name_of(call.kind);
  const int to = call.kind == Kind::receive ? -1 : call.peer;
  const int from = call.kind == Kind::receive ? call.peer : call.kind == Kind::send ? -1 : call.source;
  const std::uint64_t sent = call.in.bytes.size, room = call.out.bytes.size;
  Operation matching = operation;
  std::optional<base::MessageText> difference;
  if (operation.options.check) {
    std::uint64_t arriving = 0, their_room = 0;
    link_.swap(name, to, from, kSizeTag, &sent, &arriving, sizeof sent, deadline);
    link_.swap(name, from, to, kRoomTag, &room, &their_room, sizeof room, deadline);
    const auto compare = [&](int sender, std::uint64_t bytes, std::uint64_t space, detail::Range& operand) {
      if (sender < 0 || bytes == space) return;
      operand = {};
      difference =
          message::kWrongLength(name, std::to_string(sender), std::to_string(bytes), std::to_string(space));
    };
    if (to >= 0) compare(link_.rank(), sent, their_room, matching.call.in);
    compare(from, arriving, room, matching.call.out);
  }
  move_pairs(matching, deadline);
  if (difference) fail_on_all(*difference);
}

// A message uses the transport of its size, which both ranks know. Messages of different transports follow in
// the order of the transports, which is the same on all ranks, so that no rank waits for a later one.
void Mpi::move_pairs(const Operation& operation, const Deadline& deadline) {
  const Call& call = operation.call;
  const bool sends = call.kind != Kind::receive && call.in.bytes.size != 0;
  const bool receives = call.kind != Kind::send && call.out.bytes.size != 0;
  for (const auto& backend : transports_.all()) {
    const bool sends_now = sends && &transports_.choose(operation, call.in.bytes.size) == backend.get();
    const bool receives_now =
        receives && &transports_.choose(operation, call.out.bytes.size) == backend.get();
    if (!sends_now && !receives_now) continue;
    Operation part = operation;
    if (!sends_now) part.call.in = {};
    if (!receives_now) part.call.out = {};
    if (call.kind == Kind::send_receive && !(sends_now && receives_now)) {
      part.call.kind = sends_now ? Kind::send : Kind::receive;
      if (receives_now) part.call.peer = call.source;
    }
    backend->run(part, deadline);
    used_ = backend->transport();
  }
}

}  // namespace

Communicator mpi(const Device& device, const MpiOptions& options) {
  if (!device) fail(ErrorKind::invalid_use, message::kClosedDevice("mpi", "this process"));
  return detail::Access::communicator(
      std::make_shared<detail::Member>(device, std::make_unique<Mpi>(device, options)), options);
}

}  // namespace quern::comm
