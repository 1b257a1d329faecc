// Coroutines that wait for events. Drivers do not report that an event is reached, so one thread polls all
// events that are awaited; it sleeps while there are none.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "api/state.hpp"
#include "quern/coroutine.hpp"

namespace quern {

namespace {

using Clock = std::chrono::steady_clock;

struct Waiting {
  std::shared_ptr<runtime::Event> event;
  std::function<bool()> is_stopped;
  std::function<void()> resume;

  bool is_over() const {
    if (event == nullptr || (is_stopped && is_stopped())) return true;
    const auto reached = event->reached();
    return !reached.ok() || *reached;
  }
};

class Completions {
 public:
  // Coroutines may still wait when the process ends, so it lives as long.
  static Completions& instance() {
    static Completions* const kOne = new Completions();
    return *kOne;
  }

  void add(Waiting waiting) {
    const std::lock_guard lock(mutex_);
    added_.push_back(std::move(waiting));
    changed_.notify_one();
  }

 private:
  Completions() {
    std::thread([this] { run(); }).detach();
  }

  void run() {
    std::vector<Waiting> waiting;
    Clock::time_point progress = Clock::now();
    for (;;) {
      if (take_added(waiting, pause_after(Clock::now() - progress))) progress = Clock::now();
      const auto over = std::stable_partition(waiting.begin(), waiting.end(),
                                              [](const Waiting& w) { return !w.is_over(); });
      if (over == waiting.end()) continue;
      std::vector<Waiting> ready(std::make_move_iterator(over), std::make_move_iterator(waiting.end()));
      waiting.erase(over, waiting.end());
      for (Waiting& w : ready) std::exchange(w.resume, nullptr)();
      progress = Clock::now();
    }
  }

  // A tenth of the time that was waited already, so that the delay is small against the work.
  static Clock::duration pause_after(Clock::duration waited) {
    constexpr Clock::duration kLeast = std::chrono::microseconds(20), kMost = std::chrono::milliseconds(1);
    return std::clamp(waited / 10, kLeast, kMost);
  }

  // Sleeps until something is added, but not longer than `pause` while something waits.
  bool take_added(std::vector<Waiting>& waiting, Clock::duration pause) {
    std::unique_lock lock(mutex_);
    const auto has_added = [this] { return !added_.empty(); };
    if (waiting.empty()) {
      changed_.wait(lock, has_added);
    } else {
      changed_.wait_for(lock, pause, has_added);
    }
    const bool is_new = has_added();
    std::move(added_.begin(), added_.end(), std::back_inserter(waiting));
    added_.clear();
    return is_new;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Waiting> added_;
};

}  // namespace

void detail::Completion::add(const Event& event, std::function<bool()> is_stopped,
                             std::function<void()> resume) {
  Completions::instance().add({event.state_, std::move(is_stopped), std::move(resume)});
}

void Event::resume_later(std::coroutine_handle<> handle) const {
  detail::Completion::add(*this, {}, [handle] { handle.resume(); });
}

const char* async::Cancelled::what() const noexcept { return "waiting was cancelled by a stop request"; }

}  // namespace quern
