// What the environment puts around every device that is opened, for people who look for a mistake:
//   QUERN_CHECKED=1              holds every driver call to the rules and logs what breaks them
//   QUERN_RECORD=FILE            writes every driver call to the file, for `quern replay`; the second device
//   of a
//                                process goes to FILE.2, and so on
//   QUERN_FAULTS=launch:3=lost   lets calls fail; see driver/faulty/faults.hpp. Not those of a device that a
//                                session opens in place of a lost one (`with_faults`)
#pragma once

#include <memory>

#include "driver/interface/driver.hpp"

namespace quern::runtime {

driver::Result<std::unique_ptr<driver::Device>> decorate(std::unique_ptr<driver::Device> native,
                                                         bool with_faults = true);

}  // namespace quern::runtime
