// Copies between pageable host memory and the device. Only pinned memory reaches full bandwidth, so data goes
// through pinned slots: several threads fill the next slot while the previous one is transferred. Nothing
// waits for the device: chunks for which no slot is free are copied by a host function on the stream.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <functional>

#include "driver/cuda/api.hpp"
#include "driver/support/staging_copier.hpp"

namespace quern::cuda {

using driver::StagingCopier;

// Pending host functions of a stream. Owned here, because a lost device never calls them.
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

  void forget() { is_forgotten_ = true; }  // the context is lost, and all objects in it

  // Returns 0 or the code of the first call that failed.
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
  StreamId stream_ = nullptr;  // for the transfers, concurrent with the host functions on the stream
  EventId begin_ = nullptr;
  std::array<Slot, kSlots> slots_;
  size_t turn_ = 0;
  bool is_forgotten_ = false;
};

}  // namespace quern::cuda
