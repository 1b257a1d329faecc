// A thread pool. A job is a range of indices. Each thread has a share that is the same for every job of that
// size, so that its caches stay warm; it takes pieces of its share, then steals from others. Any thread may
// submit a job and works on it itself; several jobs may run concurrently.
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
    uint32_t threads = ~uint32_t{0};         // maximum number of threads that take part
    uint64_t grain = 1;                      // pieces begin at multiples of it
    void (*nearly)(void* data) = nullptr;    // called with the job's `data` when no piece is left to take
    std::atomic<uint64_t>* spent = nullptr;  // incremented by the work time of all threads, in ns
  };

  // Number of threads, in addition to those that submit jobs.
  explicit Pool(uint32_t threads);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Calls function(data, first, end) for pieces of [0, count). Returns when all are done.
  void run(uint64_t count, Function function, void* data, const Spread& spread);
  uint32_t threads() const { return static_cast<uint32_t>(workers_.size()) + 1; }

 private:
  static constexpr size_t kLine = 64;  // cache line size
  static constexpr size_t kJobs = 8;   // concurrent jobs; the submitter of one more runs it alone

  struct alignas(kLine) Share {
    std::atomic<uint64_t> next{0};
    uint64_t end = 0;
  };
  struct alignas(kLine) Job {
    std::atomic<bool> is_taken{false};
    std::atomic<bool> is_open{false};     // workers may join; the members below are constant meanwhile
    std::atomic<bool> has_waiter{false};  // notified by the last worker to leave
    std::atomic<int32_t> seats{0};
    Function function = nullptr;
    void* data = nullptr;
    uint64_t grain = 1;
    std::atomic<uint64_t>* spent = nullptr;
    uint32_t used = 0;  // shares
    std::vector<Share> shares;
  };

  // Each on its own cache line: a shared counter would bounce between cores.
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
  alignas(kLine) std::atomic<uint64_t> posted_{0};  // number of jobs submitted
  std::atomic<uint32_t> sleeping_{0};
  std::atomic<bool> ends_{false};
  std::mutex mutex_;
  std::condition_variable work_, left_;
  std::vector<Worker> workers_;
};

}  // namespace quern::cpu
