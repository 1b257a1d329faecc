// The implementation of a recoverable device: the current device, the state of all objects, the log, and
// recovery on another device. Objects keep it alive.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "driver/decorators/messages.hpp"
#include "driver/decorators/recoverable/device.hpp"
#include "driver/decorators/recoverable/log.hpp"

namespace quern::recoverable {

// A timeout counts as a loss: the work may succeed on another attempt.
inline bool is_loss(const base::Error& error) {
  return error.kind() == base::ErrorKind::device_lost || error.kind() == base::ErrorKind::timeout;
}

class Core {
 public:
  static Result<std::shared_ptr<Core>> open(Options options);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  const driver::DeviceInfo& info() const { return *info_.load(std::memory_order_acquire); }
  bool can_stay() const { return can_stay_.load(std::memory_order_acquire); }  // persistent kernels
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

  // Runs `work` on the current device, and again on the next one if it is lost. With a unique lock nothing
  // else runs meanwhile.
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

  // As attempt(); adds the call to the log if it succeeds.
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

  // `work` waits; on success `reach` updates the log, because the work waited for is complete.
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

  // For a persistent stream: its work is not logged, and it is invalid after a loss.
  template <typename Work>
  auto on_persistent(const StreamState& stream, Work&& work)
      -> decltype(work(std::declval<driver::Device&>())) {
    return attempt([&](driver::Device& device) -> decltype(work(device)) {
      if (stream.generation != generation_ || stream.inner == nullptr)
        return base::Error(base::ErrorKind::kernel_fault, decorators::message::kPersistentKernelLost());
      return work(device);
    });
  }

  // Whether the caller may use the buffer, which may be reserved for a persistent kernel.
  Result<> admit(const LoggedPlace& place);
  void exclusive_access(BufferState& state, std::shared_ptr<driver::ExclusiveAccess> exclusive_access);

  // As attempt(); the object that `work` creates is created again after a loss.
  template <typename State, typename Work>
  Result<> make(const std::shared_ptr<State>& state, Work&& work) {
    return attempt([&](driver::Device& device) -> Result<> {
      auto made = work(device);
      if (made.ok()) {
        keep(state);
      } else {
        const std::lock_guard lock(mutex_);
        forget(*state);  // objects created before the failure belong to the lost device
      }
      return made;
    });
  }

  // The user destroyed it; the log may still refer to it.
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

  // recovery.cpp; the caller holds the gate exclusively
  Result<> recover(uint64_t generation, const base::Error& cause);
  Result<> move_over(Recovery& recovery, uint32_t attempt);
  void close();
  Result<> rebuild();
  Result<> rebuild(BufferState& state);
  Result<> load(ModuleState& state);
  Result<> restore(Recovery& recovery);
  Result<> repeat(Recovery& recovery);
  Result<> repeat(const LoggedCall& call);
  Result<> finish();                     // every stream: everything in the log is complete
  Result<> settle();                     // every stream, which may not have the whole log yet
  Result<> finish(StreamState& stream);  // a kernel's fault is returned by the next wait of the stream
  void be_silent();                      // discards output that was printed before the loss
  void drop_unwanted();

  Result<driver::Stream*> own_stream();

  // checkpoint.cpp
  bool is_due(bool is_waiting);
  Result<> checkpoint_here();
  Result<> copy_here(const std::vector<std::shared_ptr<BufferState>>& buffers);  // to copies_
  std::vector<std::shared_ptr<BufferState>> written();

  Options options_;
  std::shared_mutex gate_;  // shared: the device is in use; exclusive: it is being replaced
  std::unique_ptr<driver::Device> device_;
  std::deque<driver::DeviceInfo> infos_;  // of every device so far: references to them stay valid
  std::atomic<const driver::DeviceInfo*> info_{nullptr};
  std::atomic<uint64_t> generation_{0};
  std::atomic<bool> can_stay_{false};
  std::atomic<uint64_t> exclusive_accesses_{0};
  std::optional<base::Error> end_;  // set when no device can be opened any more

  std::mutex mutex_;  // guards the members below; locked after the gate
  Log log_;
  std::vector<std::weak_ptr<BufferState>> buffers_;
  std::vector<std::weak_ptr<ModuleState>> programs_;
  std::vector<std::weak_ptr<KernelState>> kernels_;
  std::vector<std::weak_ptr<StreamState>> streams_;
  std::vector<std::weak_ptr<EventState>> events_;
  uint64_t next_id_ = 1;
  // For internal copies. After a loss they stay until the device is closed, because it may still write there.
  std::unique_ptr<driver::Stream> own_stream_;
  std::vector<std::vector<std::byte>> copies_;
  std::chrono::steady_clock::time_point last_checkpoint_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::duration checkpoint_cost_{0};
};

// The states that the user or the log still refers to; removes the others from the list.
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
