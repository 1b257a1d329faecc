// Launches: how many threads to use, in which pieces, and the transition from quick to full code.
#include <algorithm>
#include <chrono>

#include "driver/cpu/stream.hpp"
#include "driver/support/clock_pair.hpp"

namespace quern::cpu {
namespace {

constexpr uint64_t kWorthThread = 4000;  // ns of work that justify one more thread
constexpr uint64_t kWorthPiece = 1000;   // ns of work per piece, at least

}  // namespace

const uint32_t* CpuStream::thread_indices(const driver::Dim3& block) {
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
  CpuStream& stream;
  Task& task;
  uint64_t first;
  uint64_t spent = 0;  // ns, total of all threads

  static void run(void* data, uint64_t from, uint64_t to) {
    Range& r = *static_cast<Range*>(data);
    run_blocks(r.task, r.first + from, r.first + to);
  }
  static void near_end(void* data) { static_cast<Range*>(data)->stream.near_end(); }
};

uint32_t cores() {
  static const uint32_t kCores = std::max(1u, std::thread::hardware_concurrency());
  return kCores;
}

// Whole rows of blocks if there are enough: neighboring blocks read neighboring memory.
uint64_t grain_of(const Task& task, uint64_t blocks, uint32_t threads, uint64_t worth) {
  constexpr uint64_t kRowsPerThread = 4;
  const uint64_t row = task.grid.x;
  if (task.is_abreast) return (blocks + threads - 1) / threads;  // together they read consecutive memory
  const bool has_rows = blocks == task.grid.count() && blocks / row >= kRowsPerThread * threads;
  return has_rows ? (worth + row - 1) / row * row : std::min(worth, std::max<uint64_t>(1, blocks / threads));
}

}  // namespace

void CpuStream::run_launch(Command& c) {
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
  // Blocks that run concurrently may poll each other.
  if (!c.cooperative && c.kernel->goes_past_caches(task.arguments, c.grid.count() * c.block.count()))
    task.past_mask = llvm::kLinesPast;
  if (c.variant->options.shape != llvm::Shape::kLine) task.thread_indices = thread_indices(c.block);
  const Variant* variant = c.variant;
  const uint64_t done = variant->effort == Effort::kQuick ? run_quick(c, task, variant) : 0;
  run_range(task, *variant, done, c.grid.count());
}

// Chooses the number of threads from the time that blocks of this kernel took before.
void CpuStream::run_range(Task& task, const Variant& variant, uint64_t first, uint64_t end) {
  // Threads that wait may wait for any block: one OS thread schedules all of them.
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
  spread.spent = &range.spent;
  if (end == task.grid.count()) spread.nearly = Range::near_end;
  is_crowded_.store(spread.threads >= cores(), std::memory_order_relaxed);
  pool_.run(blocks, Range::run, &range, spread);
  is_crowded_.store(false, std::memory_order_relaxed);
  variant.note_time(range.spent, blocks);
}

// Runs blocks that are not worth another thread. If they take longer than before, stops. Returns how many
// blocks were run.
uint64_t CpuStream::run_alone(Task& task, const Variant& variant, uint64_t first, uint64_t end) {
  constexpr uint64_t kPieces = 4;
  const uint64_t start = driver::host_nanoseconds(), begin = first,
                 piece = std::max<uint64_t>(1, (end - first) / kPieces);
  while (first < end) {
    const uint64_t next = std::min(end, first + piece);
    run_blocks(task, first, next);
    first = next;
    const uint64_t took = driver::host_nanoseconds() - start;
    if (first < end && took < 4 * kWorthThread) continue;
    variant.note_time(took, first - begin);
    break;
  }
  return first;
}

// Runs blocks in growing pieces until all are done or full code is ready for the rest. Returns how many were
// run. If all blocks must run concurrently they are one piece.
uint64_t CpuStream::run_quick(Command& c, Task& task, const Variant*& variant) {
  constexpr uint64_t kLongPiece = 2'000'000;  // ns
  const uint64_t blocks = c.grid.count();
  uint64_t piece = task.is_cooperative || task.is_thread ? blocks : pool_.threads();
  uint64_t first = 0;
  while (first < blocks && variant->effort == Effort::kQuick) {
    const uint64_t end = std::min(blocks, first + piece), start = driver::host_nanoseconds();
    run_range(task, *variant, first, end);
    const uint64_t took = driver::host_nanoseconds() - start;
    variant->spent.fetch_add(took, std::memory_order_relaxed);
    if (took < kLongPiece) piece *= 2;
    first = end;
    if (first < blocks) variant = c.kernel->promoted(variant);
  }
  use(task, *variant);
  return first;
}

}  // namespace quern::cpu
