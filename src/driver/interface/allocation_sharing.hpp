// An optional extension of the driver interface: sharing of memory that Device::allocate returned. The layer
// above finds it by dynamic_cast.
#pragma once

#include "driver/interface/driver.hpp"
#include "quern/interop/shared_range.hpp"

namespace quern::driver {

class AllocationSharing {
 public:
  virtual ~AllocationSharing() = default;
  AllocationSharing(const AllocationSharing&) = delete;
  AllocationSharing& operator=(const AllocationSharing&) = delete;

  // The allocation that contains the place. Two calls for one allocation return the same hold and number.
  // ErrorKind::unsupported, with the reason, if it cannot be shared. Thread-safe.
  virtual Result<interop::SharedRange> share_range(Place place) = 0;

 protected:
  AllocationSharing() = default;
};

}  // namespace quern::driver
