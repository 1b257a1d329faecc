// The configuration of a group: options are checked once, and completed for the device.
#pragma once

#include <span>

#include "quern/device.hpp"
#include "quern/ring/options.hpp"
#include "ring/text.hpp"

namespace quern::ring {

// The part of the plan that does not depend on the device. Throws if the options are invalid.
Plan plan_members(const Options& options, std::span<const Member> members);

// Completes the plan, and Options::blocks, for a device. Throws if the device cannot run such a group.
void plan_for_device(Plan& plan, Options& options, const Device& device);

// Changes the plan for the driven engine on a device that replaced the planned one.
void plan_as_driven(Plan& plan, Options& options, const DeviceInfo& info);

// Throws if messages of such a group could give another result when they are handled again.
void check_recoverable(const Options& options, bool has_idle_hook);

}  // namespace quern::ring
