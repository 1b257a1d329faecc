// A decorator that records every call with its data, for bug reports. Not recorded: host writes to memory
// that host and device share.
#pragma once

#include <memory>
#include <string>

#include "driver/interface/driver.hpp"

namespace quern::recording {

driver::Result<std::unique_ptr<driver::Device>> wrap(std::unique_ptr<driver::Device> inner,
                                                     const std::string& path);

}  // namespace quern::recording
