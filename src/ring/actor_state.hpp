// The data of one actor that all parts of its group share, and the messages that wait for it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "quern/ring/actor.hpp"
#include "ring/inbox.hpp"

namespace quern::ring {

class Group;

using Clock = std::chrono::steady_clock;

// A message in the queue of a ring.
struct Waiting {
  std::vector<std::byte> message;
  std::uint32_t ticket = 0;
  Header header = {};
  bool is_urgent = false;
};

// The metadata of a message.
struct Sending {
  std::uint32_t ticket = 0;  // 0: no reply
  bool is_urgent = false;
  Header header = {};
};

namespace detail {

struct ActorState {
  Group* group = nullptr;
  std::uint32_t index = 0;
  Sizes sizes;
  Inbox inbox, urgent;
  // For both rings, if messages may expire: positions before it are handled, or reported as dead letters.
  std::uint64_t swept[2] = {0, 0};
  std::mutex sweep_mutex;
  std::atomic<Phase> phase{Phase::created};
  std::atomic<bool> is_open{false};  // accepts messages
  std::atomic<bool> is_over{false};  // no more replies will arrive

  std::mutex mutex;  // guards the following members
  std::deque<Waiting> overflow;
  std::vector<std::function<void(std::span<const std::byte>, std::uint64_t)>> subscribers;
  std::string error;
  std::atomic<bool> has_overflow{false};
  std::atomic<std::uint64_t> dropped{0};

  std::mutex order_mutex;                // one command at a time
  std::atomic<std::uint32_t> enders{0};  // threads that will not wait for the current command
  std::uint64_t epoch = 0;
  std::uint64_t event_head = 0;    // used by the service thread
  bool has_peers_waiting = false;  // likewise: messages of peers when the kernel had left

  static Actor make(std::shared_ptr<ActorState> state) { return Actor(std::move(state)); }
  bool has_ended() const {
    const Phase now = phase;
    return now == Phase::terminated || now == Phase::failed;
  }
};

}  // namespace detail

using detail::ActorState;

}  // namespace quern::ring
