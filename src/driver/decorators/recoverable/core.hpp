// The inside of a recoverable device: the device below, all states, the log, and how they are brought over to
// another device. Objects keep it alive.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "driver/decorators/recoverable/device.hpp"
#include "driver/decorators/recoverable/log.hpp"

namespace quern::recoverable {

// A device that does not answer in time is as good as lost, and may be another time.
inline bool is_loss(const base::Error& error) {
  return error.kind() == base::ErrorKind::kDeviceLost || error.kind() == base::ErrorKind::kTimeout;
}

class Core {
 public:
  static Result<std::shared_ptr<Core>> open(Options options);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  const driver::DeviceInfo& info() const { return *info_.load(std::memory_order_acquire); }
  bool can_stay() const { return can_stay_.load(std::memory_order_acquire); }  // kernels that run for ever
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

  // Runs `work` on the device that is open now, and again on the next one when it is lost. With a unique lock
  // nothing else runs meanwhile.
  template <typename Lock = std::shared_lock<std::shared_mutex>, typename Work>
  auto attempt(Work&& work) -> decltype(work(std::declval<driver::Device&>())) {
    for (;;) {
      std::optional<base::Error> cause;
      uint64_t generation = 0;
      {
        const Lock gate(gate_);
        if (end_) return *end_;
        generation = generation_;
        auto result = work(*device_);
        if (result.ok() || !is_loss(result.error())) return result;
        cause = result.error();
      }
      if (auto recovered = recover(generation, *cause); !recovered.ok()) return recovered.error();
    }
  }

  // As attempt; what succeeds goes into the log.
  template <typename Work>
  Result<> submit(LoggedCall call, Work&& work) {
    const auto once = [&](driver::Device& device) -> Result<> {
      QUERN_TRY(work(device));
      add(std::move(call));
      return {};
    };
    QUERN_TRY(attempt(once));
    return is_due(false) ? checkpoint() : Result<>();
  }

  // `work` waits; what it waited for is over then, which `reach` tells the log.
  template <typename Work, typename Reach>
  Result<> wait(Work&& work, Reach&& reach) {
    const auto once = [&](driver::Device& device) -> Result<> {
      QUERN_TRY(work(device));
      const std::lock_guard lock(mutex_);
      reach(log_);
      return {};
    };
    QUERN_TRY(attempt(once));
    return is_due(true) ? checkpoint() : Result<>();
  }

  Result<> checkpoint();

  // For a stream that is endless: what it does is in no log, and it is of no use after a loss.
  template <typename Work>
  auto on_persistent(const StreamState& stream, Work&& work)
      -> decltype(work(std::declval<driver::Device&>())) {
    return attempt([&](driver::Device& device) -> decltype(work(device)) {
      if (stream.generation != generation_ || stream.inner == nullptr)
        return base::Error(base::ErrorKind::kKernelFault,
                           "the device was lost that a kernel without end ran on");
      return work(device);
    });
  }

  // Whether the caller may use the buffer, which a kernel that stays may have claimed.
  Result<> admit(const LoggedPlace& place);
  void exclusive_access(BufferState& state, std::shared_ptr<driver::ExclusiveAccess> exclusive_access);

  // As attempt; the object that `work` makes is made anew after a loss.
  template <typename State, typename Work>
  Result<> make(const std::shared_ptr<State>& state, Work&& work) {
    return attempt([&](driver::Device& device) -> Result<> {
      auto made = work(device);
      if (made.ok()) {
        keep(state);
      } else {
        const std::lock_guard lock(mutex_);
        forget(*state);  // what was made before it failed goes with this device
      }
      return made;
    });
  }

  // Nobody has it any more; the log may.
  template <typename State>
  void release(State& state) {
    const std::shared_lock gate(gate_);
    const std::lock_guard lock(mutex_);
    state.is_wanted = false;
    forget(state);
  }

 private:
  explicit Core(Options options) : options_(std::move(options)) {}
  void keep(const std::shared_ptr<BufferState>& state);
  void keep(const std::shared_ptr<ModuleState>& state);
  void keep(const std::shared_ptr<KernelState>& state);
  void keep(const std::shared_ptr<StreamState>& state);
  void keep(const std::shared_ptr<EventState>& state);

  void add(LoggedCall call);
  void adopt(std::unique_ptr<driver::Device> device);
  template <typename State>
  void drop(State& state) {
    if (state.inner != nullptr && device_ != nullptr) device_->destroy(std::move(state.inner));
    state.inner.reset();
  }
  void forget(BufferState& state);
  void forget(ModuleState& state);
  void forget(KernelState& state);
  void forget(StreamState& state);
  void forget(EventState& state);

  // recovery.cpp; the gate is held alone
  Result<> recover(uint64_t generation, const base::Error& cause);
  Result<> move_over(Recovery& recovery, uint32_t attempt);
  void close();
  Result<> rebuild();
  Result<> rebuild(BufferState& state);
  Result<> load(ModuleState& state);
  Result<> restore(Recovery& recovery);
  Result<> repeat(Recovery& recovery);
  Result<> repeat(const LoggedCall& call);
  Result<> finish();                     // every stream: all in the log is over
  Result<> settle();                     // every stream, which may not have all of the log yet
  Result<> finish(StreamState& stream);  // a kernel's fault is told by the next wait of the stream
  void be_silent();                      // what was printed was printed before
  void drop_unwanted();

  Result<driver::Stream*> own_stream();

  // checkpoint.cpp
  bool is_due(bool is_waiting);
  Result<> checkpoint_here();
  Result<> copy_here(const std::vector<std::shared_ptr<BufferState>>& buffers);  // to copies_
  std::vector<std::shared_ptr<BufferState>> written();

  Options options_;
  std::shared_mutex gate_;  // shared: the device is used; alone: it is changed for another
  std::unique_ptr<driver::Device> device_;
  std::deque<driver::DeviceInfo> infos_;  // of every device there was: references to them stay good
  std::atomic<const driver::DeviceInfo*> info_{nullptr};
  std::atomic<uint64_t> generation_{0};
  std::atomic<bool> can_stay_{false};
  std::atomic<uint64_t> exclusive_accesses_{0};
  std::optional<base::Error> end_;  // no device can be had any more

  std::mutex mutex_;  // guards what follows; taken behind the gate
  Log log_;
  std::vector<std::weak_ptr<BufferState>> buffers_;
  std::vector<std::weak_ptr<ModuleState>> programs_;
  std::vector<std::weak_ptr<KernelState>> kernels_;
  std::vector<std::weak_ptr<StreamState>> streams_;
  std::vector<std::weak_ptr<EventState>> events_;
  uint64_t next_id_ = 1;
  // For copies of our own. After a loss they stay until the device is closed: it may still write there.
  std::unique_ptr<driver::Stream> own_stream_;
  std::vector<std::vector<std::byte>> copies_;
  std::chrono::steady_clock::time_point last_checkpoint_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::duration checkpoint_cost_{0};
};

// Those that somebody still has, or the log; the others leave the list.
template <typename State>
std::vector<std::shared_ptr<State>> living(std::vector<std::weak_ptr<State>>& all) {
  std::vector<std::shared_ptr<State>> out;
  std::erase_if(all, [&](const std::weak_ptr<State>& weak) {
    auto state = weak.lock();
    if (state == nullptr) return true;
    out.push_back(std::move(state));
    return false;
  });
  return out;
}

}  // namespace quern::recoverable
