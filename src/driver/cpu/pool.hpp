// Threads that share work: one job is a range of numbers, handed out in chunks to whoever comes. Any thread
// may bring a job and works on it itself; several jobs may be under way.
#pragma once

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

  // Beside the threads that bring jobs.
  explicit Pool(uint32_t threads);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Calls function(data, first, end) for pieces of [0, count), and returns when all are done.
  void run(uint64_t count, Function function, void* data);
  uint32_t threads() const { return static_cast<uint32_t>(workers_.size()) + 1; }

 private:
  struct Job {
    Function function;
    void* data;
    uint64_t count;
    uint64_t chunk;
    std::atomic<uint64_t> next{0};
    uint32_t inside = 0;  // workers; under mutex_
  };
  static void work_on(Job& job);
  void worker();
  Job* find_job();

  std::mutex mutex_;
  std::condition_variable work_, left_;
  std::vector<Job*> jobs_;
  bool ends_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace quern::cpu
