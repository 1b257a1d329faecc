// What the device is.
#include "driver/null/device.hpp"

namespace quern::null {

// A real driver asks the library for all of this. Features and limits are promises: what is listed works,
// what does not work is not listed. `code` names the kinds that load() takes, best first.
driver::DeviceInfo describe(uint32_t index) {
  driver::DeviceInfo info;
  info.name = "nothing";
  info.driver = "null";
  info.index = index;
  return info;
}

base::Error not_here(const char* what) {
  return base::Error(base::ErrorKind::kUnsupported, std::string("null is a skeleton: it has no ") + what);
}

}  // namespace quern::null
