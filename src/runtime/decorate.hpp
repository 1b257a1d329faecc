// Decorators that environment variables add to every opened device, for debugging:
//   QUERN_CHECKED=1   checks every driver call against the rules of the interface and logs violations
//   QUERN_RECORD=FILE writes every driver call to the file, for `quern replay`; the second device of a
//   process
//                     uses FILE.2, and so on
//   QUERN_TIME_LIMIT=10
//                     limits the duration of a call, in seconds; a device that exceeds it is marked lost
//   QUERN_FAULTS=launch:3=lost
//                     injects faults; see driver/decorators/faulty/faults.hpp. Not into a device that a
//                     session opens to replace a lost one (`with_faults`)
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "driver/interface/driver.hpp"

namespace quern::runtime {

driver::Result<double> parse_time_limit(std::string_view text);

driver::Result<std::unique_ptr<driver::Device>> decorate(std::unique_ptr<driver::Device> native,
                                                         std::optional<double> time_limit = std::nullopt,
                                                         bool with_faults = true);

}  // namespace quern::runtime
