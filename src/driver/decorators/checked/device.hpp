// A decorator that checks every call against the rules of the driver interface: objects are alive and belong
// to this device, places are in range, launches respect the limits and match the kernel's parameters, calls
// on one stream do not overlap, no object is destroyed while work in flight may use it, and none is left at
// the end. A violation by the caller returns kInvalidUse and does not reach the wrapped device; a violation
// by the wrapped driver returns kInternal. An object that is destroyed too early is reported; its inner
// object is destroyed once nothing uses it.
#pragma once

#include <memory>

#include "driver/decorators/checked/violations.hpp"
#include "driver/interface/driver.hpp"

namespace quern::checked {

std::unique_ptr<driver::Device> wrap(std::unique_ptr<driver::Device> inner,
                                     std::shared_ptr<Violations> violations);
// Wraps a device that the caller keeps open.
std::unique_ptr<driver::Device> wrap(driver::Device& inner, std::shared_ptr<Violations> violations);

// Wraps every device that the driver opens.
std::unique_ptr<driver::Driver> wrap(std::unique_ptr<driver::Driver> inner,
                                     std::shared_ptr<Violations> violations);

}  // namespace quern::checked
