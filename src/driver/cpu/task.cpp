#include "driver/cpu/task.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include <unistd.h>

#include "base/signal_text.hpp"
#include "base/text.hpp"
#include "driver/cpu/crash.hpp"
#include "driver/cpu/fibers.hpp"
#include "driver/cpu/messages.hpp"
#include "driver/cpu/object.hpp"
#include "driver/cpu/past_caches.hpp"
#include "driver/interface/messages.hpp"

namespace quern::cpu {

using ir::Op;

quern::llvm::BlockContext Task::context(uint64_t number) const {
  quern::llvm::BlockContext c;
  c.arguments = arguments;
  c.thread_indices = thread_indices;
  c.launch = const_cast<Task*>(this);
  const uint32_t g[3] = {grid.x, grid.y, grid.z}, b[3] = {block.x, block.y, block.z};
  const uint32_t clusters[3] = {cluster.x, cluster.y, cluster.z};
  for (size_t d = 0; d < 3; ++d) c.grid[d] = g[d], c.block[d] = b[d], c.cluster[d] = clusters[d];
  c.block_id[0] = static_cast<uint32_t>(number % grid.x);
  c.block_id[1] = static_cast<uint32_t>(number / grid.x % grid.y);
  c.block_id[2] = static_cast<uint32_t>(number / grid.x / grid.y);
  c.at_block = c.block_id[0];
  c.end_block = c.block_id[0] + 1;
  c.threads = threads();
  c.end_bundle = bundles();
  c.dynamic_shared = dynamic_shared;
  c.shared_bytes = static_cast<uint32_t>(shared_bytes());
  c.past_mask = past_mask;
  return c;
}

void Task::fault(uint32_t site, uint32_t thread, const quern::llvm::BlockContext& c) {
  if (stopped.exchange(true)) return;
  const ir::Inst* inst = facts->sites[site];
  driver::Finding f;
  base::MessageText text;
  if (inst->is(Op::kAssert)) {
    f.kind = "assert";
    text = driver::message::kAssertion(inst->attr().text);
  } else if (inst->is(Op::kTrap)) {
    f.kind = "trap";
    text = driver::message::kTrap();
  } else if (quern::llvm::is_warp_op(inst->op)) {
    f.kind = "divergent warp operation";
    text = message::kDivergentWarp();
  } else {
    f.kind = "divergent barrier";
    text = driver::message::kSkippedBarrier();
  }
  f.message = std::move(text.text);
  f.hint = std::move(text.hint);
  if (inst->pos.file < facts->module->files.size()) f.file = facts->module->files[inst->pos.file].name;
  f.line = inst->pos.line;
  f.column = inst->pos.column;
  if (thread != ~uint32_t{0})
    f.thread = {thread % block.x, thread / block.x % block.y, thread / block.x / block.y};
  tell(std::move(f), c);
}

void Task::tell(driver::Finding f, const quern::llvm::BlockContext& c) {
  f.kernel = facts->name;
  f.block = {c.at_block, c.block_id[1], c.block_id[2]};
  f.rendered = f.file + ":" + std::to_string(f.line) + ":" + std::to_string(f.column) + ": " + f.kind + ": " +
               f.message;
  const std::lock_guard<std::mutex> lock(messages->mutex);
  if (messages->fault.empty())
    messages->fault = f.message + " (" + f.file + ":" + std::to_string(f.line) + ")";
  messages->findings.push_back(std::move(f));
}

bool Task::has_code(uint64_t address) const { return code != nullptr && code->has(address); }

namespace {

std::string crash_message(const Guard& guard, const std::string& kernel) {
  const std::string who = "kernel '" + kernel + "' ";
  const auto address = static_cast<unsigned long long>(guard.address);
  if (guard.signal == SIGSEGV)
    return who + base::format("accesses unmapped or protected memory at 0x%llx", address);
  if (guard.signal == SIGBUS) return who + base::format("makes a misaligned access at 0x%llx", address);
  return who + base::format("was stopped by signal %d", int{guard.signal});
}

}  // namespace

// As crash_message, without allocating.
void Task::write_crash(const Guard& guard) const {
  base::SignalText text;
  text.add("quern: kernel '").add(facts->name);
  if (guard.signal == SIGSEGV || guard.signal == SIGBUS) {
    text.add(guard.signal == SIGSEGV ? "' accesses unmapped or protected memory at 0x"
                                     : "' makes a misaligned access at 0x");
    text.add_number(guard.address, 16);
  } else {
    text.add("' was stopped by signal ").add_number(static_cast<uint64_t>(guard.signal));
  }
  const uint64_t place = guard.context->at_place;
  const uint16_t file = quern::llvm::file_of(place);
  if (place != 0 && file < facts->module->files.size())
    text.add(" (")
        .add(facts->module->files[file].name)
        .add(":")
        .add_number(quern::llvm::line_of(place))
        .add(")");
  text.add("\n").write(STDERR_FILENO);
}

// Before the first access, reports the kernel itself.
void Task::crashed(const Guard& guard) {
  if (stopped.exchange(true)) return;
  const uint64_t place = guard.context->at_place;
  driver::Finding f;
  f.kind = "invalid access";
  f.message = crash_message(guard, facts->name);
  const uint16_t file = place != 0 ? quern::llvm::file_of(place) : facts->place.file;
  if (file < facts->module->files.size()) f.file = facts->module->files[file].name;
  f.line = place != 0 ? quern::llvm::line_of(place) : facts->place.line;
  f.column = place != 0 ? quern::llvm::column_of(place) : facts->place.column;
  tell(std::move(f), *guard.context);
}

Arena::~Arena() {
  std::free(shared_.bytes);
  std::free(scratch_.bytes);
}

std::byte* Arena::get(Memory& memory, uint64_t bytes) {
  constexpr uint64_t kAlign = 64;
  bytes = (bytes + kAlign) / kAlign * kAlign;
  if (memory.size >= bytes) return memory.bytes;
  std::free(memory.bytes);
  memory.bytes = static_cast<std::byte*>(std::aligned_alloc(kAlign, bytes));
  memory.size = memory.bytes != nullptr ? bytes : 0;
  return memory.bytes;
}

namespace {

// Threads of a row that run before the next row does: data that neighbors of both read stays in the cache.
constexpr uint32_t kMostOfRow = 4096;

// Their state between turns should stay in the L1 cache.
uint64_t blocks_abreast(uint64_t bytes, uint64_t blocks) {
  constexpr uint64_t kMostBytes = 48 << 10;
  const uint64_t fit = std::max<uint64_t>(1, kMostBytes / bytes);
  return std::min({uint64_t{quern::llvm::kMostAbreast}, fit, blocks});
}

}  // namespace

void run_blocks(Task& task, uint64_t first, uint64_t end) {
  if (task.is_thread || task.is_cooperative) return run_fibers(task, first, end);
  thread_local Arena arena;
  const uint64_t records = task.record_bytes * task.bundles();
  const uint64_t stride = (task.shared_bytes() + quern::llvm::kSharedMargin + 63) / 64 * 64;
  const uint64_t abreast = task.is_abreast ? blocks_abreast(records + stride, end - first) : 1;
  std::byte* const shared = arena.shared(task.shared_bytes() + (abreast - 1) * stride);
  std::byte* const scratch = arena.scratch(records * abreast);
  if (shared == nullptr || scratch == nullptr) {
    const std::lock_guard<std::mutex> lock(task.messages->mutex);
    if (task.messages->fault.empty()) task.messages->fault = "out of memory for a block of the kernel";
    task.stopped = true;
    return;
  }
  quern::llvm::BlockContext context = task.context(first);
  context.shared = shared;
  context.scratch = scratch;
  context.abreast = static_cast<uint32_t>(abreast);
  context.shared_stride = static_cast<uint32_t>(stride);
  for (uint64_t b = first; b < end && !task.stopped.load(std::memory_order_relaxed);) {
    const uint64_t row = std::min<uint64_t>(end - b, task.grid.x - context.block_id[0]);
    const uint64_t most = task.is_by_rows ? std::max<uint32_t>(1, kMostOfRow / task.block.x) : row;
    context.end_block = context.block_id[0] + static_cast<uint32_t>(std::min(row, most));
    run_guarded(task, context);
    b += std::min(row, most);
    context.block_id[0] = context.end_block;
    if (context.end_block < task.grid.x) continue;
    context.block_id[0] = 0;
    if (++context.block_id[1] < task.grid.y) continue;
    context.block_id[1] = 0;
    ++context.block_id[2];
  }
  if (task.past_mask != quern::llvm::kNeverPast) end_stores_past_caches();
}

}  // namespace quern::cpu
