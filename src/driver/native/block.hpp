// Runs the blocks of a launch on one host thread. The threads of a block run in sequence, or, if they
// synchronize, each on its own fiber.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/fiber.hpp"
#include "driver/interface/driver.hpp"
#include "driver/support/output_buffer.hpp"
#include "quern/kernel/host.hpp"
#include "quern/kernel/vectors.hpp"

namespace quern::native {

// State shared by all blocks of a launch.
struct Grid {
  driver::HostFunction function;
  std::string kernel;
  void* const* arguments = nullptr;
  driver::Dim3 blocks;
  driver::Dim3 threads;  // of a block
  uint64_t shared_bytes = 0;

  std::atomic<bool> stopped{false};
  std::mutex mutex;                        // guards the members below
  driver::OutputBuffer* output = nullptr;  // the stream's
  std::optional<driver::Finding> finding;  // the first
};

class BlockRunner final : public kernel::host::Runner {
 public:
  void run(Grid& grid, driver::Dim3 block);

  Votes barrier(bool vote) override;
  Meeting meet(unsigned mask, uint64_t value) override;
  unsigned active_mask() override;
  void* dynamic_shared() override { return shared_; }
  void print(const char* text, size_t size) override;
  [[noreturn]] void stop(const char* what, const char* text, const char* file, unsigned line) override;

 private:
  enum class Waits : uint8_t { kNot, kBarrier, kWarp, kActive, kDone };
  struct Thread {
    BlockRunner* owner = nullptr;
    kernel::uint3 index{};
    base::Fiber* fiber = nullptr;  // null: not started, or finished
    Waits waits = Waits::kNot;
    bool vote = false;
    unsigned mask = 0;
    uint64_t value = 0;
    const void* place = nullptr;  // the call site of __activemask
    Votes votes{};
    unsigned lanes = 0;
    uint64_t values[32] = {};
  };

  void run_in_turn();
  void run_together();
  void go_on(Thread& thread);
  void wait(Waits what);
  void end(Thread& thread);
  static void thread_main(void* thread);
  bool release_barrier();
  bool release_warp(size_t warp, unsigned mask);
  bool release_active();
  void note(const char* what, const std::string& text, const char* file, unsigned line);

  Grid* grid_ = nullptr;
  std::vector<Thread> threads_;
  size_t alive_ = 0;
  size_t at_barrier_ = 0;
  Thread* running_ = nullptr;
  std::vector<std::unique_ptr<base::Fiber>> fibers_;
  std::vector<base::Fiber*> free_;
  std::vector<std::max_align_t> shared_memory_;
  void* shared_ = nullptr;
};

}  // namespace quern::native
