// Describes a command: shared by all runs with the same kernel, configuration and size.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>

#include "driver/interface/driver.hpp"

namespace quern::profile {

enum class Kind : uint8_t { kKernel, kUpload, kDownload, kCopy, kFill, kGraph };
const char* name(Kind kind);

struct Site {
  Kind kind = Kind::kKernel;
  std::string name;
  driver::Dim3 grid, block;  // kKernel
  uint64_t shared_bytes = 0;
  uint64_t bytes = 0;    // bytes moved; kKernel: of its buffer arguments, each counted once
  float occupancy = -1;  // of a compute unit's threads, 0 to 1; negative: unknown
};

// The clock of a run's times.
enum class TimedBy : uint8_t {
  kDevice,
  kHost,  // around a wait: the device has no clock
  kMean,  // not measured: the mean of the measured runs of its site
};

// Mean duration of the runs of a site: updated by the recorder, read by streams.
class Timing {
 public:
  uint32_t samples() const { return samples_.load(std::memory_order_relaxed); }
  uint64_t mean() const { return mean_.load(std::memory_order_relaxed); }  // nanoseconds
  void add(uint64_t nanoseconds) {
    constexpr int64_t kMemory = 64;  // runs; older runs count less
    const uint32_t count = samples() + 1;
    const auto before = static_cast<int64_t>(mean());
    const int64_t step = (static_cast<int64_t>(nanoseconds) - before) / std::min<int64_t>(count, kMemory);
    mean_.store(static_cast<uint64_t>(before + step), std::memory_order_relaxed);
    samples_.store(count, std::memory_order_relaxed);
  }

 private:
  std::atomic<uint32_t> samples_{0};
  std::atomic<uint64_t> mean_{0};
};

// A site as the recorder knows it.
struct SiteId {
  uint32_t id = 0;
  Timing* timing = nullptr;
};

// The key by which a stream finds a site.
struct SiteKey {
  uint64_t what = 0;  // hash of the kernel, or the kind
  driver::Dim3 grid, block;
  uint64_t shared_bytes = 0;
  uint64_t bytes = 0;
  bool operator==(const SiteKey&) const = default;
};

}  // namespace quern::profile
