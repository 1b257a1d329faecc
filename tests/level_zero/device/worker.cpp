#include <chrono>
#include <cstring>

#include "base/text.hpp"
#include "driver/cpu/driver.hpp"
#include "level_zero/device/objects.hpp"

namespace quern::test_level_zero {

namespace {

std::vector<std::string> odd_words() {
  const char* const list = std::getenv("QUERN_ODD_LEVEL_ZERO");
  std::vector<std::string> words;
  if (list == nullptr || *list == '\0') return words;
  const std::string all(list);
  for (const std::string_view word : base::split(all, ',')) words.emplace_back(word);
  return words;
}

}  // namespace

bool is_odd(std::string_view word) {
  for (const std::string& w : odd_words()) {
    if (w == word) return true;
  }
  return false;
}

ZeResult injected(std::string_view function) {
  static std::atomic<uint64_t> calls = 0;
  static std::mutex mutex;
  static std::string before;
  for (const std::string& w : odd_words()) {
    const size_t equals = w.find('=');
    if (equals == std::string::npos) continue;
    const auto code = static_cast<ZeResult>(std::strtoul(w.c_str() + equals + 1, nullptr, 0));
    const std::string name = w.substr(0, equals);
    if (name == function) return code;
    // Nobody can act on an object that is not released.
    const bool releases =
        function.ends_with("Destroy") || function == "zeMemFree" || function == "zeEventHostReset";
    if (!name.starts_with("call ") || releases) continue;
    {
      const std::lock_guard lock(mutex);
      if (before != w) calls = 0;
      before = w;
    }
    if (++calls == std::strtoull(name.c_str() + 5, nullptr, 10)) return code;
  }
  return kSuccess;
}

bool is_injecting() {
  for (const std::string& w : odd_words()) {
    if (w.starts_with("call ")) return true;
  }
  return false;
}

void broken_rule(const char* what) {
  std::fprintf(stderr, "level_zero test device: %s\n", what);
  std::abort();
}

std::atomic<int>& Object::live() {
  static std::atomic<int> count = 0;
  return count;
}

// Never destroyed: threads of the program may still use it when it ends.
Driver& the_driver() {
  static Driver* const driver = [] {
    auto* made = new Driver;
    for (uint32_t i = 0; i < 2; ++i) made->devices.push_back(std::make_unique<Device>(i));
    const auto cpu = cpu::make_driver();
    if (!cpu->start().ok()) return made;
    if (auto opened = cpu->open(0, {}); opened.ok()) made->cpu = std::move(*opened);
    return made;
  }();
  return *driver;
}

std::mutex& signals_mutex() {
  static std::mutex mutex;
  return mutex;
}
std::condition_variable& signals() {
  static std::condition_variable condition;
  return condition;
}

uint64_t ticks_now() {
  constexpr uint64_t kTick = 80;  // nanoseconds: 12.5 MHz
  return static_cast<uint64_t>(
             std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count()) /
         kTick;
}

Worker::Worker(Device& device) : device_(device) {
  auto stream = the_driver().cpu->create_stream({});
  if (!stream.ok()) broken_rule("the processor has no queue");
  stream_ = std::move(*stream);
  thread_ = std::thread([this] { run(); });
}

Worker::~Worker() {
  {
    std::unique_lock lock(mutex_);
    if (unfinished_ != 0 && !device_.is_lost && !is_injecting())
      broken_rule("a command list or queue is destroyed while it executes commands");
    if (is_injecting()) changed_.wait_for(lock, std::chrono::seconds(2), [this] { return unfinished_ == 0; });
    is_stopped_ = true;
  }
  changed_.notify_all();
  signals().notify_all();
  thread_.join();
}

void Worker::submit(const std::vector<Step>& steps) {
  {
    const std::lock_guard lock(mutex_);
    for (const Step& s : steps) {
      if (s.signal != nullptr) ++s.signal->users;
      for (Event* const e : s.waits) ++e->users;
      steps_.push_back(s);
      ++unfinished_;
    }
  }
  changed_.notify_all();
  // A call that fails must find nothing in flight: its caller may release what commands use.
  std::unique_lock lock(mutex_);
  if (is_injecting()) changed_.wait(lock, [this] { return unfinished_ == 0; });
}

void Worker::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.notify_all();
    changed_.wait(lock, [this] { return is_stopped_ || !steps_.empty(); });
    if (steps_.empty()) return;
    std::deque<Step> batch;
    batch.swap(steps_);
    lock.unlock();
    run_batch(std::move(batch));
    lock.lock();
  }
}

// Whatever is not ordered by a barrier runs in an order that nobody expects: backwards.
void Worker::run_batch(std::deque<Step> batch) {
  for (size_t i = 0; i < batch.size();) {
    size_t end = i;
    while (end < batch.size() && !batch[end].is_barrier) ++end;
    for (size_t k = end; k > i; --k) finish(batch[k - 1], ticks_now());
    if (end < batch.size()) finish(batch[end], ticks_now());
    i = end + 1;
  }
}

void Worker::finish(Step& step, uint64_t start) {
  const auto stopped = [this] {
    const std::lock_guard lock(mutex_);
    return is_stopped_;
  };
  {
    std::unique_lock lock(signals_mutex());
    for (Event* const e : step.waits) {
      while (!e->is_signaled && !device_.is_lost && !stopped())
        signals().wait_for(lock, std::chrono::milliseconds(20));
    }
  }
  for (Event* const e : step.waits) --e->users;
  if (step.work && !device_.is_lost) {
    auto done = step.work(*stream_);
    step.work = nullptr;
    if (!done.ok()) {
      std::fprintf(stderr, "level_zero test device: %s\n", done.error().to_string().c_str());
      device_.is_lost = true;
    }
    static std::atomic<bool> was_lost = false;
    if (is_odd("lost") || (is_odd("lost-once") && !was_lost.exchange(true))) device_.is_lost = true;
  }
  if (step.ends != nullptr) --*step.ends;
  if (step.signal != nullptr) {
    const std::lock_guard lock(signals_mutex());
    --step.signal->users;
    step.signal->start = start;
    step.signal->end = ticks_now();
    --unfinished_;
    step.signal->is_signaled = !device_.is_lost;
  } else {
    --unfinished_;
  }
  signals().notify_all();
}

}  // namespace quern::test_level_zero
