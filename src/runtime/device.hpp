// An open device of the runtime: the driver's device, its allocations and its streams. Shared by all objects
// created on it. Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/fork.hpp"
#include "base/result.hpp"
#include "driver/decorators/recoverable/device.hpp"
#include "driver/interface/driver.hpp"
#include "runtime/checks.hpp"
#include "runtime/memory.hpp"
#include "runtime/output.hpp"

namespace quern::runtime {

using base::Result;

class Device;
class Stream;

class Device : public std::enable_shared_from_this<Device> {
 public:
  static Result<std::shared_ptr<Device>> open(driver::Driver& driver, uint32_t index,
                                              const driver::OpenOptions& options);
  static Result<std::shared_ptr<Device>> adopt(std::unique_ptr<driver::Device> native);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // Stays open while it has owners or memories.
  std::shared_ptr<Device> keep();
  const driver::DeviceInfo& info() const { return native_->info(); }
  driver::Device& native() const { return *native_; }
  recoverable::Device* recoverable() const { return recoverable_; }  // the same device, if it is recoverable
  Stream& default_stream() const { return *default_stream_; }
  std::string label() const { return info().name + " (" + info().driver + ")"; }  // for messages
  // The same next to the label of another device, which may be the same hardware opened separately.
  std::string label_beside(const Device& other) const {
    return label() + (label() == other.label() ? ", opened another time" : "");
  }

  Result<MemoryPtr> allocate(uint64_t bytes, driver::MemoryKind kind, std::string_view label);
  // Makes memory of a buffer that the driver created outside of allocate(). It does not count as reserved.
  Result<MemoryPtr> adopt(std::unique_ptr<driver::Buffer> buffer, std::string_view label);
  Result<> synchronize();  // all streams
  // Waits for all streams, and runs `work` while none accepts calls. `work` must not use streams; it may
  // submit calls to the driver stream of the default stream.
  Result<> pause(const std::function<Result<>(driver::Stream& driver_stream)>& work);

  // Retires objects: they are destroyed after the work in flight that may use them.
  void retire(std::unique_ptr<driver::Object> object);

  // Memory at a device address, and the bytes from there to its end; a null place: there is none.
  std::pair<driver::Place, uint64_t> find(uint64_t address) const;

  uint64_t bytes_in_use() const;
  uint64_t peak_bytes() const;
  uint64_t reserved_bytes() const;  // allocated from the driver by the pool
  void trim();                      // returns unused memory to the driver
  MemoryStatistics memory();
  std::vector<MemoryUse> buffers() const;     // live buffers, largest first
  uint64_t set_memory_limit(uint64_t bytes);  // of driver memory, 0: unlimited. Returns the previous limit
  std::shared_ptr<void> listen(MemoryListener listener);  // until the returned object is destroyed
  CheckBoard& checks() { return checks_; }
  Output& output() { return output_; }
  // Passes the output of kernels to the callback until the returned object is destroyed.
  std::shared_ptr<void> redirect_output(OutputCallback callback);
  void write_output();  // of completed kernels, on all streams that no other thread waits for
  // Fails if a call would deadlock: in a callback of this device (callback.hpp), and in a child process that
  // was forked after the device was opened.
  Result<> check_caller() const;
  bool runs_in_process() const { return info().kind == driver::DeviceKind::cpu; }  // its kernels
  bool is_of_parent_process() const { return base::fork_generation() != generation_; }
  // Why this is not the requested device; empty: it is.
  const std::string& fallback_reason() const { return fallback_reason_; }
  void set_fallback_reason(std::string why) { fallback_reason_ = std::move(why); }

 private:
  friend class MemoryPtr;
  friend class Stream;

  // A retired object, and the events after which nothing uses it.
  struct Retired {
    std::unique_ptr<driver::Object> object;  // or
    std::vector<Piece> pieces;
    std::vector<std::unique_ptr<driver::Event>> events;
  };

  explicit Device(std::unique_ptr<driver::Device> native);
  ~Device();
  void close();  // destroys the device, or leaks it if its work does not end
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
  void let_go();  // releases one owner
  void notify_listeners(const Memory& memory, bool is_new) const;
  void update_profile() const;  // reports the memory in use
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
  mutable std::mutex mutex_;  // guards the following members; locked before a stream's mutex
  uint64_t bytes_in_use_ = 0, peak_bytes_ = 0;
  uint64_t owned_bytes_ = 0;  // of these: separate buffers
  uint64_t pool_bytes_ = 0, pool_peak_ = 0, reserved_peak_ = 0;
  uint64_t buffers_ = 0, allocations_ = 0;
  uint32_t owners_ = 0;  // number of owners
  std::vector<void*> rooms_;
  uint64_t limit_ = 0;
  Memory* first_ = nullptr;
  MemoryNumbers numbers_;
  std::list<MemoryListener> listeners_;
  Pool pool_;
  std::vector<Piece> limbo_;  // retired, but possibly used by work in flight
  uint64_t limbo_bytes_ = 0;
  std::vector<Stream*> streams_;
  uint32_t streams_made_ = 0;
  std::vector<Retired> retired_;
  struct IdleStream {
    int priority;
    std::unique_ptr<driver::Stream> driver_stream;
  };
  bool is_closing_ = false;
  std::vector<IdleStream> idle_streams_;  // of destroyed streams: creating one is slow on some devices
  CheckBoard checks_;
  Output output_;
  std::atomic<bool> prints_{false};        // a kernel that calls printf was launched
  std::atomic<bool> is_abandoned_{false};  // a stream was closed while its work was still running
  std::string fallback_reason_;
  std::unique_ptr<Stream> default_stream_;
};

}  // namespace quern::runtime
