// An opened device as the runtime holds it: the driver's device, what was allocated on it, and its streams.
// Shared by all that was made on it. Any thread may call.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/fork.hpp"
#include "base/result.hpp"
#include "driver/interface/driver.hpp"
#include "driver/recoverable/device.hpp"
#include "runtime/checks.hpp"
#include "runtime/memory.hpp"
#include "runtime/output.hpp"

namespace quern::runtime {

template <typename T = void>
using Result = base::Result<T>;

class Device;
class Stream;

class Device : public std::enable_shared_from_this<Device> {
 public:
  static Result<std::shared_ptr<Device>> open(driver::Driver& driver, uint32_t index,
                                              const driver::OpenOptions& options);
  static Result<std::shared_ptr<Device>> adopt(std::unique_ptr<driver::Device> native);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // It stays open for as long as somebody keeps it, and while it has memories.
  std::shared_ptr<Device> keep();
  const driver::DeviceInfo& info() const { return native_->info(); }
  driver::Device& native() const { return *native_; }
  recoverable::Device* recoverable() const {
    return recoverable_;
  }  // the same, where it is brought back after a loss
  Stream& default_stream() const { return *default_stream_; }
  std::string label() const { return info().name + " (" + info().driver + ")"; }  // what messages call it
  // The same where another device is named too, which may be this hardware opened another time.
  std::string label_beside(const Device& other) const {
    return label() + (label() == other.label() ? ", opened another time" : "");
  }

  Result<MemoryPtr> allocate(uint64_t bytes, driver::MemoryKind kind, std::string_view label);
  // Makes memory of a buffer that the driver created outside of allocate(). It does not count as reserved.
  Result<MemoryPtr> adopt(std::unique_ptr<driver::Buffer> buffer, std::string_view label);
  Result<> synchronize();  // every stream
  // Waits for every stream, and runs `work` while none takes calls. `work` must not use streams; it may put
  // calls on the queue of the device's own.
  Result<> pause(const std::function<Result<>(driver::Stream& driver_stream)>& work);

  // Takes back what is no longer wanted: it is destroyed behind the work in flight that may use it.
  void retire(std::unique_ptr<driver::Object> object);

  uint64_t bytes_in_use() const;
  uint64_t peak_bytes() const;
  uint64_t reserved_bytes() const;  // what the pool holds of the driver's memory
  void trim();                      // gives memory that nobody uses back to the driver
  MemoryStatistics memory();
  std::vector<MemoryUse> buffers() const;     // those that are there, the largest first
  uint64_t set_memory_limit(uint64_t bytes);  // of the driver's memory; 0: none. Yields the one before
  std::shared_ptr<void> listen(MemoryListener listener);  // for as long as what it yields lives
  CheckBoard& checks() { return checks_; }
  Output& output() { return output_; }
  void write_output();  // of kernels that have ended, on all streams that no other thread waits for
  // Fails where a call would hang: in a callback of this device (callback.hpp), and in a child process that
  // was forked after the device was opened.
  Result<> check_caller() const;
  bool runs_in_process() const { return info().kind == driver::DeviceKind::kCpu; }  // its kernels
  bool is_of_parent_process() const { return base::fork_generation() != generation_; }
  // Why it is not the device that the program asked for; empty: it is.
  const std::string& fallback_reason() const { return fallback_reason_; }
  void set_fallback_reason(std::string why) { fallback_reason_ = std::move(why); }

 private:
  friend class MemoryPtr;
  friend class Stream;

  // What is no longer wanted, and the events behind which nothing uses it.
  struct Retired {
    std::unique_ptr<driver::Object> object;  // or
    std::vector<Piece> pieces;
    std::vector<std::unique_ptr<driver::Event>> events;
  };

  explicit Device(std::unique_ptr<driver::Device> native);
  ~Device();
  void close();  // deletes it, or leaves it as it is where its work does not end
  Result<MemoryPtr> try_allocate(uint64_t bytes, driver::MemoryKind kind, std::string_view label);
  Result<Piece> take_piece(uint64_t bytes, driver::MemoryKind kind);
  uint64_t left_of_limit() const;
  base::Error out_of_memory(uint64_t bytes, std::string_view label, uint64_t given_back,
                            const base::Error& native);
  MemoryPtr add(Memory* added, std::string_view label);
  void give(Memory& memory);
  void give_outside_callbacks(Memory& memory);
  void give_locked(Memory& memory);
  void* room();
  void clear_away(Memory& memory);
  void let_go();  // one of those who keep it
  void notify_listeners(const Memory& memory, bool is_new) const;
  void update_profile() const;  // how much is in use
  bool is_idle() const;
  void retire_locked(Retired retired);
  void retire_limbo();
  void reclaim();
  void reclaim_locked();
  void reclaim_retired();
  bool is_free(Retired& retired);
  void destroy(Retired& retired);

  const uint32_t generation_ = base::fork_generation();  // of the process that opened it
  std::unique_ptr<driver::Device> native_;
  recoverable::Device* const recoverable_;
  mutable std::mutex mutex_;  // guards what follows; taken before a stream's
  uint64_t bytes_in_use_ = 0, peak_bytes_ = 0;
  uint64_t owned_bytes_ = 0;  // of these: buffers of their own
  uint64_t pool_bytes_ = 0, pool_peak_ = 0, reserved_peak_ = 0;
  uint64_t buffers_ = 0, allocations_ = 0;
  uint32_t owners_ = 0;  // groups of those who keep it, of which each counts for itself
  std::vector<void*> rooms_;
  uint64_t limit_ = 0;
  Memory* first_ = nullptr;
  MemoryNumbers numbers_;
  std::list<MemoryListener> listeners_;
  Pool pool_;
  std::vector<Piece> limbo_;  // nobody wants them any more, but work in flight may use them
  uint64_t limbo_bytes_ = 0;
  std::vector<Stream*> streams_;
  uint32_t streams_made_ = 0;
  std::vector<Retired> retired_;
  struct IdleStream {
    int priority;
    std::unique_ptr<driver::Stream> driver_stream;
  };
  bool is_closing_ = false;
  std::vector<IdleStream> idle_streams_;  // of streams that are gone: making one is slow on some devices
  CheckBoard checks_;
  Output output_;
  std::atomic<bool> prints_{false};        // a kernel that calls printf was launched
  std::atomic<bool> is_abandoned_{false};  // a stream was closed while its work went on
  std::string fallback_reason_;
  std::unique_ptr<Stream> default_stream_;
};

}  // namespace quern::runtime
