// Copies between ordinary memory of the host and the device. The device reaches only pinned memory at full
// speed, so data goes through pinned slots: several threads pack the next slot while the last one travels.
// Nothing waits for the device: what cannot be packed at once is packed by a function that the stream calls
// when it comes there.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <functional>

#include "driver/cuda/api.hpp"
#include "driver/support/staging_copier.hpp"

namespace quern::cuda {

using driver::StagingCopier;

// Functions on their way through a stream. They stay here, because a device that is lost never calls them.
class Calls {
 public:
  int32_t add(const Api& api, StreamId stream, std::function<void()> function);

 private:
  struct Call {
    std::function<void()> function;
    std::atomic<bool> is_over{false};
  };
  static void run(void* call) noexcept;
  std::deque<Call> calls_;
};

// The slots of one stream.
class Staging {
 public:
  explicit Staging(const Api& api) : api_(api) {}
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  void forget() { is_forgotten_ = true; }  // the context is gone, and all that is here with it

  // Code 0 or the error of the first call that failed.
  int32_t upload(StreamId stream, Calls& calls, StagingCopier& staging_copier, Address to,
                 const std::byte* from, size_t bytes);
  int32_t download(StreamId stream, Calls& calls, StagingCopier& staging_copier, std::byte* to, Address from,
                   size_t bytes);

 private:
  static constexpr size_t kSlots = 4;
  struct Slot {
    std::byte* memory = nullptr;
    EventId full = nullptr;
    EventId free = nullptr;
  };
  int32_t prepare(size_t bytes, size_t chunk);
  int32_t state_of(const Slot& slot, bool was_idle) const;
  Slot& next() { return slots_[turn_++ % kSlots]; }

  const Api& api_;
  StreamId stream_ = nullptr;  // the copies, beside the packing on the stream itself
  EventId begin_ = nullptr;
  std::array<Slot, kSlots> slots_;
  size_t turn_ = 0;
  bool is_forgotten_ = false;
};

}  // namespace quern::cuda
