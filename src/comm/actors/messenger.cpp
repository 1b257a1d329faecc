#include "comm/actors/messenger.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>

#include "comm/failure.hpp"

namespace quern::comm::actors {

namespace {

using Length = std::uint32_t;  // before each message

std::size_t length_at(Bytes bytes) {
  Length length = 0;
  if (bytes.size() < sizeof length) return 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  return sizeof length + length;
}

// Calls work(message) for all complete messages. Returns their size.
template <typename Work>
std::size_t for_each_message(Bytes bytes, const Work& work) {
  std::size_t at = 0;
  for (;;) {
    const std::size_t length = length_at(bytes.subspan(at));
    if (length == 0 || length > bytes.size() - at) return at;
    work(bytes.subspan(at + sizeof(Length), length - sizeof(Length)));
    at += length;
  }
}

constexpr std::chrono::microseconds kShortestPause{20}, kLongestPause{1000};

}  // namespace

void Frame::reserve(const Device& device, std::size_t bytes) {
  if (bytes <= size_) return;
  buffer_ = device.allocate<std::byte>(bytes, MemoryKind::pinned, "messages of comm");
  shared_ = buffer_.host().data();
  plain_.resize(shared_ == nullptr ? bytes : 0);
  size_ = bytes;
}

Messenger::Messenger(const Communicator& ranks, const NodeOptions& options, Handler& handler)
    : ranks_(ranks.with_timeout(options.timeout)),
      options_(options),
      handler_(handler),
      device_(ranks.device()),
      size_(ranks.size()),
      rank_(ranks.rank()),
      ready_(static_cast<std::size_t>(size_)),
      seen_(static_cast<std::size_t>(size_)),
      outgoing_(static_cast<std::size_t>(size_)),
      incoming_(static_cast<std::size_t>(size_)) {
  exchanger_ = std::thread([this] { exchange(); });
  deliverer_ = std::thread([this] { deliver(); });
}

Messenger::~Messenger() { close(); }

void Messenger::send(int to, Bytes head, Bytes body, bool waits) {
  const std::size_t size = sizeof(Length) + head.size() + body.size();
  if (size > options_.window_bytes)
    fail(ErrorKind::invalid_use,
         message::kMessageTooLong(std::to_string(size), std::to_string(options_.window_bytes)));
  const auto length = static_cast<Length>(head.size() + body.size());
  std::unique_lock lock(mutex_);
  Outgoing& out = outgoing_[static_cast<std::size_t>(to)];
  if (waits)
    changed_.wait(lock, [&] { return error_ || has_ended_ || out.bytes.size() < options_.window_bytes; });
  if (error_) throw Error(*error_);
  if (has_ended_) fail(ErrorKind::invalid_use, message::kNodeClosed());
  out.bytes.append(std::as_bytes(std::span(&length, 1)));
  out.bytes.append(head);
  out.bytes.append(body);
  if (!is_active_) wake_.notify_one();
  is_active_ = true;
}

bool Messenger::is_all_confirmed() const {
  return std::all_of(outgoing_.begin(), outgoing_.end(),
                     [](const Outgoing& o) { return o.bytes.size() == 0; });
}

void Messenger::flush() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return error_ || has_ended_ || is_all_confirmed(); });
  if (error_) throw Error(*error_);
}

void Messenger::close() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = is_active_ = true;
    wake_.notify_one();
  }
  if (exchanger_.joinable()) exchanger_.join();
  if (deliverer_.joinable()) deliverer_.join();
}

void Messenger::exchange() {
  try {
    while (do_round()) {
    }
  } catch (const Error& error) {
    give_up(error);
  } catch (const std::exception& error) {
    give_up(make_error(ErrorKind::internal, message::kUnexpected("ActorNode", error.what())));
  }
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  changed_.notify_all();
  arrived_.notify_all();
}

void Messenger::give_up(const Error& error) {
  std::vector<Outgoing> lost;
  {
    const std::lock_guard lock(mutex_);
    error_ = error;
    lost.swap(outgoing_);
    outgoing_.resize(lost.size());
    changed_.notify_all();
    arrived_.notify_all();
  }
  for (std::size_t to = 0; to < lost.size(); ++to) {
    for_each_message(lost[to].bytes.bytes(),
                     [&](Bytes message) { handler_.lose(static_cast<int>(to), message); });
  }
  handler_.fail_all(error);
}

// The receiver has room for the window.
std::size_t Messenger::ready_for(const Outgoing& out) const {
  return std::min({out.bytes.size() - out.sent, options_.frame_bytes,
                   options_.window_bytes - std::min(options_.window_bytes, out.sent)});
}

// Words of a rank: bytes for each rank now; bytes consumed of each rank; whether it has finished.
bool Messenger::do_round() {
  const auto size = static_cast<std::size_t>(size_), count = 2 * size + 1;
  const std::size_t bytes = count * sizeof(std::uint64_t);
  words_in_.reserve(device_, bytes);
  words_out_.reserve(device_, bytes * size);
  {
    const std::lock_guard lock(mutex_);
    is_active_ = false;
    auto* const words = reinterpret_cast<std::uint64_t*>(words_in_.data());
    for (std::size_t i = 0; i < size; ++i) {
      words[i] = ready_[i] = ready_for(outgoing_[i]);
      words[size + i] = incoming_[i].consumed;
    }
    words[2 * size] = is_closing_ && is_all_confirmed() ? 1 : 0;
  }
  words_in_.push(bytes);
  ranks_.all_gather(device_, words_in_.slice(bytes), words_out_.slice(bytes * size));
  words_out_.pull(bytes * size);
  const auto* const all = reinterpret_cast<const std::uint64_t*>(words_out_.data());
  confirm(all);
  std::uint64_t frame = 0;
  bool is_finished = true;
  for (std::size_t rank = 0; rank < size; ++rank) {
    frame = std::max(frame, *std::max_element(all + rank * count, all + rank * count + size));
    is_finished = is_finished && all[rank * count + 2 * size] != 0;
  }
  if (frame == 0 && is_finished) return false;
  if (frame != 0) {
    move_frames(all, frame);
    idle_rounds_ = 0;
  } else {
    pause();
  }
  return true;
}

void Messenger::confirm(const std::uint64_t* words) {
  const auto size = static_cast<std::size_t>(size_), count = 2 * size + 1;
  const std::lock_guard lock(mutex_);
  bool is_any = false;
  for (std::size_t to = 0; to < size; ++to) {
    const std::uint64_t consumed = words[to * count + size + static_cast<std::size_t>(rank_)];
    const auto fresh = static_cast<std::size_t>(consumed - seen_[to]);
    if (fresh == 0) continue;
    seen_[to] = consumed;
    outgoing_[to].bytes.drop(fresh);
    outgoing_[to].sent -= fresh;
    is_any = true;
  }
  if (!is_any) return;
  idle_rounds_ = 0;
  changed_.notify_all();
}

void Messenger::move_frames(const std::uint64_t* words, std::size_t frame) {
  const auto size = static_cast<std::size_t>(size_), count = 2 * size + 1;
  frames_in_.reserve(device_, frame * size);
  frames_out_.reserve(device_, frame * size);
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t to = 0; to < size; ++to) {
      Outgoing& out = outgoing_[to];
      if (ready_[to] == 0) continue;
      std::memcpy(frames_in_.data() + to * frame, out.bytes.bytes().data() + out.sent, ready_[to]);
      out.sent += ready_[to];
    }
  }
  frames_in_.push(frame * size);
  ranks_.all_to_all(device_, frames_in_.slice(frame * size), frames_out_.slice(frame * size));
  frames_out_.pull(frame * size);
  const std::lock_guard lock(mutex_);
  for (std::size_t from = 0; from < size; ++from) {
    const std::uint64_t length = words[from * count + static_cast<std::size_t>(rank_)];
    incoming_[from].bytes.append(Bytes(frames_out_.data() + from * frame, length));
  }
  arrived_.notify_one();
}

// There was nothing to do: other ranks sleep as long, so a message waits for one pause at most.
void Messenger::pause() {
  const auto longer = kShortestPause * (1 << std::min(idle_rounds_++, 6));
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, std::min<std::chrono::microseconds>(longer, kLongestPause),
                 [this] { return is_active_; });
}

void Messenger::deliver() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (error_ || has_ended_) return;
    if (!take_messages(lock)) arrived_.wait(lock);
  }
}

// Hands over all complete messages of each rank. Returns whether there were any.
bool Messenger::take_messages(std::unique_lock<std::mutex>& lock) {
  bool is_any = false;
  for (std::size_t from = 0; from < incoming_.size(); ++from) {
    const std::size_t size = for_each_message(incoming_[from].bytes.bytes(), [](Bytes) {});
    if (size == 0) continue;
    const Bytes all = incoming_[from].bytes.bytes().first(size);
    const std::vector<std::byte> messages(all.begin(), all.end());
    incoming_[from].bytes.drop(size);
    lock.unlock();
    for_each_message(messages, [&](Bytes message) { handler_.receive(static_cast<int>(from), message); });
    lock.lock();
    incoming_[from].consumed += size;
    if (!is_active_) wake_.notify_one();
    is_active_ = is_any = true;
  }
  return is_any;
}

}  // namespace quern::comm::actors
