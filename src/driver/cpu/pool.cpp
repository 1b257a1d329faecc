#include "driver/cpu/pool.hpp"

#include <algorithm>

namespace quern::cpu {
namespace {

// Pieces per thread: enough that a slow one is made up for, few enough that taking them costs nothing.
constexpr uint64_t kPieces = 16;

}  // namespace

Pool::Pool(uint32_t threads) {
  for (uint32_t i = 0; i < threads; ++i) workers_.emplace_back([this] { worker(); });
}

Pool::~Pool() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
  }
  work_.notify_all();
  for (std::thread& t : workers_) t.join();
}

void Pool::work_on(Job& job) {
  for (;;) {
    const uint64_t first = job.next.fetch_add(job.chunk, std::memory_order_relaxed);
    if (first >= job.count) return;
    job.function(job.data, first, std::min(job.count, first + job.chunk));
  }
}

Pool::Job* Pool::find_job() {
  for (Job* job : jobs_) {
    if (job->next.load(std::memory_order_relaxed) < job->count) return job;
  }
  return nullptr;
}

void Pool::worker() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    Job* job = nullptr;
    work_.wait(lock, [&] { return ends_ || (job = find_job()) != nullptr; });
    if (job == nullptr) return;
    ++job->inside;
    lock.unlock();
    work_on(*job);
    lock.lock();
    if (--job->inside == 0) left_.notify_all();
  }
}

void Pool::run(uint64_t count, Function function, void* data) {
  Job job{function, data, count, std::max<uint64_t>(1, count / (kPieces * threads()))};
  if (!workers_.empty() && count > 1) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      jobs_.push_back(&job);
    }
    work_.notify_all();
  }
  work_on(job);
  if (workers_.empty() || count <= 1) return;
  std::unique_lock<std::mutex> lock(mutex_);
  jobs_.erase(std::find(jobs_.begin(), jobs_.end(), &job));
  left_.wait(lock, [&] { return job.inside == 0; });
}

}  // namespace quern::cpu
