#include "driver/native/block.hpp"

#include <algorithm>
#include <exception>
#include <new>

#include "base/text.hpp"
#include "driver/interface/messages.hpp"
#include "driver/native/messages.hpp"
#include "quern/kernel/thread.hpp"

namespace quern::native {

namespace {

constexpr size_t kWarp = 32;

// Thrown to leave a kernel body that must not continue.
struct Stop {};

}  // namespace

void BlockRunner::run(Grid& grid, driver::Dim3 block) {
  grid_ = &grid;
  shared_memory_.resize(grid.shared_bytes / sizeof(std::max_align_t) + 1);
  shared_ = shared_memory_.data();
  kernel::blockIdx = {block.x, block.y, block.z};
  kernel::blockDim = {grid.threads.x, grid.threads.y, grid.threads.z};
  kernel::gridDim = {grid.blocks.x, grid.blocks.y, grid.blocks.z};
  kernel::host::Runner* const before = kernel::host::set_runner(this);
  if (grid.function.waits) {
    run_together();
  } else {
    run_in_turn();
  }
  kernel::host::set_runner(before);
}

void BlockRunner::run_in_turn() {
  try {
    for (uint32_t z = 0; z < grid_->threads.z; ++z) {
      for (uint32_t y = 0; y < grid_->threads.y; ++y) {
        kernel::threadIdx = {0, y, z};
        grid_->function.run(grid_->arguments, grid_->threads.x);
      }
    }
  } catch (const Stop&) {
  } catch (const std::exception& e) {
    note("exception", message::kThrows(e.what()).text, nullptr, 0);
  }
}

// ---- Threads that synchronize.

void BlockRunner::run_together() {
  const driver::Dim3& size = grid_->threads;
  threads_.resize(size.count());
  size_t i = 0;
  for (uint32_t z = 0; z < size.z; ++z) {
    for (uint32_t y = 0; y < size.y; ++y) {
      for (uint32_t x = 0; x < size.x; ++x, ++i) {
        Thread& t = threads_[i];
        t.owner = this;
        t.index = {x, y, z};
        t.waits = Waits::kNot;
        t.fiber = nullptr;
      }
    }
  }
  alive_ = threads_.size();
  at_barrier_ = 0;
  free_.clear();
  for (const std::unique_ptr<base::Fiber>& f : fibers_) free_.push_back(f.get());

  while (alive_ > 0 && !grid_->stopped) {
    bool moved = false;
    for (Thread& t : threads_) {
      if (t.waits != Waits::kNot || grid_->stopped) continue;
      moved = true;
      go_on(t);
    }
    if (!moved && !release_active()) {
      note("deadlock", message::kDeadlock().text, nullptr, 0);
    }
  }
}

void BlockRunner::go_on(Thread& thread) {
  if (thread.fiber == nullptr) {
    if (free_.empty()) {
      std::unique_ptr<base::Fiber> fiber = base::Fiber::create();
      if (fiber == nullptr) {
        note("memory", message::kNoStacks().text, nullptr, 0);
        return;
      }
      free_.push_back(fiber.get());
      fibers_.push_back(std::move(fiber));
    }
    thread.fiber = free_.back();
    free_.pop_back();
    thread.fiber->start(&thread_main, &thread);
  }
  running_ = &thread;
  kernel::threadIdx = thread.index;
  thread.fiber->resume();
  if (thread.waits == Waits::kDone) {
    free_.push_back(thread.fiber);
    thread.fiber = nullptr;
  }
}

void BlockRunner::thread_main(void* thread) {
  auto& t = *static_cast<Thread*>(thread);
  const Grid& grid = *t.owner->grid_;
  try {
    grid.function.run(grid.arguments, 1);
  } catch (const Stop&) {
  } catch (const std::exception& e) {
    t.owner->note("exception", message::kThrows(e.what()).text, nullptr, 0);
  }
  t.owner->end(t);
}

// Threads that have returned no longer take part in barriers.
void BlockRunner::end(Thread& thread) {
  thread.waits = Waits::kDone;
  --alive_;
  release_barrier();
  const size_t warp = static_cast<size_t>(&thread - threads_.data()) / kWarp;
  const size_t last = std::min(threads_.size(), (warp + 1) * kWarp);
  for (size_t i = warp * kWarp; i < last; ++i) {
    if (threads_[i].waits == Waits::kWarp) release_warp(warp, threads_[i].mask);
  }
}

void BlockRunner::wait(Waits what) {
  Thread& thread = *running_;
  thread.waits = what;
  thread.fiber->suspend();
}

BlockRunner::Votes BlockRunner::barrier(bool vote) {
  if (!grid_->function.waits)
    stop("barrier", "a barrier was reached in a kernel compiled without barriers", nullptr, 0);
  Thread& thread = *running_;
  thread.vote = vote;
  thread.waits = Waits::kBarrier;
  ++at_barrier_;
  if (!release_barrier()) wait(Waits::kBarrier);
  return thread.votes;
}

bool BlockRunner::release_barrier() {
  if (at_barrier_ == 0 || at_barrier_ != alive_) return false;
  Votes votes{0, static_cast<unsigned>(at_barrier_)};
  for (const Thread& t : threads_) votes.yes += t.waits == Waits::kBarrier && t.vote ? 1 : 0;
  for (Thread& t : threads_) {
    if (t.waits != Waits::kBarrier) continue;
    t.votes = votes;
    t.waits = Waits::kNot;
  }
  at_barrier_ = 0;
  return true;
}

BlockRunner::Meeting BlockRunner::meet(unsigned mask, uint64_t value) {
  if (!grid_->function.waits)
    stop("warp", "a warp operation was reached in a kernel compiled without warp operations", nullptr, 0);
  Thread& thread = *running_;
  thread.mask = mask;
  thread.value = value;
  thread.waits = Waits::kWarp;
  const size_t warp = static_cast<size_t>(&thread - threads_.data()) / kWarp;
  if (!release_warp(warp, mask)) wait(Waits::kWarp);
  return {thread.values, thread.lanes};
}

// Resumes the lanes of the mask once all of them that still run have arrived.
bool BlockRunner::release_warp(size_t warp, unsigned mask) {
  const size_t first = warp * kWarp;
  const size_t count = std::min(kWarp, threads_.size() - first);
  unsigned here = 0;
  for (size_t i = 0; i < count; ++i) {
    const Thread& t = threads_[first + i];
    if ((mask >> i & 1u) == 0 || t.waits == Waits::kDone) continue;
    if (t.waits != Waits::kWarp || t.mask != mask) return false;
    here |= 1u << i;
  }
  for (size_t i = 0; i < count; ++i) {
    Thread& t = threads_[first + i];
    if ((here >> i & 1u) == 0) continue;
    t.lanes = here;
    t.waits = Waits::kNot;
    for (size_t k = 0; k < count; ++k) t.values[k] = threads_[first + k].value;
  }
  return here != 0;
}

unsigned BlockRunner::active_mask() {
  if (!grid_->function.waits) return 1u << kernel::host::lane();
  Thread& thread = *running_;
  thread.place = __builtin_return_address(0);
  wait(Waits::kActive);
  return thread.lanes;
}

// If no thread can continue, the lanes of a warp at the same call of __activemask are active together.
bool BlockRunner::release_active() {
  bool any = false;
  for (size_t first = 0; first < threads_.size(); first += kWarp) {
    const size_t count = std::min(kWarp, threads_.size() - first);
    const void* place = nullptr;
    unsigned lanes = 0;
    for (size_t i = 0; i < count; ++i) {
      const Thread& t = threads_[first + i];
      if (t.waits != Waits::kActive || (place != nullptr && t.place != place)) continue;
      place = t.place;
      lanes |= 1u << i;
    }
    for (size_t i = 0; i < count; ++i) {
      if ((lanes >> i & 1u) == 0) continue;
      threads_[first + i].lanes = lanes;
      threads_[first + i].waits = Waits::kNot;
    }
    any |= lanes != 0;
  }
  return any;
}

// ---- Functions that a thread calls.

void BlockRunner::print(const char* text, size_t size) {
  const std::lock_guard lock(grid_->mutex);
  grid_->output->append({text, size});
}

void BlockRunner::stop(const char* what, const char* text, const char* file, unsigned line) {
  note(what, std::string_view(what) == "assert" ? driver::message::kAssertion(text).text : text, file, line);
  throw Stop();
}

void BlockRunner::note(const char* what, const std::string& text, const char* file, unsigned line) {
  grid_->stopped = true;
  const std::lock_guard lock(grid_->mutex);
  if (grid_->finding) return;
  driver::Finding f;
  f.kind = what;
  f.message = text;
  f.kernel = grid_->kernel;
  f.file = file != nullptr ? file : "";
  f.line = line;
  const kernel::uint3 t = kernel::threadIdx, b = kernel::blockIdx;
  f.thread = {t.x, t.y, t.z};
  f.block = {b.x, b.y, b.z};
  const std::string place = file != nullptr ? base::format("%s:%u", file, line) : "kernel '" + f.kernel + "'";
  f.rendered =
      base::format("%s: %s: %s\n  thread (%u,%u,%u) of block (%u,%u,%u) here, in kernel %s", place.c_str(),
                   what, text.c_str(), t.x, t.y, t.z, b.x, b.y, b.z, f.kernel.c_str());
  grid_->finding = std::move(f);
}

}  // namespace quern::native
