#include "driver/native/pool.hpp"

#include <algorithm>

#include "base/thread.hpp"

namespace quern::native {

Pool::~Pool() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  for (std::thread& t : threads_) t.join();
}

void Pool::start(size_t helpers) {
  base::grow_threads(threads_, helpers, [this] { help(); });
}

void Pool::run(Grid& grid) {
  const std::lock_guard turn(turn_);
  const uint64_t blocks = grid.blocks.count();
  const unsigned processors = std::max(1u, std::thread::hardware_concurrency());
  if (blocks > 1) start(static_cast<size_t>(std::min<uint64_t>(blocks, processors)) - 1);
  next_ = 0;
  {
    const std::lock_guard lock(mutex_);
    grid_ = &grid;
    ++round_;
    working_ = threads_.size();
  }
  changed_.notify_all();
  work(own_, grid);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return working_ == 0; });
  grid_ = nullptr;
}

void Pool::help() {
  BlockRunner runner;
  uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || (grid_ != nullptr && round_ != seen); });
    if (ends_) return;
    seen = round_;
    Grid& grid = *grid_;
    lock.unlock();
    work(runner, grid);
    lock.lock();
    if (--working_ == 0) done_.notify_one();
  }
}

void Pool::work(BlockRunner& runner, Grid& grid) {
  const uint64_t blocks = grid.blocks.count();
  while (!grid.stopped) {
    const uint64_t i = next_++;
    if (i >= blocks) return;
    const auto x = static_cast<uint32_t>(i % grid.blocks.x);
    const auto y = static_cast<uint32_t>(i / grid.blocks.x % grid.blocks.y);
    runner.run(grid, {x, y, static_cast<uint32_t>(i / grid.blocks.x / grid.blocks.y)});
  }
}

}  // namespace quern::native
