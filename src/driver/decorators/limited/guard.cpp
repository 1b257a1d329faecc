#include "driver/decorators/limited/guard.hpp"

#include <algorithm>
#include <condition_variable>
#include <thread>
#include <utility>

#include "driver/support/waiting_clock.hpp"

namespace quern::limited {

// Also owned by its thread: it may outlive the guard.
struct Guard::Worker {
  std::mutex mutex;
  std::condition_variable changed;
  std::function<void()> work;
  bool is_over = false, ends = false;

  static void serve(const std::shared_ptr<Worker>& self) {
    std::unique_lock lock(self->mutex);
    for (;;) {
      self->changed.wait(lock, [&] { return self->ends || self->work != nullptr; });
      if (self->work == nullptr) return;
      const std::function<void()> now = std::exchange(self->work, nullptr);
      lock.unlock();
      now();
      lock.lock();
      self->is_over = true;
      self->changed.notify_all();
    }
  }
};

Guard::~Guard() {
  for (const auto& worker : idle_) {
    const std::lock_guard lock(worker->mutex);
    worker->ends = true;
    worker->changed.notify_all();
  }
}

std::shared_ptr<Guard::Worker> Guard::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto worker = std::move(idle_.back());
      idle_.pop_back();
      return worker;
    }
  }
  auto worker = std::make_shared<Worker>();
  std::thread([worker] { Worker::serve(worker); }).detach();
  return worker;
}

bool Guard::run(std::function<void()> work) {
  const std::shared_ptr<Worker> worker = take();
  std::unique_lock lock(worker->mutex);
  worker->is_over = false;
  worker->work = std::move(work);
  worker->changed.notify_all();
  const auto begin = driver::WaitingClock::now();
  std::chrono::duration<double> left = limit_;
  bool is_over = false;
  while (!is_over && left.count() > 0) {
    const auto pause = std::min<std::chrono::duration<double>>(left, driver::WaitingClock::kLook);
    is_over = worker->changed.wait_for(lock, pause, [&] { return worker->is_over; });
    left = limit_ - (driver::WaitingClock::now() - begin);
  }
  lock.unlock();
  if (!is_over) {
    const std::lock_guard ending(worker->mutex);
    worker->ends = true;  // when the call returns after all
    return false;
  }
  const std::lock_guard keep(mutex_);
  idle_.push_back(worker);
  return true;
}

}  // namespace quern::limited
