// An opened device as the runtime holds it: the driver's device, what was allocated on it, and its streams.
// Shared by all that was made on it. Any thread may call.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "driver/interface/driver.hpp"

namespace quern::runtime {

template <typename T = void>
using Result = base::Result<T>;

class Device;
class Stream;

// Memory on a device. Giving it up while work that uses it is in flight is fine: it is freed behind that
// work.
class Memory : public std::enable_shared_from_this<Memory> {
 public:
  Memory(std::shared_ptr<Device> device, std::unique_ptr<driver::Buffer> buffer);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  Device& device() const { return *device_; }
  driver::Buffer& buffer() const { return *buffer_; }
  uint64_t bytes() const { return buffer_->bytes; }

 private:
  std::shared_ptr<Device> device_;
  std::unique_ptr<driver::Buffer> buffer_;
};

class Device : public std::enable_shared_from_this<Device> {
 public:
  static Result<std::shared_ptr<Device>> open(driver::Driver& driver, uint32_t index,
                                              const driver::OpenOptions& options);
  static Result<std::shared_ptr<Device>> adopt(std::unique_ptr<driver::Device> native);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const driver::DeviceInfo& info() const { return native_->info(); }
  driver::Device& native() const { return *native_; }
  Stream& default_stream() const { return *default_stream_; }
  std::string label() const { return info().name + " (" + info().driver + ")"; }  // what messages call it

  Result<std::shared_ptr<Memory>> allocate(uint64_t bytes, driver::MemoryKind kind, std::string_view label);
  Result<> synchronize();  // every stream
  // Waits for every stream, and runs `work` while none takes calls. `work` must not use streams; it may put
  // calls on the queue of the device's own.
  Result<> pause(const std::function<Result<>(driver::Queue& queue)>& work);

  // Takes back what is no longer wanted: it is destroyed behind the work in flight that may use it.
  void retire(std::unique_ptr<driver::Object> object);

  uint64_t bytes_in_use() const { return bytes_in_use_.load(std::memory_order_relaxed); }

 private:
  friend class Memory;
  friend class Stream;

  // What is no longer wanted, and the events behind which nothing uses it.
  struct Retired {
    std::unique_ptr<driver::Object> object;
    std::vector<std::unique_ptr<driver::Event>> events;
  };

  explicit Device(std::unique_ptr<driver::Device> native);
  void reclaim();
  void reclaim_locked();
  bool is_free(Retired& retired);
  void destroy(Retired& retired);

  std::unique_ptr<driver::Device> native_;
  std::atomic<uint64_t> bytes_in_use_{0};
  std::mutex mutex_;  // guards what follows; taken before a stream's
  std::vector<Stream*> streams_;
  std::vector<Retired> retired_;
  std::unique_ptr<Stream> default_stream_;
};

}  // namespace quern::runtime
