// The variants of a kernel's code for each block size and size of dynamic shared memory, where these are
// compile-time constants.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <utility>

#include "driver/interface/driver.hpp"
#include "driver/support/waiting_clock.hpp"

namespace quern::driver {

struct BlockConfig {
  Dim3 block;
  uint64_t shared_bytes = 0;  // dynamic
  bool operator==(const BlockConfig&) const = default;
};

template <typename Made>
class Variants {
 public:
  struct Found {
    const Made* made = nullptr;  // valid while the variants live
    bool is_new = false;
  };

  // Returns the variant of this shape; `make` creates it if there is none yet.
  template <typename Make>
  Result<Found> get(const BlockConfig& shape, const Make& make) {
    const std::lock_guard lock(mutex_);
    for (const auto& [known, made] : all_) {
      if (known == shape) return Found{&made, false};
    }
    const Preparation now;
    QUERN_TRY_ASSIGN(Made made, make());
    return Found{&all_.emplace_back(shape, std::move(made)).second, true};
  }

  // Call it only when no other thread uses the variants.
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  std::mutex mutex_;
  std::deque<std::pair<BlockConfig, Made>> all_;
};

}  // namespace quern::driver
