// Validation of a launch against the device's limits and the kernel's parameters.
#pragma once

#include <optional>

#include "base/message.hpp"
#include "driver/interface/driver.hpp"

namespace quern::checked {

// Returns an error message, or nothing if the launch is valid. Does not check buffers.
std::optional<base::MessageText> wrong_with(const driver::Launch& launch, const driver::Kernel& kernel,
                                            const driver::DeviceInfo& device);

// The same for code, before it is loaded.
std::optional<base::MessageText> wrong_with(const driver::Code& code, const driver::DeviceInfo& device);

}  // namespace quern::checked
