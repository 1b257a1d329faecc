// A device whose every call is held to the rules of the driver interface: objects are alive and of this
// device, places in range, launches within the limits and with the arguments that the kernel takes, calls on
// one stream one after the other, nothing given up while work in flight may use it, nothing left at the end.
// What the caller breaks is refused with kInvalidUse and does not reach the device below; what the driver
// below breaks becomes kInternal. An object that is destroyed too early is reported, and destroyed on the
// device below when nothing uses it any more.
#pragma once

#include <memory>

#include "driver/decorators/checked/violations.hpp"
#include "driver/interface/driver.hpp"

namespace quern::checked {

std::unique_ptr<driver::Device> wrap(std::unique_ptr<driver::Device> inner,
                                     std::shared_ptr<Violations> violations);
// Around a device that somebody else keeps open.
std::unique_ptr<driver::Device> wrap(driver::Device& inner, std::shared_ptr<Violations> violations);

// The devices that it opens are checked.
std::unique_ptr<driver::Driver> wrap(std::unique_ptr<driver::Driver> inner,
                                     std::shared_ptr<Violations> violations);

}  // namespace quern::checked
