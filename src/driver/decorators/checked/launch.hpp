// A launch against the limits of the device and the parameters of the kernel.
#pragma once

#include <optional>
#include <string>

#include "driver/interface/driver.hpp"

namespace quern::checked {

// What is wrong with it, as a sentence; nothing when it is right. Buffers are not looked at.
std::optional<std::string> wrong_with(const driver::Launch& launch, const driver::Kernel& kernel,
                                      const driver::DeviceInfo& device);

// The same for code before it is loaded.
std::optional<std::string> wrong_with(const driver::Code& code, const driver::DeviceInfo& device);

}  // namespace quern::checked
