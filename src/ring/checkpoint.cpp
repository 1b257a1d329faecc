// An actor in a file: its state, the messages that it has not handled, and the timers that its handler has
// set.
//   8 bytes "QRNRING2", then as 64-bit words: state bytes, message bytes, messages, timers; state; messages;
//   for each timer two words (its kind; nanoseconds or messages until it is due) and its message, in the
//   order in which they were set; a checksum of all before it. Files of version 1 have no timers, nor their
//   number.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "ring/failure.hpp"
#include "ring/group.hpp"
#include "ring/words.hpp"

#if defined(__unix__)
#include <unistd.h>
#endif

namespace quern::ring {
namespace {

constexpr char kMagic[] = "QRNRING2", kOldMagic[] = "QRNRING1";
constexpr std::size_t kMagicBytes = 8;

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
  const std::string why = std::strerror(errno);
  (void)std::remove(beside.c_str());
  fail(ErrorKind::io, "the checkpoint '" + path + "' cannot be written: " + why);
}

std::vector<char> read_whole(const std::string& path) {
  const auto refuse = [&] {
    fail(errno == ENOENT ? ErrorKind::not_found : ErrorKind::io,
         "the checkpoint '" + path + "' cannot be read: " + std::strerror(errno));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (file == nullptr) refuse();
  std::vector<char> bytes;
  char piece[1 << 14];
  for (std::size_t n = 0; (n = std::fread(piece, 1, sizeof piece, file.get())) != 0;)
    bytes.insert(bytes.end(), piece, piece + n);
  if (std::ferror(file.get()) != 0) refuse();
  return bytes;
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

// Words of a timer in the device's memory before its message, and their kinds.
constexpr std::size_t kTimerKind = 0, kTimerDue = 1, kTimerNumber = 2, kTimerMessage = 4;
constexpr std::uint64_t kByTime = 1, kByMessages = 2;

struct SavedTimer {
  std::uint64_t number = 0;  // in the order of setting
  std::uint64_t kind = 0, left = 0;
  std::vector<char> message;
};

std::uint64_t timers_at(const Group& group, const ActorState& actor) {
  return group.layout().timers_at +
         std::uint64_t{actor.index} * group.plan().timers * group.layout().timer_words;
}

std::vector<SavedTimer> timers_of(Group& group, const ActorState& actor) {
  const Layout& l = group.layout();
  std::vector<SavedTimer> all;
  std::vector<std::uint64_t> own(kOwnWords), words(std::size_t{group.plan().timers} * l.timer_words);
  if (words.empty()) return all;
  group.engine().read_own(std::uint64_t{actor.index} * kOwnWords, own);
  group.engine().read_own(timers_at(group, actor), words);
  const std::uint64_t time = group.time_now();
  for (std::uint32_t i = 0; i < group.plan().timers; ++i) {
    const std::uint64_t* const timer = &words[std::size_t{i} * l.timer_words];
    if (timer[kTimerKind] == 0) continue;
    const std::uint64_t now = timer[kTimerKind] == kByTime ? time : own[kOwnTick], due = timer[kTimerDue];
    const char* const message = reinterpret_cast<const char*>(timer + kTimerMessage) + l.header_bytes;
    all.push_back({timer[kTimerNumber], timer[kTimerKind], due > now ? due - now : 0,
                   std::vector<char>(message, message + actor.sizes.message)});
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return all;
}

// In place of those that it has.
void set_timers(Group& group, const ActorState& actor, const std::vector<SavedTimer>& timers) {
  const Layout& l = group.layout();
  std::vector<std::uint64_t> own(kOwnWords), words(std::size_t{group.plan().timers} * l.timer_words);
  if (words.empty()) return;
  const std::uint64_t own_at = std::uint64_t{actor.index} * kOwnWords;
  group.engine().read_own(own_at, own);
  const std::uint64_t time = group.time_now();
  own[kOwnNextTime] = own[kOwnNextTick] = 0;
  for (std::size_t i = 0; i < timers.size(); ++i) {
    std::uint64_t* const timer = &words[i * l.timer_words];
    const bool is_time = timers[i].kind == kByTime;
    timer[kTimerKind] = timers[i].kind;
    timer[kTimerDue] = (is_time ? time : own[kOwnTick]) + timers[i].left;
    timer[kTimerNumber] = ++own[kOwnTimerCount];
    std::memcpy(reinterpret_cast<char*>(timer + kTimerMessage) + l.header_bytes, timers[i].message.data(),
                timers[i].message.size());
    std::uint64_t& next = own[is_time ? kOwnNextTime : kOwnNextTick];
    if (next == 0 || timer[kTimerDue] < next) next = timer[kTimerDue];
  }
  group.engine().write_own(timers_at(group, actor), words);
  group.engine().write_own(own_at, own);
}

// The parts of a file.
struct Saved {
  std::vector<char> bytes;
  std::size_t state_at = 0, messages_at = 0, timers_at = 0;
  std::vector<SavedTimer> timers;
};

void read_timers(Saved& file, std::uint64_t count, std::uint64_t message) {
  std::size_t at = file.timers_at;
  for (std::uint64_t i = 0; i < count; ++i) {
    SavedTimer timer{i + 1, word_at(file.bytes, at), word_at(file.bytes, at + 8), {}};
    const auto first = file.bytes.begin() + static_cast<std::ptrdiff_t>(at + 16);
    timer.message.assign(first, first + static_cast<std::ptrdiff_t>(message));
    if (timer.kind != kByTime && timer.kind != kByMessages)
      fail(ErrorKind::bad_input, "a checkpoint of an actor has a timer of no known kind");
    at += 16 + message;
    file.timers.push_back(std::move(timer));
  }
}

Saved read_checked(const std::string& path, const Sizes& sizes) {
  Saved saved;
  std::vector<char>& bytes = saved.bytes;
  bytes = read_whole(path);
  const bool is_old = bytes.size() >= kMagicBytes && std::memcmp(bytes.data(), kOldMagic, kMagicBytes) == 0;
  saved.state_at = kMagicBytes + (is_old ? 3 : 4) * 8;
  const bool is_ours =
      bytes.size() >= saved.state_at + 8 && (is_old || std::memcmp(bytes.data(), kMagic, kMagicBytes) == 0);
  if (!is_ours || word_at(bytes, bytes.size() - 8) != checksum(std::span(bytes).first(bytes.size() - 8)))
    fail(ErrorKind::bad_input, "'" + path + "' is no checkpoint of an actor, or not a whole one");
  const std::uint64_t state = word_at(bytes, 8), message = word_at(bytes, 16), count = word_at(bytes, 24);
  const std::uint64_t timers = is_old ? 0 : word_at(bytes, 32);
  if (state != sizes.state || message != sizes.message)
    fail(ErrorKind::invalid_use, "the checkpoint '" + path + "' is of an actor with a State of " +
                                     std::to_string(state) + " and a Message of " + std::to_string(message) +
                                     " bytes; this one has " + std::to_string(sizes.state) + " and " +
                                     std::to_string(sizes.message));
  saved.messages_at = saved.state_at + state;
  saved.timers_at = saved.messages_at + message * count;
  if (bytes.size() != saved.timers_at + timers * (16 + message) + 8)
    fail(ErrorKind::bad_input, "'" + path + "' is no whole checkpoint of an actor");
  read_timers(saved, timers, message);
  return saved;
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
  std::vector<SavedTimer> timers;
  group.at_rest(actor, [&] {
    group.engine().read_own(state_at(group, actor), words);
    messages = unhandled(group, actor);
    timers = timers_of(group, actor);
  });
  std::vector<char> bytes(kMagic, kMagic + kMagicBytes);
  add_word(bytes, actor.sizes.state);
  add_word(bytes, actor.sizes.message);
  add_word(bytes, messages.size() / actor.sizes.message);
  add_word(bytes, timers.size());
  const char* const state = reinterpret_cast<const char*>(words.data());
  bytes.insert(bytes.end(), state, state + actor.sizes.state);
  bytes.insert(bytes.end(), messages.begin(), messages.end());
  for (const SavedTimer& timer : timers) {
    add_word(bytes, timer.kind);
    add_word(bytes, timer.left);
    bytes.insert(bytes.end(), timer.message.begin(), timer.message.end());
  }
  add_word(bytes, checksum(bytes));
  write_whole(path, bytes);
}

void Actor::restore(const std::string& path) const {
  if (state_ == nullptr) fail(ErrorKind::invalid_use, "the program uses an actor that is empty");
  ActorState& actor = *state_;
  Group& group = *actor.group;
  const Saved saved = read_checked(path, actor.sizes);
  if (saved.timers.size() > group.plan().timers)
    fail(ErrorKind::invalid_use,
         "the checkpoint '" + path + "' has " + std::to_string(saved.timers.size()) +
             " timers; this actor has room for " + std::to_string(group.plan().timers),
         "Options::timers says how many");
  std::vector<std::uint64_t> words((actor.sizes.state + 7) / 8);
  std::memcpy(words.data(), saved.bytes.data() + saved.state_at, actor.sizes.state);
  group.at_rest(actor, [&] {
    if (!group.is_empty(actor))
      fail(ErrorKind::invalid_use, "an actor is to be restored while messages wait for it");
    group.engine().write_own(state_at(group, actor), words);
    const std::uint64_t started = 1;
    group.engine().write_own(std::uint64_t{actor.index} * kOwnWords + kOwnStarted,
                             std::span<const std::uint64_t>(&started, 1));
    set_timers(group, actor, saved.timers);
    group.keep_changes();
  });
  const std::span<const char> messages(saved.bytes.data() + saved.messages_at,
                                       saved.timers_at - saved.messages_at);
  if (!messages.empty()) group.put_back(actor, std::as_bytes(messages));
}

}  // namespace quern::ring
