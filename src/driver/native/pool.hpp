// The host threads that run blocks. Started by the first launch that needs them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "driver/native/block.hpp"

namespace quern::native {

class Pool {
 public:
  Pool() = default;
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Runs all blocks of the grid, partly on the calling thread, and returns when they are done. Calls are
  // serialized.
  void run(Grid& grid);

 private:
  void start(size_t helpers);
  void help();
  void work(BlockRunner& runner, Grid& grid);

  std::mutex turn_;  // one grid at a time
  BlockRunner own_;  // for the calling thread
  std::vector<std::thread> threads_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::condition_variable done_;
  Grid* grid_ = nullptr;
  uint64_t round_ = 0;  // counts the grids
  size_t working_ = 0;
  bool ends_ = false;
  std::atomic<uint64_t> next_{0};
};

}  // namespace quern::native
