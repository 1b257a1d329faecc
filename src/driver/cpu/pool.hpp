// Threads that share work. A job is a range of numbers; each thread has a share of it that is the same at
// every job of that size (what it had in its caches is there again), takes pieces of it, and then helps where
// something is left. Any thread may bring a job and works on it itself; several jobs may be under way.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace quern::cpu {

class Pool {
 public:
  using Function = void (*)(void* data, uint64_t first, uint64_t end);
  struct Spread {
    uint32_t threads = ~uint32_t{0};         // at most so many take part
    uint64_t grain = 1;                      // pieces begin at multiples of it
    void (*nearly)(void* data) = nullptr;    // called when nothing is left to take, with `data` of the job
    std::atomic<uint64_t>* spent = nullptr;  // grows by the ns that all threads were at work
  };

  // Beside the threads that bring jobs.
  explicit Pool(uint32_t threads);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Calls function(data, first, end) for pieces of [0, count), and returns when all are done.
  void run(uint64_t count, Function function, void* data, const Spread& spread);
  uint32_t threads() const { return static_cast<uint32_t>(workers_.size()) + 1; }

 private:
  static constexpr size_t kLine = 64;  // bytes that processors hand to each other
  static constexpr size_t kJobs = 8;   // at once; who brings one more does it alone

  struct alignas(kLine) Share {
    std::atomic<uint64_t> next{0};
    uint64_t end = 0;
  };
  struct alignas(kLine) Job {
    std::atomic<bool> is_taken{false};
    std::atomic<bool> is_open{false};     // workers may come; what follows stands still
    std::atomic<bool> has_waiter{false};  // for the last one to leave
    std::atomic<int32_t> seats{0};
    Function function = nullptr;
    void* data = nullptr;
    uint64_t grain = 1;
    std::atomic<uint64_t>* spent = nullptr;
    uint32_t used = 0;  // shares
    std::vector<Share> shares;
  };

  // Each on a line of its own: a count that all of them change would be handed from one to the next.
  struct alignas(kLine) Worker {
    std::atomic<const Job*> looks_at{nullptr};
    std::thread thread;
  };

  static bool work_on(Job& job, uint32_t thread);
  static void divide(Job& job, uint64_t count, uint32_t threads, uint64_t grain);
  Job* take_job();
  bool help(Job& job, uint32_t thread);
  void worker(uint32_t thread);
  void wake_some();
  bool is_empty(const Job& job) const;
  void close(Job& job);

  std::array<Job, kJobs> jobs_;
  alignas(kLine) std::atomic<uint64_t> posted_{0};  // jobs so far
  std::atomic<uint32_t> sleeping_{0};
  std::atomic<bool> ends_{false};
  std::mutex mutex_;
  std::condition_variable work_, left_;
  std::vector<Worker> workers_;
};

}  // namespace quern::cpu
