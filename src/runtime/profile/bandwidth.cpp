#include "runtime/profile/bandwidth.hpp"

#include "base/hash.hpp"
#include "base/store.hpp"
#include "base/text.hpp"

namespace quern::profile {

std::string bandwidth_key(const driver::DeviceInfo& d) {
  const uint64_t hash = base::hash64(d.name + '\n' + d.driver + '\n' + d.driver_version);
  return base::format("bandwidth-%016llx", static_cast<unsigned long long>(hash));
}

double known_bandwidth(const std::string& key) {
  const auto kept = base::Store().find(key);
  return kept ? base::parse_double(*kept).value_or(0) : 0;
}

}  // namespace quern::profile
