// A stream: a ring of commands that are executed in order. Submitting writes a slot of the ring and does not
// allocate; launches are passed to the pool by the executing thread.
//
// The executing thread is the stream's own thread or a host thread that waits for the commands. A host that
// always waits soon after submitting executes them itself: that avoids handing work between threads, and
// leaves all cores to the launch. The stream's thread then idles: it is not woken, but checks from
// time to time for commands that nobody executes, and resumes if there are any.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "driver/cpu/module.hpp"
#include "driver/cpu/pool.hpp"
#include "driver/cpu/task.hpp"
#include "driver/interface/driver.hpp"

namespace quern::cpu {

// The records of an event. Each has a ticket, in order of the calls. An event may be recorded again on
// another stream while the work before an earlier record still runs, so tickets may be reached in any order.
// Shared with streams, because events may be destroyed at any time. Thread-safe.
class Point {
 public:
  // Returns the ticket of a new record on the stream with these messages.
  uint64_t record(std::shared_ptr<Messages> messages);
  uint64_t last() const { return recorded_.load(std::memory_order_acquire); }
  void reach(uint64_t ticket);
  bool is_reached(uint64_t ticket) const;
  void wait_for(uint64_t ticket);
  // When the latest of the reached tickets was reached.
  uint64_t time() const { return time_.load(std::memory_order_relaxed); }
  std::shared_ptr<Messages> messages() const;  // of the stream of the last record; null: none

 private:
  bool has(uint64_t ticket) const;  // with the mutex

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<uint64_t> recorded_{0};
  std::atomic<uint64_t> done_{0};       // all tickets up to this one are reached
  std::vector<uint64_t> early_;         // reached tickets above done_ + 1
  std::atomic<bool> has_early_{false};  // early_ is not empty
  std::atomic<uint64_t> time_{0};
  uint64_t timed_ = 0;  // the ticket of time_
  std::shared_ptr<Messages> messages_;
};

class CpuEvent : public driver::Event {
 public:
  const std::shared_ptr<Point> point = std::make_shared<Point>();
};

class CpuStream : public driver::Stream {
 public:
  explicit CpuStream(Pool& pool);
  ~CpuStream() override;

  void copy(void* to, const void* from, uint64_t bytes);
  void fill(void* to, uint64_t value, uint32_t width, uint64_t bytes);
  void launch(CpuKernel& kernel, const Variant& variant, const driver::Launch& launch);
  void record(const std::shared_ptr<Point>& point);
  void wait(const std::shared_ptr<Point>& point);
  void call(std::function<void()> function);
  void synchronize();
  void near_end();  // the current launch ends soon: wakes hosts that sleep

  Messages& messages() { return *messages_; }

 private:
  static constexpr size_t kSlots = 256;
  static constexpr size_t kInlineArguments = 512;
  static constexpr int32_t kLeastDebt = 64;
  enum class Kind : uint8_t { kCopy, kFill, kLaunch, kRecord, kWait, kCall, kEnd };
  struct Command {
    Kind kind = Kind::kEnd;
    driver::Stamp* stamp = nullptr;
    void* to = nullptr;
    const void* from = nullptr;
    uint64_t bytes = 0;
    uint64_t value = 0;
    uint32_t width = 0;
    std::shared_ptr<Point> point;
    uint64_t ticket = 0;
    CpuKernel* kernel = nullptr;
    const Variant* variant = nullptr;
    driver::Dim3 grid, block, cluster;
    uint32_t dynamic_shared = 0;
    bool cooperative = false;
    alignas(16) std::array<std::byte, kInlineArguments> arguments;
    std::vector<std::byte> more;  // arguments that do not fit inline
    std::function<void()> function;
  };

  // When the stream's thread must run.
  enum class Need : uint8_t {
    kSoon,  // a waiting host may execute it first
    kNow,   // others depend on it
  };

  Command& next_slot();
  void submit(Need need = Need::kSoon);
  void run();
  void await_command();
  bool sleep_if_idle();
  void call_thread();
  void trust_less();
  void note_wait(uint64_t until);
  bool is_left_lying() const;
  bool is_trusted() const;
  bool carry_until(uint64_t until);
  void carry_next();
  void carry_out(Command& command);
  void run_launch(Command& command);
  uint64_t run_quick(Command& command, Task& task, const Variant*& variant);
  void run_range(Task& task, const Variant& variant, uint64_t first, uint64_t end);
  uint64_t run_alone(Task& task, const Variant& variant, uint64_t first, uint64_t end);
  template <typename Ready>
  void sleep_until(const Ready& ready);
  const uint32_t* thread_indices(const driver::Dim3& block);

  Pool& pool_;
  std::shared_ptr<Messages> messages_ = std::make_shared<Messages>();
  std::vector<Command> ring_;
  std::atomic<uint64_t> submitted_{0};
  std::atomic<uint64_t> finished_{0};
  std::atomic<uint64_t> nearly_{0};      // upcoming value of finished_
  std::atomic<bool> is_crowded_{false};  // a launch uses all cores: a spinning waiter would take one from it
  std::atomic<bool> is_carried_{false};  // some thread is executing commands
  std::atomic<bool> sleeps_{false};      // the stream's thread, until it is woken
  std::atomic<bool> is_idle_{false};     // the stream's thread, with a timeout
  std::atomic<int32_t> trust_{0};        // consecutive hosts that waited soon; negative: penalty
  std::atomic<int32_t> debt_{kLeastDebt};
  std::atomic<uint64_t> last_wait_{0};
  std::mutex mutex_;
  std::condition_variable wake_, progress_;
  std::atomic<uint32_t> waiting_{0};  // threads in synchronize, or waiting for a slot
  driver::Dim3 indices_for_{0, 0, 0};
  std::vector<uint32_t> indices_;
  std::thread thread_;
};

}  // namespace quern::cpu
