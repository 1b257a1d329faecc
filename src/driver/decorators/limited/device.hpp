// A decorator that enforces a time limit: a call that takes longer fails with kTimeout, and the device is
// marked lost. Every later call fails. The device's objects are leaked on purpose, because a kernel may still
// be using them.
#pragma once

#include <memory>

#include "driver/interface/driver.hpp"

namespace quern::limited {

std::unique_ptr<driver::Device> wrap(std::unique_ptr<driver::Device> inner, double seconds);

}  // namespace quern::limited
