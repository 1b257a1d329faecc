// Description of the device.
#include "driver/null/device.hpp"

namespace quern::null {

// A real driver queries all of this. Features and limits are promises: list what works, and nothing else.
// `code` names the kinds that load() accepts, best first.
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
