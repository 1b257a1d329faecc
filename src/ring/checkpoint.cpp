// An actor in a file: its state and the messages that it has not handled.
//   8 bytes "QRNRING1", then as 64-bit words: state bytes, message bytes, messages; state; messages; a
//   checksum of all before it.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "ring/failure.hpp"
#include "ring/group.hpp"
#include "ring/words.hpp"

#if defined(__unix__)
#include <unistd.h>
#endif

namespace quern::ring {
namespace {

constexpr char kMagic[] = "QRNRING1";
constexpr std::size_t kMagicBytes = 8, kHeaderBytes = kMagicBytes + 3 * 8;

std::uint64_t checksum(std::span<const char> bytes) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char c : bytes) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return sum;
}

void add_word(std::vector<char>& to, std::uint64_t word) {
  const char* const from = reinterpret_cast<const char*>(&word);
  to.insert(to.end(), from, from + sizeof(word));
}

std::uint64_t word_at(const std::vector<char>& from, std::size_t at) {
  std::uint64_t word = 0;
  std::memcpy(&word, from.data() + at, sizeof(word));
  return word;
}

// Whole or not at all: a file beside it takes its place when it is on the disk.
void write_whole(const std::string& path, const std::vector<char>& bytes) {
  const std::string beside = path + ".new";
  std::FILE* const file = std::fopen(beside.c_str(), "wb");
  bool is_ok = file != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() &&
               std::fflush(file) == 0;
#if defined(__unix__)
  is_ok = is_ok && ::fsync(::fileno(file)) == 0;
#endif
  if (file != nullptr) is_ok = std::fclose(file) == 0 && is_ok;
  if (is_ok && std::rename(beside.c_str(), path.c_str()) == 0) return;
  (void)std::remove(beside.c_str());
  fail(ErrorKind::io, "the checkpoint '" + path + "' cannot be written");
}

// Messages of other actors that wait in the device's own memory.
void add_peer_messages(Group& group, const ActorState& actor, std::vector<char>& messages) {
  const Layout& l = group.layout();
  const std::uint32_t slots = group.plan().peer_slots;
  std::vector<std::uint64_t> own(8), ring(std::size_t{slots} * l.slot_words);
  group.engine().read_own(std::uint64_t{actor.index} * kOwnWords, own);
  group.engine().read_own(l.peers_at + std::uint64_t{actor.index} * ring.size(), ring);
  Inbox peers;
  peers.start(ring.data(), nullptr, slots, l, actor.sizes.message);
  const auto tail = static_cast<std::uint32_t>(own[kOwnPeerTail]);
  for (auto at = static_cast<std::uint32_t>(own[kOwnPeerHead]); at != tail; ++at) {
    std::vector<std::byte> message(actor.sizes.message);
    peers.read(at, message.data());
    const char* const from = reinterpret_cast<const char*>(message.data());
    messages.insert(messages.end(), from, from + message.size());
  }
}

std::vector<char> unhandled(Group& group, ActorState& actor) {
  std::vector<char> out;
  const auto add = [&](const std::vector<std::byte>& message) {
    const char* const from = reinterpret_cast<const char*>(message.data());
    out.insert(out.end(), from, from + message.size());
  };
  // From the device's own head: where messages may expire, the host's comes later.
  const auto add_ring = [&](const Inbox& inbox, std::uint32_t head) {
    const std::uint64_t tail = inbox.tail();
    for (std::uint64_t at = look(group.status(actor) + head); at < tail; ++at) {
      Patience patience;
      while (!inbox.is_written(at)) patience.wait();
      std::vector<std::byte> message(actor.sizes.message);
      inbox.read(at, message.data());
      add(message);
    }
  };
  if (group.plan().urgent_slots != 0) add_ring(actor.urgent, kUrgentHeadOut);
  add_ring(actor.inbox, kHead);
  {
    const std::lock_guard<std::mutex> lock(actor.mutex);
    for (const Waiting& w : actor.overflow) add(w.message);
  }
  add_peer_messages(group, actor, out);
  return out;
}

std::vector<char> read_checked(const std::string& path, const Sizes& sizes) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(ErrorKind::not_found, "the checkpoint '" + path + "' cannot be read");
  std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const bool is_ours =
      bytes.size() >= kHeaderBytes + 8 && std::memcmp(bytes.data(), kMagic, kMagicBytes) == 0;
  if (!is_ours || word_at(bytes, bytes.size() - 8) != checksum(std::span(bytes).first(bytes.size() - 8)))
    fail(ErrorKind::bad_input, "'" + path + "' is no checkpoint of an actor, or not a whole one");
  const std::uint64_t state = word_at(bytes, 8), message = word_at(bytes, 16), count = word_at(bytes, 24);
  if (state != sizes.state || message != sizes.message)
    fail(ErrorKind::invalid_use, "the checkpoint '" + path + "' is of an actor with a State of " +
                                     std::to_string(state) + " and a Message of " + std::to_string(message) +
                                     " bytes; this one has " + std::to_string(sizes.state) + " and " +
                                     std::to_string(sizes.message));
  if (bytes.size() != kHeaderBytes + state + message * count + 8)
    fail(ErrorKind::bad_input, "'" + path + "' is no whole checkpoint of an actor");
  return bytes;
}

std::uint64_t state_at(const Group& group, const ActorState& actor) {
  return group.layout().states_at + std::uint64_t{actor.index} * group.layout().state_words;
}

}  // namespace

void Actor::checkpoint(const std::string& path) const {
  if (state_ == nullptr) fail(ErrorKind::invalid_use, "the program uses an actor that is empty");
  ActorState& actor = *state_;
  Group& group = *actor.group;
  std::vector<std::uint64_t> words((actor.sizes.state + 7) / 8);
  std::vector<char> messages;
  group.at_rest(actor, [&] {
    group.engine().read_own(state_at(group, actor), words);
    messages = unhandled(group, actor);
  });
  std::vector<char> bytes(kMagic, kMagic + kMagicBytes);
  add_word(bytes, actor.sizes.state);
  add_word(bytes, actor.sizes.message);
  add_word(bytes, messages.size() / actor.sizes.message);
  const char* const state = reinterpret_cast<const char*>(words.data());
  bytes.insert(bytes.end(), state, state + actor.sizes.state);
  bytes.insert(bytes.end(), messages.begin(), messages.end());
  add_word(bytes, checksum(bytes));
  write_whole(path, bytes);
}

void Actor::restore(const std::string& path) const {
  if (state_ == nullptr) fail(ErrorKind::invalid_use, "the program uses an actor that is empty");
  ActorState& actor = *state_;
  Group& group = *actor.group;
  const std::vector<char> bytes = read_checked(path, actor.sizes);
  std::vector<std::uint64_t> words((actor.sizes.state + 7) / 8);
  std::memcpy(words.data(), bytes.data() + kHeaderBytes, actor.sizes.state);
  group.at_rest(actor, [&] {
    if (!group.is_empty(actor))
      fail(ErrorKind::invalid_use, "an actor is to be restored while messages wait for it");
    group.engine().write_own(state_at(group, actor), words);
    const std::uint64_t started = 1;
    group.engine().write_own(std::uint64_t{actor.index} * kOwnWords + kOwnStarted,
                             std::span<const std::uint64_t>(&started, 1));
  });
  const std::size_t first = kHeaderBytes + actor.sizes.state;
  const std::span<const char> messages(bytes.data() + first, bytes.size() - 8 - first);
  if (!messages.empty()) send(std::as_bytes(messages));
}

}  // namespace quern::ring
