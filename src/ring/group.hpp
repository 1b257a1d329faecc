// The actors of one kernel, and the thread that serves them: it runs batches of the driven engine, moves
// messages from the queues to the rings, delivers events to subscribers and replies to coroutines, and
// detects the end of the kernel.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "quern/error.hpp"
#include "quern/ring/actor.hpp"
#include "ring/engine.hpp"
#include "ring/inbox.hpp"
#include "ring/recovery_point.hpp"
#include "ring/replies.hpp"
#include "ring/words.hpp"

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

// Measures how long a number has not changed, as observed by a periodic check. A time in which this process
// was stopped does not count.
class Stillness {
 public:
  // `longest`: maximum time that counts for one check.
  std::chrono::nanoseconds look(std::uint64_t number, std::chrono::nanoseconds longest);
  void end() { is_on_ = false; }

 private:
  std::uint64_t number_ = 0;
  bool is_on_ = false;
  Clock::time_point last_;
  std::chrono::nanoseconds so_far_{0};
};

namespace detail {

struct HostTimer {
  Group* group = nullptr;
  ActorState* actor = nullptr;
  Clock::time_point due;
  std::chrono::nanoseconds period{0};  // 0: once
  std::vector<std::byte> message;
  std::atomic<bool> is_cancelled{false};
};

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
  std::uint64_t event_head = 0;    // used by the group's thread
  bool has_peers_waiting = false;  // likewise: messages of peers when the kernel had left

  Stillness stillness;  // for the watchdog

  static Actor make(std::shared_ptr<ActorState> state) { return Actor(std::move(state)); }
  bool has_ended() const {
    const Phase now = phase;
    return now == Phase::terminated || now == Phase::failed;
  }
};

}  // namespace detail

using detail::ActorState;

class Group {
 public:
  static std::shared_ptr<Group> create(const Device& device, std::string_view source, const Options& options,
                                       std::span<const Member> members);
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  std::size_t size() const { return actors_.size(); }
  ActorState& actor(std::size_t i) { return *actors_[i]; }
  const Options& options() const { return options_; }
  const Plan& plan() const { return plan_; }
  const Layout& layout() const { return layout_; }
  Replies& replies() { return replies_; }
  // Whether a GPU answers while its kernel runs.
  bool is_over_bus() const { return is_on_card_ && !is_driven_; }
  KernelEngine& engine() const { return *engine_.load(std::memory_order_acquire); }
  Engine kind() const { return is_driven_ ? Engine::driven : Engine::persistent; }

  // Sending (group_send.cpp).
  Sending prepare(const Delivery& delivery) const;
  bool try_put(ActorState& actor, std::span<const std::byte> messages, const Sending& how);
  void put_back(ActorState& actor, std::vector<Waiting> messages);  // of a checkpoint
  void put_in(ActorState& actor, std::span<const std::byte> messages, const Sending& how);
  std::uint32_t take_ticket(ActorState& actor);

  // Life cycle (group_life.cpp).
  void pause(ActorState& actor);
  void resume(ActorState& actor);
  void drain(ActorState& actor);
  bool stop(ActorState& actor, std::chrono::nanoseconds limit);
  void kill(ActorState& actor);
  // Calls `work` while the actor rests between two messages.
  void at_rest(ActorState& actor, const std::function<void()>& work);
  bool between_losses(const std::function<void()>& work) const;

  // Time (group_time.cpp).
  std::shared_ptr<detail::HostTimer> set_timer(ActorState& actor, std::chrono::nanoseconds delay,
                                               std::chrono::nanoseconds period,
                                               std::span<const std::byte> message);
  std::uint64_t time_now() const;  // ns since the start, as reported to the device
  // The host has written to the device's own memory: a recoverable group must know (group_survive.cpp).
  void keep_changes();
  // Options::buffers, while no actor works (group_buffers.cpp).
  void copy_buffers(bool to_host, std::vector<std::vector<std::byte>>& contents);
  void check_buffers(const std::vector<std::vector<std::byte>>& contents, const std::string& whose) const;
  // Replaces the handler for the same types (group_replace.cpp).
  void replace(std::string_view source);

  // For driver calls that wait for all kernels (group_idle.cpp). Both are thread-safe and do not block.
  void suspend_kernel();
  void resume_kernel();
  bool is_idle() const { return is_idle_; }

  bool is_empty(const ActorState& actor) const;  // its rings and their queue
  // Messages of other actors that wait for this one.
  std::vector<std::vector<std::byte>> peer_messages(const ActorState& actor) const;
  // Head of its ring: earlier messages were handled. Space for more may become available later.
  std::uint64_t head(const ActorState& actor) const {
    return plan_.survives_device_loss ? look(status(actor) + kHead) : actor.inbox.head();
  }
  void await(ActorState& actor, std::uint32_t ticket, std::coroutine_handle<> handle);
  bool is_reply_over(const ActorState& actor, std::uint32_t ticket) const;
  std::uint64_t restarts() const { return restarts_; }
  Telemetry telemetry(const ActorState& actor);
  const std::uint64_t* status(const ActorState& actor) const {
    return to_host_ + layout_.status_at + std::size_t{actor.index} * kStatusWords;
  }
  void wake();  // wakes the group's thread
  bool is_on_own_thread() const { return std::this_thread::get_id() == thread_.get_id(); }
  bool waits_for_this_thread() const { return is_driven_ && is_on_own_thread(); }
  void check_thread() const;

 private:
  Group(const Options& options, std::span<const Member> members);
  void compile(const Device& device, std::string_view source);
  Module compile_text(std::string_view source) const;
  void explain_failure(const Error& error, std::string_view source) const;
  void plan_for(const DeviceInfo& info);
  void plan_flow(const DeviceInfo& info);
  void check_residency(const Module& module) const;
  std::vector<Sizes> verify(const Module& module, Layout& layout) const;
  void start_actors(std::span<const Member> members);
  void launch();

  void check_open(const ActorState& actor) const;
  void put_overflow(ActorState& actor, std::span<const std::byte> messages, const Sending& how);
  bool put_ring(ActorState& actor, std::span<const std::byte> messages, const Sending& how);
  bool must_queue(const ActorState& actor) const;

  Answer order(ActorState& actor, Command command, std::chrono::nanoseconds limit);
  void end(ActorState& actor, Phase phase, const std::string& why, DeadLetter::Reason reason);
  void bury(ActorState& actor, DeadLetter::Reason reason);
  void bury(ActorState& actor, const Inbox& inbox, std::uint64_t head, DeadLetter::Reason reason);
  void report_dead_letter(const ActorState& actor, DeadLetter::Reason reason, std::vector<std::byte> message);

  // Time (group_time.cpp).
  void write_time();
  void write_time(const ActorState& actor);
  bool fire_timers();
  bool sweep_expired(ActorState& actor);
  void bury_timers(const ActorState& actor);

  // Idle kernels (group_idle.cpp): whether a kernel that has left has work again.
  bool has_work() const;
  bool has_work(const ActorState& actor) const;
  bool wake_kernel();
  void allow();
  void put_command(const ActorState& actor, std::uint64_t command);
  std::vector<const Inbox*> inboxes() const;

  // Replacement (group_replace.cpp): runs `work` on the group's thread, between two steps.
  void on_own_thread(const std::function<void()>& work);
  bool run_job();
  void stop_kernel();
  void start_kernel();
  Module compile_same(std::string_view source) const;

  // Surviving the loss of a session's device (group_survive.cpp, group_recover.cpp).
  void check_recoverable() const;
  void begin_recoverable();
  bool survive_device_loss();
  bool is_lost() const { return survives_device_loss_ && extension::losses(device_) != losses_; }
  bool is_point_due() const;
  bool take_point();
  void want_point();  // and waits for it
  void end_hold();
  void recover();
  bool recover_once(std::uint64_t losses, std::span<const std::uint64_t> obeyed);
  std::vector<std::uint64_t> obeyed_orders() const;
  bool had_obeyed(const ActorState& actor, std::uint64_t order) const;
  bool obey_again(std::uint64_t losses, std::span<const std::uint64_t> obeyed);
  bool has_moved_on();
  void become_driven();
  void drop_old_tickets();
  bool replay(std::uint64_t losses);
  void fill_replay(KernelEngine& engine, std::vector<Inbox>& inboxes, std::span<const std::uint64_t> until);
  bool run_replay(KernelEngine& engine, std::span<const Inbox* const> inboxes,
                  std::span<const std::uint64_t> until, std::uint64_t losses);
  void take_replies(const std::uint64_t* to_host, std::span<const std::uint64_t> until);
  void adopt(std::unique_ptr<KernelEngine> engine);

  // Buffers on the device of a session (group_buffers.cpp).
  void acquire_buffers();
  void open_buffers();
  void close_buffers(ActorState& actor);
  bool all_rest() const;

  // The group's thread (group_keep.cpp).
  void keep();
  bool pump(ActorState& actor);
  bool deliver(ActorState& actor);
  bool deliver(ActorState& actor, const std::uint64_t* to_host, std::uint64_t* to_device, std::uint64_t& at,
               std::uint64_t known);
  bool resume_awaiting();
  bool see_end();
  void fail_all(const std::string& why);
  void give_up(const std::string& why);
  void rest(bool did_something);
  bool is_quiet() const;
  std::chrono::nanoseconds until_due() const;

  // Restart after a fault (group_restart.cpp).
  bool restart();
  void mend(ActorState& actor);
  bool skip_faulted(ActorState& actor, std::span<std::uint64_t> own, bool is_urgent);
  bool skip_faulted_peer(ActorState& actor, std::span<std::uint64_t> own);
  void drop_faulted_timer(ActorState& actor, std::span<std::uint64_t> own);

  // The watchdog (group_watch.cpp).
  void watch();
  bool is_stuck(ActorState& actor);
  bool is_batch_stuck();

  // Messages between actors (group_peers.cpp).
  void look_for_peers();
  void bury_peers(const ActorState& actor, DeadLetter::Reason reason);

  Device device_;
  Options options_;
  Plan plan_;
  Layout layout_;
  std::vector<std::unique_ptr<ActorState>> actors_;
  std::vector<std::unique_ptr<KernelEngine>> engines_;  // the last one is in use
  std::atomic<KernelEngine*> engine_{nullptr};
  std::atomic<bool> is_driven_{false};
  bool is_on_card_ = false;  // of the device it was spawned on
  std::uint64_t* to_device_ = nullptr;
  std::uint64_t* to_host_ = nullptr;
  Replies replies_;
  Clock::time_point started_;

  struct Awaiting {
    ActorState* actor;
    std::uint32_t ticket;
    std::coroutine_handle<> handle;
  };
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Awaiting> awaiting_;
  std::atomic<bool> sleeps_{false};
  std::atomic<bool> ends_{false};
  std::atomic<bool> is_dead_{false};  // its kernel ended by itself, or was abandoned
  std::atomic<bool> is_given_up_{false};
  std::once_flag giving_up_;
  Stillness stillness_;  // of a driven batch
  std::atomic<std::uint64_t> restarts_{0};
  std::deque<Clock::time_point> recent_restarts_;
  std::uint32_t idle_rounds_ = 0;
  Subscription persistent_kernel_;       // while it may be suspended
  std::mutex hold_mutex_;                // guards the two members below and the bits in the commands
  std::atomic<std::uint32_t> holds_{0};  // number of requests to suspend it
  std::atomic<bool> was_held_{false};    // since its last launch
  std::atomic<bool> is_idle_{false};     // its kernel has left, and is launched again when work arrives
  bool knows_peers_ = false;             // has_peers_waiting is valid since the kernel left
  bool has_idle_ = false;                // a kind has on_idle
  std::vector<std::shared_ptr<detail::HostTimer>> timers_;  // guarded by mutex_
  std::atomic<bool> has_timers_{false};
  std::vector<std::function<void()>> jobs_;  // guarded by mutex_
  std::atomic<bool> has_jobs_{false};
  std::mutex replace_mutex_;  // one replacement at a time

  std::string source_, driver_;
  std::atomic<bool> survives_device_loss_{false};  // false: it is driven now, or was never recoverable
  std::atomic<bool> is_open_{false};               // its buffers are available to everybody
  Clock::time_point held_since_;
  Point point_;                                                   // used by the group's thread
  std::shared_ptr<extension::ExclusiveAccess> exclusive_access_;  // of the buffers of recoverable actors
  std::mutex exclusive_access_mutex_;                             // guards opening and closing it
  std::atomic<std::uint64_t> losses_{0};                          // of the device, that were recovered
  std::atomic<std::uint64_t> recoveries_{0};                      //
  std::atomic<std::uint64_t> points_wanted_{0}, points_taken_{0};
  std::atomic<bool> is_recovering_{false};
  bool holds_for_point_ = false;         // the kernel was suspended for a point
  bool was_final_ = false;               // the last point was taken when all actors had ended
  std::uint64_t* replayed_ = nullptr;    // the control lines of a kernel that replays; guarded by hold_mutex_
  std::uint64_t futile_ = 0;             // consecutive losses without a handled message in between
  std::vector<std::uint64_t> furthest_;  // heads at the last device loss
  std::thread thread_;
};

}  // namespace quern::ring
