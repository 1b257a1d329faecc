#include "driver/cpu/pool.hpp"

#include <algorithm>

#include "base/thread.hpp"
#include "driver/cpu/spin.hpp"
#include "driver/support/clock_pair.hpp"

namespace quern::cpu {
namespace {

// The next job often arrives once the host has seen the last one end. OpenMP's threads spin for longer.
constexpr std::chrono::microseconds kPatience{100};
// Piece size as a fraction of the remaining share: large pieces first, small ones when others may help.
constexpr uint64_t kPart = 2;
// Bits of a job's number: a year of jobs of 2 µs. Grains of a job: the others.
constexpr uint32_t kCountBits = 20;
constexpr uint64_t kMostGrains = (uint64_t{1} << kCountBits) - 1;

uint64_t with_number(uint64_t number, uint64_t count) { return number << kCountBits | count; }
uint64_t number_of(uint64_t word) { return word >> kCountBits; }
uint64_t count_of(uint64_t word) { return word & kMostGrains; }

}  // namespace

Pool::Pool(uint32_t threads) : workers_(threads) {
  for (Job& job : jobs_) job.shares = std::vector<Share>(size_t{threads} + 1);
  for (uint32_t i = 0; i < threads; ++i) workers_[i].thread = base::try_thread([this, i] { worker(i); });
}

Pool::~Pool() {
  ends_ = true;
  for (Worker& w : workers_) {
    {
      const std::lock_guard<std::mutex> lock(w.mutex);
      w.sleeps.store(false, std::memory_order_seq_cst);
    }
    w.wake.notify_one();
    if (w.thread.joinable()) w.thread.join();  // the share of a missing thread is done by others
  }
}

// Concurrent jobs for few threads begin at different workers.
uint32_t Pool::share_of(size_t job, uint32_t worker) const {
  const size_t all = workers_.size(), begin = job * std::max<size_t>(1, all / kJobs) % all;
  return static_cast<uint32_t>((worker + all - begin) % all + 1);
}

uint32_t Pool::worker_of(size_t job, uint32_t share) const {
  const size_t all = workers_.size(), begin = job * std::max<size_t>(1, all / kJobs) % all;
  return static_cast<uint32_t>((share - 1 + begin) % all);
}

// Number 0 if the job is closed or changed meanwhile: close() clears `open` before the description changes.
Pool::View Pool::view(const Job& job) {
  View v;
  v.number = job.open.load(std::memory_order_acquire);
  if (v.number == 0) return v;
  v.function = job.function.load(std::memory_order_acquire);
  v.data = job.data.load(std::memory_order_acquire);
  v.count = job.count.load(std::memory_order_acquire);
  v.grain = job.grain.load(std::memory_order_acquire);
  v.used = job.used.load(std::memory_order_acquire);
  v.is_timed = job.is_timed.load(std::memory_order_acquire);
  v.grains = (v.count + v.grain - 1) / v.grain;
  if (job.open.load(std::memory_order_relaxed) != v.number) v.number = 0;
  return v;
}

// Takes a piece of a share of `size` grains. A word of a later job: this one is over.
bool Pool::take(Share& share, const View& view, uint64_t size, uint64_t& first, uint64_t& end) {
  uint64_t word = share.taken.load(std::memory_order_relaxed);
  for (;;) {
    if (number_of(word) > view.number) return false;
    first = number_of(word) == view.number ? count_of(word) : 0;
    if (first >= size) return false;
    end = first + std::max<uint64_t>(1, (size - first) / kPart);
    if (share.taken.compare_exchange_weak(word, with_number(view.number, end), std::memory_order_relaxed))
      return true;
  }
}

// Takes pieces of the thread's own share, then of the others', until none is left. Returns whether there were
// any. Reads the clock once before and once after all pieces: two readings per piece took 5 % of short jobs.
bool Pool::work_on(Job& job, const View& view, uint32_t thread) {
  const uint64_t start = view.is_timed ? driver::host_nanoseconds() : 0;
  uint64_t done = 0, first = 0, end = 0;
  for (uint32_t k = 0; k < view.used; ++k) {
    const uint32_t share = (thread + k) % view.used;
    const uint64_t begin = view.begin(share), size = view.begin(share + 1) - begin;
    while (take(job.shares[share], view, size, first, end)) {
      view.function(view.data, (begin + first) * view.grain,
                    std::min(view.count, (begin + end) * view.grain));
      done += end - first;
    }
  }
  if (done == 0) return false;
  Share& own = job.shares[thread];
  if (view.is_timed) own.spent.store(driver::host_nanoseconds() - start, std::memory_order_relaxed);
  own.done.store(with_number(view.number, done), std::memory_order_seq_cst);
  if (job.has_waiter.load(std::memory_order_seq_cst)) {
    const std::lock_guard<std::mutex> lock(mutex_);
    left_.notify_all();
  }
  return true;
}

bool Pool::is_done(const Job& job, const View& view) {
  uint64_t done = 0;
  for (uint32_t i = 0; i < view.used; ++i) {
    const uint64_t word = job.shares[i].done.load(std::memory_order_seq_cst);
    if (number_of(word) == view.number) done += count_of(word);
  }
  return done == view.grains;
}

Pool::Job* Pool::take_job() {
  for (Job& job : jobs_) {
    bool is_taken = false;
    if (job.is_taken.compare_exchange_strong(is_taken, true, std::memory_order_acquire)) return &job;
  }
  return nullptr;
}

void Pool::sleep(Worker& own, uint64_t seen) {
  std::unique_lock<std::mutex> lock(own.mutex);
  own.sleeps.store(true, std::memory_order_seq_cst);
  sleeping_.fetch_add(1, std::memory_order_seq_cst);
  const bool has_news = jobs_[0].posted.load(std::memory_order_seq_cst) != seen || ends_.load();
  if (has_news) own.sleeps.store(false, std::memory_order_seq_cst);
  own.wake.wait(lock, [&] { return !own.sleeps.load(std::memory_order_seq_cst); });
  sleeping_.fetch_sub(1, std::memory_order_seq_cst);
}

void Pool::wake(size_t job, uint32_t share) {
  Worker& w = workers_[worker_of(job, share)];
  if (!w.sleeps.load(std::memory_order_seq_cst)) return;
  {
    const std::lock_guard<std::mutex> lock(w.mutex);
    w.sleeps.store(false, std::memory_order_seq_cst);
  }
  w.wake.notify_one();
}

// A thread wakes two others, so that the submitter does not wake all of them.
void Pool::wake_after(size_t job, uint32_t share, uint32_t used) {
  if (sleeping_.load(std::memory_order_seq_cst) == 0) return;
  for (uint32_t next = 2 * share + 1; next <= 2 * share + 2 && next < used; ++next) wake(job, next);
}

void Pool::worker(uint32_t index) {
  std::array<uint64_t, kJobs> finished{};  // jobs in which no piece is left
  auto end = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    const uint64_t seen = jobs_[0].posted.load(std::memory_order_seq_cst);
    const auto has_news = [&] {
      return jobs_[0].posted.load(std::memory_order_seq_cst) != seen || ends_.load(std::memory_order_relaxed);
    };
    bool worked = false;
    for (size_t j = 0; j < kJobs; ++j) {
      if (jobs_[j].open.load(std::memory_order_relaxed) == finished[j]) continue;
      const View v = view(jobs_[j]);
      const uint32_t share = share_of(j, index);
      if (v.number == 0 || share >= v.used) continue;
      wake_after(j, share, v.used);
      worked = work_on(jobs_[j], v, share) || worked;
      finished[j] = v.number;
    }
    if (ends_.load()) return;
    if (has_news()) continue;
    if (worked) end = std::chrono::steady_clock::now() + kPatience;
    if (spin_until(has_news, end)) continue;
    sleep(workers_[index], seen);
    end = std::chrono::steady_clock::now() + kPatience;
  }
}

void Pool::post(Job& job, const View& v) {
  job.function.store(v.function, std::memory_order_release);
  job.data.store(v.data, std::memory_order_release);
  job.count.store(v.count, std::memory_order_release);
  job.grain.store(v.grain, std::memory_order_release);
  job.used.store(v.used, std::memory_order_release);
  job.is_timed.store(v.is_timed, std::memory_order_release);
  job.open.store(v.number, std::memory_order_release);
  jobs_[0].posted.fetch_add(1, std::memory_order_seq_cst);
  wake_after(static_cast<size_t>(&job - jobs_.data()), 0, v.used);
}

// Waits until all pieces are done.
void Pool::close(Job& job, const View& view) {
  job.open.store(0, std::memory_order_release);
  const auto is_over = [&] { return is_done(job, view); };
  if (!spin_until(is_over, kPatience)) {
    job.has_waiter.store(true, std::memory_order_seq_cst);
    std::unique_lock<std::mutex> lock(mutex_);
    left_.wait(lock, is_over);
    job.has_waiter.store(false, std::memory_order_relaxed);
  }
}

uint64_t Pool::spent_on(const Job& job, const View& view) {
  uint64_t spent = 0;
  for (uint32_t i = 0; i < view.used; ++i) {
    const Share& s = job.shares[i];
    if (number_of(s.done.load(std::memory_order_relaxed)) == view.number)
      spent += s.spent.load(std::memory_order_relaxed);
  }
  return spent;
}

void Pool::run(uint64_t count, Function function, void* data, const Spread& spread) {
  const uint32_t most = std::min(spread.threads, threads());
  Job* const job = most > 1 && count > spread.grain ? take_job() : nullptr;
  if (job == nullptr) {
    const uint64_t start = spread.spent != nullptr ? driver::host_nanoseconds() : 0;
    function(data, 0, count);
    if (spread.spent != nullptr) *spread.spent += driver::host_nanoseconds() - start;
    return;
  }
  View view;
  view.number = ++job->number;
  view.function = function;
  view.data = data;
  view.count = count;
  view.grain = spread.grain;
  if (const uint64_t grains = (count - 1) / view.grain + 1; grains > kMostGrains)
    view.grain *= (grains - 1) / kMostGrains + 1;
  view.grains = (count - 1) / view.grain + 1;
  view.used = static_cast<uint32_t>(std::min<uint64_t>(most, view.grains));
  view.is_timed = spread.spent != nullptr;
  post(*job, view);
  work_on(*job, view, 0);
  if (spread.nearly != nullptr) spread.nearly(data);
  close(*job, view);
  if (spread.spent != nullptr) *spread.spent += spent_on(*job, view);
  job->is_taken.store(false, std::memory_order_release);
}

}  // namespace quern::cpu
