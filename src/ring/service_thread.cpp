#include "ring/service_thread.hpp"

#include <algorithm>
#include <exception>
#include <future>

#include "ring/words.hpp"

namespace quern::ring {

void ServiceThread::start(Client& client) {
  client_ = &client;
  thread_ = std::thread([this] { loop(); });
}

void ServiceThread::stop() {
  ends_ = true;
  wake();
  thread_.join();
}

void ServiceThread::loop() {
  while (!ends_) {
    bool did = run_jobs();
    did |= client_->step();
    rest(did);
  }
}

void ServiceThread::wake() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!sleeps_.load(std::memory_order_relaxed)) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  changed_.notify_one();
}

void ServiceThread::run(const std::function<void()>& work) {
  std::promise<void> done;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    jobs_.emplace_back([&] {
      try {
        work();
        done.set_value();
      } catch (...) {
        done.set_exception(std::current_exception());
      }
    });
    has_jobs_ = true;
  }
  wake();
  done.get_future().get();
}

bool ServiceThread::run_jobs() {
  if (!has_jobs_.load(std::memory_order_acquire)) return false;
  std::vector<std::function<void()>> jobs;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    jobs.swap(jobs_);
    has_jobs_ = false;
  }
  for (const auto& job : jobs) job();
  return true;
}

// Steps again immediately after work; otherwise less and less often, unless it is woken.
void ServiceThread::rest(bool did_something) {
  if (did_something) return be_eager();
  const std::uint32_t steps = idle_steps_.fetch_add(1, std::memory_order_relaxed) + 1;
  const Pace pace = client_->pace();
  if (steps < pace.polls) return relax();
  if (steps < pace.polls + 50) return std::this_thread::yield();
  std::chrono::nanoseconds wait = std::min<std::chrono::microseconds>(
      pace.longest_wait, std::chrono::microseconds(20) * (1 + (steps - pace.polls) / 64));
  std::unique_lock<std::mutex> lock(mutex_);
  sleeps_.store(true, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // While no kernel runs, nothing happens unless somebody sends and wakes this thread. It still checks
  // occasionally.
  if (steps > pace.polls + 200 && client_->is_quiet()) wait = kQuietWait;
  if (!ends_ && !has_jobs_) changed_.wait_for(lock, std::min(wait, client_->until_due()));
  sleeps_.store(false, std::memory_order_relaxed);
}

}  // namespace quern::ring
