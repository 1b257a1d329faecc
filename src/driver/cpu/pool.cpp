#include "driver/cpu/pool.hpp"

#include <algorithm>

#include "base/thread.hpp"
#include "driver/cpu/spin.hpp"
#include "driver/support/clock_pair.hpp"

namespace quern::cpu {
namespace {

// The next job often arrives once the host has seen the last one end. OpenMP's threads spin for longer.
constexpr std::chrono::microseconds kPatience{200};
// Piece size as a fraction of the remaining share: large pieces first, small ones when others may help.
constexpr uint64_t kPart = 4;

}  // namespace

Pool::Pool(uint32_t threads) : workers_(threads) {
  for (Job& job : jobs_) job.shares = std::vector<Share>(size_t{threads} + 1);
  for (uint32_t i = 0; i < threads; ++i) workers_[i].thread = base::try_thread([this, i] { worker(i + 1); });
}

Pool::~Pool() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
  }
  work_.notify_all();
  for (Worker& w : workers_) {
    if (w.thread.joinable()) w.thread.join();  // the share of a missing thread is done by others
  }
}

// Takes pieces of the thread's own share, then of the others'. Returns whether there were any. Reads the
// clock once before and once after all pieces: two readings per piece took 5 % of short jobs.
bool Pool::work_on(Job& job, uint32_t thread) {
  bool found = false;
  const uint64_t start = job.spent != nullptr ? driver::host_nanoseconds() : 0;
  for (uint32_t k = 0; k < job.used; ++k) {
    Share& share = job.shares[(thread + k) % job.used];
    uint64_t first = share.next.load(std::memory_order_relaxed);
    while (first < share.end) {
      const uint64_t part = (share.end - first) / kPart / job.grain * job.grain;
      const uint64_t end = std::min(share.end, first + std::max(part, job.grain));
      if (!share.next.compare_exchange_weak(first, end, std::memory_order_relaxed)) continue;
      job.function(job.data, first, end);
      found = true;
      first = share.next.load(std::memory_order_relaxed);
    }
  }
  if (found && job.spent != nullptr)
    job.spent->fetch_add(driver::host_nanoseconds() - start, std::memory_order_relaxed);
  return found;
}

void Pool::divide(Job& job, uint64_t count, uint32_t threads, uint64_t grain) {
  const uint64_t grains = (count + grain - 1) / grain;
  job.used = static_cast<uint32_t>(std::min<uint64_t>(threads, grains));
  job.grain = grain;
  for (uint32_t i = 0; i < job.used; ++i) {
    job.shares[i].next.store(grains * i / job.used * grain, std::memory_order_relaxed);
    job.shares[i].end = std::min(count, grains * (i + 1) / job.used * grain);
  }
}

Pool::Job* Pool::take_job() {
  for (Job& job : jobs_) {
    bool is_taken = false;
    if (job.is_taken.compare_exchange_strong(is_taken, true, std::memory_order_acquire)) return &job;
  }
  return nullptr;
}

// A worker that looks at a job while it is open may work on it; the owner closes it and waits for workers
// that look at it. Each writes its own mark before it reads the other's. If there is a share for every
// thread, no seat is needed.
bool Pool::help(Job& job, uint32_t thread) {
  if (!job.is_open.load(std::memory_order_relaxed)) return false;
  std::atomic<const Job*>& mark = workers_[thread - 1].looks_at;
  mark.store(&job, std::memory_order_seq_cst);
  const bool may_work = job.is_open.load(std::memory_order_seq_cst) &&
                        (job.used == threads() || job.seats.fetch_sub(1, std::memory_order_relaxed) > 0);
  const bool worked = may_work && work_on(job, thread);
  mark.store(nullptr, std::memory_order_seq_cst);
  if (job.has_waiter.load(std::memory_order_seq_cst)) {
    const std::lock_guard<std::mutex> lock(mutex_);
    left_.notify_all();
  }
  return worked;
}

// A woken thread wakes others, so that the submitter does not wake all of them.
void Pool::wake_some() {
  constexpr int kWoken = 2;
  if (sleeping_.load(std::memory_order_seq_cst) == 0) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);  // no thread is between its last check and sleeping
  }
  for (int i = 0; i < kWoken; ++i) work_.notify_one();
}

void Pool::worker(uint32_t thread) {
  for (;;) {
    const uint64_t seen = posted_.load(std::memory_order_seq_cst);
    const auto has_news = [&] { return posted_.load(std::memory_order_seq_cst) != seen || ends_.load(); };
    bool worked = false;
    for (Job& job : jobs_) worked = help(job, thread) || worked;
    if (ends_.load()) return;
    if (worked || spin_until(has_news, kPatience)) continue;
    std::unique_lock<std::mutex> lock(mutex_);
    sleeping_.fetch_add(1, std::memory_order_seq_cst);
    work_.wait(lock, has_news);
    sleeping_.fetch_sub(1, std::memory_order_seq_cst);
    lock.unlock();
    bool needs_more = false;
    for (const Job& job : jobs_)
      needs_more = needs_more || (job.is_open.load(std::memory_order_relaxed) &&
                                  job.seats.load(std::memory_order_relaxed) > 1);
    if (needs_more) wake_some();
  }
}

bool Pool::is_empty(const Job& job) const {
  return std::none_of(workers_.begin(), workers_.end(),
                      [&](const Worker& w) { return w.looks_at.load(std::memory_order_seq_cst) == &job; });
}

void Pool::close(Job& job) {
  job.is_open.store(false, std::memory_order_seq_cst);
  const auto is_left = [&] { return is_empty(job); };
  if (!spin_until(is_left, kPatience)) {
    job.has_waiter.store(true, std::memory_order_seq_cst);
    std::unique_lock<std::mutex> lock(mutex_);
    left_.wait(lock, is_left);
    job.has_waiter.store(false, std::memory_order_relaxed);
  }
  job.is_taken.store(false, std::memory_order_release);
}

void Pool::run(uint64_t count, Function function, void* data, const Spread& spread) {
  const uint32_t most = std::min(spread.threads, threads());
  Job* const job = most > 1 && count > spread.grain ? take_job() : nullptr;
  if (job == nullptr) {
    const uint64_t start = spread.spent != nullptr ? driver::host_nanoseconds() : 0;
    function(data, 0, count);
    if (spread.spent != nullptr)
      spread.spent->fetch_add(driver::host_nanoseconds() - start, std::memory_order_relaxed);
    return;
  }
  job->function = function;
  job->data = data;
  job->spent = spread.spent;
  divide(*job, count, most, spread.grain);
  job->seats.store(static_cast<int32_t>(job->used) - 1, std::memory_order_relaxed);
  job->is_open.store(true, std::memory_order_seq_cst);
  posted_.fetch_add(1, std::memory_order_seq_cst);
  wake_some();
  work_on(*job, 0);
  if (spread.nearly != nullptr) spread.nearly(data);
  close(*job);
}

}  // namespace quern::cpu
