// A device or driver whose calls fail when a test or the user plans it. A call that fails does not reach the
// device below.
#pragma once

#include <memory>

#include "driver/decorators/faulty/faults.hpp"
#include "driver/interface/driver.hpp"

namespace quern::faulty {

std::unique_ptr<driver::Device> wrap(std::unique_ptr<driver::Device> inner, std::shared_ptr<Faults> faults);

// Its start, devices and open may fail too, and the devices that it opens share the faults.
std::unique_ptr<driver::Driver> wrap(std::unique_ptr<driver::Driver> inner, std::shared_ptr<Faults> faults);

}  // namespace quern::faulty
