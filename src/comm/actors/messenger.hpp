// Streams of messages between all ranks, in rounds of collective operations on a thread of its own.
//
// Between each pair of ranks there is a stream of bytes in each direction: messages with their lengths. In a
// round, all ranks exchange how much they are about to send and how much they have consumed, and then parts
// of the streams. The sender keeps bytes until the receiver has consumed them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "quern/buffer.hpp"
#include "quern/comm/actors.hpp"
#include "quern/error.hpp"

namespace quern::comm::actors {

using Bytes = std::span<const std::byte>;

// Bytes that are appended at the end and dropped at the beginning.
class ByteQueue {
 public:
  void append(Bytes bytes) { data_.insert(data_.end(), bytes.begin(), bytes.end()); }
  void drop(std::size_t count) {
    head_ += count;
    if (head_ * 2 < data_.size() && head_ < kMostWaste) return;
    data_.erase(data_.begin(), data_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }
  Bytes bytes() const { return Bytes(data_).subspan(head_); }
  std::size_t size() const { return data_.size() - head_; }

 private:
  static constexpr std::size_t kMostWaste = std::size_t{4} << 20;
  std::vector<std::byte> data_;
  std::size_t head_ = 0;
};

// Memory that collectives and the host access.
class Frame {
 public:
  void reserve(const Device& device, std::size_t bytes);
  std::byte* data() { return shared_ != nullptr ? shared_ : plain_.data(); }
  Slice<std::byte> slice(std::size_t bytes) { return buffer_.slice(0, bytes); }
  void push(std::size_t bytes) {  // after data() was written
    if (shared_ == nullptr) slice(bytes).upload(Bytes(plain_).first(bytes));
  }
  void pull(std::size_t bytes) {  // before data() is read
    if (shared_ == nullptr) slice(bytes).download(std::span(plain_).first(bytes));
  }

 private:
  Buffer<std::byte> buffer_;
  std::vector<std::byte> plain_;
  std::byte* shared_ = nullptr;
  std::size_t size_ = 0;
};

// What to do with messages. Called without a lock.
class Handler {
 public:
  Handler() = default;
  virtual ~Handler() = default;
  Handler(const Handler&) = delete;
  Handler& operator=(const Handler&) = delete;
  virtual void receive(int from, Bytes message) = 0;  // on the thread of deliveries; may block
  virtual void lose(int to, Bytes message) = 0;       // on the thread of exchanges
  virtual void fail_all(const Error& error) = 0;      // after all lost messages
};

// Threads: exchange() takes part in the rounds and never waits for a handler; deliver() calls the handler.
// Lock: `mutex_`, never held during a collective operation or a call of the handler.
class Messenger {
 public:
  Messenger(const Communicator& ranks, const NodeOptions& options, Handler& handler);
  ~Messenger();
  Messenger(const Messenger&) = delete;
  Messenger& operator=(const Messenger&) = delete;

  int size() const { return size_; }
  // Appends a message. `waits`: while the window is full; a thread that handles messages must not wait.
  void send(int to, Bytes head, Bytes body, bool waits);
  void flush();  // throws the error
  void close();  // never throws

 private:
  struct Outgoing {
    ByteQueue bytes;       // not consumed by the receiver
    std::size_t sent = 0;  // of these
  };
  struct Incoming {
    ByteQueue bytes;
    std::uint64_t consumed = 0;  // since the beginning
  };

  void exchange();
  void deliver();
  bool do_round();  // false: all ranks have finished
  void confirm(const std::uint64_t* words);
  void move_frames(const std::uint64_t* words, std::size_t frame);
  void pause();
  std::size_t ready_for(const Outgoing& out) const;
  bool is_all_confirmed() const;
  bool take_messages(std::unique_lock<std::mutex>& lock);
  void give_up(const Error& error);

  const Communicator ranks_;
  const NodeOptions options_;
  Handler& handler_;
  const Device device_;
  const int size_, rank_;
  Frame words_in_, words_out_, frames_in_, frames_out_;  // of the thread of exchanges
  std::vector<std::uint64_t> ready_, seen_;              // the same: to be sent now; consumed by receivers
  int idle_rounds_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable changed_, arrived_, wake_;
  std::vector<Outgoing> outgoing_;
  std::vector<Incoming> incoming_;
  std::optional<Error> error_;
  bool is_closing_ = false, has_ended_ = false, is_active_ = false;
  std::thread exchanger_, deliverer_;
};

}  // namespace quern::comm::actors
