// A device whose calls come back: one that takes longer than the limit fails with kTimeout, and the device is
// given up. Every later call says so, and what it holds stays where it is, because a kernel may still run
// there.
#pragma once

#include <memory>

#include "driver/interface/driver.hpp"

namespace quern::limited {

std::unique_ptr<driver::Device> wrap(std::unique_ptr<driver::Device> inner, double seconds);

}  // namespace quern::limited
