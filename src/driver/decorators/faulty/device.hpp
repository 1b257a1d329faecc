// A device or driver whose calls fail as specified by a plan (fault injection). A failing call does not reach
// the wrapped device.
#pragma once

#include <memory>

#include "driver/decorators/faulty/faults.hpp"
#include "driver/interface/driver.hpp"

namespace quern::faulty {

std::unique_ptr<driver::Device> wrap(std::unique_ptr<driver::Device> inner, std::shared_ptr<Faults> faults);

// start, devices and open may fail too. All devices that it opens share the faults.
std::unique_ptr<driver::Driver> wrap(std::unique_ptr<driver::Driver> inner, std::shared_ptr<Faults> faults);

}  // namespace quern::faulty
