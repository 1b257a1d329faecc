#include "driver/cpu/queue.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/ticks.hpp"
#include "driver/cpu/spin.hpp"

namespace quern::cpu {
namespace {

constexpr std::chrono::microseconds kPatience{100};  // before a thread that waits sleeps
constexpr uint64_t kWorthThread = 4000;              // ns of work that one more thread is asked for
constexpr uint64_t kWorthPiece = 1000;               // ns of work that are taken at once, at least

uint64_t now() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

// Each copy doubles what is there, up to a piece that stays in the cache.
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

void Point::reach(uint64_t ticket) {
  time.store(now(), std::memory_order_relaxed);
  {
    const std::lock_guard<std::mutex> lock(mutex);
    done.store(ticket, std::memory_order_release);
  }
  changed.notify_all();
}

void Point::wait_for(uint64_t ticket) {
  const auto is_there = [&] { return done.load(std::memory_order_acquire) >= ticket; };
  if (spin_until(is_there, kPatience)) return;
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, is_there);
}

CpuQueue::CpuQueue(Pool& pool) : pool_(pool), ring_(kSlots), thread_([this] { run(); }) {}

CpuQueue::~CpuQueue() {
  next_slot().kind = Kind::kEnd;
  submit();
  thread_.join();
}

CpuQueue::Command& CpuQueue::next_slot() {
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

void CpuQueue::submit() {
  submitted_.fetch_add(1, std::memory_order_seq_cst);
  if (!sleeps_.load(std::memory_order_seq_cst)) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  wake_.notify_one();
}

void CpuQueue::run() {
  uint64_t at = 0;
  const auto has_work = [&] { return submitted_.load(std::memory_order_seq_cst) != at; };
  for (;;) {
    if (!spin_until(has_work, kPatience)) {
      std::unique_lock<std::mutex> lock(mutex_);
      sleeps_.store(true, std::memory_order_seq_cst);
      wake_.wait(lock, has_work);
      sleeps_.store(false, std::memory_order_seq_cst);
    }
    Command& command = ring_[at % kSlots];
    const bool ends = command.kind == Kind::kEnd;
    driver::Stamp* const wanted = command.stamp;
    if (wanted != nullptr) wanted->begin.store(base::ticks(), std::memory_order_relaxed);
    carry_out(command);
    if (wanted != nullptr) wanted->end.store(base::ticks(), std::memory_order_release);
    finished_.store(++at, std::memory_order_seq_cst);
    if (waiting_.load(std::memory_order_seq_cst) != 0) {
      const std::lock_guard<std::mutex> lock(mutex_);
      progress_.notify_all();
    }
    if (ends) return;
  }
}

template <typename Ready>
void CpuQueue::sleep_until(const Ready& ready) {
  waiting_.fetch_add(1, std::memory_order_seq_cst);
  std::unique_lock<std::mutex> lock(mutex_);
  progress_.wait(lock, ready);
  waiting_.fetch_sub(1, std::memory_order_seq_cst);
}

// Awake, while there is a core to be awake on; else asleep, and up again shortly before the end.
void CpuQueue::synchronize() {
  const uint64_t until = submitted_.load(std::memory_order_acquire);
  const auto is_done = [&] { return finished_.load(std::memory_order_seq_cst) >= until; };
  const auto is_near = [&] { return is_done() || nearly_.load(std::memory_order_seq_cst) >= until; };
  (void)spin_until([&] { return is_done() || is_crowded_.load(std::memory_order_relaxed); }, kPatience);
  if (is_done()) return;
  sleep_until(is_near);
  if (!spin_until(is_done, kPatience)) sleep_until(is_done);
}

void CpuQueue::near_end() {
  is_crowded_.store(false, std::memory_order_relaxed);
  const uint64_t ticket = finished_.load(std::memory_order_relaxed) + 1;
  if (ticket != submitted_.load(std::memory_order_relaxed)) return;  // who waits, waits for more
  nearly_.store(ticket, std::memory_order_seq_cst);
  if (waiting_.load(std::memory_order_seq_cst) == 0) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  progress_.notify_all();
}

void CpuQueue::copy(void* to, const void* from, uint64_t bytes) {
  Command& c = next_slot();
  c.kind = Kind::kCopy;
  c.to = to;
  c.from = from;
  c.bytes = bytes;
  submit();
}

void CpuQueue::fill(void* to, uint64_t value, uint32_t width, uint64_t bytes) {
  Command& c = next_slot();
  c.kind = Kind::kFill;
  c.to = to;
  c.value = value;
  c.width = width;
  c.bytes = bytes;
  submit();
}

void CpuQueue::launch(CpuKernel& kernel, const Variant& variant, const driver::Launch& launch) {
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

void CpuQueue::record(const std::shared_ptr<Point>& point) {
  Command& c = next_slot();
  c.kind = Kind::kRecord;
  c.point = point;
  point->messages = messages_;
  c.ticket = point->recorded.fetch_add(1, std::memory_order_acq_rel) + 1;
  submit();
}

void CpuQueue::wait(const std::shared_ptr<Point>& point) {
  Command& c = next_slot();
  c.kind = Kind::kWait;
  c.point = point;
  c.ticket = point->recorded.load(std::memory_order_acquire);
  submit();
}

void CpuQueue::call(std::function<void()> function) {
  Command& c = next_slot();
  c.kind = Kind::kCall;
  c.function = std::move(function);
  submit();
}

void CpuQueue::carry_out(Command& c) {
  switch (c.kind) {
    case Kind::kCopy: std::memmove(c.to, c.from, c.bytes); break;
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

const uint32_t* CpuQueue::thread_indices(const driver::Dim3& block) {
  if (indices_for_ == block) return indices_.data();
  indices_.assign(size_t{3} * llvm::kThreadTable, 0);
  for (uint32_t t = 0; t < block.count(); ++t) {
    indices_[t] = t % block.x;
    indices_[llvm::kThreadTable + t] = t / block.x % block.y;
    indices_[size_t{2} * llvm::kThreadTable + t] = t / block.x / block.y;
  }
  indices_for_ = block;
  return indices_.data();
}

namespace {

void use(Task& task, const Variant& variant) {
  task.function = variant.function;
  task.code = variant.object.get();
  task.record_bytes = variant.record_bytes;
  task.width = variant.own.width;
  task.is_thread = variant.own.is_thread;
  task.is_abreast = variant.is_abreast;
  task.is_by_rows = variant.is_by_rows;
}

// Blocks for the pool.
struct Range {
  CpuQueue& queue;
  Task& task;
  uint64_t first;
  std::atomic<uint64_t> spent{0};  // ns, of all threads

  static void run(void* data, uint64_t from, uint64_t to) {
    Range& r = *static_cast<Range*>(data);
    const uint64_t start = now();
    run_blocks(r.task, r.first + from, r.first + to);
    r.spent.fetch_add(now() - start, std::memory_order_relaxed);
  }
  static void near_end(void* data) { static_cast<Range*>(data)->queue.near_end(); }
};

uint32_t cores() {
  static const uint32_t kCores = std::max(1u, std::thread::hardware_concurrency());
  return kCores;
}

// The whole rows of blocks, where there are enough: blocks side by side read what lies side by side.
uint64_t grain_of(const Task& task, uint64_t blocks, uint32_t threads, uint64_t worth) {
  constexpr uint64_t kRowsPerThread = 4;
  const uint64_t row = task.grid.x;
  if (task.is_abreast) return (blocks + threads - 1) / threads;  // together they read straight on
  const bool has_rows = blocks == task.grid.count() && blocks / row >= kRowsPerThread * threads;
  return has_rows ? (worth + row - 1) / row * row : std::min(worth, std::max<uint64_t>(1, blocks / threads));
}

}  // namespace

void CpuQueue::run_launch(Command& c) {
  Task task;
  use(task, *c.variant);
  task.facts = &c.kernel->facts();
  task.is_guarded = c.kernel->is_checked();
  task.messages = messages_.get();
  task.pool = &pool_;
  task.grid = c.grid;
  task.block = c.block;
  task.cluster = c.cluster;
  task.maps_shared = c.kernel->demand().maps_shared;
  task.static_shared = c.kernel->shared_bytes();
  task.dynamic_shared = c.dynamic_shared;
  task.is_cooperative = c.cooperative;
  task.arguments = c.more.empty() ? c.arguments.data() : c.more.data();
  if (c.variant->options.shape != llvm::Shape::kLine) task.thread_indices = thread_indices(c.block);
  const Variant* variant = c.variant;
  const uint64_t done = variant->effort == Effort::kQuick ? run_quick(c, task, variant) : 0;
  run_range(task, *variant, done, c.grid.count());
}

// On as many threads as the blocks are worth, by the time that blocks of the kernel took before.
void CpuQueue::run_range(Task& task, const Variant& variant, uint64_t first, uint64_t end) {
  // Threads that wait may wait for any block: one thread of the system gives all of them their turn.
  const bool is_alone = task.is_cooperative || task.is_thread || pool_.threads() == 1;
  if (is_alone || end - first <= 1) return run_blocks(task, first, end);
  const uint64_t known = variant.block_time.load(std::memory_order_relaxed);
  const uint64_t expected = known * (end - first) / Variant::kTimeUnit;
  if (known != 0 && expected < 2 * kWorthThread) first = run_alone(task, variant, first, end);
  const uint64_t blocks = end - first;
  if (blocks == 0) return;
  Pool::Spread spread;
  spread.threads = pool_.threads();
  if (known != 0 && expected >= 2 * kWorthThread)
    spread.threads = static_cast<uint32_t>(std::min<uint64_t>(spread.threads, expected / kWorthThread));
  const uint64_t worth = known != 0 ? std::max<uint64_t>(1, kWorthPiece * Variant::kTimeUnit / known) : 1;
  spread.grain = grain_of(task, blocks, spread.threads, worth);
  Range range{*this, task, first};
  if (end == task.grid.count()) spread.nearly = Range::near_end;
  is_crowded_.store(spread.threads >= cores(), std::memory_order_relaxed);
  pool_.run(blocks, Range::run, &range, spread);
  is_crowded_.store(false, std::memory_order_relaxed);
  variant.note_time(range.spent.load(std::memory_order_relaxed), blocks);
}

// Blocks that are worth no other thread. Where they take longer than they did, the rest is left: yields how
// far it came.
uint64_t CpuQueue::run_alone(Task& task, const Variant& variant, uint64_t first, uint64_t end) {
  constexpr uint64_t kPieces = 4;
  const uint64_t start = now(), begin = first, piece = std::max<uint64_t>(1, (end - first) / kPieces);
  while (first < end) {
    const uint64_t next = std::min(end, first + piece);
    run_blocks(task, first, next);
    first = next;
    const uint64_t took = now() - start;
    if (first < end && took < 4 * kWorthThread) continue;
    variant.note_time(took, first - begin);
    break;
  }
  return first;
}

// Blocks in growing pieces, until all are done or full code is there for the rest: yields how many were run.
// Where all blocks run at once they are one piece.
uint64_t CpuQueue::run_quick(Command& c, Task& task, const Variant*& variant) {
  constexpr uint64_t kLongPiece = 2'000'000;  // ns
  const uint64_t blocks = c.grid.count();
  uint64_t piece = task.is_cooperative || task.is_thread ? blocks : pool_.threads();
  uint64_t first = 0;
  while (first < blocks && variant->effort == Effort::kQuick) {
    const uint64_t end = std::min(blocks, first + piece), start = now();
    run_range(task, *variant, first, end);
    const uint64_t took = now() - start;
    variant->spent.fetch_add(took, std::memory_order_relaxed);
    if (took < kLongPiece) piece *= 2;
    first = end;
    if (first < blocks) variant = c.kernel->promoted(variant);
  }
  use(task, *variant);
  return first;
}

}  // namespace quern::cpu
