#include "driver/cpu/stream.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/ticks.hpp"
#include "driver/cpu/spin.hpp"
#include "driver/support/clock_pair.hpp"

namespace quern::cpu {
namespace {

constexpr std::chrono::microseconds kPatience{100};  // spinning time before a waiting thread sleeps
constexpr uint64_t kFew = 8;     // commands that may be left to a host that will wait soon
constexpr int32_t kTrusted = 4;  // consecutive hosts that waited soon, until the next one is expected to

// Each copy doubles the filled range, up to a piece that fits in the cache.
void fill_memory(std::byte* to, uint64_t value, uint32_t width, uint64_t bytes) {
  constexpr uint64_t kPiece = 16 << 10;
  std::memcpy(to, &value, width);
  for (uint64_t done = width; done < bytes;) {
    const uint64_t more = std::min({done, kPiece, bytes - done});
    std::memcpy(to + done, to, more);
    done += more;
  }
}

}  // namespace

uint64_t Point::record(std::shared_ptr<Messages> messages) {
  const std::lock_guard<std::mutex> lock(mutex_);
  messages_ = std::move(messages);
  return recorded_.fetch_add(1, std::memory_order_acq_rel) + 1;
}

std::shared_ptr<Messages> Point::messages() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return messages_;
}

void Point::reach(uint64_t ticket) {
  const uint64_t now = driver::host_nanoseconds();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (ticket > timed_) {
      timed_ = ticket;
      time_.store(now, std::memory_order_relaxed);
    }
    uint64_t done = done_.load(std::memory_order_relaxed);
    if (ticket == done + 1) {
      ++done;
      while (std::erase(early_, done + 1) != 0) ++done;
    } else {
      early_.push_back(ticket);
    }
    done_.store(done, std::memory_order_release);
    has_early_.store(!early_.empty(), std::memory_order_release);  // is_reached() reads them in reverse order
  }
  changed_.notify_all();
}

bool Point::has(uint64_t ticket) const {
  return done_.load(std::memory_order_relaxed) >= ticket ||
         std::find(early_.begin(), early_.end(), ticket) != early_.end();
}

bool Point::is_reached(uint64_t ticket) const {
  if (done_.load(std::memory_order_acquire) >= ticket) return true;
  if (!has_early_.load(std::memory_order_acquire)) return done_.load(std::memory_order_acquire) >= ticket;
  const std::lock_guard<std::mutex> lock(mutex_);
  return has(ticket);
}

void Point::wait_for(uint64_t ticket) {
  if (spin_until([&] { return is_reached(ticket); }, kPatience)) return;
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return has(ticket); });
}

CpuStream::CpuStream(Pool& pool) : pool_(pool), ring_(kSlots), thread_([this] { run(); }) {}

CpuStream::~CpuStream() {
  next_slot().kind = Kind::kEnd;
  submit(Need::kNow);
  thread_.join();
}

CpuStream::Command& CpuStream::next_slot() {
  const uint64_t at = submitted_.load(std::memory_order_relaxed);
  if (at - finished_.load(std::memory_order_acquire) >= kSlots) {
    ++waiting_;
    std::unique_lock<std::mutex> lock(mutex_);
    progress_.wait(lock, [&] { return at - finished_.load(std::memory_order_acquire) < kSlots; });
    --waiting_;
  }
  Command& slot = ring_[at % kSlots];
  slot.stamp = std::exchange(stamp, nullptr);
  return slot;
}

void CpuStream::submit(Need need) {
  const uint64_t before = submitted_.fetch_add(1, std::memory_order_seq_cst);
  if (is_idle_.load(std::memory_order_seq_cst)) {
    const uint64_t waiting = before - finished_.load(std::memory_order_relaxed);
    if (need == Need::kSoon && waiting < kFew) return;
    trust_less();
    return call_thread();
  }
  if (!sleeps_.load(std::memory_order_seq_cst)) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  wake_.notify_one();
}

void CpuStream::call_thread() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_idle_.store(false, std::memory_order_seq_cst);
  wake_.notify_one();
}

// A host did not wait, or not in time: more evidence is needed next time.
void CpuStream::trust_less() {
  constexpr int32_t kMostDebt = 1 << 14;
  const int32_t debt = debt_.load(std::memory_order_relaxed);
  trust_.store(-debt, std::memory_order_relaxed);
  debt_.store(std::min(2 * debt, kMostDebt), std::memory_order_relaxed);
}

void CpuStream::note_wait(uint64_t until) {
  const uint64_t last = last_wait_.exchange(until, std::memory_order_relaxed);
  if (until == last) return;
  const int32_t trust = trust_.load(std::memory_order_relaxed);
  const bool is_soon = until - last <= kFew;
  if (is_soon && trust < kTrusted) trust_.store(trust + 1, std::memory_order_relaxed);
  if (!is_soon && trust > 0) trust_.store(0, std::memory_order_relaxed);
}

bool CpuStream::is_left_lying() const {
  return submitted_.load(std::memory_order_seq_cst) != finished_.load(std::memory_order_seq_cst) &&
         !is_carried_.load(std::memory_order_seq_cst);
}

bool CpuStream::is_trusted() const { return trust_.load(std::memory_order_relaxed) >= kTrusted; }

void CpuStream::run() {
  for (bool ends = false; !ends;) {
    await_command();
    if (is_carried_.exchange(true, std::memory_order_acquire)) continue;
    while (!ends && finished_.load(std::memory_order_relaxed) != submitted_.load(std::memory_order_seq_cst)) {
      ends = ring_[finished_.load(std::memory_order_relaxed) % kSlots].kind == Kind::kEnd;
      carry_next();
    }
    is_carried_.store(false, std::memory_order_seq_cst);
  }
}

// For the stream's thread: waits until there is a command for it to execute.
void CpuStream::await_command() {
  const auto has_news = [&] {
    return is_left_lying() || is_carried_.load(std::memory_order_relaxed) || is_trusted();
  };
  for (;;) {
    if (is_trusted()) {
      if (sleep_if_idle()) return;
    } else if (spin_until(has_news, kPatience)) {
      if (is_left_lying()) return;
      if (is_trusted()) continue;
    }
    std::unique_lock<std::mutex> lock(mutex_);
    sleeps_.store(true, std::memory_order_seq_cst);
    wake_.wait(lock, [&] { return is_left_lying(); });
    sleeps_.store(false, std::memory_order_seq_cst);
    if (!is_trusted()) return;  // else the submitting host is about to wait
  }
}

// Returns true if commands have been pending for a while or the thread was woken for one; false if nothing
// runs.
bool CpuStream::sleep_if_idle() {
  constexpr std::chrono::microseconds kShort{200}, kLong{1600};
  std::unique_lock<std::mutex> lock(mutex_);
  is_idle_.store(true, std::memory_order_seq_cst);
  std::chrono::microseconds length = kShort;
  uint64_t finished = finished_.load(std::memory_order_relaxed);
  bool lay = is_left_lying();
  for (;;) {
    if (wake_.wait_for(lock, length, [&] { return !is_idle_.load(std::memory_order_relaxed); }))
      return is_left_lying();
    const bool is_carried = is_carried_.load(std::memory_order_relaxed), lies = is_left_lying();
    const bool is_still =
        finished == std::exchange(finished, finished_.load(std::memory_order_relaxed)) && !is_carried;
    const bool is_forgotten = is_still && lay && lies;
    if (is_forgotten) trust_less();
    if (is_forgotten || (is_still && !lay && !lies)) {
      is_idle_.store(false, std::memory_order_seq_cst);
      return is_forgotten;
    }
    length = is_carried ? std::min(2 * length, kLong) : kShort;
    lay = lies;
  }
}

// Executes the commands submitted before `until`, unless another thread is executing.
bool CpuStream::carry_until(uint64_t until) {
  if (is_carried_.exchange(true, std::memory_order_acquire)) return false;
  while (finished_.load(std::memory_order_relaxed) < until) carry_next();
  is_carried_.store(false, std::memory_order_seq_cst);
  if (!is_left_lying() || !sleeps_.load(std::memory_order_seq_cst)) return true;
  const std::lock_guard<std::mutex> lock(mutex_);
  wake_.notify_one();  // for another host's commands, submitted while this thread was executing
  return true;
}

void CpuStream::carry_next() {
  const uint64_t at = finished_.load(std::memory_order_relaxed);
  Command& command = ring_[at % kSlots];
  driver::Stamp* const wanted = command.stamp;
  if (wanted != nullptr) wanted->begin.store(base::ticks(), std::memory_order_relaxed);
  carry_out(command);
  if (wanted != nullptr) wanted->end.store(base::ticks(), std::memory_order_release);
  finished_.store(at + 1, std::memory_order_seq_cst);
  if (waiting_.load(std::memory_order_seq_cst) == 0) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  progress_.notify_all();
}

template <typename Ready>
void CpuStream::sleep_until(const Ready& ready) {
  waiting_.fetch_add(1, std::memory_order_seq_cst);
  std::unique_lock<std::mutex> lock(mutex_);
  progress_.wait(lock, ready);
  waiting_.fetch_sub(1, std::memory_order_seq_cst);
}

// Executes commands if no other thread does; spins while a core is free; else sleeps, and is woken shortly
// before the end.
void CpuStream::synchronize() {
  const uint64_t until = submitted_.load(std::memory_order_acquire);
  note_wait(until);
  if (finished_.load(std::memory_order_acquire) >= until || carry_until(until)) return;
  const auto is_done = [&] { return finished_.load(std::memory_order_seq_cst) >= until; };
  const auto is_near = [&] { return is_done() || nearly_.load(std::memory_order_seq_cst) >= until; };
  (void)spin_until([&] { return is_done() || is_crowded_.load(std::memory_order_relaxed); }, kPatience);
  if (is_done()) return;
  sleep_until(is_near);
  if (!spin_until(is_done, kPatience)) sleep_until(is_done);
}

void CpuStream::near_end() {
  is_crowded_.store(false, std::memory_order_relaxed);
  const uint64_t ticket = finished_.load(std::memory_order_relaxed) + 1;
  if (ticket != submitted_.load(std::memory_order_relaxed)) return;  // others wait for later work
  nearly_.store(ticket, std::memory_order_seq_cst);
  if (waiting_.load(std::memory_order_seq_cst) == 0) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  progress_.notify_all();
}

void CpuStream::copy(void* to, const void* from, uint64_t bytes) {
  Command& c = next_slot();
  c.kind = Kind::kCopy;
  c.to = to;
  c.from = from;
  c.bytes = bytes;
  submit();
}

void CpuStream::fill(void* to, uint64_t value, uint32_t width, uint64_t bytes) {
  Command& c = next_slot();
  c.kind = Kind::kFill;
  c.to = to;
  c.value = value;
  c.width = width;
  c.bytes = bytes;
  submit();
}

void CpuStream::launch(CpuKernel& kernel, const Variant& variant, const driver::Launch& launch) {
  Command& c = next_slot();
  c.kind = Kind::kLaunch;
  c.kernel = &kernel;
  c.variant = &variant;
  c.grid = launch.grid;
  c.block = launch.block;
  c.dynamic_shared = static_cast<uint32_t>(launch.shared_bytes);
  c.cluster = launch.cluster;
  c.cooperative = launch.cooperative || kernel.demand().grid_barrier || kernel.demand().clusters;
  const llvm::ArgumentLayout& layout = kernel.arguments();
  c.more.clear();
  if (layout.bytes > kInlineArguments) c.more.resize(layout.bytes);
  std::byte* const to = c.more.empty() ? c.arguments.data() : c.more.data();
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const driver::Argument& a = launch.arguments[i];
    if (a.value != nullptr) {
      std::memcpy(to + layout.offsets[i], a.value, a.bytes);
    } else {
      const uint64_t address = a.place.buffer != nullptr ? a.place.buffer->address + a.place.offset : 0;
      std::memcpy(to + layout.offsets[i], &address, sizeof(address));
    }
  }
  submit();
}

void CpuStream::record(const std::shared_ptr<Point>& point) {
  Command& c = next_slot();
  c.kind = Kind::kRecord;
  c.point = point;
  c.ticket = point->record(messages_);
  submit(Need::kNow);
}

void CpuStream::wait(const std::shared_ptr<Point>& point) {
  Command& c = next_slot();
  c.kind = Kind::kWait;
  c.point = point;
  c.ticket = point->last();
  submit(Need::kNow);
}

void CpuStream::call(std::function<void()> function) {
  Command& c = next_slot();
  c.kind = Kind::kCall;
  c.function = std::move(function);
  submit(Need::kNow);
}

void CpuStream::carry_out(Command& c) {
  switch (c.kind) {
    case Kind::kCopy:
      if (c.bytes != 0) std::memmove(c.to, c.from, c.bytes);
      break;
    case Kind::kFill: fill_memory(static_cast<std::byte*>(c.to), c.value, c.width, c.bytes); break;
    case Kind::kLaunch: run_launch(c); break;
    case Kind::kRecord:
      c.point->reach(c.ticket);
      c.point.reset();
      break;
    case Kind::kWait:
      c.point->wait_for(c.ticket);
      c.point.reset();
      break;
    case Kind::kCall:
      c.function();
      c.function = nullptr;
      break;
    case Kind::kEnd: break;
  }
}

}  // namespace quern::cpu
