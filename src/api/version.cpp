#include "quern/version.hpp"

#define QUERN_SPELL_(major, minor, patch) #major "." #minor "." #patch
#define QUERN_SPELL(major, minor, patch) QUERN_SPELL_(major, minor, patch)

namespace quern {

std::string_view version() {
  return QUERN_SPELL(QUERN_VERSION_MAJOR, QUERN_VERSION_MINOR, QUERN_VERSION_PATCH);
}

}  // namespace quern
