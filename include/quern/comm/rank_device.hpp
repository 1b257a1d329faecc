/// @file
/// A device for each rank of a machine.
#pragma once

#include <string_view>

#include "quern/device.hpp"
#include "quern/export.hpp"
#include "quern/process.hpp"

namespace quern::comm {

/// The device of a rank among the devices that match `which`, a request as for open() without a policy.
/// Ranks of one machine get distinct devices, best first. If there are more ranks than devices, several ranks
/// share a device. Only devices of the same kind as the best one are used, so no rank gets a processor while
/// others have GPUs. Throws Error with kind `not_found` if no device matches.
[[nodiscard]] QUERN_API DeviceInfo device_of_rank(const JobRank& rank, std::string_view which = {});

/// Opens device_of_rank() of this process: job_rank(), or rank 0 if it is the only process. An empty `which`
/// is QUERN_DEVICE, as in open(). Throws like open().
[[nodiscard]] QUERN_API Device open_for_rank(std::string_view which = {});

}  // namespace quern::comm
