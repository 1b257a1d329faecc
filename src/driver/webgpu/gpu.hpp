// A device of WebGPU: objects are created inside of error scopes, work is submitted in order, and whoever
// waits sleeps in the library. Errors and the loss of the device arrive by callbacks.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "driver/support/loss.hpp"
#include "driver/support/owned.hpp"
#include "driver/webgpu/adapter.hpp"

namespace quern::webgpu {

struct Release {
  void operator()(Handle handle) const { call(handle); }
  void (*call)(Handle) = nullptr;
};
using Owned = driver::Owned<Handle, Release>;

/// The completion of an asynchronous call. Shared by everyone who waits.
struct Signal {
  std::atomic<bool> is_done{false};
  bool has_succeeded = false;  // valid when done
  uint64_t submission = 0;     // wgpu-native: the submission that completes it
  Future future;
};

// Creates a Buffer, BindGroup, … of a Gpu (a pointer).
#define QUERN_WEBGPU_CREATE(gpu, object, descriptor)                                                   \
  (gpu)->create("wgpuDeviceCreate" #object, (**(gpu)).DeviceCreate##object, (**(gpu)).object##Release, \
                descriptor)

class Gpu {
 public:
  static Result<std::shared_ptr<Gpu>> open(const Adapter& adapter);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  const Api& operator*() const { return api_; }
  const Api* operator->() const { return &api_; }
  Handle device() const { return device_; }
  Handle queue() const { return queue_; }
  const std::shared_ptr<driver::Loss>& loss() const { return loss_; }

  /// Calls `make`, a function of the table, which QUERN_WEBGPU_CREATE selects. An error of any kind is the
  /// result; an invalid object is never returned. The lock is held.
  template <typename Make, typename D>
  Result<Owned> create(std::string_view call, const Make& make, void (*release)(Handle),
                       const D& descriptor) {
    QUERN_TRY(loss_->alive());
    QUERN_TRY(push_scopes(call));
    Owned made(make(device_, &descriptor), {release});
    QUERN_TRY(pop_scopes(call));
    if (made.get() == nullptr) return failed(call, kUnknown, "no object was returned");
    return made;
  }
  Result<Owned> create_buffer(uint64_t bytes, uint64_t usage);
  Result<Owned> create_module(std::string_view text);
  Result<Owned> create_group_layout(std::span<const uint32_t> types,  // of bindings 0, 1, …
                                    bool is_dynamic = false);
  Result<Owned> create_group(Handle layout, std::span<const GroupEntry> entries);
  Result<Owned> create_layout(std::span<const Handle> groups, uint64_t immediate_bytes);
  Result<Owned> create_pipeline(Handle layout, Handle module, std::string_view entry,
                                std::span<const Constant> constants);

  /// The lock is held for these.
  Result<> submit(Handle commands);  // null: only pending writes
  Result<> write(Handle to, uint64_t offset, const void* from, uint64_t bytes);
  Result<std::shared_ptr<Signal>> on_work_done();
  std::shared_ptr<Signal> map(Handle buffer, uint64_t bytes);
  /// The object that `call` has returned outside of error scopes, if it is valid.
  Result<Owned> checked(std::string_view call, Owned made);
  /// The first error since the last call that no scope has caught.
  Result<> take_error(std::string_view call);

  /// Without the lock. `wait` returns when the signal is done or the device is lost.
  Result<> wait(const Signal& signal);
  void poll();

  /// Held for creation and submission: error scopes form one stack, and submissions one order.
  std::mutex mutex;

 private:
  explicit Gpu(const Adapter& adapter);

  Result<> push_scopes(std::string_view call);
  Result<> pop_scopes(std::string_view call);
  CallbackInfo expect(const std::shared_ptr<Signal>& signal, void* callback);
  void complete(uint64_t id, bool has_succeeded);

  static void on_lost(const Handle* device, uint32_t reason, Text message, void* gpu, void*);
  static void on_error(const Handle* device, uint32_t type, Text message, void* gpu, void*);
  static void on_done(uint32_t status, Text, void* gpu, void* id);
  static void on_done_early(uint32_t status, void* gpu, void* id);

  const Api& api_;
  std::shared_ptr<Instance> instance_;
  const std::shared_ptr<driver::Loss> loss_ = std::make_shared<driver::Loss>();
  Handle device_ = nullptr, queue_ = nullptr;
  std::atomic<bool> is_closing_{false};
  uint64_t submission_ = 0;  // the last one
  bool has_pending_writes_ = false;
  size_t scopes_ = 0;  // of errors, on the stack

  std::mutex signals_mutex_;
  std::condition_variable completed_;
  std::unordered_map<uint64_t, std::shared_ptr<Signal>> signals_;
  uint64_t next_signal_ = 1;

  std::mutex error_mutex_;
  uint32_t error_type_ = kNoError;
  std::string error_;
};

}  // namespace quern::webgpu
