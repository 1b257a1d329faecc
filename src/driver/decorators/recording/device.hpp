// A device that writes down every call with its data, so that a user can attach what happened to a bug
// report. What is not seen: host writes to memory that host and device share in place.
#pragma once

#include <memory>
#include <string>

#include "driver/interface/driver.hpp"

namespace quern::recording {

driver::Result<std::unique_ptr<driver::Device>> wrap(std::unique_ptr<driver::Device> inner,
                                                     const std::string& path);

}  // namespace quern::recording
