// A thread pool. A job is a range of indices. Each thread has a share that is the same for every job of that
// size, so that its caches stay warm; it takes pieces of its share, then steals from others. Any thread may
// submit a job and works on it itself; several jobs may run concurrently.
//
// A short job takes about as long as cache lines travel between cores. Hence a worker polls one line, which
// also describes the job, and otherwise writes only its own line of the job (`Share`).
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
    uint32_t threads = ~uint32_t{0};       // maximum number of threads that take part
    uint64_t grain = 1;                    // pieces begin at multiples of it
    void (*nearly)(void* data) = nullptr;  // called with the job's `data` when no piece is left to take
    uint64_t* spent = nullptr;             // incremented by the work time of all threads, in ns
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

  // Of one thread in a job. Counts are in grains, in the low bits; the job's number is in the others. A count
  // of an earlier job is 0.
  struct alignas(kLine) Share {
    std::atomic<uint64_t> taken{0};  // by this thread and those that steal from it
    std::atomic<uint64_t> done{0};   // by this thread, of all shares; written by it
    std::atomic<uint64_t> spent{0};  // by this thread for `done`, ns
  };

  // Workers read the description while it may change for the next job. A piece that they then take from a
  // share with the job's number proves that the job was not over, so that the description was the job's.
  struct alignas(kLine) Job {
    std::atomic<uint64_t> open{0};  // the job's number; 0: closed
    std::atomic<Function> function{nullptr};
    std::atomic<void*> data{nullptr};
    std::atomic<uint64_t> count{0};
    std::atomic<uint64_t> grain{1};
    std::atomic<uint64_t> posted{0};  // in the first: number of jobs submitted, which workers poll
    std::atomic<uint32_t> used{0};    // shares
    std::atomic<bool> has_waiter{false};
    std::atomic<bool> is_timed{false};

    alignas(kLine) std::atomic<bool> is_taken{false};  // the owner's
    uint64_t number = 0;
    std::vector<Share> shares;
  };

  struct alignas(kLine) Worker {
    std::mutex mutex;
    std::condition_variable wake;
    std::atomic<bool> sleeps{false};
    std::thread thread;
  };

  // A job as its description was read.
  struct View {
    uint64_t number = 0, count = 0, grain = 1, grains = 0;
    uint32_t used = 0;
    bool is_timed = false;
    Function function = nullptr;
    void* data = nullptr;
    uint64_t begin(uint32_t share) const { return grains * share / used; }
  };

  static View view(const Job& job);
  static bool take(Share& share, const View& view, uint64_t size, uint64_t& first, uint64_t& end);
  bool work_on(Job& job, const View& view, uint32_t thread);
  static bool is_done(const Job& job, const View& view);
  static uint64_t spent_on(const Job& job, const View& view);
  uint32_t share_of(size_t job, uint32_t worker) const;
  uint32_t worker_of(size_t job, uint32_t share) const;
  Job* take_job();
  void post(Job& job, const View& view);
  void worker(uint32_t index);
  void sleep(Worker& own, uint64_t seen);
  void wake(size_t job, uint32_t share);
  void wake_after(size_t job, uint32_t share, uint32_t used);
  void close(Job& job, const View& view);

  std::array<Job, kJobs> jobs_;
  alignas(kLine) std::atomic<uint32_t> sleeping_{0};
  std::atomic<bool> ends_{false};
  std::mutex mutex_;
  std::condition_variable left_;
  std::vector<Worker> workers_;
};

}  // namespace quern::cpu
