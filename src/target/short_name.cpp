#include "target/short_name.hpp"

#include "base/hash.hpp"
#include "base/text.hpp"

namespace quern::target {

std::string short_name(const std::string& name) {
  constexpr size_t kLongest = 120, kKept = 100;
  if (name.size() <= kLongest) return name;
  return name.substr(0, kKept) +
         base::format("_%016llx", static_cast<unsigned long long>(base::hash64(name)));
}

}  // namespace quern::target
